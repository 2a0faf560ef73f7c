// Turns refusals of the binding into errors.

import { positionOf } from '../builtins.cjs'
import { authenticationFailed, keyExhausted } from '../diagnostics.cjs'
import {
  AesGcmError,
  AuthenticationError,
  detached,
  messageTooLong,
  mistake,
  noMemory,
  notBytes,
  shared,
  wrongLength,
} from '../errors.cjs'
import { byteLength, isThere } from '../views.cjs'
import { load } from './binary.cjs'
import { argumentsOf, reasonOf } from './status.cjs'

/** For `try…` methods: publishes that a message is not authentic, and throws every other refusal. */
export function publishForgeryOrThrow(
  status: number,
  names: readonly string[],
  ...values: readonly unknown[]
): void {
  if (reasonOf(load().reasons, status) !== 'Authentication') throw refusal(status, names, ...values)
  authenticationFailed()
}

/**
 * Publishes the event of a refusal, if any, and returns its error. `values` are the arguments of the raw function, and
 * `names` their names in index.d.ts.
 */
export function refusal(status: number, names: readonly string[], ...values: readonly unknown[]): Error {
  const { at, other } = argumentsOf(status)
  const name = names[at] ?? 'argument'
  const named = (wanted: string) => values[positionOf(names, wanted)]
  switch (reasonOf(load().reasons, status)) {
    case 'Authentication':
      authenticationFailed()
      return new AuthenticationError()
    case 'NotBytes':
      return notBytes(name, values[at])
    case 'Shared':
      return shared(name)
    case 'Detached':
      // The binding calls a method of the view to find out, and that call also fails when the stack overflows.
      if (isThere(values[at] as Uint8Array)) return new RangeError('Maximum call stack size exceeded')
      return detached(name)
    case 'Overlap':
      return new AesGcmError(
        'ERR_AESGCM_BUFFER_OVERLAP',
        `"${name}" is written and must not share memory with "${names[other] ?? 'argument'}"`,
      )
    case 'InvalidKeyLength':
      return new AesGcmError(
        'ERR_AESGCM_INVALID_KEY_LENGTH',
        `"key" must be 16 or 32 bytes, got length ${byteLength(named('key') as Uint8Array)}`,
      )
    case 'InvalidNonceLength':
      return wrongLength('nonce', 'length 12', named('nonce'))
    case 'InvalidTagLength':
      return wrongLength('tag', 'length 16', named('tag'))
    case 'MessageTooLong':
      return messageTooLong()
    case 'AadTooLong':
      return mistake(RangeError, 'ERR_OUT_OF_RANGE', '"aad" must be at most 2^61 - 1 bytes')
    case 'FrameTooShort':
      return wrongLength('frame', 'at least 28 bytes: the plaintext and 28 bytes around it', named('frame'))
    case 'TargetTooShort':
      return wrongLength('target', `at least ${lengthToWrite(names[2], values[2])} bytes`, values[1])
    case 'EncryptionsExhausted':
      keyExhausted('encryptions')
      return new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        'this object has reached its limit of messages (maxMessages) or blocks (2^48): ' +
          'rotate to a new key, in a new object; this object still decrypts',
      )
    case 'FailuresExhausted':
      keyExhausted('failures')
      return new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        'this object has reached its limit of failed decryptions (maxFailures): ' +
          'rotate to a new key, in a new object; this object still encrypts',
      )
    case 'Entropy':
      return new AesGcmError('ERR_AESGCM_RNG_FAILURE', 'the operating system gave no random bytes')
    case 'Destroyed':
      return new AesGcmError('ERR_AESGCM_DESTROYED', 'this key was destroyed')
    case 'Full':
      return new AesGcmError(
        'ERR_AESGCM_ARENA_FULL',
        'a thread can have at most 2^24 keys and arenas: drop the references to those that are not in use',
      )
    case 'ArenaFull':
      return new AesGcmError(
        'ERR_AESGCM_ARENA_FULL',
        'this arena has no free place: destroy keys that are not in use, or make a larger arena',
      )
    case 'NoMemory':
      return noMemory()
    case 'ArenaDestroyed':
      return new AesGcmError('ERR_AESGCM_DESTROYED', 'this arena was destroyed, and its keys with it')
    case 'UnsupportedCpu':
      return new AesGcmError(
        'ERR_AESGCM_UNSUPPORTED_CPU',
        'this CPU lacks AES or carry-less multiply instructions, and there is no software cipher to fall back to',
      )
    case 'BackendUnavailable':
      return new AesGcmError('ERR_AESGCM_UNSUPPORTED_CPU', 'this CPU cannot run the backend asked for')
    default:
      // A fault of this package. `SequenceReused` has no case, because no function takes a sequence number yet.
      return new Error(`internal error: the binding refused with ${status}`)
  }
}

/** Number of bytes that `encryptInto` writes for a plaintext, or `decryptInto` for a frame. */
function lengthToWrite(name: string | undefined, source: unknown): number {
  return byteLength(source as Uint8Array) + (name === 'plaintext' ? 28 : -28)
}
