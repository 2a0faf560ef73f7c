// Uses every export of hardware-aes-gcm/legacy once, as a caller would: oldTexts(legacy, package). CommonJS, since Jest requires this file.
const assert = require('node:assert/strict')
const { createCipheriv } = require('node:crypto')

const TEXT = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'
const CLOAK_KEY = 'k1.aesgcm256.fkW0qpBqsL5jDY-tORenouf1mjY8pw_XnYaneHeUa28='
const CLOAK =
  'v1.aesgcm256.6e350aa2.uQik2e1Eu0jmoyvt.h-eW9w09OsfHiGdo93rr-8tUgw6tQntcAWPRxVvLrbDvdgmmE2MxAthaBHBxIMd0'
const SECRET = 'averylongrandom32charslongkey!!!'
const BORINGNODE =
  'app.v1:J7CF6UDc8j-13Q0jUIDiNtVQOcKzuHkBYRUVysuwjGcl4PrDPmmLhGuU3ItyNw.CWWpMIyKfouQUPAs.Qd1Rvit3eg4wkXb577meaw'
const TYPEORM = 'eOi0BxmnAjpmzqYa39nQGhEytf3uJJ1RxbGrR83mVK3CbNN+FjrWeLhpMtxCx7m0ik215zbaz0MpFLjS6h5y4w=='

module.exports = function oldTexts(legacy, { AuthenticationError }) {
  const names = ['boringnodeReader', 'cloakReader', 'cryptrReader', 'layoutReader', 'typeormReader']
  assert.deepEqual(Object.keys(legacy).sort(), ['UnknownLayoutError', ...names])
  const opens = (reader, sealed) => {
    assert.equal(reader.open(sealed), TEXT)
    assert.equal(reader.tryOpen(`${sealed}?`), null)
    assert.throws(() => reader.open(''), AuthenticationError)
    assert.throws(() => reader.open(''), legacy.UnknownLayoutError)
    assert.equal(reader.openBytes(sealed).toString(), TEXT)
    reader.destroy()
    assert.ok(reader.destroyed)
  }
  opens(legacy.cloakReader(CLOAK_KEY), CLOAK)
  opens(legacy.boringnodeReader({ id: 'app', keys: SECRET }), BORINGNODE)
  const options = { key: '10'.repeat(32), algorithm: 'aes-256-gcm', ivLength: 16 }
  opens(legacy.typeormReader(options), TYPEORM)
  const key = Buffer.alloc(32, 7)
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(16, 9))
  const text = Buffer.concat([cipher.update(TEXT), cipher.final()])
  const parts = [Buffer.alloc(16, 9), cipher.getAuthTag(), text].map(part => part.toString('hex'))
  opens(legacy.layoutReader({ key, layout: '{iv}:{tag}:{ct}', encoding: 'hex' }), parts.join(':'))
  const layout = { iv: '{iv}', box: { tag: '{tag}', text: '{ct}' } }
  const columns = legacy.layoutReader({ key: [key, { sha256: 'a secret' }], layout })
  assert.equal(columns.open({ iv: Buffer.alloc(16, 9), box: { tag: cipher.getAuthTag(), text } }), TEXT)
  assert.equal(legacy.cryptrReader('a secret').tryOpen('not a text of cryptr'), null)
}
