// What code with createCipheriv stores in three columns: the IV, the tag and the ciphertext.
import { Buffer } from 'node:buffer'
import { createCipheriv, randomBytes } from 'node:crypto'

export function old(key, text) {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const ct = Buffer.concat([cipher.update(text), cipher.final()])
  return [iv, cipher.getAuthTag(), ct]
}
