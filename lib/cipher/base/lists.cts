// Caller-supplied arrays: the length and every element are read once, in order.
import { define, isArray, isInteger, rethrowOverflow, toSpliced, types } from './builtins.cjs'
import { outOfRange } from './errors.cjs'
import { codedIfRevoked, shown } from './parse.cjs'

const { isProxy } = types

/** Whether a value is an array. A revoked Proxy of an array, for which `isArray` throws, is not. */
export function isList(value: unknown): value is readonly unknown[] {
  try {
    return isArray(value)
  } catch (error) {
    rethrowOverflow(error)
    return false
  }
}

/**
 * The length of a list, from `least` to `most`. A Proxy may report any value. `elements` is the
 * plural of an element, for the error.
 */
export function lengthOfList(
  name: string,
  list: readonly unknown[],
  { elements, least, most }: { elements: string; least: number; most: number },
): number {
  let length: unknown
  try {
    length = list.length
  } catch (error) {
    throw codedIfRevoked(name, list, error)
  }
  if (isInteger(length) && (length as number) >= least && (length as number) <= most) return length as number
  const range = least === 0 ? `at most ${most}` : `${least} to ${most}`
  throw outOfRange(`"${name}" must have ${range} ${elements}, got ${shown(length)}`)
}

/**
 * The first `length` elements of a list, in a plain array without getters. Runs no code of the
 * caller but getters of elements and traps of a Proxy.
 */
export function elementsOf(name: string, list: readonly unknown[], length: number): readonly unknown[] {
  // Not `slice`, which would use the caller's class. No assignments, which could run a setter of
  // Array.prototype.
  if (!isProxy(list)) return toSpliced(list, 0, 0)
  // A Proxy may report another length to `toSpliced`.
  const elements: unknown[] = []
  try {
    for (let i = 0; i < length; i++) define(elements, `${i}`, list[i], true)
  } catch (error) {
    throw codedIfRevoked(name, list, error)
  }
  return elements
}
