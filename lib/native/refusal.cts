// Turns refusals of the binding into errors.

import { positionOf } from '../builtins.cjs'
import { authenticationFailed, keyExhausted } from '../diagnostics.cjs'
import {
  AesGcmError,
  AuthenticationError,
  detached,
  keyDestroyed,
  messageTooLong,
  mistake,
  noMemory,
  notBytes,
  shared,
  untransferable,
  wrongLength,
} from '../errors.cjs'
import { arePieces, bytesOf } from '../pieces.cjs'
import { byteLength, isThere, kindOf } from '../views.cjs'
import { load } from './binary.cjs'
import { reasonOf, subjectOf } from './status.cjs'

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
  const { at, detail } = subjectOf(status)
  const named = (wanted: string) => values[positionOf(names, wanted)]
  // Only an array of this package: a caller's array of another name could have getters.
  const pieces = names[at] === 'plaintext' && arePieces(values[at]) ? values[at] : undefined
  const value = pieces === undefined ? values[at] : pieces[detail]
  const name = `${names[at] ?? 'argument'}${pieces === undefined ? '' : `[${detail}]`}`
  switch (reasonOf(load().reasons, status)) {
    case 'Authentication':
      authenticationFailed()
      return new AuthenticationError()
    case 'NotBytes':
      return notBytes(name, value)
    case 'NotEnds': {
      const kinds = name === 'ends' ? 'a Uint32Array or a number' : 'a Uint32Array'
      const help = arePieces(value) ? `: Uint32Array.from(${name})` : ''
      const what = `"${name}" must be ${kinds}, got ${kindOf(value)}${help}`
      return mistake(TypeError, 'ERR_INVALID_ARG_TYPE', what)
    }
    case 'EndDescends':
      return mistake(
        RangeError,
        'ERR_OUT_OF_RANGE',
        `"${name}" must not descend: element ${detail} is less than the one before it (positions, not lengths)`,
      )
    case 'EndOutside': {
      const of = name === 'ends' ? 'frames' : 'aad'
      const what = `"${name}" must end within "${of}": element ${detail} is larger than its length`
      return mistake(RangeError, 'ERR_OUT_OF_RANGE', what)
    }
    case 'AadCount':
      return mistake(RangeError, 'ERR_OUT_OF_RANGE', '"aadEnds" must have one element for each frame')
    case 'TooManyFrames':
      return mistake(RangeError, 'ERR_OUT_OF_RANGE', `"${name}" must give at most 2^32 - 1 frames`)
    case 'Shared':
      return shared(name)
    case 'Detached':
      // The binding calls a method of the view to find out, and that call also fails when the stack overflows.
      if (isThere(value as Uint8Array)) return new RangeError('Maximum call stack size exceeded')
      return detached(name)
    case 'Overlap':
      return new AesGcmError(
        'ERR_AESGCM_BUFFER_OVERLAP',
        `"${name}" is written and must not share memory with "${names[detail] ?? 'argument'}"`,
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
      if (name === 'frames') {
        const what = `frame ${detail} of "frames" must be at least 28 bytes: the plaintext and 28 bytes around it`
        return mistake(RangeError, 'ERR_OUT_OF_RANGE', what)
      }
      return wrongLength('frame', 'at least 28 bytes: the plaintext and 28 bytes around it', named('frame'))
    case 'TargetTooShort':
      return wrongLength(
        'target',
        `at least ${lengthToWrite(named('plaintext'), named('frame'))} bytes`,
        named('target'),
      )
    case 'EncryptionsExhausted':
      keyExhausted('encryptions')
      if (name === 'frames') {
        return new AesGcmError(
          'ERR_AESGCM_KEY_EXHAUSTED',
          'this batch would exceed the limit of messages (maxMessages) or blocks (2^48) of this object: ' +
            'rotate to a new key, in a new object; this object still decrypts',
        )
      }
      return new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        'this object has reached its limit of messages (maxMessages) or blocks (2^48): ' +
          'rotate to a new key, in a new object; this object still decrypts',
      )
    case 'FailuresExhausted':
      return failuresExhausted()
    case 'Entropy':
      return new AesGcmError('ERR_AESGCM_RNG_FAILURE', 'the operating system gave no random bytes')
    case 'Destroyed':
      return keyDestroyed()
    case 'Full':
      return new AesGcmError(
        'ERR_AESGCM_ARENA_FULL',
        'a thread can have at most 2^24 keys and arenas, and as many async calls in work: ' +
          'drop the references to keys and arenas that are not in use, or wait until calls have ended',
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
    case 'Untransferable':
      return untransferable(name)
    case 'BackendUnavailable':
      return new AesGcmError('ERR_AESGCM_UNSUPPORTED_CPU', 'this CPU cannot run the backend asked for')
    default:
      // A fault of this package. lib/quic and lib/shamir have the reasons that only packets and shares give.
      return new Error(`internal error: the binding refused with ${status}`)
  }
}

/** Publishes that the limit of failures was reached, and returns the error. */
export function failuresExhausted(): AesGcmError {
  keyExhausted('failures')
  return new AesGcmError(
    'ERR_AESGCM_KEY_EXHAUSTED',
    'this object has reached its limit of failed decryptions (maxFailures): ' +
      'rotate to a new key, in a new object; this object still encrypts',
  )
}

/** Number of bytes that `encryptInto` writes for a plaintext, or `decryptInto` for a frame. */
function lengthToWrite(plaintext: unknown, frame: unknown): number {
  if (plaintext === undefined) return byteLength(frame as Uint8Array) - 28
  return (arePieces(plaintext) ? bytesOf(plaintext) : byteLength(plaintext as Uint8Array)) + 28
}
