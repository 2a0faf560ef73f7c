// Holds 200 sessions over TCP at once, cuts half of them at random moments, and prints how they ended: connections.mjs SECONDS
// [FAULT]
//
// FAULT: `wrong` changes a byte of what arrived on one side in five, `clean` takes one error in five for an end, `kept` keeps 400 KiB
// for each connection, `crash` ends the process after fifty of them.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { argv } from 'node:process'
import { randomFillSync } from 'hardware-aes-gcm'
import { secureStream } from 'hardware-aes-gcm/session'
import { resident, settle } from '../tools/resident.mjs'

const [seconds, fault] = [Number(argv[2]), argv[3]]
const AT_ONCE = 200
const MOST_BYTES = 300_000
const CIPHERS = ['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305']
/** Many epochs in a connection. */
const REKEY_AFTER = 20_000
const SAMPLE_MS = seconds * 10

const below = n => Math.floor(Math.random() * n)
const secret = randomFillSync(Buffer.alloc(32))
const text = randomFillSync(Buffer.alloc(MOST_BYTES))
const [tally, wrong, samples, kept] = [{}, [], [], []]
const began = performance.now()
let finished = 0
const isOver = () => performance.now() - began > seconds * 1000

process.on('uncaughtException', error => wrong.push(`uncaught: ${error.stack}`))
process.on('unhandledRejection', error => wrong.push(`unhandled: ${error?.stack ?? error}`))

/** Accepted sockets by the ports of their peers, so that both ends of a connection meet, whichever is first. */
const accepted = new Map()
const slotOf = port => {
  if (!accepted.has(port)) accepted.set(port, resolvers())
  return accepted.get(port)
}
const server = createServer({ allowHalfOpen: true }, socket => slotOf(socket.remotePort).resolve(socket))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()

/** Promise.withResolvers of later versions of Node. */
function resolvers() {
  let resolve
  const promise = new Promise(value => (resolve = value))
  return { promise, resolve }
}

async function connected() {
  const left = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(left, 'connect')
  const right = await slotOf(left.localPort).promise
  accepted.delete(left.localPort)
  return [left, right]
}

/** Writes `bytes` with backpressure, and then the end; gives up where the stream fails. */
async function write(stream, bytes) {
  for (let at = 0; at < bytes.length && !stream.destroyed; ) {
    const end = Math.min(bytes.length, at + 1 + below(20_000))
    const more = stream.write(bytes.subarray(at, end))
    at = end
    if (!more) await Promise.race([once(stream, 'drain').catch(() => {}), stream.closed_])
  }
  if (!stream.destroyed) stream.end()
}

/** How a stream ends: what arrived, and the error, if any. */
function outcome(stream) {
  const chunks = []
  stream.on('data', chunk => chunks.push(Buffer.from(chunk)))
  return new Promise(resolve => {
    const done = error => resolve({ error, bytes: Buffer.concat(chunks) })
    stream.on('error', done)
    stream.on('end', () => done(undefined))
    stream.on('close', () => done(new Error('closed without an end and without an error')))
  })
}

/** Ways to cut a connection. */
const CUTS = [
  ([left]) => left.destroy(),
  ([, right]) => right.resetAndDestroy(),
  ([left]) => left.end(), // an end of the socket, without one of the session
]

async function one() {
  const sockets = await connected()
  const given = text.subarray(0, below(below(2) === 0 ? 1000 : MOST_BYTES))
  const options = { secret, ciphers: [CIPHERS[below(3)]], rekeyAfterBytes: REKEY_AFTER }
  const streams = ['initiator', 'responder'].map((role, n) =>
    secureStream(sockets[n], { ...options, role, allowSelf: true }),
  )
  for (const stream of streams) stream.closed_ = new Promise(resolve => stream.once('close', resolve))
  const outcomes = streams.map(outcome)
  const cut = below(2) === 0 ? undefined : CUTS[below(CUTS.length)]
  if (cut !== undefined) {
    if (below(2) === 0) setTimeout(cut, below(40), sockets)
    else {
      let left = below(2 * given.length + 1)
      for (const stream of streams)
        stream.on('data', ({ length }) => {
          left -= length
          if (left <= 0 && left + length > 0) cut(sockets)
        })
    }
  }
  const writing = Promise.all(streams.map(stream => write(stream, given)))
  for (const { error, bytes } of await Promise.all(outcomes)) {
    if (fault === 'wrong' && below(5) === 0 && bytes.length > 0) bytes[0] ^= 1
    const shown = fault === 'clean' && below(5) === 0 ? undefined : error
    const name = shown === undefined ? 'ended' : shown.code
    tally[name] = (tally[name] ?? 0) + 1
    if (!bytes.equals(given.subarray(0, bytes.length))) wrong.push('other bytes arrived')
    if (shown === undefined && bytes.length < given.length) wrong.push('a clean end before the last byte')
    if (shown !== undefined && cut === undefined) wrong.push(`a connection that was not cut: ${shown.stack}`)
    if (shown !== undefined && shown.code === undefined) wrong.push(shown.message)
  }
  for (const stream of streams) stream.destroy()
  await writing
  if (fault === 'kept') kept.push(Buffer.alloc(400 * 1024, 1))
  if (fault === 'crash' && ++finished === 50) process.kill(process.pid, 'SIGSEGV')
}

async function sample() {
  while (!isOver()) {
    await settle()
    samples.push(resident().rss)
    await new Promise(resolve => setTimeout(resolve, SAMPLE_MS))
  }
}

async function slot() {
  while (!isOver()) await one()
}

await Promise.all([sample(), ...Array.from({ length: AT_ONCE }, slot)])
server.close()
const ms = performance.now() - began
console.log(JSON.stringify({ node: process.versions.node, tally, wrong: wrong.slice(0, 20), samples, ms }))
