// Opens the result of a query: rows, joins and relations at any depth.
import type { Opened } from '../../../types/drizzle.d.ts'
import { codeOf, getPrototypeOf, hasOwn, keys as namesOf } from '../../cipher/base/builtins.cjs'
import { AuthenticationError, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import { openRow } from '../../values/columns/open-row.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { contentOf, nameOf, type Place } from './stored.cjs'

/** Rows of relations are not deeper. Deeper data of columns, such as JSON, is left unchanged. */
const MAX_DEPTH = 64
const { isExtensible, defineProperty } = Object
const { isSafeInteger } = Number

export function opened<Result>(result: Result): Opened<Result> {
  if (typeof (result as { then?: unknown } | null | undefined)?.then === 'function')
    throw wrongType('"result" must be awaited: opened(await query)')
  return (isList(result) ? result.map(openAt) : openIn('result', result, 0)) as Opened<Result>
}

/** Opens a row of a list. An error names its position, as that of openAll does. */
function openAt(row: unknown, i: number): unknown {
  try {
    return openIn(`result[${i}]`, row, 0)
  } catch (error) {
    // A reader of the caller may throw an error that is frozen.
    if (error instanceof AuthenticationError && isExtensible(error))
      defineProperty(error, 'index', { value: i, configurable: true, writable: true })
    throw error
  }
}

/** `argument` names the value in errors. */
function openIn(argument: string, value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (isList(value)) return value.map((item, i) => openIn(`${argument}[${i}]`, item, depth + 1))
  if (isPlain(value)) return openObject(argument, value as Row, depth)
  const stored = contentOf(value)
  if (stored === undefined || stored.place.isIndex) return value
  const what = `"${argument}" is a value of "${nameOf(stored.place)}": pass its whole row, which has the key`
  throw wrongValue(what)
}

/** A copy of the object with opened values; the object itself if it has none. */
function openObject(argument: string, object: Row, depth: number): Row {
  let copy: Row | undefined
  for (const name of namesOf(object)) {
    const value = object[name]
    if (typeof value !== 'object' || value === null) continue
    const stored = contentOf(value)
    const open =
      stored === undefined || stored.place.isIndex
        ? openIn(`${argument}.${name}`, value, depth + 1)
        : openOne(argument, stored.place, stored.content, object)
    if (open === value) continue
    copy ??= { ...object }
    // The property is an own one, so an assignment runs no setter.
    copy[name] = open
  }
  return copy ?? object
}

/** Opens one value of a row, by the row's key and the parts of old values. */
function openOne(argument: string, { declaration, column }: Place, content: unknown, object: Row): unknown {
  const row: Row = { [column.name]: content }
  for (const name of [...declaration.rowKey, ...column.parts])
    if (hasOwn(object, name)) row[name] = object[name]
  try {
    return openRow(declaration, argument, row)[column.name]
  } catch (error) {
    throw roundedKey(error, declaration.rowKey, argument, row)
  }
}

/**
 * The error of a row that did not open, which names its key if that may have lost digits: Drizzle
 * reads rows of relations by JSON.parse, whose numbers end at 2^53, and makes them bigints or
 * strings afterwards.
 */
function roundedKey(error: unknown, rowKey: readonly string[], argument: string, row: Row): unknown {
  if (codeOf(error) !== 'ERR_AESGCM_AUTHENTICATION_FAILED' || !isExtensible(error)) return error
  for (const name of rowKey) {
    if (!mayBeRounded(row[name])) continue
    const what = `"${argument}.${name}" is ${row[name]}, which may have lost digits as a number in JSON, where Drizzle reads relations: read the row by a join, or keep its key as text`
    const message = `${(error as Error).message}, and ${what}`
    defineProperty(error as Error, 'message', { value: message, configurable: true, writable: true })
    break
  }
  return error
}

/** Whether a part of a key is a whole number above 2^53 - 1 that a double has. */
function mayBeRounded(part: unknown): boolean {
  if (typeof part !== 'bigint' && !(typeof part === 'string' && /^-?\d{16,}$/.test(part))) return false
  const number = Number(part)
  return !isSafeInteger(number) && `${BigInt(number)}` === `${part}`
}

/** Whether a value is an object as Drizzle makes rows, of any realm. */
function isPlain(value: object): boolean {
  const prototype: object | null = getPrototypeOf(value)
  return prototype === null || getPrototypeOf(prototype) === null
}
