// Facts about the keys of a keyring, for its user and for `inspect`: never bytes of keys.
import type { HybridKeyInfo } from '../../../types/hybrid.d.ts'
import { define, freeze } from '../../cipher/base/builtins.cjs'
import { factsOf } from '../keyring/key-info.cjs'
import type { AnyKey, KeyTable } from '../keyring/key-table.cjs'
import type { HybridTypeSpec } from './key-types.cjs'

/** The facts about every key, in order. */
export function hybridInfos<Usable extends AnyKey<Usable> & { readonly type: HybridTypeSpec }>(
  table: KeyTable<Usable>,
): readonly HybridKeyInfo[] {
  const keys: HybridKeyInfo[] = []
  let count = 0
  // `define`, because an assignment to an element could run a setter of Array.prototype.
  for (let key = table.first; key !== undefined; key = key.next)
    define(keys, `${count++}`, freeze(factsOf(table, key)), true)
  return freeze(keys)
}
