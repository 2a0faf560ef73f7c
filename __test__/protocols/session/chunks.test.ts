// How a stream is cut into chunks does not matter, and lengths that an unknown peer claims cost no memory.
import { setImmediate as turn } from 'node:timers/promises'
import { secureStream } from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { must, Random } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { randomSteps, recordsFor } from './mutations.js'
import { beside, randomChunks, SECRET, Wire } from './wire.js'

const gc = globalThis.gc as () => void
const MIB = 2 ** 20

/** Heap and memory of Buffers, after collections. */
async function used(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    gc()
    await turn()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('random chunkings of one stream give the same plaintext', async () => {
  const random = new Random('session chunks')
  for (let n = 0; n < count(300, 1000); n++) {
    const role = random.pick(reference.ROLES)
    const { wire, outcome, peer, writer } = await beside(random, {
      role,
      ciphers: [random.pick(reference.NAMES)],
    })
    const steps = randomSteps(random, n % 50 === 0 ? 200_000 : 500)
    const plain = Buffer.concat(steps.filter(({ type }) => type === 'data').map(({ data }) => data))
    const bytes = Buffer.concat([reference.framed(peer), ...recordsFor(writer, steps)])
    wire.feed(bytes, plain.length > 5000 ? [1, 3, 50_000, 5, 70_000, 1] : randomChunks(random, bytes.length))
    wire.finish()
    await outcome.over
    must(outcome.errors.length === 0 && outcome.ended, () => `chunking ${n}: ${outcome.errors}`)
    must(outcome.plain.equals(plain), () => `chunking ${n}: other bytes`)
  }
}, 120_000)

test('every place at which a short stream may be cut in two', async () => {
  const random = new Random('session cuts')
  let total = 1
  for (let at = 0; at <= total; at++) {
    const { wire, outcome, peer, writer } = await beside(random, { role: 'responder' })
    const [first, second] = [Buffer.from('first'), Buffer.from('second')]
    const records = [
      writer.seal(0),
      writer.seal(1, first),
      writer.rekey(),
      writer.seal(1, second),
      writer.seal(3),
    ]
    const bytes = Buffer.concat([reference.framed(peer), ...records])
    total = bytes.length
    wire.feed(bytes.subarray(0, at))
    await turn()
    wire.feed(bytes.subarray(at))
    wire.finish()
    await outcome.over
    expect([outcome.ended, outcome.plain.toString()], `${at}`).toEqual([true, 'firstsecond'])
  }
})

test('bulk records of which header, data or tag span two reads, at every place', async () => {
  const random = new Random('session bulk cuts')
  const RECORD = 64 * 1024
  const OVERHEAD = 21
  const plain = [1, 2, 3].map(() => random.bytes(RECORD))
  // The second record begins after OVERHEAD + RECORD bytes: the cuts go from the tag before it to its data, and around its end.
  const begins = OVERHEAD + RECORD
  for (let shift = -20; shift <= 10; shift++) {
    for (const place of [begins, 2 * begins]) {
      const { wire, outcome, peer, writer } = await beside(random, { role: 'responder' })
      wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0)]))
      await turn()
      const bytes = Buffer.concat([...plain.map(data => writer.seal(1, data)), writer.seal(3)])
      wire.feed(bytes, [place + shift])
      wire.finish()
      await outcome.over
      must(outcome.ended && outcome.plain.equals(Buffer.concat(plain)), () => `${place} ${shift}`)
    }
  }
})

test('of several records in one read, those before a changed one come out, and nothing after', async () => {
  const random = new Random('session one read')
  const RECORDS = 6
  for (const size of [1, 1000, 20_000]) {
    for (let changed = 0; changed < RECORDS; changed++) {
      const { wire, outcome, peer, writer } = await beside(random, { role: 'responder' })
      wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0)]))
      await turn()
      const plain = Array.from({ length: RECORDS }, () => random.bytes(size))
      const records = plain.map(data => writer.seal(1, data))
      const bad = records[changed] as Buffer
      const at = 5 + random.below(bad.length - 5)
      bad[at] = (bad[at] as number) ^ 1
      wire.feed(Buffer.concat([...records, writer.seal(3)]))
      wire.finish()
      await outcome.over
      expect([outcome.ended, outcome.errors[0]?.code]).toEqual([false, 'ERR_AESGCM_RECORD_REFUSED'])
      const before = Buffer.concat(plain.slice(0, changed))
      must(outcome.plain.equals(before), () => `${size} ${changed}: ${outcome.plain.length} bytes`)
    }
  }
})

