// Sessions in cookies: what was written is read, by this name and until its end alone, and hostile headers are no session.
import { sealedCookie } from 'hardware-aes-gcm/cookie'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Random, refuses } from '../../tools/support.js'

const keyring = Keyring.generate()
const random = new Random('cookies')
const DAY = 86_400
let time = 1_800_000_000_000
const now = () => time
const declare = (options = {}, name = 'session') =>
  sealedCookie<unknown>(name, { keyring, maxAge: 7 * DAY, now, ...options })
const session = declare()

type Cookie = typeof session
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
const written = (value: unknown, cookie: Cookie = session) =>
  header(lines(headers => cookie.write(headers, value)))
/** A random text of base64url that compresses to nothing. */
const long = (length: number) => 'x'.repeat(length)

describe('what was written is read', () => {
  test('random values, from every kind of request', () => {
    for (let i = 0; i < 100; i++) {
      const value = { id: random.below(1e9), [`${random.below(9)}`]: [null, true, -0.5, 'ä€😀"\\;,='] }
      const cookie = `a=b; ${written(value)}; z`
      const request = new Request('https://example.org', { headers: { cookie } })
      for (const from of [cookie, request, request.headers, { headers: { cookie } }])
        expect(session.read(from)).toEqual(value)
    }
  })

  test('attributes are safe, and agree with the seal', () => {
    const [line] = lines(headers => session.write(headers, 1)) as [string]
    expect(line.slice(line.indexOf(';'))).toBe(
      '; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=604800; Expires=Fri, 22 Jan 2027 08:00:00 GMT',
    )
    const plain = keyring.openText(
      line.slice(line.indexOf('=') + 1, line.indexOf(';')),
      context('hardware-aes-gcm/cookie', '__Host-session'),
    )
    expect(plain).toBe('1800000000.1800000000.1800604800.1')
  })

  test.each([
    [{}, '__Host-session', '; Path=/; HttpOnly; Secure; SameSite=Lax; Max'],
    [{ path: '/app' }, '__Secure-session', '; Path=/app; HttpOnly; Secure; SameSite=Lax; Max'],
    [{ domain: 'a.org' }, '__Secure-session', '; Path=/; Domain=a.org; HttpOnly; Secure; SameSite=Lax; Max'],
    [{ secure: false, sameSite: 'strict' }, 'session', '; Path=/; HttpOnly; SameSite=Strict; Max'],
    [{ prefix: false, sameSite: 'none' }, 'session', '; Path=/; HttpOnly; Secure; SameSite=None; Max'],
  ])('%o', (options, name, attributes) => {
    const cookie = declare(options)
    expect(cookie.name).toBe(name)
    expect(lines(headers => cookie.write(headers, 1))[0]).toContain(attributes)
  })

  test('every bit of a cookie flipped, and every other name: no session', () => {
    const [name, value] = written({ user: 'ada' }).split('=') as [string, string]
    for (let i = 0; i < value.length * 8; i++) {
      const bytes = Buffer.from(value)
      ;(bytes[i >> 3] as number) ^= 1 << (i & 7)
      expect(session.read(`${name}=${bytes.toString('latin1')}`)).toBeNull()
    }
    const other = declare({}, 'other')
    expect(other.read(`${other.name}=${value}`)).toBeNull()
    expect(other.read(`${name}=${value}`)).toBeNull()
  })
})

describe('the end', () => {
  test('a clock that jumps', () => {
    const cookie = written('a')
    const at = (seconds: number) => {
      time += seconds * 1000
      try {
        return session.read(cookie)
      } finally {
        time -= seconds * 1000
      }
    }
    for (const seconds of [0, -300, 7 * DAY - 1]) expect(at(seconds)).toBe('a')
    for (const seconds of [7 * DAY, 1e9, -301, -1e9]) expect(at(seconds)).toBeNull()
  })

  test('a cookie of the browser alone ends inside the seal', () => {
    const short = declare({ persistent: false, maxAge: 60 })
    const [line] = lines(headers => short.write(headers, 'a')) as [string]
    expect(line).not.toMatch(/Max-Age|Expires/)
    time += 59_000
    expect(short.read(header([line]))).toBe('a')
    time += 1000
    expect(short.read(header([line]))).toBeNull()
  })

  test('rolls up to the absolute limit, which a new declaration may shorten', () => {
    const cookie = declare({ maxAge: 100, maxLifetime: 250, renewAfter: 10 })
    let browser = written('a', cookie)
    const begin = time
    for (; cookie.read(browser) !== null; time += 5000) {
      const set = lines(headers => cookie.renew(browser, headers))
      if (set.length > 0) browser = header(set)
    }
    expect((time - begin) / 1000).toBe(250)
    const before = written('b', cookie)
    time += 50_000
    expect(declare({ maxAge: 51 }).read(before)).toBe('b')
    expect(declare({ maxAge: 50 }).read(before)).toBeNull()
  })

  test('a write with the request keeps the start, and one without begins', () => {
    const cookie = declare({ maxAge: 100, maxLifetime: 150 })
    const first = written('a', cookie)
    time += 90_000
    const [kept] = lines(headers => cookie.write(headers, 'b', first))
    const [begun] = lines(headers => cookie.write(headers, 'b'))
    expect([kept, begun].map(line => /Max-Age=(\d+)/.exec(line as string)?.[1])).toEqual(['60', '100'])
  })
})

