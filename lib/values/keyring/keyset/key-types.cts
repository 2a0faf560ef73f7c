// Tink's key types, one row each, under the names of ciphers. A new type needs a row here and a
// name in types/keyring.d.ts.
import type { KeyPrefix, KeyType } from '../../../../types/keyring.d.ts'
import { AES_GCM, AES_GCM_SIV, type CipherSpec, XAES_256_GCM } from '../../../cipher/aead/ciphers.cjs'
import { join, positionOf } from '../../../cipher/base/builtins.cjs'
import { wrongValue } from '../../../cipher/base/errors.cjs'
import { shown } from '../../../cipher/base/parse.cjs'

/** A type of keys: its cipher, the length of its keys, and its form in Tink's keysets. */
export interface KeyTypeSpec {
  readonly name: KeyType
  readonly cipher: CipherSpec
  readonly keyBytes: 16 | 32
  /** The prefixes that Tink allows for its keys. */
  readonly prefixes: readonly KeyPrefix[]
  readonly typeUrl: string
  /** The salt in the parameters of a key; undefined for keys without parameters. */
  readonly saltBytes: number | undefined
  /** The algorithm of tokens under such a key; null for a cipher that JWE does not have. */
  readonly enc: 'A256GCM' | 'A128GCM' | null
}

const URL = 'type.googleapis.com/google.crypto.tink.'
const gcm = {
  cipher: AES_GCM,
  prefixes: ['tink', 'raw', 'crunchy', 'legacy'],
  typeUrl: `${URL}AesGcmKey`,
  saltBytes: undefined,
} as const
const siv = { ...gcm, cipher: AES_GCM_SIV, typeUrl: `${URL}AesGcmSivKey`, enc: null } as const

/** In the order in which errors and help list them. */
export const KEY_TYPES: readonly KeyTypeSpec[] = [
  { name: 'AES-256-GCM', keyBytes: 32, enc: 'A256GCM', ...gcm },
  { name: 'AES-128-GCM', keyBytes: 16, enc: 'A128GCM', ...gcm },
  {
    name: 'XAES-256-GCM',
    keyBytes: 32,
    cipher: XAES_256_GCM,
    prefixes: ['tink', 'raw'],
    typeUrl: `${URL}XAesGcmKey`,
    // The salt of the C2SP specification. A shorter one makes shorter nonces.
    saltBytes: 12,
    enc: null,
  },
  { name: 'AES-256-GCM-SIV', keyBytes: 32, ...siv },
  { name: 'AES-128-GCM-SIV', keyBytes: 16, ...siv },
]
export const KEY_TYPE_NAMES: readonly KeyType[] = KEY_TYPES.map(({ name }) => name)

/** The type of a name. `argument` is the name of the argument, for the error. */
export function keyTypeOf(argument: string, name: unknown): KeyTypeSpec {
  const type = KEY_TYPES[positionOf(KEY_TYPE_NAMES, name)]
  if (type !== undefined) return type
  throw wrongValue(`"${argument}" must be one of '${join(KEY_TYPE_NAMES, "', '")}', got ${shown(name)}`)
}

/** The type of a key whose length alone is known. */
export function keyTypeOfLength(length: number): KeyTypeSpec {
  return KEY_TYPES[length === 16 ? 1 : 0] as KeyTypeSpec
}

/** The first type with this URL, and with this length of keys if there is one. */
export function keyTypeOfUrl(typeUrl: string, keyBytes?: number): KeyTypeSpec | undefined {
  for (let i = 0; i < KEY_TYPES.length; i++) {
    const type = KEY_TYPES[i] as KeyTypeSpec
    if (type.typeUrl === typeUrl && (keyBytes === undefined || type.keyBytes === keyBytes)) return type
  }
  return undefined
}
