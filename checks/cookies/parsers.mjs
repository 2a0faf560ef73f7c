// Random cookies, as the packages cookie, set-cookie-parser and tough-cookie understand them.
import { deepEqual, equal } from 'node:assert/strict'
import { Random } from '../../__test__/conformance/random.mjs'
import { from, modules, ours } from './packages.mjs'

const ROUNDS = 500
const SITES = ['lax', 'strict', 'none']

/** Gives a line; `spoil` changes each header, as a planted fault. */
export function parse(spoil = line => line) {
  const require = from(modules())
  const { parse: parseCookie } = require('cookie')
  const { parseString } = require('set-cookie-parser')
  const { Cookie, CookieJar } = require('tough-cookie')
  const { sealedCookie } = ours('hardware-aes-gcm/cookie')
  const { Keyring } = ours('hardware-aes-gcm/keyring')
  const keyring = Keyring.generate()
  const random = new Random('parsers of cookies')
  for (let i = 0; i < ROUNDS; i++) {
    const flip = () => random.below(2) === 1
    const maxAge = 1 + random.below(400 * 86_400)
    const now = 1e12 + random.below(1e12)
    const options = {
      path: ['/', '/app', `/${'a'.repeat(random.below(100))}`][random.below(3)],
      domain: flip() ? undefined : 'www.example.org',
      sameSite: SITES[random.below(3)],
      secure: true,
      prefix: flip(),
      persistent: flip(),
    }
    const session = sealedCookie(`s${i}${"!#$%&'*+-.^_`|~"[random.below(15)]}`, {
      keyring,
      maxAge,
      parts: 3,
      now: () => now,
      ...options,
    })
    const value = { id: i, text: 'ä€😀";, '.repeat(random.below(600)) }
    const headers = new Headers()
    session.write(headers, value)
    const lines = headers.getSetCookie().map(spoil)
    const kept = lines.filter(line => !line.includes('; Max-Age=0;'))
    const jar = new CookieJar()
    for (const line of lines) {
      jar.setCookieSync(line, `https://www.example.org${options.path}`)
      const theirs = parseString(line, { decodeValues: false })
      equal(theirs.path, options.path)
      equal(theirs.domain, options.domain)
      equal(theirs.secure, true, 'Secure')
      equal(theirs.httpOnly, true, 'HttpOnly')
      equal(theirs.sameSite.toLowerCase(), options.sameSite)
      const cookie = Cookie.parse(line)
      equal(cookie.path, options.path)
      equal(cookie.httpOnly, true)
      if (!kept.includes(line)) continue
      equal(theirs.maxAge, options.persistent ? maxAge : undefined, 'Max-Age')
      if (options.persistent) equal(theirs.expires.getTime(), (Math.floor(now / 1000) + maxAge) * 1000)
      if (Buffer.byteLength(`${theirs.name}${theirs.value}`) > 4096) throw new Error('too long for a browser')
    }
    // The header of a browser, as two packages would send it, and as one reads it.
    const header = kept.map(line => line.split(';')[0]).join('; ')
    const pairs = parseCookie(header, { decode: text => text })
    deepEqual(
      session.read(
        Object.entries(pairs)
          .map(pair => pair.join('='))
          .join('; '),
      ),
      value,
    )
    const sent = jar.getCookieStringSync(`https://www.example.org${options.path}`)
    deepEqual(session.read(sent), value, 'tough-cookie')
  }
  return `${ROUNDS} random cookies: cookie, set-cookie-parser and tough-cookie agree`
}