test('cookie-split-toss: a clock without a time writes no session, and no attribute NaN', () => {
  const old = { name: 'old', tryOpen: () => 1 }
  for (const clock of [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    -1,
    8.7e15,
    undefined,
    'x',
  ]) {
    const broken = declare({ now: () => clock, parts: 2, fallback: old })
    const set = lines(headers => broken.write(headers, 'a'))
    expect(set.map(line => line.split(';')[0])).toEqual(
      [broken.name, `${broken.name}~1`, 'old'].map(name => `${name}=`),
    )
    expect(set.join()).not.toMatch(/NaN|Invalid/)
    expect(lines(headers => broken.renew(written('a'), headers))).toEqual([])
    expect(broken.read(written('a'))).toBeNull()
  }
})

test('keys rotate without an ended session', () => {
  const own = Keyring.generate()
  const cookie = declare({ keyring: own })
  const old = written('a', cookie)
  expect(lines(headers => cookie.renew(old, headers))).toEqual([])
  const before = own.keys[0]?.id as number
  own.promote(own.add({ key: Buffer.alloc(32, 7) }))
  const [line] = lines(headers => expect(cookie.renew(old, headers)).toBe('a'))
  own.delete(before)
  expect(cookie.read(old)).toBeNull()
  expect(cookie.read(header([line as string]))).toBe('a')
})

test('a raw primary key renews a cookie after `renewAfter` alone, and not at every request', () => {
  const own = new Keyring([{ key: Buffer.alloc(32, 8), prefix: 'raw' }])
  const cookie = declare({ keyring: own })
  const first = written('a', cookie)
  expect(lines(headers => expect(cookie.renew(first, headers)).toBe('a'))).toEqual([])
  time += 0.7 * DAY * 1000
  expect(lines(headers => cookie.renew(first, headers)).length).toBe(1)
  // A key with a prefix takes over at once.
  const second = written('a', cookie)
  own.promote(own.add({ key: Buffer.alloc(32, 9) }))
  expect(lines(headers => cookie.renew(second, headers)).length).toBe(1)
})

test('a raw primary key renews the cookies of an older key with a prefix at once', () => {
  const own = Keyring.generate()
  const cookie = declare({ keyring: own })
  const old = written('a', cookie)
  own.promote(own.add({ key: Buffer.alloc(32, 8), prefix: 'raw' }))
  const renewed = lines(headers => expect(cookie.renew(old, headers)).toBe('a'))
  expect(renewed.length).toBe(1)
  // One of 128 raw values begins like one with a prefix, but names no key of the keyring.
  for (let i = 0; i < 500; i++)
    expect(lines(headers => cookie.renew(written(i, cookie), headers))).toEqual([])
})

describe('parts', () => {
  test('4096 bytes and not one more, with the size', () => {
    // The seal has 33 bytes, and the times before the JSON have 33.
    const most = Math.floor(((4096 - '__Host-session'.length) * 3) / 4) - 66 - 2
    expect(written(long(most)).length).toBeLessThanOrEqual(4097)
    const { message } = refuses(() => written(long(most + 1)), 'ERR_OUT_OF_RANGE')
    expect(message).toContain('"__Host-session" would have 4097 bytes')
  })

  test('split, joined, and cleared when stale', () => {
    const cookie = declare({ parts: 4 })
    const three = lines(headers => cookie.write(headers, long(8000)))
    expect(three.map(line => line.split('=')[0])).toEqual(
      ['', '~1', '~2', '~3'].map(end => `${cookie.name}${end}`),
    )
    for (const line of three) expect((line.split(';')[0] as string).length).toBeLessThanOrEqual(4097)
    expect(cookie.read(header(three))).toBe(long(8000))
    const again = lines(headers => cookie.write(headers, long(8000)))
    const mixed = [three[0], again[1], three[2]] as string[]
    expect(cookie.read(header(mixed))).toBeNull()
    expect(cookie.read(header(three.slice(0, 2)))).toBeNull()
    const short = lines(headers => cookie.write(headers, 'a'))
    expect(short.slice(1).every(line => line.includes('; Max-Age=0;'))).toBe(true)
    expect(cookie.read(`${header(three.slice(1))}; ${header(short)}`)).toBe('a')
    refuses(() => cookie.write(new Headers(), long(20_000)), 'ERR_OUT_OF_RANGE')
  })
})

