// Cookies that iron-session 8 and next-auth 4 wrote are read, renewed, and limited as others are.
import { hkdfSync } from 'node:crypto'
import { ironSessionCookie, nextAuthCookie, sealedCookie } from 'hardware-aes-gcm/cookie'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'

const PASSWORD = 'a'.repeat(32)
/** Made by iron-session 8.0.4 with PASSWORD, the first until 2026-11-27T07:59:20Z, the second without end. */
const IRON = [
  'Fe26.2*1*55786e7a7fd7b7b721ecd75e42b2d4c456060f0e714fdd5ad03ef2ca4c2dbad5*HDC-w-62xso88dk1cSB6OQ*j5qIb522_kClrKAOa7oKeg*1795766360597*b6d60319db06828bed41460b3890d4368097ba6ff0461769a1383da1c22ade8d*L7ZX9x0yeWEVv5E3FXB0kXupFvcQkX6i8t8gtDM9cF0~2',
  'Fe26.2*1*1d82dd6160ed9a9224bb756aa53f1b3d0bbff5c136dcefb5849cffb24231f578*fIOy9FVnJWa1ElTObJG-qw*ipVt70fXvSjFQb6e9pEqmw**633c4f1554655ee59cc0cf356397e0ade58a12845027477de2aba5566479a1f3*wIbzP1SHQDafybyGui4IiV6NYUmFze3BC8jcNRsUU7o~2',
] as const
/** Made by next-auth 4.24.13 with the secret 'secret', until 2026-12-27T06:59:20Z. */
const NEXT_AUTH =
  'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..wItD-LwBKciQhFv5.6fd0En0F7RmQ76GY4SaKAlpVK_9B4j95FMqqkuzQS61LrkAfydSVj5hVvyWd_V-M4goWARLxU93aQJXGUgvj5fs8GnzNh0CA3uheWcg0h6_ba-EKvtulBCfZpGDH.VdR9BbOtXfN6SXHwSdeTsA'
const BEFORE = Date.parse('2026-11-27T07:00:00Z')
const AFTER = Date.parse('2026-12-27T08:00:00Z')
const TOKEN = '__Secure-next-auth.session-token'
const DAY = 86_400

let time = BEFORE
const session = sealedCookie<{ user?: string; name?: string }>('session', {
  keyring: Keyring.generate(),
  maxAge: 3600,
  now: () => time,
  fallbackUntil: new Date('2027-06-01'),
  fallback: [
    ironSessionCookie({ name: 'sid', password: PASSWORD, ttl: 0 }),
    nextAuthCookie({ secret: ['new', 'secret'] }),
  ],
})
const names = (headers: Headers) => headers.getSetCookie().map(line => line.split('=')[0])

test('read, renewed, and their cookies deleted', () => {
  for (const [cookie, value, parts] of [
    [`sid=${IRON[0]}`, { user: 'ada' }, []],
    [`sid=${IRON[1]}`, { user: 'ada' }, []],
    [`${TOKEN}=${NEXT_AUTH}`, { name: 'Ada' }, []],
    [
      `${TOKEN}.1=${NEXT_AUTH.slice(90)}; ${TOKEN}.0=${NEXT_AUTH.slice(0, 90)}`,
      { name: 'Ada' },
      [`${TOKEN}.0`, `${TOKEN}.1`],
    ],
  ] as const) {
    const headers = new Headers()
    expect(session.renew(cookie, headers)).toMatchObject(value)
    expect(names(headers)).toEqual([session.name, 'sid', TOKEN, ...parts])
    expect(session.read(headers.getSetCookie()[0]?.split(';')[0] as string)).toMatchObject(value)
  }
  const headers = new Headers()
  session.clear(headers, `${TOKEN}.0=a`)
  expect(names(headers)).toEqual([session.name, 'sid', TOKEN, `${TOKEN}.0`])
})

