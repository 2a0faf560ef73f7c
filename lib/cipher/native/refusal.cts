// Turns refusals of the binding into errors: those with one meaning for all objects of this
// package.

import { positionOf } from '../base/builtins.cjs'
import { authenticationFailed, keyExhausted } from '../base/diagnostics.cjs'
import {
  AesGcmError,
  AuthenticationError,
  detached,
  immutable,
  keyDestroyed,
  messageTooLong,
  nodeError,
  noMemory,
  notBytes,
  overlapping,
  shared,
  untransferable,
  wrongLength,
} from '../base/errors.cjs'
import { arePieces } from '../base/pieces.cjs'
import { isAttached, kindOf } from '../base/views.cjs'
import { load } from './binary.cjs'
import { reasonOf, subjectOf } from './status.cjs'

/**
 * Publishes the event of a refusal, if any, and returns its error. `values` are the arguments of
 * the raw function; `names` are their names in index.d.ts.
 */
export function refusal(status: number, names: readonly string[], ...values: readonly unknown[]): Error {
  return refusalOf(status, names, values)
}

/** As `refusal`, with arguments in a list: spreading them would run the iterator of arrays. */
export function refusalOf(status: number, names: readonly string[], values: readonly unknown[]): Error {
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
      return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
    }
    case 'EndDescends':
      return nodeError(
        RangeError,
        'ERR_OUT_OF_RANGE',
        `"${name}" must be in ascending order: element ${detail} is less than the one before it (positions, not lengths)`,
      )
    case 'EndOutside': {
      const of = name === 'ends' ? 'frames' : 'aad'
      const what = `"${name}" must end within "${of}": element ${detail} is larger than its length`
      return nodeError(RangeError, 'ERR_OUT_OF_RANGE', what)
    }
    case 'AadCount':
      return nodeError(RangeError, 'ERR_OUT_OF_RANGE', '"aadEnds" must have one element for each frame')
    case 'TooManyFrames':
      return nodeError(RangeError, 'ERR_OUT_OF_RANGE', `"${name}" must describe at most 2^32 - 1 frames`)
    case 'Immutable':
      return immutable(name)
    case 'Shared':
      return shared(name)
    case 'Detached':
      // The binding finds out by a method of the view, which also fails when the stack overflows.
      if (isAttached(value as Uint8Array)) return new RangeError('Maximum call stack size exceeded')
      return detached(name)
    case 'Overlap':
      return overlapping(name, names[detail] ?? 'argument')
    case 'InvalidTagLength':
      return wrongLength('tag', 'length 16', named('tag'))
    case 'MessageTooLong':
      return messageTooLong()
    case 'AadTooLong':
      return nodeError(RangeError, 'ERR_OUT_OF_RANGE', '"aad" must be at most 2^61 - 1 bytes')
    case 'FailuresExhausted':
      return failuresExhausted()
    case 'Entropy':
      return new AesGcmError('ERR_AESGCM_RNG_FAILURE', 'the operating system returned no random bytes')
    case 'Destroyed':
      return keyDestroyed()
    case 'Full':
      return new AesGcmError(
        'ERR_AESGCM_ARENA_FULL',
        'a thread can have at most 2^24 keys and arenas, and as many pending async calls: ' +
          'drop references to unused keys and arenas, or wait for pending calls',
      )
    case 'ArenaFull':
      return new AesGcmError(
        'ERR_AESGCM_ARENA_FULL',
        'this arena is full: destroy unused keys, or make a larger arena',
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
      return untransferable()
    case 'BackendUnavailable':
      return new AesGcmError('ERR_AESGCM_UNSUPPORTED_CPU', 'this CPU cannot run the requested backend')
    default:
      // A fault of this package. The refusals of aead/, quic/ and shamir/ handle the reasons of
      // keys, packets and shares.
      return new Error(`internal error: the binding returned ${status}`)
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
