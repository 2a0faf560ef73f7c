// Peers that have the secret, and send floods of small records: records without data are limited in a row, and the work of one read is
// spread over turns of the event loop, so that the rest of the program goes on.
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { Handshake, type SecureStreamOptions, secureStream } from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { Random, refuses } from '../../tools/support.js'
import { dataOf, pipes, secured } from './connections.js'
import { type Beside, beside, Outcome, SECRET, until, Wire } from './wire.js'

const REFUSED = 'ERR_AESGCM_RECORD_REFUSED'
/** Records in a row without data that a reader takes. */
const MOST = 256
const { data } = reference.TYPES
const random = new Random('session floods')
const BYTE = Buffer.from('x')

async function receiver(options: Partial<SecureStreamOptions> = {}): Promise<Beside> {
  const side = await beside(random, { role: 'responder', ...options })
  side.wire.feed(
    Buffer.concat([reference.framed(side.peer), side.writer.seal(0), side.writer.seal(data, BYTE)]),
  )
  await until(() => side.outcome.plain.length === 1, 'the first byte')
  return side
}

/** So many records of one kind. */
const many = (count: number, seal: () => Buffer) => Buffer.concat(Array.from({ length: count }, seal))

describe('records without data, in a row', () => {
  const KINDS: [string, (writer: reference.Direction) => Buffer][] = [
    ['rekeyings', writer => writer.rekey()],
    ['empty data', writer => writer.seal(data)],
  ]
  for (const [kind, seal] of KINDS) {
    test(`${kind}: ${MOST} are taken, and one more ends the stream`, async () => {
      for (const [count, code] of [
        [MOST, undefined],
        [MOST + 1, REFUSED],
      ] as const) {
        const { wire, writer, outcome, stream } = await receiver()
        const flood = many(count, () => seal(writer))
        wire.feed(Buffer.concat([flood, writer.seal(data, BYTE), writer.seal(3)]))
        wire.finish()
        await outcome.over
        expect([outcome.errors[0]?.code, outcome.plain.length]).toEqual([code, code ? 1 : 2])
        if (code)
          expect(outcome.errors[0]?.message).toBe(
            `a record was refused: more than ${MOST} in a row came without data`,
          )
        stream.destroy()
      }
    })

    test(`${kind}: any number is taken if data comes between them, or time`, async () => {
      const { wire, writer, outcome, stream } = await receiver()
      for (let n = 0; n < 3; n++)
        wire.feed(Buffer.concat([many(MOST, () => seal(writer)), writer.seal(data, BYTE)]))
      await until(() => outcome.plain.length === 4, 'data')
      for (let n = 0; n < 3; n++) {
        wire.feed(many(MOST, () => seal(writer)))
        await until(() => stream.stats.received.records === 5 + (4 + n) * MOST, 'all records')
      }
      expect(outcome.errors).toEqual([])
      stream.destroy()
    })

    test(`${kind}: ${MOST} are taken in a message, and one more ends the reader`, () => {
      for (const [count, fails] of [
        [MOST, false],
        [MOST + 1, true],
      ] as const) {
        const handshake = new Handshake({ secret: SECRET, role: 'responder' })
        const peer = reference.hello('initiator', random.bytes(32), [1])
        const { writer } = reference.session('initiator', peer, handshake.hello, [SECRET])
        const { reader } = handshake.finish(peer)
        const begin = [writer.seal(0), writer.seal(data, BYTE)]
        for (let n = 0; n < 2; n++) {
          const message = Buffer.concat([
            ...begin.splice(0),
            many(count, () => seal(writer)),
            writer.seal(data, BYTE),
          ])
          if (fails) refuses(() => reader.open(message), REFUSED)
          else expect(Buffer.concat(reader.open(message)).toString()).toMatch(/^xx?$/)
        }
        // Each message alone, such as a sign of life of a peer that has nothing to say.
        if (!fails) for (let n = 0; n < 3 * MOST; n++) reader.open(seal(writer))
        reader.destroy()
      }
    })
  }

  test("on KeibiDrop's wire", async () => {
    const options = {
      secret: SECRET,
      role: 'responder',
      ciphers: ['aes-256-gcm'],
      compat: 'keibidrop',
    } as const
    for (const [count, code] of [
      [MOST, undefined],
      [MOST + 1, REFUSED],
    ] as const) {
      const writer = new reference.KeibidropWriter(
        'aes-256-gcm',
        reference.keibidropKey('aes-256-gcm', [SECRET]),
      )
      const message = Buffer.concat([
        writer.seal(BYTE),
        many(count, () => writer.seal(Buffer.alloc(0))),
        writer.seal(BYTE),
      ])
      const wire = new Wire()
      const stream = secureStream(wire, options)
      const outcome = new Outcome(stream)
      wire.feed(message)
      await until(() => outcome.plain.length === 2 || outcome.errors.length > 0, 'a result')
      expect(outcome.errors[0]?.code).toBe(code)
      const { reader } = new Handshake(options).finish(Buffer.alloc(0))
      if (code) refuses(() => reader.open(Buffer.from(message)), code)
      else expect(Buffer.concat(reader.open(Buffer.from(message))).toString()).toBe('xx')
      stream.destroy()
    }
  })

  test('a peer with the least limits of rekeying is no flood', async () => {
    for (const options of [{ rekeyAfterBytes: 1 }, { rekeyAfterRecords: 1, maxRecord: 29 }]) {
      const [one, two] = secured(pipes({ allowHalfOpen: true }), options)
      const bytes = random.bytes(3000)
      for (let at = 0; at < bytes.length; at += 10) one.write(bytes.subarray(at, at + 10))
      one.end()
      expect((await dataOf(two)).equals(bytes)).toBe(true)
      expect(two.stats.received.epochs).toBeGreaterThan(100)
      for (const side of [one, two]) side.destroy()
    }
  })
})

