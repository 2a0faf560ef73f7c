// Turns refusals that depend on the class of a key into errors (others: native/refusal.cts).
import { join, positionOf } from '../base/builtins.cjs'
import { authenticationFailed, keyExhausted } from '../base/diagnostics.cjs'
import { AesGcmError, messageTooLong, outOfRange, wrongLength } from '../base/errors.cjs'
import { wrongKeyLength } from '../base/key-text.cjs'
import { arePieces, bytesOf } from '../base/pieces.cjs'
import { byteLength } from '../base/views.cjs'
import { load } from '../native/binary.cjs'
import { refusalOf } from '../native/refusal.cjs'
import { reasonOf, subjectOf } from '../native/status.cjs'
import { AES_GCM, type CipherSpec } from './ciphers.cjs'

/** Half of the programs that call `createCipheriv` by hand draw as many bytes as a block has. */
const LONG_NONCE_BYTES = 16
const LONG_NONCE = ': layoutReader of hardware-aes-gcm/legacy opens old messages with IVs of 16 bytes'

/** For `try…` methods: publishes an authentication failure, and throws every other refusal. */
export function publishForgeryOrThrow(
  cipher: CipherSpec,
  status: number,
  names: readonly string[],
  ...values: readonly unknown[]
): void {
  if (reasonOf(load().reasons, status) !== 'Authentication') throw refusalFor(cipher, status, names, values)
  authenticationFailed()
}

/**
 * Whether a call that should write to a part of a slab needs separate memory instead, because the
 * part overlaps an argument, a view of all the memory of an earlier result.
 */
export function needsSeparate(status: number): boolean {
  return !(status >= 0) && reasonOf(load().reasons, status) === 'Overlap'
}

/**
 * Publishes the event of a refusal, if any, and returns its error. `values` are the arguments of
 * the raw function; `names` are their names in index.d.ts.
 */
export function aeadRefusal(
  cipher: CipherSpec,
  status: number,
  names: readonly string[],
  ...values: readonly unknown[]
): Error {
  return refusalFor(cipher, status, names, values)
}

function refusalFor(
  cipher: CipherSpec,
  status: number,
  names: readonly string[],
  values: readonly unknown[],
): Error {
  const { at, detail } = subjectOf(status)
  const named = (wanted: string) => values[positionOf(names, wanted)]
  const inBatch = names[at] === 'frames'
  switch (reasonOf(load().reasons, status)) {
    case 'InvalidKeyLength': {
      const key = named('key') as Uint8Array
      const lengths = join(cipher.keyBytes as never, ' or ')
      return wrongKeyLength('key', `${lengths} bytes`, key)
    }
    case 'InvalidNonceLength': {
      const nonce = named('nonce') as Uint8Array
      const advice = cipher === AES_GCM && byteLength(nonce) === LONG_NONCE_BYTES ? LONG_NONCE : ''
      return wrongLength('nonce', `length ${cipher.nonceBytes}`, nonce, advice)
    }
    case 'FrameTooShort': {
      const { overhead } = cipher
      const wanted = `at least ${overhead} bytes: the plaintext and ${overhead} bytes around it`
      if (!inBatch) return wrongLength('frame', wanted, named('frame'))
      return outOfRange(`frame ${detail} of "frames" must be ${wanted}`)
    }
    case 'TargetTooShort': {
      const bytes = lengthToWrite(cipher, named('plaintext'), named('frame'))
      return wrongLength('target', `at least ${bytes} bytes`, named('target'))
    }
    case 'MessageTooLong':
      return messageTooLong(cipher.longest.message)
    case 'AadTooLong':
      return outOfRange(`"aad" must be at most ${cipher.longest.aad} bytes`)
    case 'EncryptionsExhausted': {
      keyExhausted('encryptions')
      const what = inBatch ? 'this batch would exceed the limit' : 'this object has reached its limit'
      return new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        `${what} of ${cipher.limits}${inBatch ? ' of this object' : ''}: ` +
          'rotate to a new key, in a new object; this object still decrypts',
      )
    }
    default:
      return refusalOf(status, names, values)
  }
}

/** Number of bytes that `encryptInto` writes for a plaintext, or `decryptInto` for a frame. */
function lengthToWrite({ overhead }: CipherSpec, plaintext: unknown, frame: unknown): number {
  if (plaintext === undefined) return byteLength(frame as Uint8Array) - overhead
  return (arePieces(plaintext) ? bytesOf(plaintext) : byteLength(plaintext as Uint8Array)) + overhead
}
