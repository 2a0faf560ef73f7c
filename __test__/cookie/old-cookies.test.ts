// Cookies that iron-session 8 and next-auth 4 wrote are read once, and renewed.
import { ironSessionCookie, nextAuthCookie, sealedCookie } from 'hardware-aes-gcm/cookie'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { expect, test } from 'vitest'
import { refuses } from '../tools/support.js'

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

let time = BEFORE
const session = sealedCookie<{ user?: string; name?: string }>('session', {
  keyring: Keyring.generate(),
  maxAge: 3600,
  now: () => time,
  fallback: [
    ironSessionCookie({ name: 'sid', password: PASSWORD }),
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
    for (let i = 0; i < text.length - 2; i++) {
      const other = text[i] === 'A' ? 'B' : 'A'
      expect(session.read(`${name}=${text.slice(0, i)}${other}${text.slice(i + 1)}`)).toBeNull()
    }
  for (const text of ['', '*******', `Fe26.2${'*'.repeat(7)}`, IRON[0].replace('*1*', '*2*'), '~2'])
    expect(session.read(`sid=${text}`)).toBeNull()
})

test('mistakes in the options', () => {
  refuses(() => ironSessionCookie({ name: 'sid', password: 'short' }), 'ERR_INVALID_ARG_VALUE')
  refuses(() => ironSessionCookie({ name: 'sid', password: 7 as never }), 'ERR_INVALID_ARG_TYPE')
  refuses(() => ironSessionCookie({ name: 'sid', password: {} }), 'ERR_OUT_OF_RANGE')
  refuses(() => ironSessionCookie({ name: 'a b', password: PASSWORD }), 'ERR_INVALID_ARG_VALUE')
  refuses(() => nextAuthCookie({ secret: '' }), 'ERR_INVALID_ARG_VALUE')
  refuses(() => nextAuthCookie({ secret: undefined as never }), 'ERR_INVALID_ARG_TYPE')
  refuses(() => nextAuthCookie({ secret: [] }), 'ERR_OUT_OF_RANGE')
})
