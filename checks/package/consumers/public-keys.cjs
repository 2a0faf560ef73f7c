// Uses every export of hardware-aes-gcm/hybrid once, as a caller would: publicKeys(hybrid, package). CommonJS, since Jest requires this file.
const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { inspect } = require('node:util')

const X25519 = ['X25519-AES-256-GCM', 'X25519-AES-128-GCM']
const X_WING = ['X-WING-AES-256-GCM', 'X-WING-AES-128-GCM']

module.exports = function publicKeys(hybrid, { AuthenticationError }) {
  assert.deepEqual(Object.keys(hybrid).sort(), ['PrivateKeyring', 'PublicKeyring'])
  const { PrivateKeyring, PublicKeyring } = hybrid
  const hasMlKem = typeof crypto.encapsulate === 'function'
  if (!hasMlKem)
    assert.throws(() => PrivateKeyring.generate(X_WING[0]), { code: 'ERR_AESGCM_UNSUPPORTED_PLATFORM' })
  for (const type of hasMlKem ? [...X25519, ...X_WING] : X25519) {
    const ring = PrivateKeyring.generate(type)
    const sender = PublicKeyring.parse(ring.publicKeyset())
    const sealed = sender.sealText('grüße', 'here')
    assert.equal(ring.openText(sealed, 'here'), 'grüße')
    assert.equal(ring.tryOpenText(sealed, 'elsewhere'), null)
    assert.throws(() => ring.openText(`${sealed}A`, 'here'), AuthenticationError)
    const copy = PrivateKeyring.parse(ring.export())
    copy.promote(copy.add(type))
    assert.equal(copy.openText(sealed, 'here'), 'grüße')
    const renewed = PublicKeyring.parse(copy.publicKeyset()).seal(Buffer.from('attack'), 'here')
    assert.equal(copy.open(renewed, 'here').toString(), 'attack')
    assert.throws(() => ring.open(renewed, 'here'), { code: 'ERR_AESGCM_UNKNOWN_KEY' })
    assert.throws(() => PublicKeyring.parse(ring.export()), { code: 'ERR_AESGCM_INVALID_KEYSET' })
    assert.ok(!inspect(ring).includes(JSON.parse(ring.export()).key[0].keyData.value.slice(-20)))
    ring.destroy()
    assert.throws(() => ring.open(renewed), { code: 'ERR_AESGCM_DESTROYED' })
  }
}
