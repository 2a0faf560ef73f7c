// Memory that a session uses again: that of records which a socket has taken, and that of chunks which came in.
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { Handshake } from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'
import { Random } from '../../conformance/random.mjs'
import * as reference from '../../models/session.js'
import { dataOf, EXTRA, pipes, SECRET, secured, sockets } from './connections.js'
import { beside, randomChunks, until } from './wire.js'

const KIB = 1024
/** In every write of a test, and never on a wire. */
const PLAINTEXT = Buffer.from('plaintext that no socket may get')
const block = (bytes: number, fill: number) => Buffer.alloc(bytes, fill).fill(PLAINTEXT, 0, PLAINTEXT.length)

type Write = (chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void) => void

/** Bytes that a socket got, and what they were then. */
class Seen {
  readonly memory: Buffer
  readonly copy: Buffer
  constructor(memory: Buffer) {
    expect(memory.includes(PLAINTEXT)).toBe(false)
    this.memory = memory
    this.copy = Buffer.from(memory)
  }
  check() {
    expect(this.memory.equals(this.copy)).toBe(true)
  }
}

const distinct = (all: Iterable<Seen>) => new Set([...all].map(({ memory }) => memory.buffer)).size

describe('records that go out', () => {
  test('to a net.Socket: their memory is not written to before the write was called back, and is then used again', async () => {
    const random = new Random('session memory')
    const waiting = new Set<Seen>()
    const all: Seen[] = []
    // Every write of these sockets is called back late, and the memory of all waiting ones is compared each time.
    const slow = (socket: Socket) => {
      const whole = Socket.prototype._write as Write
      const _write: Write = (chunk, encoding, callback) => {
        for (const seen of waiting) seen.check()
        const seen = new Seen(chunk)
        waiting.add(seen)
        if (chunk.length > 32 * KIB) all.push(seen)
        whole.call(socket, chunk, encoding, error => {
          setTimeout(() => {
            for (const each of waiting) each.check()
            waiting.delete(seen)
            callback(error)
          }, random.below(3))
        })
      }
      Object.assign(socket, { _write, _writev: null })
    }
    const transfer = async () => {
      const ends = await sockets({ allowHalfOpen: true })
      for (const end of ends) slow(end)
      const [one, two] = secured(ends, { rekeyAfterBytes: 300_000 })
      const received = dataOf(two)
      const sent: Buffer[] = []
      for (let i = 0; i < 24; i++) {
        const data = block(PLAINTEXT.length + random.below(300 * KIB), i)
        sent.push(data)
        if (!one.write(data)) await once(one, 'drain')
        if (i % 8 === 3) one.rekey(EXTRA)
        if (i % 8 === 3) two.rekey(EXTRA)
      }
      one.end()
      two.end()
      one.resume()
      expect((await received).equals(Buffer.concat(sent))).toBe(true)
    }
    await Promise.all([transfer(), transfer(), transfer()])
    await until(() => waiting.size === 0, 'the last callback')
    expect(distinct(all)).toBeLessThan(all.length / 4)
  })

  class Subclass extends Socket {}
  const OTHERS: [string, () => [Duplex, Duplex] | Promise<[Duplex, Duplex]>][] = [
    ['a Duplex that copies', () => pipes({ allowHalfOpen: true })],
    [
      'a Duplex whose reader gets the bytes as they are',
      () => duplexPair({ allowHalfOpen: true }) as [Duplex, Duplex],
    ],
    [
      'a subclass of net.Socket',
      async () => {
        const ends = await sockets({ allowHalfOpen: true })
        Object.setPrototypeOf(ends[0], Subclass.prototype)
        return ends
      },
    ],
    [
      'a net.Socket with a method write of its own',
      async () => {
        const ends = await sockets({ allowHalfOpen: true })
        const { write } = ends[0]
        Object.assign(ends[0], { write: (...args: Parameters<typeof write>) => write.apply(ends[0], args) })
        return ends
      },
    ],
  ]
  test.each(OTHERS)('to %s: their memory is never used again', async (_, make) => {
    const ends = await make()
    const written: Buffer[] = []
    const whole = ends[0]._write as Write
    Object.assign(ends[0], {
      _write: (...args: Parameters<Write>) => {
        written.push(args[0])
        whole.apply(ends[0], args)
      },
      _writev: null,
    })
    const [one, two] = secured(ends)
    const received = dataOf(two)
    for (let i = 0; i < 24; i++) if (!one.write(block(100 * KIB, i))) await once(one, 'drain')
    one.end()
    expect(await received).toHaveLength(2400 * KIB)
    const large = written.filter(({ length }) => length > 32 * KIB)
    expect(large.length).toBeGreaterThanOrEqual(24)
    expect(new Set(large.map(({ buffer }) => buffer)).size).toBe(large.length)
  })

  test('at most 8 blocks are kept, for all streams of a thread together', () => {
    type Outgoing = Record<'blockFor', (bytes: number) => Buffer> &
      Record<'giveBack', (block: Buffer) => void>
    const { blockFor, giveBack } = createRequire(import.meta.url)(
      '../../../dist/protocols/session/bytes/blocks.cjs',
    ) as Outgoing
    const take = () => Array.from({ length: 20 }, () => blockFor(64 * KIB))
    const first = take()
    expect(new Set(first).size).toBe(20)
    expect(Math.max(...first.map(({ length }) => length))).toBeLessThanOrEqual(130 * KIB)
    for (const each of first) giveBack(each)
    const second = take()
    expect(second.filter(each => first.includes(each))).toHaveLength(8)
    expect(blockFor(1000)).toBeUndefined()
  })
})

