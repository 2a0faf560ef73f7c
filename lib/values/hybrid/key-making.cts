// Makes the keys of a PrivateKeyring, and its public keyset.
import type { HybridKeyOptions } from '../../../types/hybrid.d.ts'
import { define } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { freshKey } from '../../cipher/machine/random.cjs'
import { placeOf } from '../keyring/key-entry.cjs'
import { freshId, isUsable, keyringDestroyed } from '../keyring/key-table.cjs'
import { writeKeyset } from '../keyring/keyset/json.cjs'
import type { KnownKey } from '../keyring/keyset/model.cjs'
import { fillOrDestroy } from '../keyring/mutations.cjs'
import { type KemPrivate, PRIVATE_BYTES } from './kem.cjs'
import { type HybridTypeSpec, privateTypeOf, publicTypeOf } from './key-types.cjs'
import { type PrivateKey, type PrivateTable, privateKeyOf, privateTable } from './keys.cjs'
import { PUBLIC_KEYSETS } from './keysets.cjs'
import { hasMlKem, withoutMlKem } from './raw-keys.cjs'

const OPTIONS = ['id', 'prefix', 'status'] as const satisfies (keyof HybridKeyOptions)[]

/** A keyring of one new key. */
export function freshTable(type: unknown, options: unknown): PrivateTable {
  return fillOrDestroy(privateTable(), table => {
    const key = newKey(table, type, options)
    if (!key.enabled) {
      const what =
        '"options.status" is only an option of add: the first key is the primary one, so it is enabled'
      throw wrongValue(what)
    }
    table.append(key)
    table.primary = key
  })
}

/** A new random key with the options of a caller. */
export function newKey(table: PrivateTable, type: unknown, options: unknown): PrivateKey {
  const wanted = privateTypeOf(type)
  const { id, prefix, enabled } = placeOf(table, 'options', optionsOf(options ?? {}, OPTIONS))
  // Getters of the options may have destroyed the keyring.
  if (table.destroyed) throw keyringDestroyed()
  if (wanted.suite.kem.isPostQuantum && !hasMlKem()) throw withoutMlKem()
  const secret = freshKey(PRIVATE_BYTES)
  try {
    return privateKeyOf(wanted, prefix, id ?? freshId(table), enabled, secret)
  } finally {
    wipe(secret, 0)
  }
}

/** The keyset of the public keys, with the ids, prefixes and statuses of the private ones. */
export function publicKeysetOf(table: PrivateTable): string {
  const keys: KnownKey<HybridTypeSpec>[] = []
  let count = 0
  for (let key = table.first; key !== undefined; key = key.next) {
    if (!isUsable(key)) continue
    const { id, prefix, enabled, type } = key
    const { bytes } = key.key as KemPrivate
    const status = enabled ? 'enabled' : 'disabled'
    define(keys, `${count++}`, { id, status, prefix, type: publicTypeOf(type), bytes }, true)
  }
  return writeKeyset(PUBLIC_KEYSETS, { primary: (table.primary as PrivateKey).id, keys })
}
