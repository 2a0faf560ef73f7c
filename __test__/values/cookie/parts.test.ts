// Values in several cookies, and cookies of other hosts and declarations among them.
import { sealedCookie } from 'hardware-aes-gcm/cookie'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'

const keyring = Keyring.generate()
const declare = (options = {}, name = 'session') =>
  sealedCookie<unknown>(name, { keyring, maxAge: 7 * 86_400, ...options })

/** The lines that a call writes. */
function lines(call: (headers: Headers) => unknown): string[] {
  const headers = new Headers()
  call(headers)
  return headers.getSetCookie()
}
/** The header of a browser that got these lines and no others. */
const header = (set: string[]) =>
  set
    .filter(line => !line.includes('; Max-Age=0;'))
    .map(line => line.split(';')[0])
    .join('; ')
const long = (length: number) => 'x'.repeat(length)

describe('cookie-split-toss: a part of another host ends no session', () => {
  const cookie = declare({ parts: 3, domain: 'example.org' })
  const value = long(5000)
  const [first, second] = lines(headers => cookie.write(headers, value)).map(line => line.split(';')[0]) as [
    string,
    string,
  ]
  const other = lines(headers => cookie.write(headers, long(5001))).map(line => line.split(';')[0])

  test('one or many in front, behind or between, of each part', () => {
    const part = `${cookie.name}~1`
    for (const bad of [
      `${part}=x`,
      `${part}=`,
      `${part}=${long(4000)}`,
      other[1],
      `${cookie.name}=2.x`,
      other[0],
    ])
      for (const many of [1, 3, 30]) {
        const tossed = `${bad}; `.repeat(many)
        const isFirst = bad?.startsWith(`${cookie.name}=`)
        // Four values of the name itself are tried.
        if (isFirst && many > 3) continue
        for (const header of [
          `${tossed}${first}; ${second}`,
          `${first}; ${tossed}${second}`,
          `${first}; ${second}; ${tossed}`,
          `${tossed}${second}; ${tossed}${first}`,
        ]) {
          if (isFirst && many * 2 > 3 && header.endsWith(first)) continue
          expect(cookie.read(header) === value).toBe(true)
        }
      }
  })

  test('a part without the mark, or of another value, is no part', () => {
    for (const text of [
      `${first}; ${other[1]}`,
      first,
      second,
      `${cookie.name}=2.`,
      `${cookie.name}=2.; ${cookie.name}~1=`,
      `${cookie.name}=2.AAAAAAAAAAA; ${second}`,
      first.replace('=2.', '=3.'),
      `${first.replace('=2.', '=1.')}; ${second}`,
    ])
      expect(cookie.read(text)).toBeNull()
  })

  test('a long header of names costs no square of its length', () => {
    const header = `${first}; a=${`${cookie.name}~1=`.repeat(200_000)}`
    const start = performance.now()
    expect(cookie.read(header)).toBeNull()
    expect(performance.now() - start).toBeLessThan(2000)
  })

  test('the parts of `a` are not the cookie `a.1`, and no cookie has the name of a part', () => {
    const set = lines(headers => {
      declare({ prefix: false }, 'a.1').write(headers, 'mine')
      declare({ prefix: false, parts: 8 }, 'a').write(headers, 'short')
      declare({ prefix: false, parts: 8 }, 'a').clear(headers)
    })
    expect(set.filter(line => line.startsWith('a.'))).toHaveLength(1)
    expect(declare({ prefix: false }, 'a.1').read(header(set))).toBe('mine')
    for (let i = 1; i < 8; i++) refuses(() => declare({}, `a~${i}`), 'ERR_INVALID_ARG_VALUE')
    for (const name of ['a~0', 'a~8', 'a~12', '~', 'a~', '~1a'])
      expect(declare({}, name).name).toContain(name)
  })
})
