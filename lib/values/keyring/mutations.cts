// Creates and changes the keys of a keyring. Every change leaves the primary key enabled.
import type { KeyEntry } from '../../../types/keyring.d.ts'
import { mustBe, outOfRange, wrongState, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { onFailure } from '../../cipher/base/on-failure.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { freshKey } from '../../cipher/machine/random.cjs'
import { aeadTable, expandKey, idOf, keyOfEntry, ownSettings, settingsOf } from './key-entry.cjs'
import {
  type AeadTable,
  type AnyKey,
  freshId,
  isUsable,
  type Key,
  type KeyTable,
  keyringDestroyed,
  refuseRawKey,
  refuseTaken,
  type TableKey,
} from './key-table.cjs'
import { keyTypeOf } from './keyset/key-types.cjs'
import { MAX_KEYS } from './keyset/model.cjs'

const KEYS = { elements: 'keys', least: 1, most: MAX_KEYS }

/** A keyring of the keys of a caller. A call that fails leaves no key. */
export function tableOfEntries(keys: readonly KeyEntry[], options: unknown): AeadTable {
  const { settings, primary } = settingsOf(options)
  if (!isList(keys)) throw mustBe('keys', 'an array', keys)
  const entries = elementsOf('keys', keys, lengthOfList('keys', keys, KEYS))
  return fillOrDestroy(aeadTable(settings), table => {
    // A caller names the newest key first.
    for (let i = 0; i < entries.length; i++) table.prepend(keyOfEntry(table, `keys[${i}]`, entries[i]))
    const newest = table.last as Key
    setPrimary(table, primary === undefined ? newest : keyWithId(table, 'options.primary', primary))
  })
}

/** A keyring of one new key. */
export function newTable(type: unknown, options: unknown): AeadTable {
  const settings = ownSettings(options)
  const wanted = keyTypeOf('type', type)
  return fillOrDestroy(aeadTable(settings), table => {
    const bytes = freshKey(wanted.keyBytes)
    try {
      const key = expandKey(table, wanted, 'tink', freshId(table), true, bytes)
      table.append(key)
      table.primary = key
    } finally {
      wipe(bytes, 0)
    }
  })
}

/** The table, after `fill` filled it. If `fill` throws, its keys are wiped at once. */
export function fillOrDestroy<Table extends { destroy(): void }>(
  table: Table,
  fill: (table: Table) => void,
): Table {
  onFailure(
    () => table.destroy(),
    () => fill(table),
  )
  return table
}

export function add(table: AeadTable, entry: unknown): number {
  return addKey(table, 'entry', () => keyOfEntry(table, 'entry', entry))
}

/** Adds the key that `make` makes, and returns its id. `name` names the argument. */
export function addKey<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  name: string,
  make: () => Usable,
): number {
  refuseFull(table)
  const key = make()
  onFailure(
    () => table.wipe(key),
    () => {
      // Getters of the entry may have changed the keyring.
      if (table.destroyed) throw keyringDestroyed()
      refuseTaken(table, `${name}.id`, key.id)
      refuseFull(table)
      if (key.enabled && key.prefixBytes === 0) refuseRawKey(table)
      table.append(key)
    },
  )
  return key.id
}

function refuseFull<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>): void {
  const { maxKeys } = table.kind.keysets
  let count = 0
  for (let key = table.first; key !== undefined; key = key.next) count++
  if (count >= maxKeys) throw outOfRange(`a keyring has at most ${maxKeys} keys: delete some`)
}

export function promote<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>, id: unknown): void {
  setPrimary(table, keyWithId(table, 'id', id))
}

export function setPrimary<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  key: TableKey<Usable>,
): void {
  if (!isUsable(key) || !key.enabled)
    throw wrongState(`the key ${key.id} cannot be the primary key, because it is not enabled`)
  table.primary = key
}

export function enable<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>, id: unknown): void {
  const key = keyWithId(table, 'id', id)
  if (!isUsable(key)) {
    const why = table.kind.keysets.unusable()
    throw wrongState(`the key ${key.id} cannot be enabled: ${why}`)
  }
  if (!key.enabled && key.prefixBytes === 0) refuseRawKey(table)
  table.enable(key, true)
}

export function disable<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>, id: unknown): void {
  const key = keyWithId(table, 'id', id)
  refusePrimary(table, key, 'disabled')
  // A key that this package cannot use is not enabled.
  if (isUsable(key)) table.enable(key, false)
}

export function remove<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>, id: unknown): void {
  const key = keyWithId(table, 'id', id)
  refusePrimary(table, key, 'deleted')
  table.remove(key)
}

function refusePrimary<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  key: TableKey<Usable>,
  change: string,
): void {
  if (key !== table.primary) return
  const what = `the key ${key.id} cannot be ${change}, because it is the primary key: promote another key first`
  throw wrongState(what)
}

/** The key of a caller's id. */
function keyWithId<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  name: string,
  id: unknown,
): TableKey<Usable> {
  const key = table.find(idOf(name, id))
  if (key !== undefined) return key
  throw wrongValue(`"${name}" is ${id}, which no key of this keyring has`)
}
