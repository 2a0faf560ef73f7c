// Uses every export of hardware-aes-gcm/kms once, as a caller would: await keyServices(entry, keyring). CommonJS, since Jest requires this
// file.
const assert = require('node:assert/strict')

/** Inverts every byte. */
const inverted = bytes => Uint8Array.from(bytes, byte => byte ^ 0xff)

module.exports = async function keyServices(entry, { Keyring }) {
  assert.deepEqual(Object.keys(entry).sort(), ['awsKms', 'azureKeyVault', 'googleKms', 'vaultTransit'])
  const { awsKms, azureKeyVault, googleKms, vaultTransit } = entry
  const aws = {
    encrypt: async ({ Plaintext }) => ({ CiphertextBlob: inverted(Plaintext) }),
    decrypt: async ({ CiphertextBlob }) => ({ Plaintext: inverted(CiphertextBlob) }),
  }
  const azure = {
    wrapKey: async (_, key) => ({ result: inverted(key) }),
    unwrapKey: async (_, key) => ({ result: inverted(key) }),
  }
  const fetch = async (url, { body }) => {
    const { plaintext, ciphertext } = JSON.parse(body)
    const data = url.includes('/encrypt/')
      ? { ciphertext: `vault:v1:${inverted64(plaintext)}` }
      : { plaintext: inverted64(ciphertext.slice(9)) }
    return { ok: true, status: 200, text: async () => JSON.stringify({ data }) }
  }
  const inverted64 = text => Buffer.from(inverted(Buffer.from(text, 'base64'))).toString('base64')
  for (const { wrap, unwrap } of [
    awsKms(aws, { keyId: 'k', encryptionContext: { keyset: 'users' } }),
    azureKeyVault(azure, { algorithm: 'A256KW', context: 'users' }),
    vaultTransit({ address: 'https://vault', key: 'k', token: 't', context: 'users', fetch }),
  ]) {
    const keyring = await Keyring.unwrap(await Keyring.generate().wrap(wrap), unwrap)
    assert.equal(keyring.keys.length, 1)
  }
  const google = googleKms(
    { encrypt: async () => [{}], decrypt: async () => [{}] },
    { name: 'k', context: 'users' },
  )
  await assert.rejects(google.wrap(Buffer.of(1)), { code: 'ERR_AESGCM_KEY_SERVICE' })
}
