// Sessions that fail: what the user of a stream gets.
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { secureStream } from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'
import { detach, Resizable } from '../../tools/support.js'
import {
  closed,
  connected,
  dataOf,
  failure,
  type Options,
  OTHER,
  pipes,
  SECRET,
  secured,
} from './connections.js'

const truncated = { name: 'AesGcmError', code: 'ERR_AESGCM_STREAM_TRUNCATED' }
const failed = { name: 'AesGcmError', code: 'ERR_AESGCM_HANDSHAKE_FAILED' }
const refused = { name: 'AesGcmError', code: 'ERR_AESGCM_RECORD_REFUSED' }
const gone = { code: 'ERR_AESGCM_DETACHED_BUFFER', message: expect.stringContaining('"chunk"') }

/** In the handshake, and of the socket. */
describe('failures', () => {
  test.each<[string, Options, Options]>([
    ['another secret', {}, { secret: OTHER }],
    ['one secret more', {}, { secret: [SECRET, OTHER] }],
    ['secrets in another order', { secret: [SECRET, OTHER] }, { secret: [OTHER, SECRET] }],
    ['secrets cut elsewhere', { secret: [Buffer.alloc(40), Buffer.alloc(32)] }, { secret: Buffer.alloc(72) }],
    ['the same role', {}, { role: 'initiator' }],
    ['no cipher in common', { ciphers: ['aes-256-gcm'] }, { ciphers: ['chacha20-poly1305'] }],
  ])('%s', async (_name, first, second) => {
    const [one, two] = secured(pipes(), first, second)
    expect(await Promise.all([failure(one), failure(two)])).toMatchObject([failed, failed])
  })

  test('a peer that does not answer, after handshakeTimeout', async () => {
    const [a] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator', handshakeTimeout: 1 })
    expect(await failure(one)).toMatchObject(failed)
    expect(a.destroyed).toBe(true)
  })

  test.each(['end', 'destroy'] as const)('a socket that does %s during the handshake', async how => {
    const [a, b] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    if (how === 'end') b.end()
    else a.destroy()
    const message = `the handshake failed: the socket ${how === 'end' ? 'ended' : 'closed'} before it was complete`
    expect(await failure(one)).toMatchObject({ ...failed, message })
  })

  test('a socket that ends without the end record', async () => {
    const { b, one } = await connected({ allowHalfOpen: true })
    b.end()
    expect(await failure(one)).toMatchObject(truncated)
  })

  test('a socket that closes', async () => {
    const { a, one } = await connected({ allowHalfOpen: true })
    a.destroy()
    expect(await failure(one)).toMatchObject(truncated)
    expect(a.eventNames()).toEqual(pipes()[0].eventNames())
  })

  test('an error of the socket after the stream was destroyed is heard by nobody, and ends no process', async () => {
    const [a] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    a._destroy = (_error, done) => setImmediate(done, new Error('too late'))
    one.destroy()
    await closed(a)
    expect([one.errored, a.errored?.message]).toEqual([null, 'too late'])
    expect(a.eventNames()).toEqual(pipes()[0].eventNames())
  })

  test('a socket that closes after the end of the peer, and before our own', async () => {
    const [a, b] = pipes({ allowHalfOpen: true })
    const [one, two] = secured([a, b])
    two.end('text')
    expect((await dataOf(one)).toString()).toBe('text')
    a.destroy()
    expect(await failure(one)).toMatchObject(truncated)
  })

  test('a socket that closes after the end record, without an end of its own, is no failure', async () => {
    const { a, b, one, two } = await connected({ allowHalfOpen: true })
    b._final = done => done()
    const [data, close] = [dataOf(one), closed(one)]
    one.end()
    two.end('text')
    // The records come in chunks of their own.
    for (let i = 0; i < 10; i++) await turn()
    expect(one.readableEnded).toBe(false)
    a.destroy()
    expect((await data).toString()).toBe('text')
    await close
    expect(one.errored).toBeNull()
  })

  test('an error of the socket', async () => {
    const [a, b] = pipes()
    const [one, two] = secured([a, b])
    two.on('error', () => {})
    a.destroy(new Error('the cable was cut'))
    expect(await failure(one)).toMatchObject({ message: 'the cable was cut' })
  })

  test('bytes after the end record, also in a later chunk', async () => {
    const { b, one, two } = await connected({ allowHalfOpen: true })
    const tap = b.end
    b.end = function end(this: Duplex, bytes: Buffer) {
      this.write(bytes)
      setImmediate(() => Reflect.apply(tap, this, [Buffer.from([0])]))
      return this
    } as never
    two.on('error', () => {})
    two.end('x')
    let ended = false
    one.on('end', () => (ended = true))
    one.resume()
    expect(await failure(one)).toMatchObject(refused)
    expect(ended).toBe(false)
    one.destroy()
  })
})

