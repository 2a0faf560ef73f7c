// Cobblestone-128 and -256 (C2SP chunked-encryption, label v1) on node:crypto, message by message. The tests' oracle.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

export const SALT_BYTES = 24
export const HEADER_BYTES = 56
export const CHUNK_BYTES = 16_384
const TAG_BYTES = 16
const NONCE_BYTES = 12
const COMMITMENT_BYTES = 32
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES

/**
 * What a reader must say of a message: its plaintext, or the chunks that came before the failure, and the failure. `position` is the
 * plaintext offset of the first chunk that is not authentic.
 * @typedef {{ ok: true, plaintext: Buffer }} Opened
 * @typedef {'wrong key' | 'truncated' | 'invalid'} Failure
 * @typedef {Opened | { ok: false, failure: Failure, position?: number, plaintext: Buffer }} Verdict
 */

/**
 * The values that a message is sealed with, and the blocks that HKDF makes them of. A key of 16 bytes is Cobblestone-128, one of 32
 * bytes Cobblestone-256.
 * @param {Uint8Array} key
 * @param {Uint8Array} salt
 * @param {Uint8Array} context
 */
export function derive(key, salt, context = new Uint8Array(0)) {
  const label = `c2sp.org/chunked-encryption@v1+AEAD_AES_${key.length * 8}_GCM\0`
  const info = Buffer.concat([Buffer.from(label, 'latin1'), salt, context])
  const length = key.length + NONCE_BYTES + COMMITMENT_BYTES
  /** @type {Buffer[]} */
  const blocks = []
  // HKDF-Expand (RFC 5869 2.3): two blocks of SHA-512 are more than is needed.
  for (let i = 1; i <= 2; i++) {
    const before = blocks.at(-1) ?? Buffer.alloc(0)
    blocks.push(createHmac('sha512', key).update(before).update(info).update(Buffer.of(i)).digest())
  }
  const okm = Buffer.concat(blocks)
  const made = okm.subarray(0, length)
  return {
    okm,
    key: made.subarray(0, key.length),
    baseNonce: made.subarray(key.length, key.length + NONCE_BYTES),
    commitment: made.subarray(key.length + NONCE_BYTES),
  }
}

/** @type {(baseNonce: Uint8Array, chunk: number) => Buffer} */
function nonceOf(baseNonce, chunk) {
  const nonce = Buffer.from(baseNonce)
  const low = BigInt(`0x${nonce.subarray(4).toString('hex')}`) ^ BigInt(chunk)
  nonce.writeBigUInt64BE(low, 4)
  return nonce
}

/**
 * One chunk of a message, by what `derive` gives.
 * @type {(secrets: { key: Uint8Array, baseNonce: Uint8Array }, chunk: number, text: Uint8Array) => Buffer}
 */
export function sealChunk({ key, baseNonce }, chunk, text) {
  const cipher = createCipheriv(cipherOf(key), key, nonceOf(baseNonce, chunk))
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

/** @type {(key: Uint8Array) => 'aes-128-gcm' | 'aes-256-gcm'} */
const cipherOf = key => (key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm')

/**
 * A message with a salt of the caller's.
 * @param {Uint8Array} key
 * @param {Uint8Array} plaintext
 * @param {Uint8Array} salt
 * @param {Uint8Array} [context]
 */
export function seal(key, plaintext, salt, context) {
  const derived = derive(key, salt, context)
  /** @type {Uint8Array[]} */
  const parts = [salt, derived.commitment]
  for (let chunk = 0; chunk <= Math.floor(plaintext.length / CHUNK_BYTES); chunk++) {
    const at = chunk * CHUNK_BYTES
    parts.push(sealChunk(derived, chunk, plaintext.subarray(at, at + CHUNK_BYTES)))
  }
  return Buffer.concat(parts)
}

/**
 * The verdict on a message, by a reader who takes its chunks one after the other.
 * @param {Uint8Array} key
 * @param {Uint8Array} sealed
 * @param {Uint8Array} [context]
 * @returns {Verdict}
 */
export function open(key, sealed, context) {
  /** @type {Buffer[]} */
  const chunks = []
  /** @type {(failure: Failure, position?: number) => Verdict} */
  const fails = (failure, position) => ({
    ok: false,
    failure,
    ...(position !== undefined && { position }),
    plaintext: Buffer.concat(chunks),
  })
  if (sealed.length < HEADER_BYTES) return fails('truncated')
  const derived = derive(key, sealed.subarray(0, SALT_BYTES), context)
  if (!derived.commitment.equals(sealed.subarray(SALT_BYTES, HEADER_BYTES))) return fails('wrong key')
  for (let chunk = 0; ; chunk++) {
    const at = HEADER_BYTES + chunk * SEALED_CHUNK_BYTES
    const bytes = sealed.subarray(at, at + SEALED_CHUNK_BYTES)
    // The last chunk is always shorter than a whole one, so a message that ends behind a whole one lacks its last.
    if (bytes.length === 0) return fails('truncated', chunk * CHUNK_BYTES)
    if (bytes.length < TAG_BYTES) return fails('invalid', chunk * CHUNK_BYTES)
    const cipher = createDecipheriv(cipherOf(key), derived.key, nonceOf(derived.baseNonce, chunk))
    cipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const plaintext = cipher.update(bytes.subarray(0, -TAG_BYTES))
    try {
      cipher.final()
    } catch {
      return fails('invalid', chunk * CHUNK_BYTES)
    }
    chunks.push(plaintext)
    if (bytes.length < SEALED_CHUNK_BYTES) return { ok: true, plaintext: Buffer.concat(chunks) }
  }
}
