// The keys of a keyset as read here, and Tink's numbers for statuses, prefixes and material types.
import type { KeyPrefix } from '../../../../types/keyring.d.ts'
import { wipe } from '../../../cipher/base/views.cjs'
import type { FormedKey, KeyForm } from './form.cjs'
import type { KeyTypeSpec } from './key-types.cjs'

export type Status = 'enabled' | 'disabled' | 'destroyed'

/** A key that this package uses, or will when its status allows it. */
export interface KnownKey<Type extends KeyForm = KeyTypeSpec> extends FormedKey<Type> {
  readonly id: number
  readonly status: Status
  readonly prefix: KeyPrefix
  /** Its own memory, which its owner wipes. */
  readonly bytes: Uint8Array
}

/** A key not usable here: destroyed, or disabled and of another type. Kept for export. */
export interface UnsupportedKey {
  readonly id: number
  readonly status: Status
  readonly prefix: KeyPrefix
  readonly type: null
  /** Null for a destroyed key without key data. */
  readonly typeUrl: string | null
  /** Its own memory, which its owner wipes; null if `typeUrl` is. */
  readonly value: Uint8Array | null
  /** Tink's number for the kind of key material; 0 if there is none. */
  readonly material: number
}

export interface Keyset<Type extends KeyForm = KeyTypeSpec> {
  readonly primary: number
  readonly keys: readonly (KnownKey<Type> | UnsupportedKey)[]
}

/** Whether this package uses a key. */
export function isKnown<Type extends KeyForm>(key: KnownKey<Type> | UnsupportedKey): key is KnownKey<Type> {
  return key.type !== null
}

/** Most keys of a keyset. */
export const MAX_KEYS = 1000
/** Most enabled keys without a prefix: a message that no other key opens is tried with each. */
export const MAX_RAW_KEYS = 8
/** Most characters of a keyset, and most bytes of its protobuf. A parsed keyset fits again. */
export const MAX_CHARACTERS = 2 ** 22
export const MAX_BYTES = 2 ** 21
/** Most bytes of the values of unsupported keys together, and most characters of a type's name. */
export const MAX_VALUE_BYTES = 2 ** 20
export const MAX_URL_CHARACTERS = 255

/** The largest id: an unsigned number of 32 bits. */
export const MAX_ID = 2 ** 32 - 1

// Tink's names, each at its number.
export const STATUSES = ['UNKNOWN_STATUS', 'ENABLED', 'DISABLED', 'DESTROYED'] as const
export const PREFIXES = ['UNKNOWN_PREFIX', 'TINK', 'LEGACY', 'RAW', 'CRUNCHY'] as const
export const MATERIALS = [
  'UNKNOWN_KEYMATERIAL',
  'SYMMETRIC',
  'ASYMMETRIC_PRIVATE',
  'ASYMMETRIC_PUBLIC',
  'REMOTE',
] as const
export const SYMMETRIC = 1
export const ASYMMETRIC_PRIVATE = 2
export const ASYMMETRIC_PUBLIC = 3
/** The largest number of a material type. Unsupported keys may have one without a name here. */
export const MAX_MATERIAL = 2 ** 31 - 1

/** The statuses and prefixes of this package, each at Tink's number. */
export const OUR_STATUSES: readonly (Status | undefined)[] = [undefined, 'enabled', 'disabled', 'destroyed']
export const OUR_PREFIXES: readonly (KeyPrefix | undefined)[] = [
  undefined,
  'tink',
  'legacy',
  'raw',
  'crunchy',
]

/** Wipes the memory of all keys of a keyset. */
export function wipeKeys(keys: readonly (KnownKey<KeyForm> | UnsupportedKey)[]): void {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as KnownKey<KeyForm> | UnsupportedKey
    const memory = key.type === null ? key.value : key.bytes
    if (memory !== null) wipe(memory, 0)
  }
}
