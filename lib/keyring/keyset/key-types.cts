// The types of keys that a keyring can have, a row each: Tink's, under the names of ciphers.
import type { KeyType } from '../../../types/keyring.d.ts'
import { AES_GCM, AES_GCM_SIV, type CipherSpec, XAES_256_GCM } from '../../aead/ciphers.cjs'
import { join, positionOf } from '../../base/builtins.cjs'
import { mistake } from '../../base/errors.cjs'
import { shown } from '../../base/parse.cjs'

/** A type of keys: its cipher, and the length of its keys. */
export interface Type {
  readonly name: KeyType
  readonly cipher: CipherSpec
  readonly keyBytes: 16 | 32
}

const TYPES: readonly Type[] = [
  { name: 'AES-256-GCM', cipher: AES_GCM, keyBytes: 32 },
  { name: 'AES-128-GCM', cipher: AES_GCM, keyBytes: 16 },
  { name: 'XAES-256-GCM', cipher: XAES_256_GCM, keyBytes: 32 },
  { name: 'AES-256-GCM-SIV', cipher: AES_GCM_SIV, keyBytes: 32 },
  { name: 'AES-128-GCM-SIV', cipher: AES_GCM_SIV, keyBytes: 16 },
]
const NAMES = TYPES.map(({ name }) => name)

/** The type of a name. `argument` is the name of the argument, for the error. */
export function typeOf(argument: string, name: unknown): Type {
  const type = TYPES[positionOf(NAMES, name)]
  if (type !== undefined) return type
  const what = `"${argument}" must be one of '${join(NAMES, "', '")}', got ${shown(name)}`
  throw mistake(TypeError, 'ERR_INVALID_ARG_VALUE', what)
}

/** The type of a key of which only the length is known. */
export function typeOfLength(length: number): Type {
  return TYPES[length === 16 ? 1 : 0] as Type
}
