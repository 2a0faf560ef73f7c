// XAES-256-GCM (C2SP, version 1) on node:crypto: AES-256 for the derived key, then AES-256-GCM. The tests' oracle.
import { createCipheriv } from 'node:crypto'

export const NONCE_BYTES = 24
export const TAG_BYTES = 16
/** "X", the label of the key derivation (NIST SP 800-108r1). */
const LABEL = 0x58
/** The polynomial of CMAC's subkeys (SP 800-38B section 6.1). */
const R128 = 0x87n

export interface Message {
  key: Uint8Array
  nonce: Uint8Array
  plaintext: Uint8Array
  aad: Uint8Array
}

export interface Sealed {
  text: Buffer
  tag: Buffer
}

function encrypted(key: Uint8Array, block: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return Buffer.concat([cipher.update(block), cipher.final()])
}

/** The values of the key derivation as the specification names them: `key` is K_x and `nonce` is N_x. */
export function derive(key: Uint8Array, nonce: Uint8Array) {
  const l = encrypted(key, Buffer.alloc(16))
  const doubled = BigInt(`0x${l.toString('hex')}`) << 1n
  const k1 = doubled >> 128n === 0n ? doubled : BigInt.asUintN(128, doubled) ^ R128
  const block = (i: number) => {
    const message = Buffer.concat([Buffer.of(0, i, LABEL, 0), nonce.subarray(0, 12)])
    const masked = BigInt(`0x${message.toString('hex')}`) ^ k1
    return encrypted(key, Buffer.from(masked.toString(16).padStart(32, '0'), 'hex'))
  }
  return {
    l,
    k1: Buffer.from(k1.toString(16).padStart(32, '0'), 'hex'),
    key: Buffer.concat([block(1), block(2)]),
    nonce: nonce.subarray(12),
  }
}

/** The ciphertext and the tag of a message. */
export function seal({ key, nonce, plaintext, aad }: Message): Sealed {
  const derived = derive(key, nonce)
  const cipher = createCipheriv('aes-256-gcm', derived.key, derived.nonce).setAAD(aad)
  const text = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return { text, tag: cipher.getAuthTag() }
}
