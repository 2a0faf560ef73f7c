// The secrets of one message of C2SP chunked-encryption without a context, computed by the book.
import { createHmac } from 'node:crypto'

/** The first block of HKDF-Expand (RFC 5869 2.3), and of it the message key and the base nonce. */
export function derive(key, salt) {
  const label = Buffer.from(`c2sp.org/chunked-encryption@v1+AEAD_AES_${key.length * 8}_GCM\0`)
  const okm = createHmac('sha512', key).update(label).update(salt).update(Buffer.of(1)).digest()
  return { okm, key: okm.subarray(0, key.length), nonce: okm.subarray(key.length, key.length + 12) }
}
