// X-Wing of draft-connolly-cfrg-xwing-kem, which is safe while either X25519 or ML-KEM-768 is.
import type { KeyObject } from 'node:crypto'
import { part } from '../../cipher/base/bytes.cjs'
import { hashOf, shake256 } from '../../cipher/base/digests.cjs'
import { ascii } from '../../cipher/base/encoded.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { allocateOffHeap, byteLength, copy, wipe } from '../../cipher/base/views.cjs'
import { strongX25519 } from './dhkem.cjs'
import type { Kem } from './kem.cjs'
import {
  decapsulateWith,
  dh,
  encapsulateTo,
  exchange,
  ML_KEM_CIPHERTEXT_BYTES,
  ML_KEM_PUBLIC_BYTES,
  ML_KEM_SEED_BYTES,
  mlKemBytes,
  mlKemPrivate,
  mlKemPublic,
  X25519_BYTES,
  x25519Bytes,
  x25519Pair,
  x25519Private,
  x25519Public,
} from './raw-keys.cjs'

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
    const expanded = shake256(seed, ML_KEM_SEED_BYTES + X25519_BYTES)
    return orWipe(expanded, () => {
      const mlKem = mlKemPrivate(part(expanded, 0, ML_KEM_SEED_BYTES))
      const x25519 = x25519Private(part(expanded, ML_KEM_SEED_BYTES, X25519_BYTES))
      wipe(expanded, 0)
      return { bytes: joined(mlKemBytes(mlKem), x25519Bytes(x25519)), x25519, mlKem }
    })
  },
  encap({ bytes, x25519, mlKem }, { privateKey, publicKey } = x25519Pair()) {
    const { sharedKey, ciphertext } = encapsulateTo(mlKem as KeyObject)
    return orWipe(sharedKey, () => {
      const ours = x25519Bytes(publicKey)
      const shared = exchange(privateKey, x25519)
      const its = part(bytes, ML_KEM_PUBLIC_BYTES, X25519_BYTES)
      return { sharedSecret: combined(sharedKey, shared, ours, its), enc: joined(ciphertext, ours) }
    })
  },
  decap(enc, { bytes, x25519, mlKem }) {
    const theirs = part(enc, ML_KEM_CIPHERTEXT_BYTES, X25519_BYTES)
    const shared = dh(x25519, x25519Public(theirs))
    if (shared === undefined) return undefined
    const sharedKey = orWipe(shared, () =>
      decapsulateWith(mlKem as KeyObject, part(enc, 0, ML_KEM_CIPHERTEXT_BYTES)),
    )
    return combined(sharedKey, shared, theirs, part(bytes, ML_KEM_PUBLIC_BYTES, X25519_BYTES))
  },
}

/** X-Wing's combiner: SHA3-256 over both secrets and X25519's public keys. Wipes the secrets. */
function combined(mlKem: Uint8Array, x25519: Uint8Array, enc: Uint8Array, recipient: Uint8Array): Uint8Array {
  try {
    return hashOf('sha3-256', mlKem, x25519, enc, recipient, X_WING_LABEL)
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
