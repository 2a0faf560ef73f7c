// Facts about the keys of a keyring, for its user and for `inspect`: never bytes of keys.
import type { KeyInfo } from '../../types/keyring.d.ts'
import { define, freeze } from '../base/builtins.cjs'
import { messagesEncrypted } from '../native/calls.cjs'
import type { Node, Ring } from './key-table.cjs'
import { textPrefixOf } from './prefix.cjs'

/** The facts about every key, in order. */
export function keysOf(ring: Ring): readonly KeyInfo[] {
  const keys: KeyInfo[] = []
  let count = 0
  // `define`, because an assignment to an element could run a setter of Array.prototype.
  for (let key = ring.first; key !== undefined; key = key.next)
    define(keys, `${count++}`, factsOf(ring, key), true)
  return freeze(keys)
}

function factsOf(ring: Ring, key: Node): KeyInfo {
  const { id } = key
  if (key.type === undefined) {
    const { status, prefix } = key.other
    return freeze({ id, type: null, status, prefix, primary: false, textPrefix: null, messagesEncrypted: 0 })
  }
  return freeze({
    id,
    type: key.type.name,
    status: key.enabled ? 'enabled' : 'disabled',
    prefix: key.prefix,
    primary: key === ring.primary,
    textPrefix: key.skip === 0 ? null : textPrefixOf(key.head),
    messagesEncrypted: messagesEncrypted(key.handle),
  })
}
