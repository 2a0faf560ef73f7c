// XAES-256-GCM (C2SP, version 1) on node:crypto: AES-256 for the derived key, then AES-256-GCM. The tests' oracle.
import { createCipheriv } from 'node:crypto'
import { gcm } from './gcm.mjs'

export const NONCE_BYTES = 24
export const TAG_BYTES = 16
/** "X", the label of the key derivation (NIST SP 800-108r1). */
const LABEL = 0x58
/** The polynomial of CMAC's subkeys (SP 800-38B section 6.1). */
const R128 = 0x87

/**
 * The values of the key derivation as the specification names them: `key` is K_x and `nonce` is N_x.
 * @param {Uint8Array} key
 * @param {Uint8Array} nonce
 */
export function derive(key, nonce) {
  /** @type {(bytes: Uint8Array) => Buffer} */
  const encrypted = bytes => createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(bytes)
  const l = encrypted(Buffer.alloc(16))
  const k1 = l.map((byte, i) => (byte << 1) | (l[i + 1] >> 7))
  k1[15] ^= (l[0] >> 7) * R128
  // Not in the pool of Buffers, where a test may watch every byte beside its arguments.
  /** @type {(i: number) => Buffer} */
  const block = i =>
    encrypted(Uint8Array.of(0, i, LABEL, 0, ...nonce.subarray(0, 12)).map((byte, at) => byte ^ k1[at]))
  const { buffer } = Uint8Array.of(...block(1), ...block(2))
  return { l, k1, key: Buffer.from(buffer), nonce: nonce.subarray(12) }
}

/** @type {import('../conformance/aead.mjs').Seal} */
export function xaes(key, nonce, plaintext, aad) {
  const derived = derive(key, nonce)
  return { ...gcm(derived.key, derived.nonce, plaintext, aad), nonce: Buffer.from(nonce) }
}
