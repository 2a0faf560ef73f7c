// Turns the values of each type into plaintexts, and back.
import type { ColumnType } from '../../../types/columns.d.ts'
import { parseJson, rethrowOverflow, types } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { nodeError, outOfRange, shared, wrongValue } from '../../cipher/base/errors.cjs'
import { jsonOf, numberText } from '../../cipher/base/lossless-json.cjs'
import { wellFormed } from '../../cipher/base/utf8.cjs'
import { isShared, kindForBytes, kindOf } from '../../cipher/base/views.cjs'
import { parsedNumber } from './number.cjs'
import { type RowName, shownRow } from './row-name.cjs'

const { isDate, isUint8Array } = types
const { isFinite: isFiniteNumber } = Number

/** The plaintext of a value. `argument` names the value in errors. */
export function contentOf(type: ColumnType, argument: string, value: unknown): string | Uint8Array {
  switch (type) {
    case 'text':
      if (typeof value === 'string') return wellFormed(argument, value)
      throw wrongType(argument, 'a string', value)
    case 'number':
      return contentOfNumber(argument, value)
    case 'bytes':
      return contentOfBytes(argument, value)
    case 'json':
      return jsonOf(argument, value)
  }
}

function contentOfNumber(argument: string, value: unknown): string {
  if (typeof value !== 'number') throw wrongType(argument, 'a number', value)
  if (isFiniteNumber(value)) return numberText(value)
  throw outOfRange(`"${argument}" must be a finite number, got ${value}`)
}

function contentOfBytes(argument: string, value: unknown): Uint8Array {
  if (!isUint8Array(value)) {
    const what = `"${argument}" must be a Uint8Array, or null, got ${kindForBytes(value)}`
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
  }
  if (isShared(value)) throw shared(argument)
  lengthOf(argument, value)
  return value
}

/** The value of an opened text, by the type of its column. `row` and `name` name it in errors. */
export function openedValue(
  type: 'text' | 'number' | 'json',
  row: RowName | undefined,
  name: string,
  text: string,
): unknown {
  if (type === 'text') return text
  let value: unknown
  try {
    value = type === 'number' ? parsedNumber(text) : parseJson(text)
  } catch (error) {
    rethrowOverflow(error)
    // Without this error as the cause: its message shows the text.
  }
  if (type === 'json' ? value !== undefined : typeof value === 'number' && isFiniteNumber(value)) return value
  throw unlike(row === undefined ? name : `${shownRow(row)}.${name}`, type)
}

/** An authentic value of another type: the declaration has changed, so it is no forgery. */
function unlike(argument: string, type: 'number' | 'json'): Error {
  const kind = type === 'json' ? 'JSON' : 'a number'
  return wrongValue(`"${argument}" is authentic, but not ${kind}: was the column declared with another type?`)
}

/** The error of a value of a wrong type, with the way to a right one where there is one. */
function wrongType(argument: string, kind: string, value: unknown): Error {
  const got = isDate(value) ? 'a Date' : kindOf(value)
  let help = ''
  if (isDate(value)) help = ': date.toISOString() is its text'
  else if (typeof value === 'bigint') help = ": a column of type 'text' keeps String(value)"
  else if (isUint8Array(value)) help = ": declare the column as 'bytes'"
  return nodeError(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `"${argument}" must be ${kind}, or null, got ${got}${help}`,
  )
}
