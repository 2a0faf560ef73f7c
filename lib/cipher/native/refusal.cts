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
  wrongType,
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
  const reason = reasonOf(load().reasons, status) ?? ''
  const error = OF_STATES[reason]?.() ?? OF_ARGUMENTS[reason]?.(argumentOf(status, names, values))
  // A fault of this package. The refusals of aead/, quic/ and shamir/ handle the reasons of keys,
  // packets and shares.
  return error ?? new Error(`internal error: the binding returned ${status}`)
}

/** The argument that a refusal is about. */
interface Argument {
  readonly name: string
  readonly value: unknown
  /** Further detail of the refusal: a position, or another argument. */
  readonly detail: number
  readonly names: readonly string[]
  readonly values: readonly unknown[]
}

function argumentOf(status: number, names: readonly string[], values: readonly unknown[]): Argument {
  const { at, detail } = subjectOf(status)
  const name = names[at] ?? 'argument'
  const value = values[at]
  // Only an array of this package: a caller's array of another name could have getters.
  if (name === 'plaintext' && arePieces(value))
    return { name: `${name}[${detail}]`, value: value[detail], detail, names, values }
  return { name, value, detail, names, values }
}

/** The errors about an argument, by reason. */
const OF_ARGUMENTS: Readonly<Record<string, ((argument: Argument) => Error) | null>> = {
  __proto__: null,
  NotBytes: ({ name, value }) => notBytes(name, value),
  NotEnds({ name, value }) {
    const kinds = name === 'ends' ? 'a Uint32Array or a number' : 'a Uint32Array'
    const help = arePieces(value) ? `: Uint32Array.from(${name})` : ''
    return wrongType(`"${name}" must be ${kinds}, got ${kindOf(value)}${help}`)
  },
  EndDescends: ({ name, detail }) =>
    outOfRange(
      `"${name}" must be in ascending order: element ${detail} is less than the one before it (positions, not lengths)`,
    ),
  EndOutside({ name, detail }) {
    const of = name === 'ends' ? 'frames' : 'aad'
    return outOfRange(`"${name}" must end within "${of}": element ${detail} is larger than its length`)
  },
  TooManyFrames: ({ name }) => outOfRange(`"${name}" must describe at most 2^32 - 1 frames`),
  Immutable: ({ name }) => immutable(name),
  Shared: ({ name }) => shared(name),
  // The binding finds out by a method of the view, which also fails when the stack overflows.
  Detached: ({ name, value }) =>
    isAttached(value as Uint8Array) ? new RangeError('Maximum call stack size exceeded') : detached(name),
  Overlap: ({ name, detail, names }) => overlapping(name, names[detail] ?? 'argument'),
  InvalidTagLength: ({ names, values }) => wrongLength('tag', 'length 16', values[positionOf(names, 'tag')]),
}

/** The other errors, by reason. */
const OF_STATES: Readonly<Record<string, (() => Error) | null>> = {
  __proto__: null,
  Authentication() {
    authenticationFailed()
    return new AuthenticationError()
  },
  AadCount: () => outOfRange('"aadEnds" must have one element for each frame'),
  MessageTooLong: () => messageTooLong(),
  AadTooLong: () => outOfRange('"aad" must be at most 2^61 - 1 bytes'),
  FailuresExhausted: () => failuresExhausted(),
  Entropy: () => new AesGcmError('ERR_AESGCM_RNG_FAILURE', 'the operating system returned no random bytes'),
  Destroyed: () => keyDestroyed(),
  Full: () =>
    new AesGcmError(
      'ERR_AESGCM_ARENA_FULL',
      'a thread can have at most 2^24 keys and arenas, and as many pending async calls: ' +
        'drop references to unused keys and arenas, or wait for pending calls',
    ),
  ArenaFull: () =>
    new AesGcmError(
      'ERR_AESGCM_ARENA_FULL',
      'this arena is full: destroy unused keys, or make a larger arena',
    ),
  NoMemory: () => noMemory(),
  ArenaDestroyed: () =>
    new AesGcmError('ERR_AESGCM_DESTROYED', 'this arena was destroyed, and its keys with it'),
  UnsupportedCpu: () =>
    new AesGcmError(
      'ERR_AESGCM_UNSUPPORTED_CPU',
      'this CPU lacks AES or carry-less multiply instructions, and there is no software cipher to fall back to',
    ),
  Untransferable: () => untransferable(),
  BackendUnavailable: () =>
    new AesGcmError('ERR_AESGCM_UNSUPPORTED_CPU', 'this CPU cannot run the requested backend'),
}

function outOfRange(what: string): Error {
  return nodeError(RangeError, 'ERR_OUT_OF_RANGE', what)
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
