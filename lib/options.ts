// What a caller may choose of a key: parsed, never trusted. What each option means is in index.d.ts.
import { mistake } from './errors.js'
import { kindOf } from './views.js'

export const MAX_COUNT = 2 ** 32

export type Backend = 'vaes512' | 'vaes256' | 'aesni' | 'armv8' | 'armv8eor3'

export interface AesGcmOptions {
  nonceAt?: 'start' | 'end' | undefined
  maxMessages?: number | undefined
  maxFailures?: number | undefined
  verifyFirst?: boolean | undefined
  backend?: Backend | undefined
}

/** Every option, each read once, from the object itself and not from what its prototype may have been polluted with. */
export function read(options: unknown, backends: readonly string[]) {
  const own = (name: keyof AesGcmOptions | 'arena', absent?: unknown): unknown => {
    const value = Object.hasOwn(options as object, name)
      ? (options as Record<string, unknown>)[name]
      : undefined
    return value === undefined ? absent : value
  }
  if (options === undefined) options = {}
  if (typeof options !== 'object' || options === null) {
    throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options" must be an object, got ${kindOf(options)}`)
  }
  if (own('arena') !== undefined) throw invalid('arena', 'is not available in this release')
  const nonceAt = own('nonceAt', 'start')
  if (nonceAt !== 'start' && nonceAt !== 'end') {
    throw invalid('nonceAt', `must be 'start' or 'end', got ${shown(nonceAt)}`)
  }
  const verifyFirst = own('verifyFirst', false)
  if (typeof verifyFirst !== 'boolean') {
    const got = kindOf(verifyFirst)
    throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options.verifyFirst" must be a boolean, got ${got}`)
  }
  const maxMessages = count('maxMessages', own('maxMessages', MAX_COUNT), 0)
  const maxFailures = count('maxFailures', own('maxFailures', MAX_COUNT), 1)
  const backend = own('backend') as Backend | undefined
  if (backend !== undefined && !backends.includes(backend)) {
    const names = backends.join("', '")
    throw invalid('backend', `must be one of '${names}', got ${shown(backend)}`)
  }
  return { nonceAt, verifyFirst, maxMessages, maxFailures, backend }
}

function count(name: string, value: unknown, least: number): number {
  if (typeof value !== 'number') {
    const got = kindOf(value)
    throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options.${name}" must be a number, got ${got}`)
  }
  if (!(Number.isInteger(value) && value >= least && value <= MAX_COUNT)) {
    const range = `a whole number from ${least} to 2^32`
    throw mistake(RangeError, 'ERR_OUT_OF_RANGE', `"options.${name}" must be ${range}, got ${value}`)
  }
  return value
}

function invalid(name: string, what: string): Error {
  return mistake(TypeError, 'ERR_INVALID_ARG_VALUE', `"options.${name}" ${what}`)
}

/** A value for an error message, where it can be shown without running its code. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 32)}'`
  return typeof value === 'number' ? String(value) : kindOf(value)
}
