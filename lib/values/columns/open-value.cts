// Opens one value of a column by the keyring, or by the readers of older values.
import type { Buffer } from 'node:buffer'
import type { RowKey } from '../../../types/columns.d.ts'
import { define, hasOwn, uncurried } from '../../cipher/base/builtins.cjs'
import { unpublished } from '../../cipher/base/diagnostics.cjs'
import { fromBase64url } from '../../cipher/base/encoded.cjs'
import { textByReaders } from '../keyring/fallback.cjs'
import { Keyring } from '../keyring/keyring.cjs'
import { bytesByReaders } from './bytes-readers.cjs'
import type { Column } from './column.cjs'
import type { Row } from './row.cjs'

const { prototype } = Keyring
const tryOpen = uncurried(prototype.tryOpen)
const tryOpenText = uncurried(prototype.tryOpenText)

/** The plaintext of a value: bytes for a column of bytes, text for each other type. */
export type Plaintext = string | Buffer

/** Opens a value by the keyring; returns null, without an event, for a value that does not open. */
export function openedByKeyring(
  keyring: Keyring,
  { type, place }: Column,
  value: string,
  key: readonly RowKey[],
): Plaintext | null {
  if (type !== 'bytes') return unpublished(() => tryOpenText(keyring, value, place.of(key)))
  const sealed = fromBase64url(value)
  if (sealed === undefined) return null
  return unpublished(() => tryOpen(keyring, sealed, place.of(key))) as Buffer | null
}

/**
 * Opens a value by the readers; returns null if none can. A reader may keep the additional data.
 */
export function openedByReaders(
  { type, place, readers }: Column,
  value: string | object,
  key: readonly RowKey[],
): Plaintext | null {
  if (readers.length === 0) return null
  const aad = place.own(key)
  return type === 'bytes' ? bytesByReaders(readers, value, aad) : textByReaders(readers, value, aad)
}

/** A value in several columns, as its readers receive it; undefined if it has no other parts. */
export function valueInParts({ name, parts }: Column, row: Row): Row | undefined {
  let value: Row | undefined
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as string
    if (!hasOwn(row, part) || row[part] === undefined || row[part] === null) continue
    value ??= { [name]: row[name] }
    define(value, part, row[part], true)
  }
  return value
}
