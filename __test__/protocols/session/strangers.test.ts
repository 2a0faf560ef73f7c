// KeibiDrop's wire proves nothing before the peer's first record: until then a stream has a timer and keeps few bytes, and only then it
// is secure.
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { type SecureStreamOptions, secureStream } from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { ends } from './pair.js'
import { Outcome, SECRET, until, Wire } from './wire.js'

const REFUSED = 'ERR_AESGCM_RECORD_REFUSED'
const FAILED = 'ERR_AESGCM_HANDSHAKE_FAILED'
/** The longest first record. */
const MOST = 2 ** 17
const KEY = reference.keibidropKey('aes-256-gcm', [SECRET])
const writer = () => new reference.KeibidropWriter('aes-256-gcm', KEY)

const on = (socket: Duplex, options: Partial<SecureStreamOptions> = {}) =>
  secureStream(socket, {
    secret: SECRET,
    role: 'responder',
    ciphers: ['aes-256-gcm'],
    compat: 'keibidrop',
    ...options,
  })

function begun(options: Partial<SecureStreamOptions> = {}) {
  const wire = new Wire({ allowHalfOpen: true })
  const stream = on(wire, options)
  const outcome = new Outcome(stream)
  const events: string[] = []
  stream.on('secure', () => events.push('secure'))
  stream.on('data', (chunk: Buffer) => events.push(chunk.toString('latin1', 0, 4)))
  return { wire, stream, outcome, events }
}

test('a stranger who is silent, or sends the beginning of a record, is ended by handshakeTimeout', async () => {
  const record = writer().seal(Buffer.alloc(1000))
  for (const bytes of [0, 1, 4, 16, 1031]) {
    const { wire, outcome, events } = begun({ handshakeTimeout: 30 })
    if (bytes > 0) wire.feed(record.subarray(0, bytes))
    await outcome.over
    expect(outcome.errors[0]).toMatchObject({
      code: FAILED,
      message: 'the handshake failed: no authentic record of the peer came within handshakeTimeout',
    })
    expect([outcome.ended, events, wire.destroyed]).toEqual([false, [], true])
  }
})

test(`a stranger's record of more than ${MOST} bytes is refused at its length, and no byte of it is awaited`, async () => {
  const length = Buffer.alloc(4)
  for (const [bytes, code] of [
    [MOST, undefined],
    [MOST + 1, REFUSED],
    [20 * 2 ** 20, REFUSED],
  ] as const) {
    const { wire, outcome, events, stream } = begun()
    length.writeUInt32BE(bytes)
    wire.feed(length)
    await turn()
    expect([outcome.errors[0]?.code, events]).toEqual([code, []])
    stream.destroy()
  }
})

test('after an authentic record, records of up to maxRecord are read, and the timer has stopped', async () => {
  const [first, second] = [Buffer.alloc(MOST - 28, 1), Buffer.alloc(3 * MOST, 2)]
  const { wire, outcome, stream } = begun({ handshakeTimeout: 1000 })
  const theirs = writer()
  wire.feed(theirs.seal(first))
  wire.feed(theirs.seal(second))
  await until(() => outcome.plain.length > first.length || outcome.errors.length > 0, 'both records')
  expect(outcome.plain.equals(Buffer.concat([first, second]))).toBe(true)
  await new Promise(resolve => setTimeout(resolve, 1100))
  expect([outcome.errors, stream.destroyed]).toEqual([[], false])
  stream.destroy()
})

test("'secure' comes with the first authentic record, once, before its data, also if that is empty", async () => {
  for (const [texts, wanted] of [
    [
      ['one', 'two'],
      ['secure', 'one', 'two'],
    ],
    [
      ['', 'two'],
      ['secure', 'two'],
    ],
  ] as const) {
    const { wire, stream, outcome, events } = begun()
    for (let n = 0; n < 3; n++) await turn()
    expect(events).toEqual([])
    const theirs = writer()
    for (const text of texts) wire.feed(theirs.seal(Buffer.from(text)))
    await until(() => events.length >= wanted.length || outcome.errors.length > 0, 'the data')
    expect([events, outcome.errors]).toEqual([wanted, []])
    stream.destroy()
  }
  const { wire, outcome, events } = begun()
  const forged = writer().seal(Buffer.from('one'))
  forged.writeUInt8(forged.readUInt8(20) ^ 1, 20)
  wire.feed(forged)
  await outcome.over
  expect([events, outcome.errors[0]?.code, outcome.plain.length]).toEqual([[], REFUSED, 0])
})

test("data of the first record is not lost if a listener of 'secure' throws, and not emitted if it destroys", async () => {
  const thrown: unknown[] = []
  const mine = new Error('of a listener')
  const caught = (error: unknown) => void thrown.push(error)
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', caught)
  try {
    const { wire, stream, outcome, events } = begun()
    stream.on('secure', () => {
      throw mine
    })
    setImmediate(() => wire.feed(writer().seal(Buffer.from('one'))))
    await until(() => outcome.plain.length > 0, 'the data')
    expect([events, thrown]).toEqual([['secure', 'one'], [mine]])
    stream.destroy()
  } finally {
    process.removeListener('uncaughtException', caught)
    for (const listener of listeners) process.on('uncaughtException', listener)
  }
  const { wire, stream, outcome, events } = begun()
  stream.on('secure', () => stream.destroy())
  wire.feed(writer().seal(Buffer.from('one')))
  await outcome.over
  expect(events).toEqual(['secure'])
})

test('data goes out before the peer has proved anything, because two sides that wait for each other would wait for ever', async () => {
  const [a, b] = ends()
  const [one, two] = [on(a, { role: 'initiator' }), on(b)]
  const outcomes = [new Outcome(one), new Outcome(two)]
  let secure = 0
  for (const side of [one, two]) {
    side.on('secure', () => secure++)
    side.write('early')
  }
  await until(() => outcomes.every(({ plain }) => plain.length === 5), 'both texts')
  expect(secure).toBe(2)
  for (const side of [one, two]) side.destroy()
})

test('a peer that ends without a record stops the timer, and we go on sending', async () => {
  const { wire, stream, outcome, events } = begun({ handshakeTimeout: 300 })
  stream.write('one')
  wire.finish()
  await until(() => outcome.ended, 'the end')
  await new Promise(resolve => setTimeout(resolve, 500))
  expect([stream.destroyed, events, outcome.errors]).toEqual([false, [], []])
  await new Promise(resolve => stream.end('two', () => resolve(undefined)))
  expect(
    reference.cut(wire.sent).map(frame => reference.openKeibidrop('aes-256-gcm', KEY, frame).data.toString()),
  ).toEqual(['one', 'two'])
})

test('a socket that closes before the first record is a truncation, as afterwards', async () => {
  const { wire, outcome, events } = begun()
  wire.destroy()
  await outcome.over
  expect([outcome.errors[0]?.code, events]).toEqual(['ERR_AESGCM_STREAM_TRUNCATED', []])
})
