// The key encapsulation mechanisms of HPKE: DHKEM(X25519, HKDF-SHA256) of RFC 9180 section 4.1, and
// X-Wing of draft-connolly-cfrg-xwing-kem, which is safe while either X25519 or ML-KEM-768 is.
import type { Hash, KeyObject } from 'node:crypto'
import { crypto, uncurried } from '../base/builtins.cjs'
import { part } from '../base/bytes.cjs'
import { ascii } from '../base/encoded.cjs'
import { orWipe } from '../base/on-failure.cjs'
import { allocateOffHeap, byteLength, copy, wipe } from '../base/views.cjs'
import { labeledExpand, labeledExtract, SECRET_BYTES, suiteLabels } from './labeled.cjs'
import {
  dh,
  ML_KEM_CIPHERTEXT_BYTES,
  ML_KEM_PUBLIC_BYTES,
  mlKemBytes,
  mlKemDecapsulate,
  mlKemEncapsulate,
  mlKemPrivate,
  mlKemPublic,
  X25519_BYTES,
  x25519Bytes,
  x25519Pair,
  x25519Private,
  x25519Public,
} from './raw-keys.cjs'

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

type KeyPair = ReturnType<typeof x25519Pair>

/** Bytes of every private key: a scalar of X25519, or a seed of X-Wing. */
export const PRIVATE_BYTES = 32

const { createHash } = crypto
const update: (hash: Hash, data: Uint8Array) => Hash = uncurried(crypto.Hash.prototype.update as never)
const digest: (hash: Hash) => Uint8Array = uncurried(crypto.Hash.prototype.digest as never)

export const X25519: Kem = {
  id: 0x0020,
  tink: 1,
  encBytes: X25519_BYTES,
  publicBytes: X25519_BYTES,
  isPostQuantum: false,
  publicKey(bytes) {
    const x25519 = strongX25519(bytes)
    return x25519 === undefined ? undefined : { bytes, x25519, mlKem: undefined }
  },
  privateKey(secret) {
    const x25519 = x25519Private(secret)
    return { bytes: x25519Bytes(x25519), x25519, mlKem: undefined }
  },
  encap({ bytes, x25519 }, { privateKey, publicKey } = x25519Pair()) {
    const enc = x25519Bytes(publicKey)
    // A public key is read only if no exchange with it is zero.
    const shared = dh(privateKey, x25519) as Uint8Array
    return { sharedSecret: extractAndExpand(shared, enc, bytes), enc }
  },
  decap(enc, { bytes, x25519 }) {
    const shared = dh(x25519, x25519Public(enc))
    return shared === undefined ? undefined : extractAndExpand(shared, enc, bytes)
  },
}

/**
 * A public key of X25519; undefined for a point of low order, with which every exchange is zero.
 */
function strongX25519(bytes: Uint8Array): KeyObject | undefined {
  const key = x25519Public(bytes)
  const shared = dh(x25519Pair().privateKey, key)
  if (shared === undefined) return undefined
  wipe(shared, 0)
  return key
}

const LABELS = suiteLabels([0x4b, 0x45, 0x4d, 0x00, 0x20], ['eae_prk', 'shared_secret'])

/** ExtractAndExpand of RFC 9180 section 4.1. Wipes the exchange. */
function extractAndExpand(shared: Uint8Array, enc: Uint8Array, recipient: Uint8Array): Uint8Array {
  const prk = orWipe(shared, () => labeledExtract(undefined, LABELS.eae_prk, shared))
  wipe(shared, 0)
  const secret = orWipe(prk, () => labeledExpand(prk, LABELS.shared_secret, SECRET_BYTES, enc, recipient))
  wipe(prk, 0)
  return secret
}

/** FIPS 203's d and z, which are the first bytes that a seed of X-Wing is expanded to. */
const ML_KEM_SEED_BYTES = 64
const X_WING_LABEL = ascii('\\.//^\\')

export const X_WING: Kem = {
  id: 0x647a,
  tink: 5,
  encBytes: ML_KEM_CIPHERTEXT_BYTES + X25519_BYTES,
  publicBytes: ML_KEM_PUBLIC_BYTES + X25519_BYTES,
  isPostQuantum: true,
  publicKey(bytes) {
    const x25519 = strongX25519(part(bytes, ML_KEM_PUBLIC_BYTES, X25519_BYTES))
    const mlKem = mlKemPublic(part(bytes, 0, ML_KEM_PUBLIC_BYTES))
    return x25519 === undefined || mlKem === undefined ? undefined : { bytes, x25519, mlKem }
  },
  privateKey(seed) {
    const options = { __proto__: null, outputLength: ML_KEM_SEED_BYTES + X25519_BYTES }
    const expanded = digest(update(createHash('shake256', options as never), seed))
    return orWipe(expanded, () => {
      const mlKem = mlKemPrivate(part(expanded, 0, ML_KEM_SEED_BYTES))
      const x25519 = x25519Private(part(expanded, ML_KEM_SEED_BYTES, X25519_BYTES))
      wipe(expanded, 0)
      return { bytes: joined(mlKemBytes(mlKem), x25519Bytes(x25519)), x25519, mlKem }
    })
  },
  encap({ bytes, x25519, mlKem }, { privateKey, publicKey } = x25519Pair()) {
    const { sharedKey, ciphertext } = mlKemEncapsulate(mlKem as KeyObject)
    return orWipe(sharedKey, () => {
      const ours = x25519Bytes(publicKey)
      const shared = dh(privateKey, x25519) as Uint8Array
      const its = part(bytes, ML_KEM_PUBLIC_BYTES, X25519_BYTES)
      return { sharedSecret: combined(sharedKey, shared, ours, its), enc: joined(ciphertext, ours) }
    })
  },
  decap(enc, { bytes, x25519, mlKem }) {
    const theirs = part(enc, ML_KEM_CIPHERTEXT_BYTES, X25519_BYTES)
    const shared = dh(x25519, x25519Public(theirs))
    if (shared === undefined) return undefined
    const sharedKey = orWipe(shared, () =>
      mlKemDecapsulate(mlKem as KeyObject, part(enc, 0, ML_KEM_CIPHERTEXT_BYTES)),
    )
    return combined(sharedKey, shared, theirs, part(bytes, ML_KEM_PUBLIC_BYTES, X25519_BYTES))
  },
}

/**
 * X-Wing's combiner: SHA3-256 over both secrets, and X25519's ciphertext and key. Wipes the two.
 */
function combined(mlKem: Uint8Array, x25519: Uint8Array, enc: Uint8Array, recipient: Uint8Array): Uint8Array {
  try {
    const hash = update(update(createHash('sha3-256'), mlKem), x25519)
    return digest(update(update(update(hash, enc), recipient), X_WING_LABEL))
  } finally {
    wipe(mlKem, 0)
    wipe(x25519, 0)
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = allocateOffHeap(byteLength(one) + byteLength(other))
  copy(both, one)
  copy(both, other, byteLength(one))
  return both
}
