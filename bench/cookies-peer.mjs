// A server that cookies.mjs loads: a process of its own. It answers /read with the count in the session, and /write with the next
// count, which it writes. Each way does that as its package's documents say, with their defaults but for `Secure`.
import { createServer } from 'node:http'
import { argv } from 'node:process'
import { from, modules } from '../checks/cookies/packages.mjs'

const HOST = '127.0.0.1'
const SECRET = 'a password of at least 32 characters'
const DAY = 86_400
const require = from(modules())

/** A session of 70 bytes of JSON, as after a login. */
const first = () => ({ user: 'ada@example.org', id: 17, roles: ['admin', 'user'], visits: 0 })
const next = value => ({ ...value, visits: value.visits + 1 })

async function ourCookie() {
  const [{ sealedCookie }, { Keyring }] = [
    await import('hardware-aes-gcm/cookie'),
    await import('hardware-aes-gcm/keyring'),
  ]
  return sealedCookie('session', { keyring: Keyring.generate(), maxAge: DAY, secure: false })
}

/** Handlers of node:http, by way. */
const HTTP = {
  none: () => (_request, response) => response.end('0'),
  'hardware-aes-gcm': async () => {
    const session = await ourCookie()
    return (request, response) => {
      const value = session.read(request) ?? first()
      if (request.url === '/read') return response.end(`${value.visits}`)
      session.write(response, next(value), request)
      response.end(`${value.visits + 1}`)
    }
  },
  'iron-session': () => {
    const { getIronSession } = require('iron-session')
    const options = { password: SECRET, cookieName: 'session', ttl: DAY, cookieOptions: { secure: false } }
    return async (request, response) => {
      const session = await getIronSession(request, response, options)
      if (request.url === '/read') return response.end(`${session.visits}`)
      Object.assign(session, next(session.visits === undefined ? first() : session))
      await session.save()
      response.end(`${session.visits}`)
    }
  },
  'cookie-session': () => {
    const middleware = require('cookie-session')({ name: 'session', keys: [SECRET], maxAge: DAY * 1000 })
    return (request, response) =>
      middleware(request, response, () => {
        const { session } = request
        if (request.url === '/read') return response.end(`${session.visits}`)
        Object.assign(session, next(session.visits === undefined ? first() : session))
        response.end(`${session.visits}`)
      })
  },
}

/** Routes of Fastify, by way. */
const FASTIFY = {
  none: app => app.get('/read', () => '0').get('/write', () => '0'),
  'hardware-aes-gcm': async app => {
    const session = await ourCookie()
    app.get('/read', request => `${session.read(request).visits}`)
    app.get('/write', (request, reply) => {
      const value = next(session.read(request) ?? first())
      session.write(reply, value, request)
      return `${value.visits}`
    })
  },
  '@fastify/secure-session': async app => {
    await app.register(require('@fastify/secure-session'), {
      key: Buffer.alloc(32, SECRET),
      expiry: DAY,
      cookie: { path: '/', httpOnly: true, sameSite: 'lax', maxAge: DAY },
    })
    app.get('/read', ({ session }) => `${session.get('value').visits}`)
    app.get('/write', ({ session }) => {
      const value = next(session.get('value') ?? first())
      session.set('value', value)
      return `${value.visits}`
    })
  },
}

async function listen({ server, by }) {
  if (server === 'Fastify') {
    const app = require('fastify')()
    await FASTIFY[by](app)
    await app.listen({ port: 0, host: HOST })
    return app.server.address().port
  }
  const http = createServer(await HTTP[by]()).listen(0, HOST)
  await new Promise(resolve => http.once('listening', resolve))
  return http.address().port
}

process.on('message', () => {
  // Of all its threads, in us.
  const { user, system } = process.cpuUsage()
  process.send({ cpu: user + system })
})
process.send({ port: await listen(JSON.parse(argv[2])) })
