// Facts about the keys of a keyring, for its user and for `inspect`: never bytes of keys.
import type { KeyInfo, KeyringCounts } from '../../../types/keyring.d.ts'
import { define, freeze } from '../../cipher/base/builtins.cjs'
import { messagesEncrypted } from '../../cipher/native/calls.cjs'
import { type AeadTable, type AnyKey, isUsable, type KeyTable, type TableKey } from './key-table.cjs'
import { textPrefixOf } from './prefix.cjs'

/** The facts about every key, in order. */
export function keyInfos(table: KeyTable): readonly KeyInfo[] {
  const keys: KeyInfo[] = []
  let count = 0
  // `define`, because an assignment to an element could run a setter of Array.prototype.
  for (let key = table.first; key !== undefined; key = key.next)
    define(keys, `${count++}`, infoOf(table, key), true)
  return freeze(keys)
}

function infoOf(table: KeyTable, key: TableKey): KeyInfo {
  const used = isUsable(key)
  return freeze({
    ...(factsOf(table, key) as Omit<KeyInfo, 'messagesEncrypted' | 'messagesDecrypted'>),
    messagesEncrypted: used ? messagesEncrypted(key.handle) : 0,
    messagesDecrypted: used ? key.opened : 0,
  })
}

/** The facts about a key that every kind of keyring has. */
export function factsOf<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>, key: TableKey<Usable>) {
  const { id, prefix } = key
  if (!isUsable(key)) return { id, type: null, status: key.status, prefix, primary: false, textPrefix: null }
  return {
    id,
    type: key.type.name as Usable['type']['name'],
    status: key.enabled ? ('enabled' as const) : ('disabled' as const),
    prefix,
    primary: key === table.primary,
    textPrefix: key.prefixBytes === 0 ? null : textPrefixOf(key.valuePrefix),
  }
}

/** What a keyring counted, whatever its keys were. */
export function countsOf({ forged, unknown, rotated }: AeadTable): KeyringCounts {
  return freeze({ failedDecryptions: forged, unknownKeys: unknown, rotated })
}