describe('chunks that came in', () => {
  /** What a stream gave out as it was then, and what it is at the end. */
  async function given(random: Random, sizes: number[], chunks: (total: number) => Iterable<number>) {
    const { stream, wire, outcome, peer, writer } = await beside(random, { role: 'responder' })
    const memory = new Set<ArrayBufferLike>()
    wire.on('data', (chunk: Buffer) => memory.add(chunk.buffer))
    const out: Seen[] = []
    stream.on('data', data => out.push(new Seen(data)))
    wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0)]))
    await turn()
    const plain = sizes.map(size => random.bytes(size))
    const records = Buffer.concat([...plain.map(data => writer.seal(1, data)), writer.seal(3)])
    wire.feed(records, chunks(records.length))
    wire.finish()
    await outcome.over
    expect([outcome.ended, outcome.plain.equals(Buffer.concat(plain))]).toEqual([true, true])
    for (const seen of out) seen.check()
    return { inChunks: out.filter(({ memory: { buffer } }) => memory.has(buffer)).length, all: out.length }
  }

  test('bulk data lies in the chunks of a socket, without memory of its own', async () => {
    const sizes = new Array<number>(40).fill(64 * KIB)
    const { inChunks, all } = await given(new Random('session bulk'), sizes, () =>
      new Array(50).fill(64 * KIB),
    )
    expect(all).toBe(40)
    expect(inChunks).toBeGreaterThanOrEqual(38)
  })

  test('data that was given out is never changed', async () => {
    const random = new Random('session given')
    for (let round = 0; round < 24; round++) {
      const most = random.pick([30, 3000, 64 * KIB])
      const sizes = Array.from({ length: 30 }, () => random.below(most + 1))
      const length = random.pick([most, most + 21, 2 * most, 0])
      await given(random, sizes, total =>
        length === 0 ? randomChunks(random, total) : new Array(200).fill(length),
      )
    }
  })
})

test('small records share memory, of which none has bytes of another, and large ones do not', () => {
  const one = new Handshake({ secret: SECRET, role: 'initiator' })
  const two = new Handshake({ secret: SECRET, role: 'responder', allowSelf: true })
  const { writer } = one.finish(two.hello)
  const records = (length: number) => Array.from({ length: 200 }, () => writer.seal(Buffer.alloc(length)))
  const memories = (of: Buffer[]) => new Set(of.map(({ buffer }) => buffer)).size
  const small = records(1000)
  expect(memories(small)).toBeLessThan(6)
  expect(memories(records(5000))).toBe(200)
  const places = small.map(({ buffer, byteOffset, length }) => ({ buffer, byteOffset, length }))
  for (const [n, { buffer, byteOffset }] of places.entries()) {
    const before = places[n - 1]
    if (before?.buffer === buffer) expect(byteOffset).toBe(before.byteOffset + before.length)
  }
})
