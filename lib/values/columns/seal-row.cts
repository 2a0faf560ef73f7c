// Seals the declared columns of a row.
import type { Buffer } from 'node:buffer'
import type { RowKey } from '../../../types/columns.d.ts'
import { define, hasOwn } from '../../cipher/base/builtins.cjs'
import { base64url } from '../../cipher/base/encoded.cjs'
import { wrongState, wrongValue } from '../../cipher/base/errors.cjs'
import { seal, sealText } from '../keyring/methods.cjs'
import type { Column } from './column.cjs'
import { contentOf } from './content.cjs'
import type { Declaration } from './declaration.cjs'
import { newestIndexOf } from './lookup.cjs'
import { copyOf, type Row } from './row.cjs'
import { keyOf } from './row-key.cjs'
import { isSealed, isVersion1 } from './sealed.cjs'

/** `argument` names the row. */
export function sealRow(declaration: Declaration, argument: string, given: unknown): Row {
  const row = copyOf(declaration, argument, given, [])
  const { columns, table, rowKey } = declaration
  let key: readonly RowKey[] | undefined
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as Column
    const { name } = column
    const value = hasOwn(row, name) ? row[name] : undefined
    if (value === undefined) {
      refuseLone(argument, column, row)
      continue
    }
    clearHidden(column, row)
    if (value === null) continue
    key ??= keyOf(table, rowKey, argument, row)
    sealValue(declaration, column, `${argument}.${name}`, row, value, key)
  }
  return row
}

/** Seals a value in the row, and writes its index. `where` names the value. */
function sealValue(
  declaration: Declaration,
  column: Column,
  where: string,
  row: Row,
  value: unknown,
  key: readonly RowKey[],
): void {
  const { name, type, index, place } = column
  const content = contentOf(type, where, value)
  if (index !== undefined) row[index.name] = newestIndexOf(column, index, where, value)
  if (typeof value === 'string' && isSealed(declaration.keyring, value, place.of(key)))
    throw alreadySealed(where)
  row[name] = sealed(declaration, column, content, key)
}

/** Sets the index of a value, and the parts of an older one, to NULL. */
function clearHidden({ index, parts }: Column, row: Row): void {
  if (index !== undefined) define(row, index.name, null, true)
  for (let i = 0; i < parts.length; i++) define(row, parts[i] as string, null, true)
}

/** The sealed value of a plaintext. */
export function sealed(
  { keyring, table }: Declaration,
  { name, place }: Column,
  content: string | Uint8Array,
  key: readonly RowKey[],
): string {
  const aad = place.of(key)
  const value =
    typeof content === 'string'
      ? sealText(keyring, content, aad)
      : base64url(seal(keyring, content, aad) as Buffer)
  if (isVersion1(value)) return value
  throw wrongState(`"${table}.${name}" cannot be sealed: the primary key of the keyring has no prefix 'tink'`)
}

/** The value was read from the database and not opened. */
function alreadySealed(argument: string): Error {
  return wrongValue(`"${argument}" is already sealed: open the row before you seal it`)
}

/** Refuses an index or a part whose column is missing: it could not match the column. */
function refuseLone(argument: string, { name, index, parts }: Column, row: Row): void {
  if (index !== undefined) refuse('the index', index.name)
  for (let i = 0; i < parts.length; i++) refuse('a part', parts[i] as string)

  function refuse(what: string, other: string): void {
    if (!hasOwn(row, other) || row[other] === undefined) return
    const message = `"${argument}.${other}" is ${what} of "${name}", which the row lacks: seal writes it`
    throw wrongValue(message)
  }
}
