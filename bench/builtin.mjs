// Node's own implementations: node:crypto and WebCrypto, with a random nonce for each message.
import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto'

const ALGORITHM = 'AES-256-GCM'
const NAME = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

// The key is a KeyObject, made once: on Node 24 a small message takes three times as long with a key given as bytes.
export function nodeCrypto(bytes) {
  const key = createSecretKey(bytes)
  const common = { by: 'node:crypto', algorithm: ALGORITHM }
  const encrypt = {
    ...common,
    name: 'createCipheriv',
    direction: 'encrypt',
    prepare(plaintext) {
      const nonce = Buffer.alloc(NONCE_BYTES)
      let ciphertext
      let tag
      const run = calls => {
        for (let i = 0; i < calls; i++) {
          const cipher = createCipheriv(NAME, key, randomFillSync(nonce))
          ciphertext = cipher.update(plaintext)
          cipher.final()
          tag = cipher.getAuthTag()
        }
      }
      return { run, output: () => Buffer.concat([nonce, ciphertext, tag]) }
    },
  }
  const decrypt = {
    ...common,
    name: 'createDecipheriv',
    direction: 'decrypt',
    prepare(sealed) {
      const { nonce, ciphertext, tag } = cut(sealed)
      let plaintext
      const run = calls => {
        for (let i = 0; i < calls; i++) {
          const decipher = createDecipheriv(NAME, key, nonce)
          decipher.setAuthTag(tag)
          plaintext = decipher.update(ciphertext)
          decipher.final()
        }
      }
      return { run, output: () => plaintext }
    },
  }
  return [encrypt, decrypt]
}

export async function webCrypto(bytes) {
  const { subtle } = globalThis.crypto
  const key = await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const common = { by: 'WebCrypto', algorithm: ALGORITHM, async: true }
  const encrypt = {
    ...common,
    name: 'subtle.encrypt',
    direction: 'encrypt',
    prepare(plaintext) {
      const iv = Buffer.alloc(NONCE_BYTES)
      let sealed
      const run = async calls => {
        for (let i = 0; i < calls; i++) {
          sealed = await subtle.encrypt({ name: 'AES-GCM', iv: randomFillSync(iv) }, key, plaintext)
        }
      }
      return { run, output: () => Buffer.concat([iv, Buffer.from(sealed)]) }
    },
  }
  const decrypt = {
    ...common,
    name: 'subtle.decrypt',
    direction: 'decrypt',
    prepare(frame) {
      const iv = frame.subarray(0, NONCE_BYTES)
      const sealed = frame.subarray(NONCE_BYTES)
      let plaintext
      const run = async calls => {
        for (let i = 0; i < calls; i++) plaintext = await subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed)
      }
      return { run, output: () => Buffer.from(plaintext) }
    },
  }
  return [encrypt, decrypt]
}

/** Cuts a frame before the clock starts, because a protocol made for node:crypto receives the three pieces separately. */
function cut(frame) {
  return {
    nonce: frame.subarray(0, NONCE_BYTES),
    ciphertext: frame.subarray(NONCE_BYTES, -TAG_BYTES),
    tag: frame.subarray(-TAG_BYTES),
  }
}
