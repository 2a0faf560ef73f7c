// Uses every export of hardware-aes-gcm/passphrase once, as a caller would: await passphrases(entry, keyring). CommonJS, since Jest requires
// this file.
const assert = require('node:assert/strict')

module.exports = async function passphrases(entry, { Keyring }) {
  assert.deepEqual(Object.keys(entry).sort(), ['openProtectedKey', 'passphraseWrapping', 'protectKey'])
  const { openProtectedKey, passphraseWrapping, protectKey } = entry
  const [key, cheap] = [Buffer.alloc(32, 0xa7), { memory: 2 ** 20 }]
  const text = await protectKey(key, 'passé', cheap)
  assert.deepEqual(Buffer.compare(await openProtectedKey(text, 'passe\u0301'), key), 0)
  await assert.rejects(openProtectedKey(text, 'other'), { code: 'ERR_AESGCM_WRONG_PASSPHRASE' })
  const { wrap, unwrap } = passphraseWrapping('secret', cheap)
  const keyring = await Keyring.unwrap(await Keyring.generate().wrap(wrap), unwrap)
  assert.equal(keyring.keys.length, 1)
}