describe('hostile headers', () => {
  const good = written('good')

  test('of repeated names, the first of four that opens', () => {
    const bad = `${session.name}=bad`
    expect(session.read([bad, bad, bad, good].join('; '))).toBe('good')
    expect(session.read([bad, bad, bad, bad, good].join('; '))).toBeNull()
    expect(session.read(`${good}; ${written('second')}`)).toBe('good')
  })

  test('quotes, blanks, joined cookies and odd names', () => {
    const [name, value] = good.split('=') as [string, string]
    for (const text of [`a=1;${good}`, `\t ${name}="${value}" ;b`, `__proto__=1; ${good}`, `;;=;${good};`])
      expect(session.read(text)).toBe('good')
    for (const text of ['', ';', '=', name, `${name}=`, `${name}="`, `x${good}`, `${name} =${value}`, '\0€'])
      expect(session.read(text)).toBeNull()
    expect(declare({ prefix: false }, '__proto__').read(good)).toBeNull()
    expect(session.read({ headers: {} })).toBeNull()
  })

  test('random bytes never throw', () => {
    const cookie = declare({ parts: 8 })
    const pieces = [cookie.name, '=', ';', '; ', '~1', '2.', '8.', 'AAAA', '"', ' ', '€', '\0', good]
    for (let i = 0; i < 2000; i++) {
      let text = ''
      for (let j = random.below(30); j > 0; j--) text += pieces[random.below(pieces.length)]
      const value = cookie.read(text)
      expect([null, 'good']).toContain(value)
    }
  })

  test('a value that parse refuses is no session', () => {
    const cookie = (parse: (value: unknown) => unknown) => declare({ parse }).read(good)
    expect(cookie(value => `${value}!`)).toBe('good!')
    expect(cookie(() => null)).toBeNull()
    expect(
      cookie(() => {
        throw new Error('another shape')
      }),
    ).toBeNull()
  })
})

describe('responses', () => {
  test('other cookies stay, and one of the same name is replaced', () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', `${session.name}=old`],
    ])
    session.write({ headers }, 1)
    expect(headers.getSetCookie().map(line => line.split('=')[0])).toEqual(['a', session.name])
    let node: unknown = 'a=1'
    const response = { getHeader: () => node, setHeader: (_: string, value: string[]) => (node = value) }
    session.write(response, 1)
    session.clear(response)
    expect(node).toEqual([
      'a=1',
      expect.stringMatching(/^__Host-session=; Path=\/; HttpOnly; Secure; .*Max-Age=0;/),
    ])
  })

  test('anything else is refused, and nothing is written for a value that JSON cannot hold', () => {
    for (const wrong of [null, undefined, 1, 'x', {}, { headers: {} }])
      refuses(() => session.write(wrong as never, 1), 'ERR_INVALID_ARG_TYPE')
    for (const wrong of [null, undefined, 1, {}, { headers: 1 }, { headers: { cookie: 1 } }])
      refuses(() => session.read(wrong as never), 'ERR_INVALID_ARG_TYPE')
    for (const wrong of [null, undefined, Number.NaN, 1n, new Date(0), { a: new Map() }])
      refuses(() => session.write(new Headers(), wrong), 'ERR_INVALID_ARG_VALUE')
    refuses(() => session.read.call({} as never, ''), 'ERR_INVALID_THIS')
  })
})

test('mistakes in a declaration', () => {
  const wrong = (options: object, code: string, name: unknown = 'session') =>
    refuses(() => declare(options, name as string), code)
  for (const name of ['', 'a b', 'a;b', 'a=b', 'a\r\nb', 'ä', '"', '__Host-'.repeat(40)])
    wrong({}, 'ERR_INVALID_ARG_VALUE', name)
  wrong({}, 'ERR_INVALID_ARG_TYPE', 7)
  for (const options of [
    { path: 'x' },
    { path: '/;' },
    { path: '/\r\n' },
    { path: `/${long(1024)}` },
    { domain: '.a' },
    { domain: 'a;b' },
    { sameSite: 'Lax' },
    { sameSite: 'none', secure: false },
    { maxage: 1 },
  ])
    wrong(options, 'ERR_INVALID_ARG_VALUE')
  wrong({ secure: false }, 'ERR_INVALID_ARG_VALUE', '__Host-a')
  wrong({ domain: 'a' }, 'ERR_INVALID_ARG_VALUE', '__host-a')
  for (const options of [{ maxAge: 0 }, { maxAge: 401 * DAY }, { maxLifetime: 1 }, { parts: 9 }])
    wrong(options, 'ERR_OUT_OF_RANGE')
  for (const options of [
    { keyring: {} },
    { maxAge: '1' },
    { parse: 1 },
    { now: 1 },
    { secure: 1 },
    { fallback: 1 },
  ])
    wrong(options, 'ERR_INVALID_ARG_TYPE')
})