/** Of the bytes that a socket brings. */
describe('failures', () => {
  test('a socket that brings text', async () => {
    const [a, b] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    a.setEncoding('latin1')
    b.write('text')
    expect(await failure(one)).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: '"chunk" must be a Uint8Array, got string',
    })
  })

  test.each([
    ['shared memory', 'ERR_AESGCM_SHARED_BUFFER', () => Buffer.from(new SharedArrayBuffer(8)).fill(1)],
    [
      'memory that is gone',
      'ERR_AESGCM_DETACHED_BUFFER',
      () => {
        const chunk = Buffer.from(new ArrayBuffer(8))
        detach(chunk)
        return chunk
      },
    ],
  ])('a socket that brings %s', async (_name, code, chunk) => {
    const [a] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    a.emit('data', chunk())
    expect(await failure(one)).toMatchObject({ code, message: expect.stringContaining('"chunk"') })
  })

  test('a socket that brings memory which is gone before the record is complete', async () => {
    const { a, one, two } = await connected()
    const chunk = () => Buffer.concat([Buffer.of(0, 0, 0x03, 0xe8), Buffer.alloc(996)])
    const first = Buffer.from(Uint8Array.from(chunk()).buffer)
    a.emit('data', first)
    detach(first)
    a.emit('data', chunk())
    expect(await failure(one)).toMatchObject(gone)
    two.destroy()
  })

  test('a socket that brings no bytes is no failure', async () => {
    const [a, b] = pipes()
    const [one, two] = secured([a, b])
    a.emit('data', Buffer.alloc(0))
    two.end('text')
    expect(String(await dataOf(one))).toBe('text')
    two.destroy()
  })
})

/** Of a program's writes and listeners. */
describe('failures', () => {
  test('a write whose memory is gone', async () => {
    const { one, two } = await connected()
    const chunk = Buffer.from(new ArrayBuffer(8))
    detach(chunk)
    one.write(chunk)
    expect(await failure(one)).toMatchObject(gone)
    two.destroy()
  })

  test('a write whose memory is gone, among others that wait', async () => {
    const { one, two } = await connected()
    const chunk = Buffer.from(new ArrayBuffer(8))
    one.cork()
    one.write('text')
    one.write(chunk)
    detach(chunk)
    one.uncork()
    expect(await failure(one)).toMatchObject({ code: 'ERR_AESGCM_DETACHED_BUFFER' })
    two.destroy()
  })

  /** A Buffer whose length is that of its memory, which may shrink. */
  const tracking = (memory: ArrayBuffer) =>
    Object.setPrototypeOf(new Uint8Array(memory), Buffer.prototype) as Buffer

  test('the_last_chunk_of_many_that_was_detached_while_it_waited_gave_an_error_without_code', async () => {
    const { a, one, two } = await connected()
    const chunk = Buffer.from(new ArrayBuffer(10))
    a._write = (_chunk, _encoding, done) => {
      if (chunk.length > 0) detach(chunk)
      done()
    }
    one.cork()
    one.write(Buffer.alloc(200_000))
    one.write(chunk)
    one.uncork()
    expect(await failure(one)).toMatchObject(gone)
    two.destroy()
  })

  test.each([
    ['is detached', (memory: ArrayBuffer) => structuredClone(memory, { transfer: [memory] })],
    ['shrinks to less than was sent', (memory: InstanceType<typeof Resizable>) => memory.resize(1000)],
    ['shrinks to more than was sent', (memory: InstanceType<typeof Resizable>) => memory.resize(150_000)],
  ])('a write whose memory %s while it waits for the socket', async (_name, change) => {
    const { a, one, two } = await connected()
    const memory = new Resizable(200_000, { maxByteLength: 200_000 })
    a._write = (_chunk, _encoding, done) => {
      change(memory)
      done()
    }
    one.write(tracking(memory))
    expect(await failure(one)).toMatchObject(gone)
    two.destroy()
  })

  test('an exception of a listener stays the caller’s', async () => {
    const { one, two } = await connected()
    const caught = new Promise(resolve => process.prependOnceListener('uncaughtException', resolve))
    const others = process.listeners('uncaughtException').slice(1)
    for (const other of others) process.removeListener('uncaughtException', other)
    one.on('data', () => {
      throw new Error('of the caller')
    })
    two.write('x')
    expect(await caught).toMatchObject({ message: 'of the caller' })
    for (const other of others) process.on('uncaughtException', other)
    expect(one.destroyed).toBe(false)
    one.destroy()
    two.destroy()
  })

  // Regression: Node began the writes that waited, and called a callback twice, if the callback called `uncork()`.
  test('a socket that refuses a write, and a callback that uncorks', async () => {
    const { a, one, two } = await connected()
    two.on('error', () => {})
    const refusal = new Error('refused')
    a._write = (_chunk, _encoding, done) => setImmediate(done, refusal)
    const calls: string[] = []
    one.write('in flight', () => calls.push('in flight'))
    one.cork()
    one.write('waits', () => {
      calls.push('waits')
      one.uncork()
    })
    one.write('waits, too', () => calls.push('waits, too'))
    expect(await failure(one)).toBe(refusal)
    two.destroy()
    await new Promise(setImmediate)
    expect(calls).toEqual(['in flight', 'waits', 'waits, too'])
  })
})
