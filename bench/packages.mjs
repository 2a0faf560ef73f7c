// Alternative packages: @noble/ciphers (pure JavaScript) and sodium-native (libsodium, another algorithm).
import { randomFillSync } from 'node:crypto'
import { gcm } from '@noble/ciphers/aes.js'

const NONCE_BYTES = 12

export function noble(key) {
  const common = { by: '@noble/ciphers', algorithm: 'AES-256-GCM' }
  const encrypt = {
    ...common,
    name: 'gcm().encrypt',
    direction: 'encrypt',
    prepare(plaintext) {
      const nonce = Buffer.alloc(NONCE_BYTES)
      let sealed
      const run = calls => {
        for (let i = 0; i < calls; i++) sealed = gcm(key, randomFillSync(nonce)).encrypt(plaintext)
      }
      return { run, output: () => Buffer.concat([nonce, sealed]) }
    },
  }
  const decrypt = {
    ...common,
    name: 'gcm().decrypt',
    direction: 'decrypt',
    prepare(frame) {
      const nonce = frame.subarray(0, NONCE_BYTES)
      const sealed = frame.subarray(NONCE_BYTES)
      let plaintext
      const run = calls => {
        for (let i = 0; i < calls; i++) plaintext = gcm(key, nonce).decrypt(sealed)
      }
      return { run, output: () => Buffer.from(plaintext) }
    },
  }
  return [encrypt, decrypt]
}

/** If sodium-native has no binary for this platform: prints a warning and gives an empty list. */
export async function sodium(key) {
  let lib
  try {
    lib = (await import('sodium-native')).default
  } catch (error) {
    console.warn(`sodium-native is left out because it does not load here: ${error.message.split('\n')[0]}`)
    return []
  }
  const nonceBytes = lib.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
  const tagBytes = lib.crypto_aead_xchacha20poly1305_ietf_ABYTES
  const common = { by: 'sodium-native', algorithm: 'XChaCha20-Poly1305' }
  const encrypt = {
    ...common,
    name: 'xchacha20poly1305',
    direction: 'encrypt',
    prepare(plaintext) {
      const nonce = Buffer.alloc(nonceBytes)
      const sealed = Buffer.alloc(plaintext.length + tagBytes)
      const run = calls => {
        for (let i = 0; i < calls; i++) {
          randomFillSync(nonce)
          lib.crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, plaintext, null, null, nonce, key)
        }
      }
      return { run, output: () => Buffer.concat([nonce, sealed]) }
    },
  }
  const decrypt = {
    ...common,
    name: 'xchacha20poly1305',
    direction: 'decrypt',
    prepare(frame) {
      const nonce = frame.subarray(0, nonceBytes)
      const sealed = frame.subarray(nonceBytes)
      const plaintext = Buffer.alloc(sealed.length - tagBytes)
      const run = calls => {
        for (let i = 0; i < calls; i++) {
          lib.crypto_aead_xchacha20poly1305_ietf_decrypt(plaintext, null, sealed, null, nonce, key)
        }
      }
      return { run, output: () => plaintext }
    },
  }
  return [encrypt, decrypt]
}
