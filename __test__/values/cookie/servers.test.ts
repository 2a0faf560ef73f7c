// Cookies in Node's own servers: HTTP/1 and HTTP/2. checks/cookies and checks/package have those of others.
import { once } from 'node:events'
import { createServer as createHttp, request } from 'node:http'
import { connect, createServer as createHttp2 } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { type CookieRequest, type CookieResponse, sealedCookie } from 'hardware-aes-gcm/cookie'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { expect, test } from 'vitest'

const session = sealedCookie<{ visits: number }>('session', { keyring: Keyring.generate(), maxAge: 60 })

type Response = CookieResponse & { end(text: string): unknown }
function answer(incoming: CookieRequest, response: Response): void {
  const visits = (session.read(incoming)?.visits ?? 0) + 1
  session.write(response, { visits }, incoming)
  response.end(JSON.stringify({ visits }))
}

/** Visits a server three times, as a browser does. `ask` gives the cookies that are set, and the body. */
async function visits(server: Server, ask: (port: number, cookie: string) => Promise<[string[], string]>) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    let cookie = 'other=1'
    for (let visits = 1; visits <= 3; visits++) {
      const [set, body] = await ask((server.address() as AddressInfo).port, cookie)
      expect([set.length, JSON.parse(body)]).toEqual([1, { visits }])
      cookie = `other=1; ${set[0]?.split(';')[0]}`
    }
  } finally {
    server.close()
  }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('HTTP/1', () =>
  visits(createHttp(answer), async (port, cookie) => {
    const sent = request({ port, host: '127.0.0.1', headers: { cookie }, agent: false }).end()
    const [response] = await once(sent, 'response')
    return [response.headers['set-cookie'], await textOf(response)]
  }))

test('HTTP/2, whose clients may send each cookie in a header of its own', () =>
  visits(createHttp2(answer), async (port, cookie) => {
    const client = connect(`http://127.0.0.1:${port}`)
    const stream = client.request({ cookie: cookie.split('; ') })
    const [headers] = await once(stream, 'response')
    const body = await textOf(stream)
    client.close()
    return [headers['set-cookie'], body]
  }))
