// Keys of X25519 and ML-KEM-768 as node:crypto's objects, from their bytes and back. Secret bytes
// enter in DER, in memory that is wiped. Public bytes enter X25519 as a JWK, in a tenth of the
// time.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import { crypto, getPrototypeOf, rethrowOverflow, uncurried } from '../../cipher/base/builtins.cjs'
import { copied } from '../../cipher/base/bytes.cjs'
import { base64url, fromBase64url } from '../../cipher/base/encoded.cjs'
import { AesGcmError } from '../../cipher/base/errors.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import {
  allocateOffHeap,
  byteLength,
  byteOffset,
  bytesOver,
  copy,
  memoryOf,
  wipe,
} from '../../cipher/base/views.cjs'

/** As much of node:crypto as Node has from 24.7 on. */
export interface KemCrypto {
  encapsulate(key: KeyObject): { sharedKey: Uint8Array; ciphertext: Uint8Array }
  decapsulate(key: KeyObject, ciphertext: Uint8Array): Uint8Array
}

const { createPrivateKey, createPublicKey, createSecretKey, diffieHellman, generateKeyPairSync } = crypto
const kem = crypto as unknown as Partial<KemCrypto>
const { decapsulate, encapsulate } = kem

// Node does not export the class that has this method.
const sample = createSecretKey(new Uint8Array(1))
const exportSecret: (key: KeyObject) => Buffer = uncurried(getPrototypeOf(sample).export)

/** Bytes of a key of X25519, of either half, and of an exchange. */
export const X25519_BYTES = 32
/** FIPS 203's d and z. */
export const ML_KEM_SEED_BYTES = 64
/** FIPS 203, table 3: an encapsulation key and a ciphertext of ML-KEM-768. */
export const ML_KEM_PUBLIC_BYTES = 1184
export const ML_KEM_CIPHERTEXT_BYTES = 1088

// RFC 8410 and RFC 9935: the DER before the bytes of a key.
const X25519_PRIVATE = der('302e020100300506032b656e04220420')
const ML_KEM_PRIVATE = der('3054020100300b060960864801650304040204428040')
const ML_KEM_PUBLIC = der('308204b2300b0609608648016503040402038204a100')

function der(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) as string[], byte => Number.parseInt(byte, 16))
}

/** Whether this runtime has KEM functions, for any kind of key. */
export const hasKem = typeof encapsulate === 'function' && typeof decapsulate === 'function'

let isMlKem: boolean | undefined

/** Whether this runtime has ML-KEM-768: found by one encapsulation. */
export function hasMlKem(): boolean {
  isMlKem ??= hasKem && canEncapsulate()
  return isMlKem
}

/** A Node that is built with an older OpenSSL has the functions, and refuses the keys. */
function canEncapsulate(): boolean {
  try {
    const key = createPublicKey(mlKemPrivate(new Uint8Array(ML_KEM_SEED_BYTES)))
    wipe(encapsulateTo(key).sharedKey, 0)
    return true
  } catch (error) {
    rethrowOverflow(error)
    return false
  }
}

/** Where ML-KEM-768 is, for errors. */
export const ML_KEM_NEEDS = 'which Node has from version 24.7 on, with OpenSSL 3.5 or later'

/** The error of a runtime without ML-KEM. */
export function withoutMlKem(): Error {
  const what = `X-Wing needs ML-KEM-768 in node:crypto, ${ML_KEM_NEEDS}`
  return new AesGcmError('ERR_AESGCM_UNSUPPORTED_PLATFORM', `${what}: this is ${runtime()}`)
}

function runtime(): string {
  const { bun, deno, node, openssl } = process.versions as Record<string, string | undefined>
  if (bun !== undefined) return `Bun ${bun}`
  return deno === undefined ? `Node ${node} with OpenSSL ${openssl}` : `Deno ${deno}`
}

export function x25519Private(scalar: Uint8Array): KeyObject {
  return privateKey(X25519_PRIVATE, scalar)
}

export function x25519Public(bytes: Uint8Array): KeyObject {
  const jwk = { __proto__: null, kty: 'OKP', crv: 'X25519', x: base64url(copied(bytes)) }
  return createPublicKey({ __proto__: null, key: jwk, format: 'jwk' } as never)
}

/** A new pair of keys of X25519. */
export function x25519Pair(): { privateKey: KeyObject; publicKey: KeyObject } {
  return generateKeyPairSync('x25519')
}

/** The bytes of the public key of either half. */
export function x25519Bytes(key: KeyObject): Uint8Array {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return fromBase64url(publicKey.export({ format: 'jwk' }).x as string) as Uint8Array
}

/** The exchange of RFC 7748 with a key that was tested, which the caller wipes. */
export function exchange(privateKey: KeyObject, publicKey: KeyObject): Uint8Array {
  return diffieHellman({ __proto__: null, privateKey, publicKey } as never)
}

/**
 * The exchange with any key, which the caller wipes; undefined if it is all zeros, as for a point
 * of low order. OpenSSL refuses that itself. The result is tested anyway: not every runtime
 * is built on OpenSSL.
 */
export function dh(privateKey: KeyObject, publicKey: KeyObject): Uint8Array | undefined {
  let shared: Uint8Array
  try {
    shared = exchange(privateKey, publicKey)
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
  let bits = 0
  for (let i = 0; i < X25519_BYTES; i++) bits |= shared[i] as number
  return bits === 0 ? undefined : shared
}

export function mlKemPrivate(seed: Uint8Array): KeyObject {
  return privateKey(ML_KEM_PRIVATE, seed)
}

/** Undefined for bytes that FIPS 203 section 7.2 refuses. */
export function mlKemPublic(bytes: Uint8Array): KeyObject | undefined {
  const key = withBytes(ML_KEM_PUBLIC, bytes)
  try {
    return createPublicKey({ __proto__: null, key, format: 'der', type: 'spki' } as never)
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}

/** The bytes of the public key of either half: the end of its DER. */
export function mlKemBytes(key: KeyObject): Uint8Array {
  const spki = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' })
  return bytesOver(memoryOf(spki), byteOffset(spki) + byteLength(ML_KEM_PUBLIC), ML_KEM_PUBLIC_BYTES)
}

/** A new shared key, and its ciphertext. */
export function encapsulateTo(key: KeyObject): { sharedKey: Uint8Array; ciphertext: Uint8Array } {
  if (encapsulate === undefined) throw withoutMlKem()
  return encapsulate(key)
}

/** The shared key of a ciphertext; of a forged one for ML-KEM, another key (implicit rejection). */
export function decapsulateWith(key: KeyObject, ciphertext: Uint8Array): Uint8Array {
  if (decapsulate === undefined) throw withoutMlKem()
  return decapsulate(key, ciphertext)
}

/** Secret bytes in an object whose memory the runtime wipes. */
export function secretKey(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes)
}

/** A copy of the bytes of such an object, which the caller wipes. */
export function secretBytes(key: KeyObject): Uint8Array {
  return exportSecret(key)
}

function privateKey(before: Uint8Array, secret: Uint8Array): KeyObject {
  const key = withBytes(before, secret)
  const made = orWipe(key, () =>
    createPrivateKey({ __proto__: null, key, format: 'der', type: 'pkcs8' } as never),
  )
  wipe(key, 0)
  return made
}

function withBytes(before: Uint8Array, bytes: Uint8Array): Buffer<ArrayBuffer> {
  const whole = allocateOffHeap(byteLength(before) + byteLength(bytes))
  copy(whole, before)
  copy(whole, bytes, byteLength(before))
  return whole
}