describe('the work of a read', () => {
  /** The most records that the streams open in one turn of the event loop, up to `total` of them. */
  async function mostInATurn(sides: readonly Beside[], total: number): Promise<number> {
    const opened = () => sides.reduce((sum, { stream }) => sum + stream.stats.received.records, 0)
    let [most, last] = [0, opened()]
    while (last < total) {
      await turn()
      const now = opened()
      most = Math.max(most, now - last)
      last = now
    }
    return most
  }

  test.each<[string, number, (writer: reference.Direction) => Buffer]>([
    ['records of one byte', 520, writer => writer.seal(data, BYTE)],
    // Two records each: new keys take longer.
    ['rekeyings, each with a byte', 130, writer => Buffer.concat([writer.rekey(), writer.seal(data, BYTE)])],
    [
      'empty data, each with a byte',
      130,
      writer => Buffer.concat([writer.seal(data), writer.seal(data, BYTE)]),
    ],
    ['records of 64 KiB', 110, writer => writer.seal(data, Buffer.alloc(2 ** 16))],
  ])('%s: at most %i are opened in one turn', async (_, most, seal) => {
    const side = await receiver()
    side.stream.on('data', () => {})
    const before = side.stream.stats.received.records
    const flood = many(1000, () => seal(side.writer))
    const records = reference.cut(flood).length
    side.wire.feed(flood)
    const found = await mostInATurn([side], before + records)
    expect(found).toBeLessThanOrEqual(most)
    expect(found).toBeGreaterThan(most / 3)
    expect(side.outcome.errors).toEqual([])
    side.stream.destroy()
  })

  test('is shared out among the streams of a thread, and none waits for the end of another', async () => {
    const sides = await Promise.all(Array.from({ length: 5 }, () => receiver()))
    const [honest, ...floods] = sides as [Beside, ...Beside[]]
    for (const { wire, writer } of floods) wire.feed(many(3000, () => writer.seal(data, BYTE)))
    honest.wire.feed(honest.writer.seal(data, Buffer.from('honest')))
    const found = mostInATurn(sides, 4 * 3000)
    await until(() => honest.outcome.plain.toString() === 'xhonest', 'the honest record')
    for (const { stream } of floods) expect(stream.stats.received.records).toBeLessThan(3000)
    expect(await found).toBeLessThanOrEqual(540)
    await until(() => floods.every(({ outcome }) => outcome.plain.length === 3001), 'all data')
    for (const { stream } of sides) stream.destroy()
  })

  test('within the budget of a turn is done at once, and every turn has the whole budget', async () => {
    const { stream, wire, writer, outcome } = await receiver()
    for (let n = 1; n <= 4; n++) {
      await turn()
      wire.feed(many(400, () => writer.seal(data, BYTE)))
      expect(outcome.plain.length).toBe(1 + n * 400)
    }
    stream.destroy()
  })

  test('is that of its records: their number of chunks costs nothing', async () => {
    const { stream, wire, writer, outcome } = await receiver()
    await turn()
    for (let n = 0; n < 400; n++) wire.feed(writer.seal(data, BYTE))
    expect(outcome.plain.length).toBe(401)
    stream.destroy()
  })

  test('that goes on later keeps order, and its listeners their async context', async () => {
    const storage = new AsyncLocalStorage<number>()
    const sides = await Promise.all([0, 1].map(n => storage.run(n, () => receiver())))
    const seen = [new Set<number | undefined>(), new Set<number | undefined>()]
    for (const [n, { stream, wire, writer, outcome }] of sides.entries()) {
      stream.on('data', () => seen[n]?.add(storage.getStore()))
      storage.run(n, () =>
        wire.feed(Buffer.concat(Array.from({ length: 2000 }, (_, i) => writer.seal(data, Buffer.of(i))))),
      )
      expect(outcome.plain.length).toBeLessThan(2001)
    }
    await until(() => sides.every(({ outcome }) => outcome.plain.length === 2001), 'all data')
    expect(seen.map(contexts => [...contexts])).toEqual([[0], [1]])
    for (const { outcome, stream } of sides) {
      expect(outcome.plain.subarray(1).equals(Buffer.from(Array.from({ length: 2000 }, (_, i) => i)))).toBe(
        true,
      )
      stream.destroy()
    }
  })

  test('goes on after the socket has closed, up to the end', async () => {
    const { stream, wire, writer, outcome } = await receiver()
    stream.end()
    await once(stream, 'finish')
    wire.feed(Buffer.concat([many(3000, () => writer.seal(data, BYTE)), writer.seal(3)]))
    expect(outcome.plain.length).toBeLessThan(3001)
    wire.destroy()
    await outcome.over
    expect([outcome.ended, outcome.plain.length, outcome.errors]).toEqual([true, 3001, []])
  })

  test('that waits when the socket closes without an end is done, and then the stream fails', async () => {
    const { wire, writer, outcome } = await receiver()
    wire.feed(many(3000, () => writer.seal(data, BYTE)))
    wire.destroy()
    await outcome.over
    expect([outcome.ended, outcome.plain.length]).toEqual([false, 3001])
    expect(outcome.errors[0]?.code).toBe('ERR_AESGCM_STREAM_TRUNCATED')
  })

  test('pauses the socket while records wait, so that no more of them come', async () => {
    const { stream, wire, writer, outcome } = await receiver()
    wire.feed(many(3000, () => writer.seal(data, BYTE)))
    expect([outcome.plain.length < 3001, wire.isPaused()]).toEqual([true, true])
    await until(() => outcome.plain.length === 3001, 'all data')
    expect(wire.isPaused()).toBe(false)
    stream.destroy()
  })

  test('stops with the stream', async () => {
    const { stream, wire, writer, outcome } = await receiver()
    wire.feed(many(3000, () => writer.seal(data, BYTE)))
    const { length } = outcome.plain
    stream.destroy()
    for (let n = 0; n < 5; n++) await turn()
    expect([outcome.plain.length, outcome.errors]).toEqual([length, []])
    expect(length).toBeLessThan(3001)
  })

  test('goes on after a listener that throws', async () => {
    const [mine, faults]: [Error, unknown[]] = [new Error('of a listener'), []]
    const caught = (error: unknown) => void faults.push(error)
    const { stream, wire, writer, outcome } = await receiver()
    const listeners = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', caught)
    try {
      let count = 0
      stream.on('data', () => {
        if (++count === 1500) throw mine
      })
      wire.feed(many(3000, () => writer.seal(data, BYTE)))
      await until(() => outcome.plain.length === 3001, 'all data')
      expect(faults).toEqual([mine])
    } finally {
      process.removeListener('uncaughtException', caught)
      for (const listener of listeners) process.on('uncaughtException', listener)
    }
    stream.destroy()
  })
})
