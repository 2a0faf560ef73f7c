// The interface of HPKE's key encapsulation mechanisms (KEM): dhkem.cts and x-wing.cts.
import type { KeyObject } from 'node:crypto'
import type { x25519Pair } from './raw-keys.cjs'

/** A public key: its bytes, and what the runtime computes with. */
export interface KemPublic {
  readonly bytes: Uint8Array
  readonly x25519: KeyObject
  /** Of X-Wing alone. */
  readonly mlKem: KeyObject | undefined
}

/** A private key, with the bytes of its public one. */
export type KemPrivate = KemPublic

/** An encapsulated secret, which the caller wipes. */
export interface Encapsulated {
  readonly sharedSecret: Uint8Array
  readonly enc: Uint8Array
}

export interface Kem {
  /** Its id in HPKE, and its number in Tink's keysets. */
  readonly id: number
  readonly tink: number
  readonly encBytes: number
  readonly publicBytes: number
  readonly isPostQuantum: boolean
  /** The public key of bytes of the right length; undefined if they are no key, or a weak one. */
  publicKey(bytes: Uint8Array): KemPublic | undefined
  privateKey(secret: Uint8Array): KemPrivate
  /** `ephemeral` is another one in each call. Tests repeat that of a vector. */
  encap(recipient: KemPublic, ephemeral?: KeyPair): Encapsulated
  /** Undefined for an `enc` that no sender makes. It has `encBytes` bytes. */
  decap(enc: Uint8Array, recipient: KemPrivate): Uint8Array | undefined
}

export type KeyPair = ReturnType<typeof x25519Pair>

/** Bytes of every private key: a scalar of X25519, or a seed of X-Wing. */
export const PRIVATE_BYTES = 32
