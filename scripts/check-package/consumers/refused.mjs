// Importing succeeds, and every first use is refused with this code and these words: refused.mjs CODE WORDS
import assert from 'node:assert/strict'
import { AesGcm, AesGcmError, cpu } from 'hardware-aes-gcm'

const [code, words] = process.argv.slice(2)
assert.equal(AesGcm.isAvailable(), false)
for (const use of [() => new AesGcm(Buffer.alloc(32)), () => AesGcm.generateKey(), () => cpu()]) {
  assert.throws(use, error => {
    assert.ok(error instanceof AesGcmError)
    assert.equal(error.code, code)
    assert.ok(`${error.message} ${error.cause?.code}`.includes(words), `${error.message} lacks ${words}`)
    return true
  })
}
