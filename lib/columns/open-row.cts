// Opens the declared columns of a row.
import type { Buffer } from 'node:buffer'
import type { RowKey } from '../../types/columns.d.ts'
import { define, hasOwn, uncurried } from '../base/builtins.cjs'
import { authenticationFailed, unpublished } from '../base/diagnostics.cjs'
import { fromBase64url } from '../base/encoded.cjs'
import { AuthenticationError, NotSealedError } from '../base/errors.cjs'
import { Keyring } from '../keyring/keyring.cjs'
import { bytesByReaders } from './bytes-readers.cjs'
import type { Column } from './column.cjs'
import { openedValue } from './content.cjs'
import type { Declaration } from './declaration.cjs'
import { copyOf, type Row } from './row.cjs'
import { keyOf } from './row-key.cjs'
import { looksSealed } from './sealed.cjs'

const { prototype } = Keyring
const open = uncurried(prototype.open)
const tryOpen = uncurried(prototype.tryOpen)
const openText = uncurried(prototype.openText)
const { isExtensible } = Object

/** `argument` names the row. */
export function openRow(declaration: Declaration, argument: string, given: unknown): Row {
  const row = copyOf(declaration, argument, given, true)
  const { columns, table, rowKey } = declaration
  let key: readonly RowKey[] | undefined
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as Column
    const { name } = column
    const value = hasOwn(row, name) ? row[name] : undefined
    if (value === undefined || value === null) continue
    key ??= keyOf(table, rowKey, argument, row)
    row[name] = opened(declaration.keyring, column, argument, value, key)
  }
  return row
}

function opened(
  keyring: Keyring,
  column: Column,
  argument: string,
  value: unknown,
  key: readonly RowKey[],
): unknown {
  const { name, type, place, fallback } = column
  if (typeof value !== 'string') {
    authenticationFailed()
    throw new NotSealedError(name)
  }
  let text: string
  try {
    if (type === 'bytes') return openedBytes(keyring, column, value, key)
    // A reader is code of the caller, and may keep the additional data.
    if (fallback !== undefined) text = openText(keyring, value, place.own(key), fallback)
    else text = openText(keyring, value, place.of(key))
  } catch (error) {
    throw refusalOf(error, name, value)
  }
  return openedValue(type, `${argument}.${name}`, text)
}

function openedBytes(
  keyring: Keyring,
  { name, place, readers }: Column,
  value: string,
  key: readonly RowKey[],
): Buffer<ArrayBuffer> {
  const sealed = fromBase64url(value)
  if (readers.length > 0) {
    const own = sealed === undefined ? null : unpublished(() => tryOpen(keyring, sealed, place.of(key)))
    const bytes = own ?? bytesByReaders(readers, value, place.own(key))
    if (bytes !== null) return bytes as Buffer<ArrayBuffer>
  }
  if (sealed !== undefined) return open(keyring, sealed, place.of(key)) as Buffer<ArrayBuffer>
  authenticationFailed()
  throw new NotSealedError(name)
}

/** The error to throw for a value that did not open: it names the column. */
function refusalOf(error: unknown, name: string, value: string): unknown {
  if (!(error instanceof AuthenticationError)) return error
  const said = looksSealed(value) ? error : new NotSealedError(name)
  // A reader may throw an error of its own.
  if (isExtensible(said)) define(said, 'column', name, true)
  return said
}
