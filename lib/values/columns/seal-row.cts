// Seals the declared columns of a row.
import type { Buffer } from 'node:buffer'
import type { RowKey } from '../../../types/columns.d.ts'
import { define, hasOwn, uncurried } from '../../cipher/base/builtins.cjs'
import { unpublished } from '../../cipher/base/diagnostics.cjs'
import { base64url } from '../../cipher/base/encoded.cjs'
import { nodeError } from '../../cipher/base/errors.cjs'
import { Keyring } from '../keyring/keyring.cjs'
import type { Column } from './column.cjs'
import { contentOf } from './content.cjs'
import type { Declaration } from './declaration.cjs'
import { newestIndexOf } from './index-keys.cjs'
import { indexContent } from './lookup.cjs'
import { copyOf, type Row } from './row.cjs'
import { keyOf } from './row-key.cjs'
import { isVersion1, looksSealed } from './sealed.cjs'

const { prototype } = Keyring
const seal = uncurried(prototype.seal)
const sealText = uncurried(prototype.sealText)
const tryOpenText = uncurried(prototype.tryOpenText)

/** `argument` names the row. */
export function sealRow(declaration: Declaration, argument: string, given: unknown): Row {
  const row = copyOf(declaration, argument, given, [])
  const { columns, table, rowKey } = declaration
  let key: readonly RowKey[] | undefined
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as Column
    const { name, index, parts } = column
    const value = hasOwn(row, name) ? row[name] : undefined
    if (value === undefined) {
      if (index !== undefined) refuseLone(argument, name, 'the index', index.name, row)
      for (let j = 0; j < parts.length; j++) refuseLone(argument, name, 'a part', parts[j] as string, row)
      continue
    }
    if (index !== undefined) define(row, index.name, null, true)
    for (let j = 0; j < parts.length; j++) define(row, parts[j] as string, null, true)
    if (value === null) continue
    key ??= keyOf(table, rowKey, argument, row)
    const where = `${argument}.${name}`
    const content = contentOf(column.type, where, value)
    if (index !== undefined) row[index.name] = newestIndexOf(index, indexContent(column, where, value))
    if (typeof value === 'string' && isSealed(declaration.keyring, value, column.place.of(key)))
      throw alreadySealed(where)
    row[name] = sealed(declaration, column, content, key)
  }
  return row
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
  const what = `"${table}.${name}" cannot be sealed: the primary key of the keyring has no prefix 'tink'`
  throw nodeError(Error, 'ERR_INVALID_STATE', what)
}

/** Whether a text is what this place already sealed. */
export function isSealed(keyring: Keyring, text: string, aad: Uint8Array): boolean {
  return looksSealed(text) && unpublished(() => tryOpenText(keyring, text, aad)) !== null
}

/** The value was read from the database and not opened. */
function alreadySealed(argument: string): Error {
  const what = `"${argument}" is already sealed: open the row before you seal it`
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
}

/** Refuses an index or a part whose column is not there: it would not be that of the column. */
function refuseLone(argument: string, name: string, what: string, other: string, row: Row): void {
  if (!hasOwn(row, other) || row[other] === undefined) return
  const message = `"${argument}.${other}" is ${what} of "${name}", which the row lacks: seal writes it`
  throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', message)
}
