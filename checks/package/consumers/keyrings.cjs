// Uses every export of hardware-aes-gcm/keyring once, as a caller would: keyrings(keyring, package). CommonJS, since Jest requires this file.
const assert = require('node:assert/strict')
const { inspect } = require('node:util')

const EXPORTS = ['BlindIndex', 'Keyring', 'UnknownKeyError', 'context', 'followKeyset']
const TYPES = ['AES-256-GCM', 'AES-128-GCM', 'XAES-256-GCM', 'AES-256-GCM-SIV', 'AES-128-GCM-SIV']

module.exports = async function keyrings(keyring, { AesGcm, AuthenticationError }) {
  assert.deepEqual(Object.keys(keyring).sort(), EXPORTS)
  const { BlindIndex, Keyring, UnknownKeyError, context, followKeyset } = keyring
  const place = context('users', 'email', 17)
  assert.ok(place.equals(context('users', 'email', '17')) && !place.equals(context('users', 'email', 18)))

  for (const type of TYPES) {
    const ring = Keyring.generate(type)
    const stored = ring.sealText('grüße', place)
    assert.equal(ring.openText(stored, place), 'grüße')
    assert.equal(stored.slice(0, 6), ring.keys[0].textPrefix)
    assert.equal(ring.tryOpenText(stored, 'elsewhere'), null)
    assert.throws(() => ring.openText(`${stored}A`, place), AuthenticationError)
    assert.equal(ring.open(Buffer.from(stored, 'base64url'), place).toString(), 'grüße')

    const copy = Keyring.parse(ring.export())
    const id = copy.add({ key: AesGcm.generateKey() })
    copy.promote(id)
    assert.ok(copy.needsRotation(stored))
    const renewed = copy.rotate(stored, place)
    assert.equal(copy.keyIdOf(renewed), id)
    assert.throws(
      () => ring.openText(renewed, place),
      error => error instanceof UnknownKeyError && error.keyId === id,
    )
    assert.equal(copy.openJwe(copy.sealJwe('a token')).toString(), 'a token')
    assert.ok(!inspect(ring).includes(JSON.parse(ring.export()).key[0].keyData.value.slice(8, 24)))
    ring.destroy()
    assert.throws(() => ring.sealText('late'), { code: 'ERR_AESGCM_DESTROYED' })
  }

  const index = new BlindIndex(BlindIndex.generateKey(), { purpose: 'users.email' })
  assert.equal(index.of('a@example.org'), index.of('a@example.org'))
  assert.equal(index.of('a@example.org').length, 22)

  const operator = Keyring.generate()
  const followed = await followKeyset({ load: () => operator.export() })
  operator.promote(operator.add({ key: AesGcm.generateKey() }))
  await followed.refresh()
  assert.equal(followed.keyring.openText(operator.sealText('of the newer key')), 'of the newer key')
  followed.close()
}
