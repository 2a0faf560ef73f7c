// The error classes, and the errors that more than one file throws.
import type { Buffer } from 'node:buffer'
import type { AbortError, ErrorCode } from '../../../index.d.ts'
import { beginning, define, types } from './builtins.cjs'
import { byteLength, kindForBytes, kindOf } from './views.cjs'

const { isUint8Array } = types
const { captureStackTrace } = Error as Partial<ErrorConstructor>

export class AesGcmError extends Error {
  readonly code: ErrorCode
  // Set by the calls that report them.
  declare readonly failed?: readonly number[]
  declare readonly stoppedAt?: number
  declare readonly index?: number
  declare readonly indexes?: readonly number[]
  declare readonly position?: number
  declare readonly keyId?: number
  declare readonly column?: string
  declare readonly frame?: Buffer<ArrayBuffer>

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

export class AuthenticationError extends AesGcmError {
  constructor() {
    super('ERR_AESGCM_AUTHENTICATION_FAILED', 'the message could not be authenticated')
  }
}

export class UnknownKeyError extends AuthenticationError {
  declare readonly keyId: number

  constructor(keyId: number) {
    super()
    define(this, 'keyId', keyId, true)
    const what = `no enabled key of this keyring has the id ${keyId}, which the message names`
    distinguish(this, 'ERR_AESGCM_UNKNOWN_KEY', what, UnknownKeyError)
  }
}

export class UnknownLayoutError extends AuthenticationError {
  constructor() {
    super()
    distinguish(
      this,
      'ERR_AESGCM_UNKNOWN_LAYOUT',
      'the value does not have the layout of this reader',
      UnknownLayoutError,
    )
  }
}

export class NotSealedError extends AuthenticationError {
  declare readonly column: string

