// The key of a row, to which its values are bound.
import type { RowKey } from '../../../types/columns.d.ts'
import { define, hasOwn, types } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { outOfRange, shared, surrogate, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { isWellFormed } from '../../cipher/base/utf8.cjs'
import { isShared, kindOf } from '../../cipher/base/views.cjs'
import type { Row } from './row.cjs'
import { type RowName, shownRow } from './row-name.cjs'

const { isDate, isUint8Array } = types
const { isSafeInteger } = Number

/** The parts of a row's key, in the order of the declaration. `argument` names the row. */
export function keyOf(
  table: string,
  names: readonly string[],
  argument: RowName,
  row: Row,
): readonly RowKey[] {
  if (names.length === 1) return [partOf(table, names[0] as string, argument, row)]
  const key: RowKey[] = []
  for (let i = 0; i < names.length; i++)
    define(key, `${i}`, partOf(table, names[i] as string, argument, row), true)
  return key
}

/** A part of a key as the short way takes it; undefined for bigints, bytes, and what is no part. */
export function shortKeyOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  return typeof part === 'bigint' || isSafeInteger(part) ? `${part}` : undefined
}

function partOf(table: string, name: string, argument: RowName, row: Row): RowKey {
  const part = hasOwn(row, name) ? row[name] : undefined
  if (part === undefined || part === null) throw missing(table, argument, name, part)
  checkPart(argument, name, part)
  return part as RowKey
}

function missing(table: string, argument: RowName, name: string, part: unknown): Error {
  const has = part === null ? `has null as its "${name}"` : `has no "${name}"`
  return wrongValue(
    `"${shownRow(argument)}" ${has}, to which values of "${table}" are bound: make the key before you seal, and select it where you open`,
  )
}

/** Refuses a part that has several forms, so that drivers could return another one. */
function checkPart(row: RowName, name: string, part: unknown): void {
  if (typeof part === 'string' ? isWellFormed(part) : typeof part === 'bigint' || isSafeInteger(part)) return
  const argument = `${shownRow(row)}.${name}`
  if (typeof part === 'string') throw surrogate(argument)
  if (typeof part === 'number')
    throw outOfRange(
      `"${argument}" must be a whole number of at most 2^53 - 1: pass another number as a string`,
    )
  if (isUint8Array(part)) {
    if (isShared(part)) throw shared(argument)
    return void lengthOf(argument, part)
  }
  const help = isDate(part) ? ', got a Date: pass a string that the database returns unchanged' : ''
  throw wrongType(
    `"${argument}" must be a string, a whole number, a bigint or a Uint8Array${help || `, got ${kindOf(part)}`}`,
  )
}
