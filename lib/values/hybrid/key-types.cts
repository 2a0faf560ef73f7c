// The types of keys, a row each. A new type is a row here, and its name in types/hybrid.d.ts.
import type { HybridKeyType } from '../../../types/hybrid.d.ts'
import type { KeyPrefix } from '../../../types/keyring.d.ts'
import { join, positionOf } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { shown } from '../../cipher/base/parse.cjs'
import type { KeyForm } from '../keyring/keyset/form.cjs'
import { HPKE_PRIVATE, HPKE_PUBLIC } from '../keyring/keyset/form.cjs'
import { X25519 } from './dhkem.cjs'
import { type Suite, suiteOf } from './hpke.cjs'
import { X_WING } from './x-wing.cjs'

/** A type of keys, for one half of its pairs. */
export interface HybridTypeSpec extends KeyForm {
  readonly name: HybridKeyType
  readonly suite: Suite
  /** The number of its AEAD in Tink's keysets, and in HPKE. */
  readonly aead: 1 | 2
}

const PREFIXES: readonly KeyPrefix[] = ['tink', 'raw', 'crunchy', 'legacy']

const ROWS = [
  ['X25519-AES-256-GCM', X25519, 2],
  ['X25519-AES-128-GCM', X25519, 1],
  ['X-WING-AES-256-GCM', X_WING, 2],
  ['X-WING-AES-128-GCM', X_WING, 1],
] as const satisfies readonly (readonly [HybridKeyType, ...unknown[]])[]

const rowsOf = (typeUrl: string): readonly HybridTypeSpec[] =>
  ROWS.map(([name, kem, aead]) => ({ name, suite: suiteOf(kem, aead), aead, prefixes: PREFIXES, typeUrl }))

/** In the order of errors and help; a private type at the place of its public one. */
export const PRIVATE_TYPES = rowsOf(HPKE_PRIVATE)
export const PUBLIC_TYPES = rowsOf(HPKE_PUBLIC)
export const HYBRID_TYPE_NAMES: readonly HybridKeyType[] = PRIVATE_TYPES.map(({ name }) => name)

/** The private type of a name. */
export function privateTypeOf(name: unknown): HybridTypeSpec {
  const type = PRIVATE_TYPES[positionOf(HYBRID_TYPE_NAMES, name)]
  if (type !== undefined) return type
  throw wrongValue(`"type" must be one of '${join(HYBRID_TYPE_NAMES, "', '")}', got ${shown(name)}`)
}

/** The public type of a private one. */
export function publicTypeOf(type: HybridTypeSpec): HybridTypeSpec {
  return PUBLIC_TYPES[positionOf(PRIVATE_TYPES, type)] as HybridTypeSpec
}

/** The type with these numbers of Tink's, if this package has it. */
export function typeOfNumbers(
  types: readonly HybridTypeSpec[],
  kem: number,
  kdf: number,
  aead: number,
): HybridTypeSpec | undefined {
  for (let i = 0; i < types.length; i++) {
    const type = types[i] as HybridTypeSpec
    if (type.suite.kem.tink === kem && kdf === 1 && type.aead === aead) return type
  }
  return undefined
}
