// Sessions in cookies: requests over loopback to servers that read a session, or read and write one, beside other packages and beside
// the same server without sessions. The CPU time of a server shows its work for a request, which the client and the kernel do not hide.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { times } from './table.mjs'
import { OURS } from './ways.mjs'

const HOST = '127.0.0.1'
export const NONE = 'none'
export const IRON = 'iron-session'
const WAYS = [
  { server: 'node:http', by: NONE },
  { server: 'node:http', by: OURS },
  { server: 'node:http', by: IRON },
  { server: 'node:http', by: 'cookie-session' },
  { server: 'Fastify', by: NONE },
  { server: 'Fastify', by: OURS },
  { server: 'Fastify', by: '@fastify/secure-session' },
]
const PATHS = ['read', 'write']
/** Connections, which are kept. Each has one request on its way. */
const CONNECTIONS = 16
const RUNS = { full: { ms: 500, rounds: 9 }, quick: { ms: 200, rounds: 3 } }

const REQUESTS = 'requests'
const CPU = 'CPU of the server'
const directionOf = (path, server, what) => `${path}, ${server}: ${what}`

/** Time for each request, and CPU time of the server for each, both in ns. The ways take turns. */
export async function measureCookies(kind) {
  const { ms, rounds } = RUNS[kind]
  const servers = []
  try {
    for (const way of WAYS) servers.push(await start(way))
    const works = PATHS.flatMap(path => servers.map(server => ({ path, server, ns: [], cpu: [], calls: 0 })))
    for (let round = 0; round <= rounds; round++) {
      for (const work of works) {
        const { path, server, ns, cpu } = work
        const before = await cpuOf(server)
        const { requests, spent } = await load(server.port, path, server.cookie, ms)
        if (round === 0) continue // it warms up
        ns.push((spent / requests) * 1e6)
        cpu.push((((await cpuOf(server)) - before) / requests) * 1e3)
        work.calls += requests
      }
    }
    return works.flatMap(({ path, server: { server, by, bytes }, ns, cpu, calls }) =>
      [
        [REQUESTS, ns],
        [CPU, cpu],
      ].map(([what, samples]) => {
        const sorted = samples.toSorted((a, b) => a - b)
        const figures = { median: sorted[sorted.length >> 1], least: sorted[0], samples: sorted.length }
        return { bytes, direction: directionOf(path, server, what), by, way: by, calls, ...figures }
      }),
    )
  } finally {
    for (const { child } of servers) child.kill()
  }
}

/** A server in a process, and a cookie of its own, which it must read. */
async function start(way) {
  const child = fork(new URL('./cookies-peer.mjs', import.meta.url), [JSON.stringify(way)])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the server of ${way.by} ended with ${code}`)
  })
  ended.catch(() => {})
  const [{ port }] = await Promise.race([once(child, 'message'), ended])
  if (way.by === NONE) return { ...way, child, port, cookie: '', bytes: 0 }
  const { cookie } = await visit(port, 'write', '')
  const [read, written] = [await visit(port, 'read', cookie), await visit(port, 'write', cookie)]
  const isRight = read.body === '1' && read.cookie === '' && written.body === '2' && written.cookie !== ''
  if (!isRight) throw new Error(`${way.by} does not count on ${way.server}`)
  return { ...way, child, port, cookie, bytes: cookie.length }
}

async function visit(port, path, cookie) {
  const [response] = await once(get({ host: HOST, port, path: `/${path}`, headers: { cookie } }), 'response')
  let body = ''
  for await (const chunk of response) body += chunk
  const lines = response.headers['set-cookie'] ?? []
  return { body, cookie: lines.map(line => line.split(';')[0]).join('; ') }
}

async function cpuOf({ child }) {
  const answer = once(child, 'message')
  child.send('cpu')
  return (await answer)[0].cpu
}

/** Requests for so many ms, over connections that are open already, and the ms until the last answer. */
async function load(port, path, cookie, ms) {
  const request = `GET /${path} HTTP/1.1\r\nHost: ${HOST}\r\n${cookie === '' ? '' : `Cookie: ${cookie}\r\n`}\r\n`
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, HOST).setNoDelay())
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  const began = performance.now()
  let requests = 0
  await Promise.all(
    sockets.map(
      socket =>
        new Promise((resolve, reject) => {
          socket.on('error', reject)
          // The answers are so short that each is one chunk.
          socket.on('data', data => {
            if (!data.latin1Slice(0, 15).startsWith('HTTP/1.1 200 OK'))
              return reject(new Error(`an answer begins with ${data.latin1Slice(0, 40)}`))
            requests++
            if (performance.now() - began < ms) socket.write(request)
            else resolve(socket.destroy())
          })
          socket.write(request)
        }),
    ),
  )
  return { requests, spent: performance.now() - began }
}

/** The promises about cookies, by the medians, with the limits of limits.mjs. */
export function judgeCookies(results, limits) {
  const of = (path, by) => find(results, path, 'node:http', by, REQUESTS).median
  return PATHS.map(path => {
    const factor = of(path, IRON) / of(path, OURS)
    const text = `${path} on node:http: ${factor.toFixed(1)} times the requests of ${IRON}, at least ${limits.iron}`
    return { missed: !(factor >= limits.iron), text }
  })
}

const find = (results, path, server, by, what) =>
  results.find(r => r.direction === directionOf(path, server, what) && r.by === by)

/** The table of cookies. */
export function cookiesTable(results) {
  const lines = [
    '\nsessions in cookies: requests a second, by the median; CPU of the server for each in us, and that of the session alone',
    ['', ...PATHS.flatMap(path => [path, 'x iron', 'CPU', 'session'])].map(cell).join(''),
  ]
  for (const { server, by } of WAYS) {
    const figures = PATHS.flatMap(path => {
      const { median } = find(results, path, server, by, REQUESTS)
      const iron = find(results, path, server, IRON, REQUESTS)?.median
      const cpu = find(results, path, server, by, CPU).median
      const more = cpu - find(results, path, server, NONE, CPU).median
      return [
        String(Math.round(1e9 / median)),
        iron === undefined ? '' : times(iron / median),
        microseconds(cpu),
        by === NONE ? '' : microseconds(more),
      ]
    })
    lines.push([`  ${server}: ${by}`, ...figures].map(cell).join('').trimEnd())
  }
  return lines.join('\n')
}

const cell = (text, i) => (i === 0 ? text.padEnd(36) : text.padStart(10))
const microseconds = ns => (ns / 1000).toFixed(1)