test('peers that claim long records and send few bytes of them cost little memory', async () => {
  const random = new Random('session lies')
  const PEERS = 50
  const MOST = 20 * MIB
  const sessions: unknown[] = []
  const before = await used()
  for (let n = 0; n < PEERS; n++) {
    const { stream, wire, outcome, peer, writer } = await beside(random, {
      role: 'responder',
      maxRecord: MOST,
    })
    const header = Buffer.of(0, 0, 0, 0, 1)
    header.writeUInt32BE(MOST - random.below(1000))
    wire.feed(
      Buffer.concat([reference.framed(peer), writer.seal(0), header, random.bytes(random.below(100))]),
    )
    await turn()
    await turn()
    expect(outcome.errors).toEqual([])
    sessions.push(stream, wire)
  }
  expect((await used()) - before).toBeLessThan((PEERS * MIB) / 4)
  expect(sessions).toHaveLength(2 * PEERS)
})

test('peers that claim a hello of any length cost little memory', async () => {
  const sessions: unknown[] = []
  const before = await used()
  for (let n = 0; n < 50; n++) {
    const wire = new Wire()
    const stream = secureStream(wire, { secret: SECRET, role: 'initiator' })
    stream.on('error', () => {})
    wire.feed(Buffer.of(...[0x04, 0x00, 0xff, 0xff].slice(n & 2, (n & 2) + 2)))
    await turn()
    sessions.push(stream)
  }
  expect((await used()) - before).toBeLessThan((50 * MIB) / 4)
})

test('a record whose bytes come one at a time costs little more memory than its bytes', async () => {
  const SENT = 300_000
  const { wire, outcome, peer, writer } = await beside(new Random('session drops'), { role: 'responder' })
  wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0)]))
  await turn()
  const record = writer.seal(1, Buffer.alloc(SENT + 100, 7))
  const before = await used()
  for (let at = 0; at < SENT; at++) {
    wire.feed(record.subarray(at, at + 1))
    if (at % 1000 === 0) await turn()
  }
  await turn()
  expect((await used()) - before).toBeLessThan(SENT + MIB)
  wire.feed(Buffer.concat([record.subarray(SENT), writer.seal(3)]))
  wire.finish()
  await outcome.over
  expect([outcome.ended, outcome.plain.equals(Buffer.alloc(SENT + 100, 7))]).toEqual([true, true])
})

test('a record whose bytes come in large and small chunks by turns costs little more memory than its bytes', async () => {
  const SENT = 900_000
  const random = new Random('session mixed chunks')
  for (const [large, small] of [
    [2048, 1],
    [2047, 1],
    [4096, 1],
    [1000, 2100],
  ] as const) {
    const { stream, wire, outcome, peer, writer } = await beside(random, { role: 'responder' })
    wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0)]))
    await turn()
    const record = writer.seal(1, Buffer.alloc(SENT + 100, 7))
    const before = await used()
    for (let at = 0; at < SENT; ) {
      const length = at % (large + small) === 0 ? large : small
      wire.feed(record.subarray(at, Math.min(SENT, at + length)))
      at += length
    }
    await turn()
    expect((await used()) - before, `${large} and ${small}`).toBeLessThan(SENT + MIB)
    expect(outcome.errors).toEqual([])
    stream.destroy()
  }
})

test('a stream that was destroyed keeps no bytes of a record that was not complete', async () => {
  // Long, because what else a process frees or takes meanwhile comes to some 100 kB.
  const MOST = 16 * MIB
  const random = new Random('session rest of a record')
  const { stream, wire, peer, writer } = await beside(random, { role: 'responder', maxRecord: MOST })
  wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0)]))
  await turn()
  const record = writer.seal(1, Buffer.alloc(MOST - 17, 7))
  const before = await used()
  wire.feed(Buffer.from(record.subarray(0, -1)))
  await turn()
  expect((await used()) - before).toBeGreaterThan(MOST / 2)
  stream.destroy()
  await turn()
  expect((await used()) - before).toBeLessThan(MOST / 4)
  expect(stream.destroyed).toBe(true)
})

test('a record above maxRecord is refused at its header, one of maxRecord is read', async () => {
  const random = new Random('session limits')
  for (const maxRecord of [undefined, 100_000, 20 * MIB]) {
    const most = maxRecord ?? MIB
    for (const [length, wanted] of [
      [most, null],
      [most + 1, 'ERR_AESGCM_RECORD_REFUSED'],
    ] as const) {
      const { wire, outcome, peer, writer } = await beside(random, {
        role: 'responder',
        ...(maxRecord && { maxRecord }),
      })
      const record = writer.seal(0)
      const long = writer.seal(1, Buffer.alloc(length - 17))
      wire.feed(Buffer.concat([reference.framed(peer), record, wanted === null ? long : long.subarray(0, 4)]))
      if (wanted === null) wire.feed(writer.seal(3))
      wire.finish()
      await outcome.over
      expect(outcome.errors[0]?.code ?? null, `${length}`).toBe(wanted)
      expect(outcome.plain.length).toBe(wanted === null ? length - 17 : 0)
    }
  }
})
