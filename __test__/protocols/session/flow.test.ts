// Backpressure and rekeying of sessions, as their users see them.
import { once } from 'node:events'
import { Duplex, PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { Handshake, secureStream } from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'
import { connected, dataOf, EXTRA, failure, OTHER, pipes, SECRET, secured, sockets } from './connections.js'
import { Wire } from './wire.js'

describe('backpressure', () => {
  test('a reader that does not read stops the writer', async () => {
    const [one, two] = secured(await sockets())
    await once(one, 'secure')
    const block = Buffer.alloc(2 ** 16)
    let [written, full] = [0, false]
    while (!full) {
      const more = one.write(block)
      written += block.length
      if (more) continue
      full = await Promise.race([
        once(one, 'drain').then(() => false),
        new Promise<boolean>(resolve => setTimeout(() => resolve(true), 300)),
      ])
    }
    expect(two.readableLength).toBeLessThanOrEqual(two.readableHighWaterMark + 2 ** 16)
    expect(two.stats.received.bytes).toBe(two.readableLength)
    one.end()
    expect(await dataOf(two)).toHaveLength(written)
  })

  /** A stream on KeibiDrop's wire without a reader, and what seals records for it. */
  function unread() {
    const options = { secret: SECRET, ciphers: ['aes-256-gcm'], compat: 'keibidrop' } as const
    const { writer } = new Handshake({ ...options, role: 'initiator' }).finish(Buffer.alloc(0))
    const wire = new Wire()
    return { wire, writer, stream: secureStream(wire, { ...options, role: 'responder' }) }
  }

  test('records that came together stay sealed while nobody reads', async () => {
    const { wire, writer, stream } = unread()
    const block = Buffer.alloc(2 ** 14)
    wire.feed(Buffer.concat(Array.from({ length: 20 }, () => writer.seal(block))))
    for (let n = 0; n < 5; n++) await turn()
    expect(stream.stats.received).toMatchObject({ bytes: 2 ** 17, records: 8 })
    expect(stream.readableLength).toBe(2 ** 17)
    wire.finish()
    expect(await dataOf(stream)).toHaveLength(20 * 2 ** 14)
    stream.destroy()
  })

  test('a write that waits for the socket is not sealed further when the peer proves the secret', async () => {
    const { wire, writer, stream } = unread()
    wire._write = () => {} // never done
    stream.write(Buffer.alloc(2 ** 22))
    await turn()
    const waiting = wire.writableLength
    expect(waiting).toBeGreaterThan(0)
    const secure = once(stream, 'secure')
    wire.feed(writer.seal(Buffer.from('first')))
    await secure
    await turn()
    expect(wire.writableLength).toBe(waiting)
    stream.destroy()
  })

  test("read() in a listener of 'secure' keeps the order of records", async () => {
    const { wire, writer, stream } = unread()
    stream.once('secure', () => stream.read())
    wire.feed(Buffer.concat(['first', 'second'].map(text => writer.seal(Buffer.from(text)))))
    wire.finish()
    expect(String(await dataOf(stream))).toBe('firstsecond')
    stream.destroy()
  })

  test('a write waits for the socket, and a large one is not sealed at once', async () => {
    const { one, two } = await connected({ allowHalfOpen: true })
    let written = false
    one.write(Buffer.alloc(2 ** 24), () => (written = true))
    await new Promise(resolve => setImmediate(resolve))
    expect(written).toBe(false)
    expect(one.stats.sent.bytes).toBeLessThan(2 ** 20)
    one.end()
    expect(await dataOf(two)).toHaveLength(2 ** 24)
    expect(written).toBe(true)
  })

  test('pipeline and async iteration', async () => {
    const [one, two] = secured(pipes({ allowHalfOpen: true }))
    const source = new PassThrough()
    source.end(Buffer.alloc(500_000, 3))
    const done = pipeline(source, one)
    let bytes = 0
    for await (const chunk of two) bytes += (chunk as Buffer).length
    expect(bytes).toBe(500_000)
    one.resume()
    await done
  })

  test('for await destroys a stream at its end as Node does, and iterator({ destroyOnReturn: false }) does not', async () => {
    // Node 24.21 leaves a Duplex open here, other lines destroy it.
    const plain = new Duplex({
      read: () => void plain.push(null),
      write: (_chunk, _encoding, done) => done(),
    })
    for await (const _ of plain);
    for (const destroyOnReturn of [true, false]) {
      const [one, two] = secured(pipes({ allowHalfOpen: true }))
      one.on('error', () => {})
      one.end('question')
      for await (const _ of destroyOnReturn ? two : two.iterator({ destroyOnReturn }));
      expect([two.readableEnded, two.destroyed]).toEqual([true, destroyOnReturn && plain.destroyed])
      two.end('answer')
      if (two.destroyed) one.destroy()
      else expect(String(await dataOf(one))).toBe('answer')
    }
  })

  test('a socket that its owner has paused stays so until it is resumed', async () => {
    const { a, one, two } = await connected({ allowHalfOpen: true })
    a.pause()
    one.read()
    expect(a.isPaused()).toBe(true)
    two.end('text')
    a.resume()
    expect(String(await dataOf(one))).toBe('text')
  })

  test('read() with sizes', async () => {
    const [one, two] = secured(pipes({ allowHalfOpen: true }))
    one.end(Buffer.alloc(200_000, 1))
    let bytes = 0
    two.on('readable', () => {
      for (let chunk = two.read(777) ?? two.read(); chunk !== null; chunk = two.read(777) ?? two.read())
        bytes += (chunk as Buffer).length
    })
    await once(two, 'end')
    expect(bytes).toBe(200_000)
  })
})

describe('rekey', () => {
  test('in both directions, under data, and before secure', async () => {
    const [one, two] = secured(pipes({ allowHalfOpen: true }))
    const early = one.rekey()
    one.write('a')
    await early
    await one.rekey()
    one.write('b')
    await two.rekey()
    one.end('c')
    two.end()
    expect((await dataOf(two)).toString()).toBe('abc')
    expect([one.stats.sent.epochs, two.stats.sent.epochs]).toEqual([3, 2])
    await expect(one.rekey()).rejects.toMatchObject({ code: 'ERR_INVALID_STATE' })
  })

  test('with an extra secret: reading waits for the second side', async () => {
    const { one, two } = await connected({ allowHalfOpen: true })
    await one.rekey(EXTRA)
    one.end('behind')
    const received = dataOf(two)
    await new Promise(resolve => setImmediate(resolve))
    expect(two.stats.received).toMatchObject({ bytes: 0, epochs: 1 })
    await two.rekey([EXTRA])
    two.end('back')
    expect((await received).toString()).toBe('behind')
    expect((await dataOf(one)).toString()).toBe('back')
    expect([one.stats.sent.epochs, one.stats.received.epochs]).toEqual([2, 2])
  })

  test('with extra secrets that differ', async () => {
    const { one, two } = await connected()
    one.on('error', () => {})
    await one.rekey(EXTRA)
    const failing = failure(two)
    await two.rekey(OTHER)
    one.write('x')
    expect(await failing).toMatchObject({ code: 'ERR_AESGCM_RECORD_REFUSED' })
  })

  test('with an extra secret that never comes, after rekeyTimeout', async () => {
    const [one, two] = secured(pipes(), {}, { rekeyTimeout: 1 })
    one.on('error', () => {})
    await once(one, 'secure')
    one.rekey(EXTRA)
    expect(await failure(two)).toMatchObject({ code: 'ERR_AESGCM_RECORD_REFUSED' })
  })

  test('after our end, an extra secret serves the reading direction alone', async () => {
    const [one, two] = secured(pipes({ allowHalfOpen: true }))
    one.end()
    two.resume()
    await once(two, 'end')
    await two.rekey(EXTRA)
    two.end('behind')
    await one.rekey(EXTRA)
    expect((await dataOf(one)).toString()).toBe('behind')
    // Both directions have ended.
    await expect(one.rekey(EXTRA)).rejects.toMatchObject({ code: 'ERR_INVALID_STATE' })
    one.destroy()
    await expect(one.rekey()).rejects.toMatchObject({ code: 'ERR_INVALID_STATE' })
  })

  test('the 17th extra secret that would wait rejects, and sends no record', async () => {
    const { one, two } = await connected()
    for (let i = 0; i < 16; i++) await one.rekey(EXTRA)
    const { records } = one.stats.sent
    await expect(one.rekey(EXTRA)).rejects.toMatchObject({ code: 'ERR_INVALID_STATE' })
    expect([one.stats.sent.records, one.destroyed]).toEqual([records, false])
    // Without an extra secret, nothing waits.
    await one.rekey()
    expect(one.stats.sent.records).toBe(records + 1)
    one.destroy()
    two.destroy()
  })

  test('wrong secrets reject and leave the stream as it was', async () => {
    const { one, two } = await connected()
    await expect(one.rekey('secret' as never)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringMatching(/^"extra" /),
    })
    await expect(one.rekey(Buffer.alloc(31))).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
    expect(one.destroyed).toBe(false)
    one.destroy()
    two.destroy()
  })
})
