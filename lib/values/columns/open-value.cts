// Opens one value of a column by the keyring, or by the readers of older values.
import type { Buffer } from 'node:buffer'
import type { RowKey } from '../../../types/columns.d.ts'
import { define, hasOwn } from '../../cipher/base/builtins.cjs'
import { unpublished } from '../../cipher/base/diagnostics.cjs'
import { fromBase64url } from '../../cipher/base/encoded.cjs'
import { textByReaders } from '../keyring/fallback.cjs'
import type { Keyring } from '../keyring/keyring.cjs'
import { tryOpen, tryOpenText } from '../keyring/methods.cjs'
import { bytesByReaders } from './bytes-readers.cjs'
import type { Column } from './column.cjs'
import type { Row } from './row.cjs'

/** The plaintext of a value: bytes for a column of bytes, text for each other type. */
export type Plaintext = string | Buffer

/** A plaintext, and what opened it. */
export interface Opened {
  readonly plaintext: Plaintext
  readonly kind: 'sealed' | 'fallback'
}

/**
 * Opens a value by the keyring, or else by the readers, which receive `inParts` if the value has
 * parts in other columns. Returns undefined, without an event, for a value that does not open.
 */
export function openedByAny(
  keyring: Keyring,
  column: Column,
  value: unknown,
  inParts: object | undefined,
  key: readonly RowKey[],
): Opened | undefined {
  const own = typeof value === 'string' ? openedByKeyring(keyring, column, value, key) : null
  if (own !== null) return { plaintext: own, kind: 'sealed' }
  const given = inParts ?? value
  if (typeof given !== 'string' && inParts === undefined) return undefined
  const read = openedByReaders(column, given as string | object, key)
  return read === null ? undefined : { plaintext: read, kind: 'fallback' }
}

/** Opens a value by the keyring; returns null if it does not. */
function openedByKeyring(
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
function openedByReaders(
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
