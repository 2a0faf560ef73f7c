// Where a request has its cookies: each kind of object is read, and one that has them elsewhere is refused.
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { sealedCookie } from 'hardware-aes-gcm/cookie'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'

const session = sealedCookie<{ user: string }>('session', { keyring: Keyring.generate(), maxAge: 60 })
const ADA = { user: 'ada' }
const set = new Headers()
session.write(set, ADA)
const cookie = set.getSetCookie()[0]?.split(';')[0] as string
const value = cookie.slice(session.name.length + 1)

/** Node's own object, with these headers. */
function incoming(headers: Record<string, string>): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers })
}

/** As the events of AWS Lambda are written down in its manual, with what they have in common left out. */
const EVENTS: Record<string, (cookies?: string[]) => object> = {
  'version 2 of a gateway, or a function URL': cookies => ({
    version: '2.0',
    headers: { accept: '*/*', host: 'example.org' },
    ...(cookies && { cookies }),
  }),
  'version 1 of a gateway': cookies => ({
    version: '1.0',
    headers: { Accept: '*/*', ...(cookies && { Cookie: cookies.join('; ') }) },
    multiValueHeaders: { Accept: ['*/*'], ...(cookies && { Cookie: [cookies.join('; ')] }) },
  }),
  'version 1, over HTTP/2 in small letters and several headers': cookies => ({
    headers: { accept: '*/*', ...(cookies && { cookie: cookies.join('; ') }) },
    multiValueHeaders: { accept: ['*/*'], ...(cookies && { cookie: cookies }) },
  }),
  'version 1, called by the test of the console': cookies =>
    cookies
      ? { headers: null, multiValueHeaders: { COOKIE: cookies } }
      : { headers: null, multiValueHeaders: null },
  'a load balancer': cookies => ({ headers: { ...(cookies && { cookie: cookies.join('; ') }) } }),
  'a load balancer with several values': cookies => ({
    multiValueHeaders: { accept: ['*/*'], ...(cookies && { cookie: cookies }) },
  }),
}

describe('lambda-event: an event of AWS Lambda is read', () => {
  test.each(Object.keys(EVENTS))('%s', name => {
    const event = EVENTS[name] as (cookies?: string[]) => never
    expect(session.read(event(['a=b', cookie]))).toEqual(ADA)
    expect(session.read(event([cookie, 'a=b']))).toEqual(ADA)
    expect(session.read(event(['a=b']))).toBeNull()
    expect(session.read(event())).toBeNull()
  })

  test('with a value that is no text, it is refused', () => {
    for (const event of [
      { headers: {}, cookies: [{ name: session.name, value }] },
      { headers: {}, multiValueHeaders: { Cookie: [7] } },
      { headers: { Cookie: { value } } },
      { headers: { cookie: [{ key: 'Cookie', value: cookie }] } },
    ])
      refuses(() => session.read(event as never), 'ERR_INVALID_ARG_TYPE')
  })
})

test('requests of servers are read, without cookies too', () => {
  const ctx = { headers: { cookie }, status: 404, get: () => '', cookies: { get: () => value } }
  for (const request of [
    cookie,
    new Headers({ cookie }),
    new Request('https://example.org', { headers: { cookie } }),
    incoming({ cookie }),
    { headers: { Cookie: cookie } },
    { headers: { cookie }, get: () => undefined },
    ctx,
  ])
    expect(session.read(request)).toEqual(ADA)
  for (const request of [
    '',
    new Headers(),
    new Request('https://example.org'),
    incoming({}),
    { headers: {} },
  ])
    expect(session.read(request)).toBeNull()
})

test('cookie-read-store: a store of cookies, a form or a response is refused, and told what to pass', () => {
  const form = new FormData()
  form.set(session.name, value)
  const svelte = {
    get: (name: string) => (name === session.name ? value : undefined),
    getAll: () => [],
    set() {},
  }
  for (const store of [
    { get: (name: string) => (name === session.name ? { name, value } : undefined), set() {} },
    svelte,
    { ...svelte, get: () => cookie },
    { get: async () => null },
    new Map([[session.name, value]]),
    { headers: new Map([['Cookie', cookie]]) },
    new URLSearchParams([[session.name, value]]),
    form,
    new Response(),
    { headers: [['cookie', cookie]] },
    { headers: null },
    { cookies: { [session.name]: value } },
    { cookie },
    [cookie],
    {},
  ]) {
    const { message } = refuses(() => session.read(store as never), 'ERR_INVALID_ARG_TYPE')
    expect(message).toContain('pass the headers')
    refuses(() => session.renew(store as never, new Headers()), 'ERR_INVALID_ARG_TYPE')
    refuses(() => session.write(new Headers(), ADA, store as never), 'ERR_INVALID_ARG_TYPE')
  }
})

test('what is no response is told what to pass: ctx.res of Koa, or Headers', () => {
  const ctx = { headers: {}, status: 404, res: {}, set() {}, append() {}, get: () => '' }
  for (const response of [ctx, { statusCode: 200, headers: {} }, new Map()]) {
    const { message } = refuses(() => session.write(response as never, ADA), 'ERR_INVALID_ARG_TYPE')
    expect(message).toContain('of Koa, ctx.res')
    expect(message).toContain('new Headers()')
  }
})
