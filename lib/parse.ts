// Options and numbers that callers give: parsed, never trusted, and shown in errors without running their code.
import { mistake } from './errors.js'
import { kindOf } from './views.js'

/** Reads options by name, from the object itself and not from what its prototype may have been polluted with. */
export function optionsOf(options: unknown): (name: string, absent?: unknown) => unknown {
  if (typeof options !== 'object' || options === null) {
    throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options" must be an object, got ${kindOf(options)}`)
  }
  return (name, absent) => {
    const value = Object.hasOwn(options, name) ? (options as Record<string, unknown>)[name] : undefined
    return value === undefined ? absent : value
  }
}

/** A whole number from `least` to `most`. */
export function count(name: string, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number') {
    throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"${name}" must be a number, got ${kindOf(value)}`)
  }
  if (!(Number.isInteger(value) && value >= least && value <= most)) {
    const range = `a whole number from ${least} to ${power(most)}`
    throw mistake(RangeError, 'ERR_OUT_OF_RANGE', `"${name}" must be ${range}, got ${value}`)
  }
  return value
}

/** A bound as people know it: 2^32 rather than 4294967296. */
function power(bound: number): string {
  const exponent = Math.log2(bound)
  return Number.isInteger(exponent) && exponent >= 16 ? `2^${exponent}` : String(bound)
}

/** A value for an error message, where it can be shown without running its code. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 32)}'`
  return typeof value === 'number' ? String(value) : kindOf(value)
}