  constructor(column: string) {
    super()
    define(this, 'column', column, true)
    const what = `the value of the column "${column}" is not sealed: it is clear text, or another program's`
    distinguish(this, 'ERR_AESGCM_NOT_SEALED', what, NotSealedError)
  }
}

/** Gives an error of a subclass of AuthenticationError its own code and message. */
function distinguish(
  error: AuthenticationError,
  code: ErrorCode,
  message: string,
  Class: NewableFunction,
): void {
  define(error, 'code', code, true)
  define(error, 'message', message)
  // The stack begins with the message.
  captureStackTrace?.(error, Class)
}

// Written out, because a minifier renames classes.
define(UnknownKeyError.prototype, 'name', 'UnknownKeyError')
define(UnknownLayoutError.prototype, 'name', 'UnknownLayoutError')
define(NotSealedError.prototype, 'name', 'NotSealedError')
define(AesGcmError.prototype, 'name', 'AesGcmError')
define(AuthenticationError.prototype, 'name', 'AuthenticationError')

type NodeCode =
  | 'ERR_INVALID_ARG_TYPE'
  | 'ERR_INVALID_ARG_VALUE'
  | 'ERR_INVALID_STATE'
  | 'ERR_INVALID_THIS'
  | 'ERR_OUT_OF_RANGE'

/** The error of a method called on an object of another class. */
export function wrongReceiver(Class: string): Error {
  return nodeError(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${Class}`)
}

/** The error of a caller's mistake or of a state, with the code that Node itself would use. */
export function nodeError(
  Class: typeof Error | typeof TypeError | typeof RangeError,
  code: NodeCode,
  message: string,
  cause?: unknown,
): Error & { code: NodeCode } {
  const error = cause === undefined ? new Class(message) : new Class(message, { cause })
  define(error, 'code', code, true)
  return error as Error & { code: NodeCode }
}

export function wrongType(what: string): Error {
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
}

export function wrongValue(what: string): Error {
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
}

export function outOfRange(what: string): Error {
  return nodeError(RangeError, 'ERR_OUT_OF_RANGE', what)
}

export function wrongState(what: string): Error {
  return nodeError(Error, 'ERR_INVALID_STATE', what)
}

/** The error of a value of the wrong type. Names its kind, never the value. */
export function mustBe(name: string, wanted: string, value: unknown): Error {
  return wrongType(`"${name}" must be ${wanted}, got ${kindOf(value)}`)
}

const ENCODE = 'Buffer.from(text) encodes text'
/** For text instead of encoded bytes. */
export const DECODE = "decode it, as in Buffer.from(text, 'base64url') or Buffer.from(text, 'hex')"

export function notBytes(name: string, value: unknown): Error {
  const kinds = name === 'plaintext' ? 'a Uint8Array, or an array of them' : 'a Uint8Array'
  const help =
    typeof value === 'string' ? helpForText(name) : typeof value === 'number' ? helpForNumber(name) : ''
  return wrongType(`"${name}" must be ${kinds}, got ${kindForBytes(value)}${help}`)
}

/** How to make an argument's bytes from a string: plaintexts are any text, others encoded text. */
function helpForText(name: string): string {
  if (name === 'target' || name === 'chunk') return ''
  if (name === 'aad' || beginning(name, 9) === 'plaintext' || beginning(name, 4) === 'rows')
    return `: ${ENCODE}`
  // Plaintext in one method, ciphertext in another.
  if (name === 'data') return `: ${ENCODE}; for an encoded one, ${DECODE}`
  return `: ${DECODE}`
}

/** A plaintext may be an array of pieces, so an array of numbers fails at its first number. */
function helpForNumber(name: string): string {
  return beginning(name, 10) === 'plaintext[' ? ': for an array of numbers, Uint8Array.from(plaintext)' : ''
}

export function wrongLength(name: string, wanted: string, value: unknown, advice = ''): Error {
  const got = isUint8Array(value) ? `, got length ${byteLength(value)}` : ''
  return outOfRange(`"${name}" must be a Uint8Array of ${wanted}${got}${advice}`)
}

export function shared(name: string): Error {
  return new AesGcmError(
    'ERR_AESGCM_SHARED_BUFFER',
    `"${name}" is on a SharedArrayBuffer, which another thread may change at any time`,
  )
}

export function immutable(name: string): Error {
  return wrongValue(`"${name}" is written to and must not be on an immutable ArrayBuffer`)
}

export function noMemory(): Error {
  return new AesGcmError(
    'ERR_AESGCM_ARENA_FULL',
    'the operating system refused memory for keys, the generator or a copy of the AAD',
  )
}

export function keyDestroyed(): Error {
  return new AesGcmError('ERR_AESGCM_DESTROYED', 'this key was destroyed')
}

/** `most` is the limit as text, by default that of AES-GCM. */
export function messageTooLong(most = '2^36 - 32'): Error {
  return outOfRange(`a message must be at most ${most} bytes`)
}

export function detached(name: string, cause = ''): Error {
  return new AesGcmError(
    'ERR_AESGCM_DETACHED_BUFFER',
    `the memory of "${name}" is gone: it was detached${cause}, or shrunk away`,
  )
}

export function abortError(cause: unknown): AbortError {
  const error = new Error('The operation was aborted', { cause })
  define(error, 'name', 'AbortError')
  define(error, 'code', 'ABORT_ERR', true)
  return error as AbortError
}

/** The error of a value that is neither a string nor bytes. */
export function notTextOrBytes(name: string, value: unknown): Error {
  return wrongType(`"${name}" must be a string or a Uint8Array, got ${kindForBytes(value)}`)
}

/** Not well-formed: encoders replace each lone surrogate by U+FFFD, so two texts become one. */
export function surrogate(name: string): Error {
  return wrongValue(`"${name}" has an unpaired surrogate, which UTF-8 cannot encode`)
}

export function untransferable(): Error {
  const what =
    'this runtime could not transfer memory (structuredClone failed), so no other thread can work on the frame'
  return wrongState(what)
}

export function overlapping(written: string, other: string): Error {
  const what = `"${written}" is written to and must not share memory with "${other}"`
  return new AesGcmError('ERR_AESGCM_BUFFER_OVERLAP', what)
}
