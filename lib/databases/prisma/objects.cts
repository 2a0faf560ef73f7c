// Arguments of Prisma, copied while they are rewritten. `path` names each in errors.
import { define, getPrototypeOf, hasOwn, keys, types } from '../../cipher/base/builtins.cjs'
import { mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'

const { isView } = ArrayBuffer

export type Names = Record<string, unknown>
/** Rewrites a part of the arguments. */
export type Rewrite = (path: string, value: unknown) => unknown

export function isObject(value: unknown): value is Names {
  return typeof value === 'object' && value !== null && !isList(value) && !isView(value)
}

/**
 * Whether a value is an object of names, such as a condition. Instances are not: Prisma refuses a
 * Date or `Prisma.DbNull` as a filter, and one without members would read as no filter at all.
 */
export function isPlain(value: unknown): value is Names {
  if (!isObject(value) || types.isProxy(value)) return false
  const prototype: unknown = getPrototypeOf(value)
  // Of any realm.
  return prototype === null || getPrototypeOf(prototype) === null
}

/** An own member; undefined for an inherited one, which Prisma ignores. */
export function ownOf(object: unknown, name: string): unknown {
  return isObject(object) && hasOwn(object, name) ? object[name] : undefined
}

/** An object of names, or the instance of a program's class that has members, such as a DTO. */
export function objectAt(path: string, value: unknown): Names {
  if (isPlain(value) || (isObject(value) && keys(value).length > 0)) return value
  throw mustBe(path, 'an object', value)
}

/** A condition, which decides the rows that a statement concerns. */
export function conditionAt(path: string, value: unknown): Names {
  if (isPlain(value)) return value
  throw mustBe(path, 'a plain object', value)
}

/** A copy of an object, whose values are changed. Prisma ignores what is undefined. */
export function mapped(
  path: string,
  value: unknown,
  change: (name: string, at: string, value: unknown) => unknown,
): Names {
  const object = objectAt(path, value)
  const copy = {}
  for (const name of keys(object)) {
    const one = object[name]
    if (one !== undefined) define(copy, name, change(name, `${path}.${name}`, one), true)
  }
  return copy
}

/** A copy of an object with only these parts, each rewritten. */
export function partsOf(path: string, value: unknown, parts: Readonly<Record<string, Rewrite>>): Names {
  return mapped(path, value, (name, at, one) => {
    const rewrite = hasOwn(parts, name) ? parts[name] : undefined
    if (rewrite === undefined)
      throw wrongValue(`"${at}" is an argument that encryptedModels does not support`)
    return rewrite(at, one)
  })
}

export const unchanged: Rewrite = (_, value) => value

/** Rewrites a value, or each element of a list. */
export function each(path: string, value: unknown, rewrite: Rewrite): unknown {
  if (!isList(value)) return rewrite(path, value)
  const list: unknown[] = []
  for (let i = 0; i < value.length; i++) define(list, `${i}`, rewrite(`${path}[${i}]`, value[i]), true)
  return list
}