test('a login deletes the cookie of another user, with the request and without', () => {
  for (const request of [undefined, `sid=${IRON[1]}`]) {
    const headers = new Headers()
    session.write(headers, { user: 'bob' }, request)
    expect(names(headers)).toEqual([session.name, 'sid', TOKEN])
  }
})

test('an old session that is too long for one cookie stays in its own', () => {
  const long = { text: 'x'.repeat(5000) }
  const options = { keyring: Keyring.generate(), maxAge: 60, fallback: { name: 'old', tryOpen: () => long } }
  const narrow = sealedCookie<typeof long>('narrow', options)
  const headers = new Headers()
  expect(narrow.renew('old=x', headers)).toEqual(long)
  expect(headers.getSetCookie()).toEqual([])
  expect(() => narrow.write(headers, long)).toThrow(expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }))
})

test('a clock that returns NaN ends every session', () => {
  let now = 0
  const clock = sealedCookie('clock', { keyring: Keyring.generate(), maxAge: 60, now: () => now })
  const headers = new Headers()
  clock.write(headers, { user: 'ada' })
  const cookie = headers.getSetCookie()[0]?.split(';')[0] as string
  expect(clock.read(cookie)).toEqual({ user: 'ada' })
  now = Number.NaN
  expect(clock.read(cookie)).toBeNull()
})

test('expired and changed ones are no session', () => {
  time = AFTER
  for (const cookie of [`sid=${IRON[0]}`, `${TOKEN}=${NEXT_AUTH}`]) expect(session.read(cookie)).toBeNull()
  time = BEFORE
  for (const [name, text] of [
    ['sid', IRON[0]],
    ['sid', IRON[1]],
    [TOKEN, NEXT_AUTH],
  ] as const)
    for (let i = 0; i < text.length; i++) {
      const other = text[i] === 'A' ? 'B' : 'A'
      expect(session.read(`${name}=${text.slice(0, i)}${other}${text.slice(i + 1)}`)).toBeNull()
    }
  for (const text of ['', '*******', `Fe26.2${'*'.repeat(7)}`, IRON[0].replace('*1*', '*2*'), '~2'])
    expect(session.read(`sid=${text}`)).toBeNull()
})

/** A declaration with the old cookies of `fallback`, whose session lasts for two hours. */
const brief = (options: object, clock: () => number) =>
  sealedCookie<{ user?: string; name?: string }>('session', {
    keyring: Keyring.generate(),
    maxAge: 3600,
    maxLifetime: 7200,
    now: clock,
    ...options,
  })
/** The seconds that the session of a cookie still lasts when it is renewed; null without one. */
function lasts(cookie: typeof session, text: string): number | null {
  const headers = new Headers()
  if (cookie.renew(text, headers) === null) return null
  return Number(/Max-Age=(\d+)/.exec(headers.getSetCookie()[0] as string)?.[1])
}

