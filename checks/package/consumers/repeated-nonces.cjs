// Uses every export of hardware-aes-gcm/siv once, as a caller would: repeatedNonces(siv, package). CommonJS, since Jest requires
// this file. The conformance suite judges what messages become.
const assert = require('node:assert/strict')

const EXPORTS = ['AesGcmSiv', 'NONCE_BYTES', 'OVERHEAD', 'TAG_BYTES']

module.exports = function repeatedNonces(siv, { AesGcm, AuthenticationError, KeyArena }) {
  assert.deepEqual(Object.keys(siv).sort(), EXPORTS)
  const { AesGcmSiv, NONCE_BYTES, OVERHEAD, TAG_BYTES } = siv
  assert.deepEqual([NONCE_BYTES, TAG_BYTES, OVERHEAD], [12, 16, 28])
  assert.equal(AesGcmSiv.isAvailable(), true)

  // The arena and the errors are those of the main entry.
  const arena = new KeyArena({ keys: 2 })
  const key = new AesGcmSiv(AesGcmSiv.generateKey(128), { arena })
  assert.deepEqual([arena.used, key.keyBits, key instanceof AesGcm], [2, 128, false])
  const frame = key.encrypt(Buffer.from('typed'))
  assert.equal(frame.length, 5 + OVERHEAD)
  assert.equal(key.decrypt(frame).toString(), 'typed')
  assert.throws(() => key.decrypt(Buffer.alloc(OVERHEAD)), AuthenticationError)

  // With one nonce, equal messages have equal ciphertexts and tags.
  const sealed = ['yes', 'yes', 'no!'].map(text => {
    const [data, tag] = [Buffer.from(text), Buffer.alloc(TAG_BYTES)]
    key.encryptDetached(data, Buffer.alloc(NONCE_BYTES), tag)
    return Buffer.concat([data, tag]).toString('hex')
  })
  assert.deepEqual([sealed[0] === sealed[1], sealed[0] === sealed[2]], [true, false])
  arena.destroy()
  assert.equal(key.destroyed, true)
}
