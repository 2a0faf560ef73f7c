// Encrypts and decrypts under a new key, and gives the key object, still live.
import assert from 'node:assert/strict'
import { AesGcm, OVERHEAD } from 'hardware-aes-gcm'

export function roundTrip() {
  const aes = new AesGcm(AesGcm.generateKey())
  const frame = Buffer.alloc(4096 + OVERHEAD, 7)
  aes.encryptInPlace(frame)
  assert.equal(aes.tryDecryptInPlace(frame), true)
  assert.equal(frame[12], 7)
  return aes
}