describe('cookie-fallback: an old cookie does not undo maxLifetime', () => {
  const iron = (ttl?: number) => ironSessionCookie({ name: 'sid', password: PASSWORD, ttl })

  test('one without an end is no session, unless the program says so and names the last day', () => {
    const endless = `sid=${IRON[1]}`
    for (const ttl of [undefined, 1, 14 * DAY])
      expect(brief({ fallback: iron(ttl) }, () => BEFORE).read(endless)).toBeNull()
    refuses(() => brief({ fallback: iron(0) }, () => BEFORE), 'ERR_INVALID_ARG_VALUE')
    let now = BEFORE
    const told = brief({ fallback: [iron(0)], fallbackUntil: new Date(BEFORE + DAY * 1000) }, () => now)
    expect(told.read(endless)).toEqual({ user: 'ada' })
    now += DAY * 1000 - 1000
    expect(told.read(endless)).toEqual({ user: 'ada' })
    for (let year = 0; year < 3; year++, now += 365 * DAY * 1000) {
      now += 1000
      const headers = new Headers()
      expect(told.read(endless)).toBeNull()
      expect(told.renew(endless, headers)).toBeNull()
      expect(names(headers)).toEqual([])
      told.write(headers, { user: 'ada' })
      expect(names(headers)).toEqual([told.name, 'sid'])
    }
  })

  test('the session of iron-session began `ttl` before the end of its cookie', () => {
    const end = 1_795_766_360_597
    const cookie = `sid=${IRON[0]}`
    const at = (ttl: number | undefined, now: number) =>
      lasts(
        brief({ fallback: iron(ttl) }, () => now),
        cookie,
      )
    expect(at(undefined, end - 1000)).toBe(3600)
    expect(at(7200, end - 7_200_000)).toBe(3600)
    expect(at(7200, end - 3_000_000)).toBe(3000)
    expect(at(7201, end - 999)).toBeNull()
    expect(at(14 * DAY, end - 3_600_000)).toBeNull()
    // A clock behind that of the other server.
    expect(at(3600, end - 3_900_000)).toBe(3600)
  })

  test('the session of next-auth began at `iat`', () => {
    const issued = Date.parse('2026-11-27T06:59:20Z')
    const at = (now: number) =>
      lasts(
        brief({ fallback: nextAuthCookie({ secret: 'secret' }) }, () => now),
        `${TOKEN}=${NEXT_AUTH}`,
      )
    expect(at(issued)).toBe(3600)
    expect(at(issued + 6_000_000)).toBe(1200)
    expect(at(issued + 7_200_000)).toBeNull()
  })

  test('a token without `exp` is no session', () => {
    const [key] = [Buffer.from(hkdfSync('sha256', 'secret', '', 'NextAuth.js Generated Encryption Key', 32))]
    const sealer = new Keyring([{ key, prefix: 'raw' }])
    const read = (claims: object) =>
      brief({ fallback: nextAuthCookie({ secret: 'secret' }) }, () => BEFORE).read(
        `${TOKEN}=${sealer.sealJwe(JSON.stringify(claims))}`,
      )
    expect(read({ name: 'Ada', exp: BEFORE / 1000 + 60 })).toMatchObject({ name: 'Ada' })
    for (const exp of [undefined, null, 'never', BEFORE / 1000 - 60])
      expect(read({ name: 'Ada', exp })).toBeNull()
    // A start that is no time ends it, and one ahead is now.
    expect(read({ name: 'Ada', exp: 1e12, iat: BEFORE / 1000 - 7200 })).toBeNull()
    expect(read({ name: 'Ada', exp: 1e12, iat: 1e15 })).toMatchObject({ name: 'Ada' })
  })

  test("another program's cookie tells its start, too", () => {
    const old = (startedAt?: unknown) =>
      ({ name: 'old', tryOpen: () => ({ user: 'ada' }), startedAt }) as never
    const at = (startedAt?: unknown) =>
      lasts(
        brief({ fallback: old(startedAt) }, () => BEFORE),
        'old=x',
      )
    expect(at()).toBe(3600)
    for (const start of [undefined, null, BEFORE, Number.POSITIVE_INFINITY])
      expect(at(() => start)).toBe(3600)
    expect(at(() => BEFORE - 7_000_000)).toBe(200)
    for (const start of [Number.NaN, 0, Number.NEGATIVE_INFINITY, 'now', new Date(BEFORE)])
      expect(at(() => start)).toBeNull()
    refuses(() => at(7), 'ERR_INVALID_ARG_TYPE')
  })

  test('the last day is a Date, and a clock without a time is after it', () => {
    for (const wrong of [7, '2027-01-01', {}, null])
      refuses(() => brief({ fallbackUntil: wrong }, () => BEFORE), 'ERR_INVALID_ARG_TYPE')
    for (const wrong of [new Date(Number.NaN), new Date(-1)])
      refuses(() => brief({ fallbackUntil: wrong }, () => BEFORE), 'ERR_INVALID_ARG_VALUE')
    expect(brief({ fallback: iron(60) }, () => Number.NaN).read(`sid=${IRON[0]}`)).toBeNull()
  })
})

