// DHKEM(X25519, HKDF-SHA256) of RFC 9180 section 4.1.
import type { KeyObject } from 'node:crypto'
import { rethrowOverflow } from '../../cipher/base/builtins.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { byteLength, wipe } from '../../cipher/base/views.cjs'
import type { Encapsulated, Kem, KemPrivate, KemPublic, KeyPair } from './kem.cjs'
import { labeledExpand, labeledExtract, SECRET_BYTES, suiteLabels } from './labeled.cjs'
import {
  decapsulateWith,
  dh,
  encapsulateTo,
  exchange,
  hasKem,
  X25519_BYTES,
  x25519Bytes,
  x25519Pair,
  x25519Private,
  x25519Public,
} from './raw-keys.cjs'

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
  encap(recipient, ephemeral) {
    if (ephemeral !== undefined || !hasDhkem()) return encapByHand(recipient, ephemeral)
    const { sharedKey, ciphertext } = encapsulateTo(recipient.x25519)
    return { sharedSecret: sharedKey, enc: ciphertext }
  },
  decap(enc, recipient) {
    return hasDhkem() ? decapByRuntime(enc, recipient.x25519) : decapByHand(enc, recipient)
  },
}

function encapByHand(
  { bytes, x25519 }: KemPublic,
  { privateKey, publicKey }: KeyPair = x25519Pair(),
): Encapsulated {
  const enc = x25519Bytes(publicKey)
  // A public key is read only if no exchange with it is zero.
  const shared = exchange(privateKey, x25519)
  return { sharedSecret: extractAndExpand(shared, enc, bytes), enc }
}

function decapByHand(enc: Uint8Array, { bytes, x25519 }: KemPrivate): Uint8Array | undefined {
  const shared = dh(x25519, x25519Public(enc))
  return shared === undefined ? undefined : extractAndExpand(shared, enc, bytes)
}

/** OpenSSL refuses a zero exchange. */
function decapByRuntime(enc: Uint8Array, privateKey: KeyObject): Uint8Array | undefined {
  try {
    return decapsulateWith(privateKey, enc)
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}

let isDhkem: boolean | undefined

/**
 * Whether the runtime has this KEM, as OpenSSL does from 3.2 on: found by one exchange with the
 * code above, and by a zero exchange, which it must refuse. It takes a third off the time of
 * `decap`.
 */
export function hasDhkem(): boolean {
  isDhkem ??= hasKem && isTheSame()
  return isDhkem
}

function isTheSame(): boolean {
  const { privateKey, publicKey } = x25519Pair()
  try {
    const { sharedKey, ciphertext } = encapsulateTo(publicKey)
    const key = { bytes: x25519Bytes(publicKey), x25519: privateKey, mlKem: undefined }
    const byHand = decapByHand(ciphertext, key)
    if (byHand === undefined || byteLength(sharedKey) !== SECRET_BYTES) return false
    let bits = 0
    for (let i = 0; i < SECRET_BYTES; i++) bits |= (sharedKey[i] as number) ^ (byHand[i] as number)
    wipe(sharedKey, 0)
    wipe(byHand, 0)
    return bits === 0 && decapByRuntime(new Uint8Array(X25519_BYTES), privateKey) === undefined
  } catch (error) {
    rethrowOverflow(error)
    return false
  }
}

/** A public key of X25519; undefined for a point of low order: every exchange would be zero. */
export function strongX25519(bytes: Uint8Array): KeyObject | undefined {
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
