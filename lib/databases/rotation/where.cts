// The condition for rows of a rotation: columns with their allowed values.
import type { RowValue } from '../../../types/rotation.d.ts'
import { isInteger, keys as namesOf, types } from '../../cipher/base/builtins.cjs'
import { nodeError, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'

/** A column, as rows name it, and the values of the wanted rows. */
export interface Condition {
  readonly column: string
  readonly values: readonly RowValue[]
}

const { isUint8Array } = types
const { isSafeInteger } = Number
const VALUES = { elements: 'values', least: 1, most: 1000 }
const NAME = 'options.where'

/**
 * An empty condition, or one whose value is missing, would take in all rows, so both are refused.
 */
export function conditionsIn(given: unknown): readonly Condition[] {
  if (typeof given !== 'object' || given === null) throw wrongType(NAME, 'an object', given)
  const columns = namesOf(given)
  const own = optionsOf(given, columns, NAME)
  if (columns.length > 0) return columns.map(column => ({ column, values: valuesOf(column, own(column)) }))
  throw wrongValue(`"${NAME}" must have a column; leave it out for all rows`)
}

function valuesOf(column: string, given: unknown): readonly RowValue[] {
  const name = `${NAME}.${column}`
  if (!isList(given)) return [rowValue(name, given)]
  const list = elementsOf(name, given, lengthOfList(name, given, VALUES))
  return list.map((value, i) => rowValue(`${name}[${i}]`, value))
}

function rowValue(name: string, value: unknown): RowValue {
  if (typeof value === 'string' || typeof value === 'bigint' || isSafeInteger(value)) return value as RowValue
  if (isUint8Array(value)) return Buffer.from(value)
  throw wrongType(name, 'a string, a whole number, a bigint or a Uint8Array', value)
}

function wrongType(name: string, kind: string, value: unknown): Error {
  const got = isInteger(value) ? 'a number above 2^53' : kindOf(value)
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `"${name}" must be ${kind}, got ${got}`)
}