test('cookie-split-toss: old cookies and parts that another host tossed do not hide the parts', () => {
  const split = [NEXT_AUTH.slice(0, 90), NEXT_AUTH.slice(90, 180), NEXT_AUTH.slice(180)]
  const all = split.map((text, i) => `${TOKEN}.${i}=${text}`)
  const parts = all.join('; ')
  time = BEFORE
  for (const tossed of [[0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2], [1, 1, 1]]) {
    const bad = tossed.map(i => `${TOKEN}.${i}=x`).join('; ')
    for (const header of [`${bad}; ${parts}`, `${parts}; ${bad}`, `${all[0]}; ${bad}; ${all[1]}; ${all[2]}`])
      expect(session.read(header)).toMatchObject({ name: 'Ada' })
  }
  for (const tossed of [1, 4])
    expect(session.read(`${`${TOKEN}=x; `.repeat(tossed)}${parts}`)).toMatchObject({ name: 'Ada' })
})

test('cookie-iron-suffix: no other text of an old cookie opens, whatever is at its end', () => {
  time = BEFORE
  const [digits, iron] = ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', IRON[0]]
  expect(session.read(`sid=${iron}`)).toEqual({ user: 'ada' })
  const base = iron.slice(0, -2)
  for (const end of ['', ...'~ ~1 ~3 ~22 ~02 ~anything ~2~2 ~~2 *~2 ~2* ~2= ~2~'.split(' ')])
    expect(session.read(`sid=${base}${end}`), end).toBeNull()
  // The last digit of base64url has spare bits.
  for (const [name, text, place] of [
    ['sid', iron, iron.length - 3],
    ['sid', iron, iron.lastIndexOf('*') - 1],
    [TOKEN, NEXT_AUTH, NEXT_AUTH.length - 1],
    [TOKEN, NEXT_AUTH, NEXT_AUTH.lastIndexOf('.') - 1],
  ] as const)
    for (const digit of digits)
      if (digit !== text[place])
        expect(session.read(`${name}=${text.slice(0, place)}${digit}${text.slice(place + 1)}`)).toBeNull()
  for (const text of [NEXT_AUTH, iron])
    for (let i = 0; i <= text.length; i++)
      for (const more of ['=', '*', '.', '~2', 'A', '%41'])
        expect(
          session.read(`${text === iron ? 'sid' : TOKEN}=${text.slice(0, i)}${more}${text.slice(i)}`),
        ).toBeNull()
})

test('mistakes in the options', () => {
  for (const ttl of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    refuses(() => ironSessionCookie({ name: 'sid', password: PASSWORD, ttl }), 'ERR_OUT_OF_RANGE')
  refuses(
    () => ironSessionCookie({ name: 'sid', password: PASSWORD, ttl: '1' as never }),
    'ERR_INVALID_ARG_TYPE',
  )
  refuses(() => ironSessionCookie({ name: 'sid', password: 'short' }), 'ERR_INVALID_ARG_VALUE')
  refuses(() => ironSessionCookie({ name: 'sid', password: 7 as never }), 'ERR_INVALID_ARG_TYPE')
  refuses(() => ironSessionCookie({ name: 'sid', password: {} }), 'ERR_OUT_OF_RANGE')
  refuses(() => ironSessionCookie({ name: 'a b', password: PASSWORD }), 'ERR_INVALID_ARG_VALUE')
  refuses(() => nextAuthCookie({ secret: '' }), 'ERR_INVALID_ARG_VALUE')
  refuses(() => nextAuthCookie({ secret: undefined as never }), 'ERR_INVALID_ARG_TYPE')
  refuses(() => nextAuthCookie({ secret: [] }), 'ERR_OUT_OF_RANGE')
})
