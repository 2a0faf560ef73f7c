// Differences among keysets: their key types, and how these values are read and written. Other code
// for keysets is independent of key types.
import type { KeyPrefix } from '../../../../types/keyring.d.ts'

/** A type of keys, as keysets know it. */
export interface KeyForm {
  readonly name: string
  /** The prefixes that Tink allows for its keys. */
  readonly prefixes: readonly KeyPrefix[]
  readonly typeUrl: string
}

/** A key's type, and its bytes in their own memory. */
export interface FormedKey<Type extends KeyForm> {
  readonly type: Type
  readonly bytes: Uint8Array
}

/** The keysets of a class of keyrings. */
export interface KeysetForm<Type extends KeyForm> {
  /** The class that reads them, for errors. */
  readonly reader: string
  /** Tink's number for the kind of material of their keys. */
  readonly material: number
  /** Tink's names of their types. */
  readonly typeUrls: readonly string[]
  /** What the type of an enabled key must be, for an error. */
  readonly wanted: string
  /** Whether a key of another class's keysets is kept while it is not enabled. */
  readonly keepsOthers: boolean
  /** Why a key that is kept but not usable cannot be enabled, for an error. */
  unusable(): string
  /** Whether a keyset may be one line. */
  readonly isLine: boolean
  /** Most keys of a keyset. */
  readonly maxKeys: number
  /** The value of a key. Undefined for a type that only a key which is not enabled may have. */
  read(place: string, typeUrl: string, value: Uint8Array, isEnabled: boolean): FormedKey<Type> | undefined
  /** The value of a key, in its own memory, which the caller wipes. */
  write(key: FormedKey<Type>): Uint8Array
  /** The class for keysets of this type, for an error; undefined if the package has none. */
  readerOf(typeUrl: string): string | undefined
}

/** Why a key of another type cannot be enabled, for an error. */
export const UNKNOWN_TYPE = 'its type is not supported'

const URL = 'type.googleapis.com/google.crypto.tink.'
/** Tink's names of the types of keys of HPKE. */
export const HPKE_PRIVATE = `${URL}HpkePrivateKey`
export const HPKE_PUBLIC = `${URL}HpkePublicKey`
