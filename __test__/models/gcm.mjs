// AES-GCM of node:crypto, as the tests' oracle.
import { createCipheriv } from 'node:crypto'

/** @type {import('../conformance/aead.mjs').Seal} */
export function gcm(key, nonce, plaintext, aad) {
  const cipher = createCipheriv(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key, nonce)
  if (aad) cipher.setAAD(aad)
  const text = cipher.update(plaintext)
  cipher.final()
  return { nonce: Buffer.from(nonce), text, tag: cipher.getAuthTag() }
}
