// Cookies that iron-session 8 and next-auth 4 make now.
import { deepEqual, equal } from 'node:assert/strict'
import { from, modules, nextAuth, ours } from './packages.mjs'

const PASSWORD = 'a password of at least 32 characters'
const SECRET = 'a secret'
const TOKEN = '__Secure-next-auth.session-token'

/** Gives a line; `spoil` changes each value, as a planted fault. */
export async function renew(spoil = text => text) {
  const { sealData } = from(modules())('iron-session')
  const { encode } = from(nextAuth())('next-auth/jwt')
  const { ironSessionCookie, nextAuthCookie, sealedCookie } = ours('hardware-aes-gcm/cookie')
  const { Keyring } = ours('hardware-aes-gcm/keyring')
  const fallback = [
    ironSessionCookie({ name: 'sid', password: { 1: PASSWORD, 2: PASSWORD.toUpperCase() } }),
    nextAuthCookie({ secret: SECRET }),
  ]
  const session = sealedCookie('session', { keyring: Keyring.generate(), maxAge: 60, fallback })
  let count = 0
  for (const password of [PASSWORD, { 1: PASSWORD, 2: PASSWORD.toUpperCase() }])
    for (const ttl of [0, 60, 14 * 86_400])
      for (const user of ['ada', 'ä€😀', 'x'.repeat(1000)])
        renewed('sid', await sealData({ user }, { password, ttl }), { user })
  for (const name of ['Ada', 'ä€😀', 'x'.repeat(1000)])
    renewed(TOKEN, await encode({ token: { name }, secret: SECRET, maxAge: 60 }), { name })
  const other = await encode({ token: { name: 'Eve' }, secret: 'another secret' })
  equal(session.read(`${TOKEN}=${other}`), null)
  return `${count} cookies of iron-session 8 and next-auth 4: renewed`

  function renewed(name, text, value) {
    const headers = new Headers()
    const read = session.renew(`${name}=${spoil(text)}`, headers)
    if (read === null) throw new Error(`no session in the cookie ${name}`)
    deepEqual({ ...read, ...value }, read)
    deepEqual(session.read(headers.getSetCookie()[0].split(';')[0]), read)
    count++
  }
}
