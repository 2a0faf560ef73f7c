// Opens the declared columns of a row.
import type { Buffer } from 'node:buffer'
import type { RowKey } from '../../../types/columns.d.ts'
import { define, hasOwn } from '../../cipher/base/builtins.cjs'
import { authenticationFailed } from '../../cipher/base/diagnostics.cjs'
import { AuthenticationError, NotSealedError } from '../../cipher/base/errors.cjs'
import type { Keyring } from '../keyring/keyring.cjs'
import { openText } from '../keyring/methods.cjs'
import { bytesAfter, bytesAt, textAfter, textAt, UNTRIED } from '../keyring/placed.cjs'
import type { Column } from './column.cjs'
import { openedValue } from './content.cjs'
import type { Declaration } from './declaration.cjs'
import { openedByAny, type Plaintext, valueInParts } from './open-value.cjs'
import { copyOf, type Row, withoutAny } from './row.cjs'
import { keyOf, shortKeyOf } from './row-key.cjs'
import type { RowName } from './row-name.cjs'
import { looksSealed } from './sealed.cjs'
import { refuseSealed } from './undeclared.cjs'

const { isExtensible } = Object

/** `argument` names the row. */
export function openRow(declaration: Declaration, argument: RowName, given: unknown): Row {
  const { keyring, columns, hasParts, hidden, names, table, rowKey } = declaration
  const whole = copyOf(declaration, argument, given, hasParts ? [] : hidden)
  const row = hasParts ? withoutAny(whole, hidden) : whole
  // Of this row, because nothing else was checked since.
  const { isWhole, others } = names
  const short = shortOf(rowKey, row, isWhole)
  let key: readonly RowKey[] | undefined
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as Column
    const { name, type, head } = column
    const value = isWhole || hasOwn(row, name) ? row[name] : undefined
    const old = hasParts && value !== undefined ? valueInParts(column, whole) : undefined
    if (value === undefined || (value === null && old === undefined)) continue
    let status = UNTRIED
    if (short !== undefined && head !== undefined && typeof value === 'string') {
      const plaintext =
        type === 'bytes' ? bytesAt(keyring, value, head, short) : textAt(keyring, value, head, short)
      if (typeof plaintext === 'string' && type !== 'bytes') {
        row[name] = openedValue(type, argument, name, plaintext)
        continue
      }
      if (typeof plaintext === 'object') {
        row[name] = plaintext
        continue
      }
      status = plaintext as number
    }
    key ??= keyOf(table, rowKey, argument, row)
    row[name] = opened(keyring, column, argument, value, old, key, status)
  }
  if (others.length > 0) refuseSealed(declaration, argument, row, others)
  return row
}

/** The key of a row for the short way: null without one, undefined where that way is closed. */
function shortOf(rowKey: readonly string[], row: Row, isWhole: boolean): string | null | undefined {
  if (rowKey.length === 0) return null
  const name = rowKey[0] as string
  return rowKey.length === 1 && (isWhole || hasOwn(row, name)) ? shortKeyOf(row[name]) : undefined
}

function opened(
  keyring: Keyring,
  column: Column,
  argument: RowName,
  value: unknown,
  old: object | undefined,
  key: readonly RowKey[],
  status: number,
): unknown {
  const { name, type, place, fallback } = column
  if (old !== undefined) {
    const plaintext = openedInParts(keyring, column, value, old, key)
    return typeof plaintext === 'string' && type !== 'bytes'
      ? openedValue(type, argument, name, plaintext)
      : plaintext
  }
  if (typeof value !== 'string') {
    authenticationFailed()
    throw new NotSealedError(name)
  }
  let text: string
  try {
    if (type === 'bytes') return openedBytes(keyring, column, value, key, status)
    // A reader is code of the caller, and may keep the additional data.
    if (fallback !== undefined) text = openText(keyring, value, place.own(key), fallback)
    else text = textAfter(keyring, value, place.of(key), status)
  } catch (error) {
    throw refusalOf(error, name, value)
  }
  return openedValue(type, argument, name, text)
}

function openedBytes(
  keyring: Keyring,
  column: Column,
  value: string,
  key: readonly RowKey[],
  status: number,
): Buffer<ArrayBuffer> {
  const { name, place, readers } = column
  if (readers.length > 0) {
    const opened = openedByAny(keyring, column, value, undefined, key)
    if (opened !== undefined) return opened.plaintext as Buffer<ArrayBuffer>
  }
  // Decoding makes a Buffer of Node's, which may run code of a program: `of` would not outlive it.
  const bytes = bytesAfter(keyring, value, place.own(key), status)
  if (bytes !== undefined) return bytes
  authenticationFailed()
  throw new NotSealedError(name)
}

/**
 * A value with parts in other columns. It is sealed all the same if a program left those as they
 * were.
 */
function openedInParts(
  keyring: Keyring,
  column: Column,
  value: unknown,
  old: object,
  key: readonly RowKey[],
): Plaintext {
  const opened = openedByAny(keyring, column, value, old, key)
  if (opened !== undefined) return opened.plaintext
  authenticationFailed()
  const error = new AuthenticationError()
  define(error, 'column', column.name, true)
  throw error
}

/** The error to throw for a value that did not open: it names the column. */
function refusalOf(error: unknown, name: string, value: string): unknown {
  if (!(error instanceof AuthenticationError)) return error
  const said = looksSealed(value) ? error : new NotSealedError(name)
  // A reader may throw an error of its own.
  if (isExtensible(said)) define(said, 'column', name, true)
  return said
}
