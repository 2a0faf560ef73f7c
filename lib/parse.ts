// Options and numbers that callers give: parsed, never trusted, and shown in errors without running their code.
import { mistake } from './errors.js'
import { kindOf } from './views.js'

/**
 * Reads options by name: a plain object's own, and not what its prototype may have been polluted with. A limit that is
 * misspelt, or that a class hides in a getter, would be no limit and no error; so nothing else is taken.
 */
export function optionsOf<Name extends string>(
  options: unknown,
  names: readonly Name[],
): (name: Name, absent?: unknown) => unknown {
  if (typeof options !== 'object' || options === null) {
    throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options" must be an object, got ${kindOf(options)}`)
  }
  const prototype = Object.getPrototypeOf(options)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const what = 'must be a plain object, got an instance of a class'
    throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options" ${what}`)
  }
  const odd = Object.keys(options).find(name => !(names as readonly string[]).includes(name))
  if (odd !== undefined) {
    const what = `has no ${shown(odd)}: there is '${names.join("', '")}'`
    throw mistake(TypeError, 'ERR_INVALID_ARG_VALUE', `"options" ${what}`)
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
