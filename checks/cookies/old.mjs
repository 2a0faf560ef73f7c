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
  const passwords = { 1: PASSWORD, 2: PASSWORD.toUpperCase() }
  const keyring = Keyring.generate()
  const fallbackUntil = new Date(Date.now() + 86_400_000)
  /** `ttl` is that of iron-session, and the seconds for which a session lasts. */
  const declare = ttl =>
    sealedCookie('session', {
      keyring,
      maxAge: 60,
      maxLifetime: 60 + ttl,
      fallbackUntil,
      fallback: [
        ironSessionCookie({ name: 'sid', password: passwords, ttl }),
        nextAuthCookie({ secret: SECRET }),
      ],
    })
  let count = 0
  for (const password of [PASSWORD, passwords])
    for (const ttl of [0, 60, 14 * 86_400])
      for (const user of ['ada', 'ä€😀', 'x'.repeat(1000)])
        renewed(declare(ttl), 'sid', await sealData({ user }, { password, ttl }), { user })
  for (const name of ['Ada', 'ä€😀', 'x'.repeat(1000)])
    renewed(declare(60), TOKEN, await encode({ token: { name }, secret: SECRET, maxAge: 60 }), { name })
  const other = await encode({ token: { name: 'Eve' }, secret: 'another secret' })
  equal(declare(60).read(`${TOKEN}=${other}`), null)
  return `${count} cookies of iron-session 8 and next-auth 4: renewed`

  function renewed(session, name, text, value) {
    const headers = new Headers()
    const read = session.renew(`${name}=${spoil(text)}`, headers)
    if (read === null) throw new Error(`no session in the cookie ${name}`)
    deepEqual({ ...read, ...value }, read)
    deepEqual(session.read(headers.getSetCookie()[0].split(';')[0]), read)
    count++
  }
}
