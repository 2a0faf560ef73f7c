// Parses caller-supplied options and numbers, and shows values in errors without running code.
import {
  beginning,
  getPrototypeOf,
  hasOwn,
  isInteger,
  join,
  keys,
  log2,
  positionOf,
  types,
} from './builtins.cjs'
import { mustBe, nodeError, outOfRange, wrongType, wrongValue } from './errors.cjs'
import { isRevoked, kindOf } from './views.cjs'

const { isProxy } = types

/**
 * Reads options by name: own properties of a plain object, past any pollution of its prototype.
 * Unknown names and instances of classes throw; otherwise a misspelt limit, or one in a class's
 * getter, would silently not apply. `argument` names the object in errors.
 */
export function optionsOf<Name extends string>(
  options: unknown,
  names: readonly Name[],
  argument = 'options',
): (name: Name, fallback?: unknown) => unknown {
  if (typeof options !== 'object' || options === null) throw mustBe(argument, 'an object', options)
  try {
    checkNames(options, names, argument)
  } catch (error) {
    throw codedIfRevoked(argument, options, error)
  }
  return (name, fallback) => {
    try {
      const value = hasOwn(options, name) ? (options as Record<string, unknown>)[name] : undefined
      return value === undefined ? fallback : value
    } catch (error) {
      throw codedIfRevoked(argument, options, error)
    }
  }
}

function checkNames(options: object, names: readonly string[], argument: string): void {
  const prototype = getPrototypeOf(options)
  if (prototype !== null && (isProxy(prototype) || getPrototypeOf(prototype) !== null))
    throw wrongType(`"${argument}" must be a plain object, got an instance of a class`)
  const given = keys(options)
  for (let i = 0; i < given.length; i++) {
    if (positionOf(names, given[i]) >= 0) continue
    throw wrongValue(`"${argument}" has no ${shown(given[i])}, only '${join(names, "', '")}'`)
  }
}

/**
 * The error to throw after reading or calling `value`, an object of the caller, threw `error`. The
 * runtime's error for a revoked Proxy has no code, so another one replaces it. Errors of the
 * caller's own getters and traps stay as they are.
 */
export function codedIfRevoked(name: string, value: unknown, error: unknown): unknown {
  let object = value
  // The read went on to the prototype, and so on, up to a Proxy.
  while (isObject(object) && !isProxy(object)) object = getPrototypeOf(object)
  if (!isRevoked(object)) return error
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `"${name}" is a Proxy that was revoked`, error)
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** A whole number from `least` to `most`. */
export function count(name: string, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number') throw mustBe(name, 'a number', value)
  if (!(isInteger(value) && value >= least && value <= most)) {
    const range = `a whole number from ${least} to ${power(most)}`
    throw outOfRange(`"${name}" must be ${range}, got ${value}`)
  }
  return value
}

/** A bound in its usual notation: 2^32 rather than 4294967296. */
function power(bound: number): string {
  // Their logarithms are rounded to 53 and 52.
  if (bound === 2 ** 53 - 1) return '2^53 - 1'
  if (bound === 2 ** 52 - 1) return '2^52 - 1'
  const exponent = log2(bound)
  return isInteger(exponent) && exponent >= 16 ? `2^${exponent}` : String(bound)
}

/** A value for an error message, where it can be shown without running its code. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${beginning(value, 32)}'`
  return typeof value === 'number' ? String(value) : kindOf(value)
}
