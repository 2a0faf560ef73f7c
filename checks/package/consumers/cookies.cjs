// Uses every export of hardware-aes-gcm/cookie once: cookies(entry, keyring). CommonJS, since Jest requires this file.
const assert = require('node:assert')

module.exports = function cookies(entry, { Keyring }) {
  assert.deepEqual(Object.keys(entry).sort(), ['ironSessionCookie', 'nextAuthCookie', 'sealedCookie'])
  const fallback = [
    entry.ironSessionCookie({ name: 'sid', password: 'a'.repeat(32) }),
    entry.nextAuthCookie({ secret: 'secret' }),
  ]
  const session = entry.sealedCookie('session', { keyring: Keyring.generate(), maxAge: 60, fallback })
  let lines
  const response = { getHeader: () => lines, setHeader: (_, value) => (lines = value) }
  session.write(response, { user: 'ada' })
  const headers = { cookie: lines[0].split(';')[0] }
  assert.equal(session.read({ headers }).user, 'ada')
  assert.equal(session.renew({ headers }, response).user, 'ada')
  session.clear(response)
  assert.equal(lines.length, 3)
  assert.equal(session.read({ headers: { cookie: '__Host-session=forged; sid=forged' } }), null)
}
