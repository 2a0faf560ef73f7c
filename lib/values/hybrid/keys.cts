// The keys of both classes of keyrings, read from keysets and written to them.
import type { KeyObject } from 'node:crypto'
import type { KeyPrefix } from '../../../types/keyring.d.ts'
import { copied, part } from '../../cipher/base/bytes.cjs'
import { onFailure } from '../../cipher/base/on-failure.cjs'
import { allocateOffHeap, byteLength, copy, wipe } from '../../cipher/base/views.cjs'
import { valuePrefixOf } from '../keyring/key-entry.cjs'
import { type AnyKey, type KeyringKind, KeyTable } from '../keyring/key-table.cjs'
import type { KnownKey } from '../keyring/keyset/model.cjs'
import { type KemPrivate, type KemPublic, PRIVATE_BYTES } from './kem.cjs'
import type { HybridTypeSpec } from './key-types.cjs'
import { PRIVATE_KEYSETS, PUBLIC_KEYSETS, publicKeyIn } from './keysets.cjs'
import { secretBytes, secretKey } from './raw-keys.cjs'

export interface PublicKey extends AnyKey<PublicKey> {
  readonly type: HybridTypeSpec
  readonly key: KemPublic
}

export interface PrivateKey extends AnyKey<PrivateKey> {
  readonly type: HybridTypeSpec
  /** Undefined after `wipe`: the runtime wipes the memory of objects that nothing refers to. */
  key: KemPrivate | undefined
  /** The scalar or the seed, for export. */
  secret: KeyObject | undefined
}

export type PublicTable = KeyTable<PublicKey>
export type PrivateTable = KeyTable<PrivateKey>

const PUBLIC: KeyringKind<PublicKey> = {
  keysets: PUBLIC_KEYSETS,
  expand(_, { id, type, prefix, status, bytes }: KnownKey<HybridTypeSpec>) {
    // A copy, since the caller wipes the bytes.
    const key = publicKeyIn('', type, copied(bytes))
    return {
      id,
      type,
      prefix,
      ...valuePrefixOf(prefix, id),
      enabled: status === 'enabled',
      next: undefined,
      key,
    }
  },
  bytesOf: ({ key }) => copied(key.bytes),
  wipe() {},
}

const PRIVATE: KeyringKind<PrivateKey> = {
  keysets: PRIVATE_KEYSETS,
  expand: (_, { id, type, prefix, status, bytes }: KnownKey<HybridTypeSpec>) =>
    privateKeyOf(type, prefix, id, status === 'enabled', part(bytes, 0, PRIVATE_BYTES)),
  bytesOf({ secret, key }) {
    const { bytes } = key as KemPrivate
    const both = allocateOffHeap(PRIVATE_BYTES + byteLength(bytes))
    return onFailure(
      () => void wipe(both, 0),
      () => {
        const own = secretBytes(secret as KeyObject)
        copy(both, own)
        wipe(own, 0)
        copy(both, bytes, PRIVATE_BYTES)
        return both
      },
    )
  },
  wipe(key) {
    key.key = undefined
    key.secret = undefined
  },
}

/** A private key of its bytes, which the caller wipes. */
export function privateKeyOf(
  type: HybridTypeSpec,
  prefix: KeyPrefix,
  id: number,
  enabled: boolean,
  secret: Uint8Array,
): PrivateKey {
  const key = type.suite.kem.privateKey(secret)
  return {
    id,
    type,
    prefix,
    ...valuePrefixOf(prefix, id),
    enabled,
    next: undefined,
    key,
    secret: secretKey(secret),
  }
}

export const publicTable = (): PublicTable => new KeyTable(PUBLIC)
export const privateTable = (): PrivateTable => new KeyTable(PRIVATE)
