// Importing succeeds, and every first use is refused with this code and these words: refused.mjs CODE WORDS
import assert from 'node:assert/strict'
import { AesGcm, AesGcmError, cpu, KeyArena, randomBytes, reseed } from 'hardware-aes-gcm'

const [code, words] = process.argv.slice(2)
assert.equal(AesGcm.isAvailable(), false)
const uses = [
  ...[() => new AesGcm(Buffer.alloc(32)), () => AesGcm.generateKey(), () => cpu()],
  ...[() => randomBytes(8), () => reseed(), () => new KeyArena({ keys: 1 }), () => KeyArena.default.used],
]
for (const use of uses) {
  assert.throws(use, error => {
    assert.ok(error instanceof AesGcmError)
    assert.equal(error.code, code)
    assert.ok(`${error.message} ${error.cause?.code}`.includes(words), `${error.message} lacks ${words}`)
    return true
  })
}
