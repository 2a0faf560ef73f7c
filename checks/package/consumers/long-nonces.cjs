// Uses every export of hardware-aes-gcm/xaes once, as a caller would: longNonces(xaes, package). CommonJS, since Jest requires this
// file. The conformance suite judges what messages become.
const assert = require('node:assert/strict')

const EXPORTS = ['NONCE_BYTES', 'OVERHEAD', 'TAG_BYTES', 'XAesGcm']

module.exports = function longNonces(xaes, { AesGcm, AuthenticationError, KeyArena }) {
  assert.deepEqual(Object.keys(xaes).sort(), EXPORTS)
  const { NONCE_BYTES, OVERHEAD, TAG_BYTES, XAesGcm } = xaes
  assert.deepEqual([NONCE_BYTES, TAG_BYTES, OVERHEAD], [24, 16, 40])
  assert.equal(XAesGcm.isAvailable(), true)

  // The arena and the errors are those of the main entry.
  const arena = new KeyArena({ keys: 2 })
  const key = new XAesGcm(XAesGcm.generateKey(), { arena })
  assert.deepEqual([arena.used, key.keyBits, key instanceof AesGcm], [2, 256, false])
  const frame = key.encrypt(Buffer.from('typed'))
  assert.equal(frame.length, 5 + OVERHEAD)
  assert.equal(key.decrypt(frame).toString(), 'typed')
  assert.throws(() => key.decrypt(Buffer.alloc(OVERHEAD)), AuthenticationError)
  arena.destroy()
  assert.equal(key.destroyed, true)
}
