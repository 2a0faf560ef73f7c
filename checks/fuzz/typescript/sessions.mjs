// Hellos and records of sessions, changed: a reader gives the beginning of the data that were sent, in order, and then a documented error.
// On KeibiDrop's wire, the data may begin with any record.
import { Buffer } from 'node:buffer'
import { createRequire } from 'node:module'
import { Duplex } from 'node:stream'
import { changed, pieces } from './change.mjs'
import { codeOf, must, outcome } from './expect.mjs'

const { Handshake, secureStream } = createRequire(import.meta.url)(
  '../../../dist/protocols/session/index.cjs',
)

const SECRET = Buffer.alloc(32, 7)
const CIPHERS = ['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305']
const FAILED = 'ERR_AESGCM_HANDSHAKE_FAILED'
const REFUSED = 'ERR_AESGCM_RECORD_REFUSED'
const CUT_OFF = 'ERR_AESGCM_STREAM_TRUNCATED'

export async function once(chance) {
  await chance.pick([hello, records, records, compatible, stream])(chance)
}

function pair(options) {
  return ['initiator', 'responder'].map(
    role => new Handshake({ secret: SECRET, role, allowSelf: true, ...options }),
  )
}

/** The writer's messages: data of some lengths, new keys at times, and the end at times. */
function sent(chance, writer, extra) {
  const [messages, data, starts] = [[], [], []]
  let length = 0
  for (let i = 1 + chance.below(5); i > 0; i--) {
    const text = chance.fill(Buffer.alloc(chance.below(chance.once(3) ? 900 : 40)))
    messages.push(writer.seal(text))
    data.push(text)
    starts.push(length)
    length += text.length
    if (chance.once(6)) messages.push(writer.rekey(extra))
  }
  if (chance.once(2)) messages.push(writer.end())
  return { messages, data: Buffer.concat(data), starts }
}

async function hello(chance) {
  const [initiator, responder] = pair({ ciphers: CIPHERS.slice(chance.below(3)) })
  const own = initiator.hello
  const bytes = changed(chance, own, [own, responder.hello])
  const done = await outcome([FAILED], bytes, () => Buffer.from(responder.finish(bytes).cipher))
  if (bytes.equals(own)) must(done.value, () => `a genuine hello: ${done.code}`)
  if (done.value) must(CIPHERS.includes(done.value.toString()), () => `the cipher ${done.value}`)
  const again = await outcome(['ERR_INVALID_STATE'], '', () => Buffer.from(responder.finish(own).cipher))
  must(again.code === 'ERR_INVALID_STATE', 'a handshake finished twice')
  // With another hello, the keys differ.
  if (done.value && !bytes.equals(own)) {
    const { writer } = initiator.finish(responder.hello)
    const fresh = new Handshake({ secret: SECRET, role: 'responder', allowSelf: true })
    const { reader } = fresh.finish(own)
    const opened = await outcome([REFUSED, FAILED], bytes, () =>
      reader.open(writer.seal(Buffer.from('data'))),
    )
    must(opened.code, 'keys of another connection')
  }
}

async function records(chance) {
  const [initiator, responder] = pair({
    ciphers: [chance.pick(CIPHERS)],
    maxRecord: chance.pick([29, 600, 2 ** 20]),
  })
  const { writer } = initiator.finish(responder.hello)
  await read(chance, writer, responder.finish(initiator.hello).reader)
}

async function compatible(chance) {
  const ciphers = [chance.pick(['aes-256-gcm', 'chacha20-poly1305'])]
  const [initiator, responder] = pair({ ciphers, compat: 'keibidrop' })
  const none = Buffer.alloc(0)
  const { writer } = initiator.finish(none)
  await read(chance, writer, responder.finish(none).reader, SECRET)
}

async function read(chance, writer, reader, extra) {
  const { messages, data, starts } = (() => {
    try {
      return sent(chance, writer, extra)
    } catch (error) {
      // KeibiDrop's wire has no end.
      codeOf(error, ['ERR_INVALID_STATE'])
      return { messages: [], data: Buffer.alloc(0), starts: [] }
    }
  })()
  const whole = Buffer.concat(messages)
  const genuine = chance.once(5)
  const bytes = genuine
    ? Buffer.from(whole)
    : changed(chance, whole, messages.length > 0 ? messages : [whole])
  const same = bytes.equals(whole)
  const opened = await outcome([REFUSED, FAILED], bytes, () => {
    const all = reader.open(bytes)
    while (reader.awaitsRekey) all.push(...reader.rekey(SECRET))
    return all.map(part => Buffer.from(part))
  })
  if (same && extra === undefined) must(opened.value, () => `genuine records: ${opened.code}`)
  if (opened.value) {
    const all = Buffer.concat(opened.value)
    // KeibiDrop's wire numbers no first record, so that a reader does not notice if earlier ones are missing (docs/security.md).
    const begins = extra === undefined ? [0] : [0, ...starts]
    must(
      begins.some(start => all.equals(data.subarray(start, start + all.length))),
      () => `other data than were sent: ${all.toString('hex')}`,
    )
    if (same && extra === undefined) must(all.length === data.length, 'data are missing')
  } else {
    const again = await outcome([REFUSED, FAILED], '', () => reader.open(whole))
    must(again.code, 'a reader goes on after a record was refused')
  }
  reader.destroy()
}

/** The same bytes through a socket, cut anywhere. */
async function stream(chance) {
  const initiator = new Handshake({ secret: SECRET, role: 'initiator' })
  let toPeer = Buffer.alloc(0)
  const socket = new Duplex({
    read() {},
    write(chunk, _, done) {
      toPeer = Buffer.concat([toPeer, chunk])
      done()
    },
  })
  const secure = secureStream(socket, {
    secret: SECRET,
    role: 'responder',
    allowSelf: true,
    handshakeTimeout: 60_000,
  })
  const got = []
  secure.on('data', part => got.push(Buffer.from(part)))
  const closed = new Promise(resolve => {
    let failure
    secure.on('error', error => {
      failure = error
    })
    secure.on('end', () => secure.end())
    secure.on('close', () => resolve(failure))
  })
  await new Promise(setImmediate)
  const { writer } = initiator.finish(toPeer.subarray(2))
  const own = initiator.hello
  const prefix = Buffer.alloc(2)
  prefix.writeUInt16BE(own.length)
  const { messages, data } = sent(chance, writer)
  const whole = Buffer.concat([prefix, own, ...messages])
  const bytes = chance.once(5) ? whole : changed(chance, whole, [own, ...messages])
  for (const part of pieces(chance, bytes)) {
    socket.push(part)
    if (chance.once(4)) await new Promise(setImmediate)
  }
  socket.push(null)
  const failure = await closed
  const result = await outcome([FAILED, REFUSED, CUT_OFF], bytes, () => {
    if (failure) throw failure
    return Buffer.concat(got)
  })
  const all = Buffer.concat(got)
  must(all.equals(data.subarray(0, all.length)), 'other data than were sent')
  if (result.value) must(result.value.equals(data), 'a stream ended and data are missing')
}
