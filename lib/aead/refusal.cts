// Turns the refusals that depend on the class of a key into errors. Other refusals go to lib/native/refusal.cts.

import { join, positionOf } from '../base/builtins.cjs'
import { authenticationFailed, keyExhausted } from '../base/diagnostics.cjs'
import { AesGcmError, messageTooLong, mistake, wrongLength } from '../base/errors.cjs'
import { adviceFor } from '../base/key-text.cjs'
import { arePieces, bytesOf } from '../base/pieces.cjs'
import { byteLength } from '../base/views.cjs'
import { load } from '../native/binary.cjs'
import { refusalOf } from '../native/refusal.cjs'
import { reasonOf, subjectOf } from '../native/status.cjs'
import { AES_GCM, type Kind } from './ciphers.cjs'

/** Half of the programs that call `createCipheriv` by hand draw as many bytes as a block has. */
const LONG_NONCE_BYTES = 16
const LONG_NONCE = ': layoutReader of hardware-aes-gcm/legacy opens old messages with IVs of 16 bytes'

/** For `try…` methods: publishes that a message is not authentic, and throws every other refusal. */
export function publishForgeryOrThrow(
  kind: Kind,
  status: number,
  names: readonly string[],
  ...values: readonly unknown[]
): void {
  if (reasonOf(load().reasons, status) !== 'Authentication') throw refusalFor(kind, status, names, values)
  authenticationFailed()
}

/**
 * Publishes the event of a refusal, if any, and returns its error. `values` are the arguments of the raw function, and
 * `names` their names in index.d.ts.
 */
export function aeadRefusal(
  kind: Kind,
  status: number,
  names: readonly string[],
  ...values: readonly unknown[]
): Error {
  return refusalFor(kind, status, names, values)
}

function refusalFor(kind: Kind, status: number, names: readonly string[], values: readonly unknown[]): Error {
  const { at, detail } = subjectOf(status)
  const named = (wanted: string) => values[positionOf(names, wanted)]
  const inBatch = names[at] === 'frames'
  switch (reasonOf(load().reasons, status)) {
    case 'InvalidKeyLength': {
      const key = named('key') as Uint8Array
      const lengths = join(kind.keyBytes as never, ' or ')
      return new AesGcmError(
        'ERR_AESGCM_INVALID_KEY_LENGTH',
        `"key" must be ${lengths} bytes, got length ${byteLength(key)}${adviceFor(key)}`,
      )
    }
    case 'InvalidNonceLength': {
      const nonce = named('nonce') as Uint8Array
      const advice = kind === AES_GCM && byteLength(nonce) === LONG_NONCE_BYTES ? LONG_NONCE : ''
      return wrongLength('nonce', `length ${kind.nonceBytes}`, nonce, advice)
    }
    case 'FrameTooShort': {
      const { overhead } = kind
      const wanted = `at least ${overhead} bytes: the plaintext and ${overhead} bytes around it`
      if (!inBatch) return wrongLength('frame', wanted, named('frame'))
      return mistake(RangeError, 'ERR_OUT_OF_RANGE', `frame ${detail} of "frames" must be ${wanted}`)
    }
    case 'TargetTooShort': {
      const bytes = lengthToWrite(kind, named('plaintext'), named('frame'))
      return wrongLength('target', `at least ${bytes} bytes`, named('target'))
    }
    case 'MessageTooLong':
      return messageTooLong(kind.longest.message)
    case 'AadTooLong':
      return mistake(RangeError, 'ERR_OUT_OF_RANGE', `"aad" must be at most ${kind.longest.aad} bytes`)
    case 'EncryptionsExhausted': {
      keyExhausted('encryptions')
      const what = inBatch ? 'this batch would exceed the limit' : 'this object has reached its limit'
      return new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        `${what} of ${kind.limits}${inBatch ? ' of this object' : ''}: ` +
          'rotate to a new key, in a new object; this object still decrypts',
      )
    }
    default:
      return refusalOf(status, names, values)
  }
}

/** Number of bytes that `encryptInto` writes for a plaintext, or `decryptInto` for a frame. */
function lengthToWrite({ overhead }: Kind, plaintext: unknown, frame: unknown): number {
  if (plaintext === undefined) return byteLength(frame as Uint8Array) - overhead
  return (arePieces(plaintext) ? bytesOf(plaintext) : byteLength(plaintext as Uint8Array)) + overhead
}
