// The assertions of the cases: plain functions that throw, because the suite also runs where there is no test runner.
import { randomInt } from 'node:crypto'
import { inspect, isDeepStrictEqual } from 'node:util'
import { AesGcmError, AuthenticationError } from 'hardware-aes-gcm'
import { NotSealedError } from 'hardware-aes-gcm/columns'
import { UnknownKeyError } from 'hardware-aes-gcm/keyring'
import { UnknownLayoutError } from 'hardware-aes-gcm/legacy'

/** The source of all randomness in a run. Set AESGCM_SEED to the number in a failure to repeat that run. */
export const SEED = Number(given() ?? randomInt(2 ** 31))

function given() {
  try {
    return process.env.AESGCM_SEED
  } catch {
    return undefined // Deno throws where a program may not read the environment.
  }
}

export const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'

/**
 * Throws unless `holds`. `what` is a function where a loop would otherwise build many unused texts.
 * @type {(holds: boolean, what: string | (() => string)) => void}
 */
export function must(holds, what) {
  if (!holds) throw new Error(typeof what === 'string' ? what : what())
}

/** Throws unless both are deeply equal, as node:assert's deepStrictEqual judges. */
export function equal(actual, wanted, what) {
  must(isDeepStrictEqual(actual, wanted), () => `${what}: ${inspect(actual)}, not ${inspect(wanted)}`)
}

/** Throws unless both hold the same bytes. `what` is a function, as for `must`. */
export function same(actual, wanted, what) {
  must(Buffer.compare(actual, wanted) === 0, () => `${what()}: other bytes`)
}

/**
 * The error that `run` throws.
 * @type {(run: () => unknown, what?: string) => Error & { code?: string }}
 */
export function thrown(run, what = 'the call') {
  try {
    run()
  } catch (error) {
    if (error instanceof Error) return error
    throw new Error(`${what} threw ${inspect(error)}`)
  }
  throw new Error(`${what} threw no error`)
}

const CLASS_OF = {
  ERR_INVALID_ARG_TYPE: TypeError,
  ERR_INVALID_ARG_VALUE: TypeError,
  ERR_INVALID_STATE: Error,
  ERR_INVALID_THIS: TypeError,
  ERR_OUT_OF_RANGE: RangeError,
  [AUTHENTICATION]: AuthenticationError,
  ERR_AESGCM_NOT_SEALED: NotSealedError,
  ERR_AESGCM_UNKNOWN_KEY: UnknownKeyError,
  ERR_AESGCM_UNKNOWN_LAYOUT: UnknownLayoutError,
}

/**
 * Throws unless `run` throws an error with this code, of exactly the class that belongs to the code. Gives the error.
 * @type {(run: () => unknown, code: string, what?: string) => Error & { code?: string }}
 */
export function refuses(run, code, what = code) {
  const error = thrown(run, what)
  const Class = CLASS_OF[code] ?? AesGcmError
  must(
    error.code === code && error.constructor === Class && error.name === Class.name,
    () => `${what}: ${error.name} ${error.code} (${error.message}), not ${Class.name} ${code}`,
  )
  return error
}
