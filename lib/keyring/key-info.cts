// Facts about the keys of a keyring, for its user and for `inspect`: never bytes of keys.
import type { KeyInfo, KeyringCounts } from '../../types/keyring.d.ts'
import { define, freeze } from '../base/builtins.cjs'
import { messagesEncrypted } from '../native/calls.cjs'
import { isUsable, type KeyTable, type TableKey } from './key-table.cjs'
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
  const { id, prefix } = key
  if (!isUsable(key)) {
    const { status } = key
    return freeze({
      id,
      type: null,
      status,
      prefix,
      primary: false,
      textPrefix: null,
      messagesEncrypted: 0,
      messagesDecrypted: 0,
    })
  }
  return freeze({
    id,
    type: key.type.name,
    status: key.enabled ? 'enabled' : 'disabled',
    prefix,
    primary: key === table.primary,
    textPrefix: key.prefixBytes === 0 ? null : textPrefixOf(key.valuePrefix),
    messagesEncrypted: messagesEncrypted(key.handle),
    messagesDecrypted: key.opened,
  })
}

/** What a keyring counted, whatever its keys were. */
export function countsOf({ forged, unknown, rotated }: KeyTable): KeyringCounts {
  return freeze({ failedDecryptions: forged, unknownKeys: unknown, rotated })
}
