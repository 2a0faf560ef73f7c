// Sessions as their users see them: a Duplex over a socket, options, ends, backpressure, destruction, timeouts, inspection.
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { inspect } from 'node:util'
import { KeyArena } from 'hardware-aes-gcm'
import * as session from 'hardware-aes-gcm/session'
import { type SecureStream, type SecureStreamOptions, secureStream } from 'hardware-aes-gcm/session'
import { afterEach, describe, expect, test } from 'vitest'
import { refuses, thrown } from './support.js'

const SECRET = Buffer.alloc(32, 0x5e)
const OTHER = Buffer.alloc(32, 0x07)
const EXTRA = Buffer.alloc(32, 0xe7)

type Options = Partial<SecureStreamOptions>

/** Two Duplexes: each brings copies of the bytes that the other one is given. */
function pipes(options: object = {}): [Duplex, Duplex] {
  const ends: Duplex[] = []
  for (const other of [1, 0]) {
    let release: (() => void) | undefined
    const end = new Duplex({
      ...options,
      read() {
        const go = release
        release = undefined
        go?.()
      },
      write(chunk, _encoding, done) {
        const [peer, bytes] = [ends[other] as Duplex, Buffer.from(chunk)]
        if (peer.push(bytes)) done()
        else (peer as Duplex & { wait(done: () => void): void }).wait(done)
      },
      final(done) {
        ends[other]?.push(null)
        done()
      },
    })
    Object.assign(end, { wait: (done: () => void) => (release = done) })
    ends.push(end)
  }
  return ends as [Duplex, Duplex]
}

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Two ends of a TCP connection over loopback. */
async function sockets(options: { allowHalfOpen?: boolean } = {}): Promise<[Socket, Socket]> {
  const server = createServer(options).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', ...options })
  const [socket] = (await once(server, 'connection')) as [Socket]
  return [client, socket]
}

function secured([a, b]: [Duplex, Duplex], both: Options = {}, second: Options = {}) {
  const one = secureStream(a, { secret: SECRET, role: 'initiator', ...both })
  const two = secureStream(b, { secret: SECRET, role: 'responder', ...both, ...second })
  return [one, two] as [SecureStream, SecureStream]
}

/** All data of a stream up to its end. Not `buffer`, which destroys a stream that ended in one direction. */
async function dataOf(stream: Duplex): Promise<Buffer> {
  const chunks: Buffer[] = []
  stream.on('data', chunk => chunks.push(chunk))
  await once(stream, 'end')
  return Buffer.concat(chunks)
}

/** Resolves with the close of a stream, also of one that fails. */
function closed(stream: Duplex): Promise<void> {
  return new Promise(resolve => stream.once('close', resolve))
}

/** The error of a stream that fails. */
async function failure(stream: Duplex): Promise<Error & { code?: string }> {
  const [error] = (await once(stream, 'error')) as [Error & { code?: string }]
  return error
}

const TRANSPORTS: [string, () => [Duplex, Duplex] | Promise<[Duplex, Duplex]>][] = [
  ['pipes', () => pipes({ allowHalfOpen: true })],
  ['TCP', () => sockets({ allowHalfOpen: true })],
]

describe.each(TRANSPORTS)('over %s', (_name, transport) => {
  test.each([
    ['aes-256-gcm', undefined],
    ['aes-128-gcm', ['aes-128-gcm']],
    ['chacha20-poly1305', ['chacha20-poly1305']],
  ] as const)('data of both sides, with %s', async (cipher, ciphers) => {
    const [one, two] = secured(await transport(), { ciphers })
    expect(one.cipher).toBe(null)
    const text = Buffer.alloc(300_000, 'some text ')
    one.write('first ')
    one.end(text)
    two.end('answer')
    const [there, back] = await Promise.all([dataOf(two), dataOf(one)])
    expect(there.equals(Buffer.concat([Buffer.from('first '), text]))).toBe(true)
    expect(back.toString()).toBe('answer')
    expect([one.cipher, two.cipher]).toEqual([cipher, cipher])
    expect(one.stats.sent).toEqual(two.stats.received)
    expect(one.stats.received).toEqual({ bytes: 6, records: 3, epochs: 1 })
  })

  test('rekeying by itself, by limits of bytes and of records', async () => {
    const limits = { rekeyAfterBytes: 5000, rekeyAfterRecords: 3 }
    const [one, two] = secured(await transport(), limits)
    const sent = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251))
    one.write(sent.subarray(0, 60_000))
    for (let at = 60_000; at < 100_000; at += 500) one.write(sent.subarray(at, at + 500))
    one.end()
    two.end()
    expect((await dataOf(two)).equals(sent)).toBe(true)
    expect(two.stats.received.epochs).toBeGreaterThanOrEqual(20)
    expect(two.stats.received).toEqual(one.stats.sent)
  })

  test('the other direction goes on after an end', async () => {
    const [one, two] = secured(await transport())
    one.end('question')
    expect((await dataOf(two)).toString()).toBe('question')
    expect(two.writable).toBe(true)
    two.write('late ')
    two.end('answer')
    expect((await dataOf(one)).toString()).toBe('late answer')
  })

  test('many small writes share records', async () => {
    const [one, two] = secured(await transport())
    for (let i = 0; i < 1000; i++) one.write('0123456789')
    one.end()
    two.end()
    expect(await dataOf(two)).toHaveLength(10_000)
    expect(one.stats.sent.records).toBeLessThan(10)
  })
})

test('a stream on a socket that does not allow half open connections ends when its peer does', async () => {
  const [one, two] = secured(await sockets())
  expect([one.allowHalfOpen, two.allowHalfOpen]).toEqual([false, false])
  one.end('question')
  const both = Promise.all([closed(one), closed(two)])
  one.resume()
  expect((await dataOf(two)).toString()).toBe('question')
  await both
  expect([one.readableEnded, two.writableFinished, one.errored, two.errored]).toEqual([
    true,
    true,
    null,
    null,
  ])
})

test('secure comes once on each side, before data', async () => {
  const [one, two] = secured(pipes())
  const events: string[] = []
  one.on('secure', () => events.push(`secure ${one.cipher}`))
  one.on('data', () => events.push('data'))
  one.on('end', () => events.push('end'))
  one.on('close', () => events.push('close'))
  two.end('x')
  two.resume()
  await once(one, 'end')
  one.end()
  await once(one, 'close')
  expect(events).toEqual(['secure aes-256-gcm', 'data', 'end', 'close'])
})

test('a socket that is destroyed with its stream, and no listener of ours on it', async () => {
  const [a, b] = pipes()
  const before = [a.eventNames(), a.listenerCount('error')]
  const [one, two] = secured([a, b])
  await once(one, 'secure')
  one.destroy()
  await Promise.all([once(one, 'close'), once(a, 'close')])
  expect(a.destroyed).toBe(true)
  expect([a.eventNames(), a.listenerCount('error')]).toEqual(before)
  two.on('error', () => {})
})

describe('destruction', () => {
  test('with an error', async () => {
    const [a, b] = pipes()
    const [one] = secured([a, b])
    const errors: Error[] = []
    one.on('error', error => errors.push(error))
    const closes: null[] = []
    one.on('close', () => closes.push(null))
    one.destroy(new Error('mine'))
    one.destroy(new Error('too late'))
    await once(a, 'close')
    expect(errors.map(({ message }) => message)).toEqual(['mine'])
    expect(closes).toEqual([null])
  })

  test('a write in progress, and a rekeying, are told', async () => {
    const [a, b] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    const written = new Promise<Error | null | undefined>(resolve => one.write('x', resolve))
    const rekeyed = one.rekey()
    one.destroy()
    expect(await written).toMatchObject({ code: 'ERR_STREAM_DESTROYED' })
    await expect(rekeyed).rejects.toMatchObject({ code: 'ERR_STREAM_DESTROYED' })
    b.destroy()
  })

  test('a rekeying that nobody awaits is no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    const [a] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    one.rekey()
    one.destroy()
    await once(one, 'close')
    await new Promise(resolve => setImmediate(resolve))
    process.removeListener('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })

  test('the keys are wiped at every end', async () => {
    const used = () => KeyArena.default.used
    const before = used()
    const [one, two] = secured(pipes())
    await Promise.all([once(one, 'secure'), once(two, 'secure')])
    expect(used()).toBe(before + 4)
    one.end()
    two.resume()
    await once(two, 'end')
    expect(used()).toBe(before + 2)
    two.on('error', () => {})
    two.destroy(new Error('mine'))
    await closed(two)
    expect(used()).toBe(before + 1)
    one.destroy()
    await closed(one)
    expect(used()).toBe(before)
  })
})

describe('failures', () => {
  const truncated = { name: 'AesGcmError', code: 'ERR_AESGCM_STREAM_TRUNCATED' }
  const failed = { name: 'AesGcmError', code: 'ERR_AESGCM_HANDSHAKE_FAILED' }
  const refused = { name: 'AesGcmError', code: 'ERR_AESGCM_RECORD_REFUSED' }

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
    expect(await failure(one)).toMatchObject(failed)
  })

  test('a socket that ends without the end record', async () => {
    const [a, b] = pipes({ allowHalfOpen: true })
    const [one] = secured([a, b])
    await once(one, 'secure')
    b.end()
    expect(await failure(one)).toMatchObject(truncated)
  })

  test('a socket that closes', async () => {
    const [a, b] = pipes({ allowHalfOpen: true })
    const [one] = secured([a, b])
    await once(one, 'secure')
    a.destroy()
    expect(await failure(one)).toMatchObject(truncated)
  })

  test('an error of the socket', async () => {
    const [a, b] = pipes()
    const [one] = secured([a, b])
    a.destroy(new Error('the cable was cut'))
    expect(await failure(one)).toMatchObject({ message: 'the cable was cut' })
  })

  test('bytes after the end record, also in a later chunk', async () => {
    const [a, b] = pipes({ allowHalfOpen: true })
    const [one, two] = secured([a, b])
    await once(one, 'secure')
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

  test('a socket that brings text', async () => {
    const [a, b] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    a.setEncoding('latin1')
    b.write('text')
    expect(await failure(one)).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  })

  test('an exception of a listener stays the caller’s', async () => {
    const [one, two] = secured(pipes())
    await once(one, 'secure')
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
})

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

  test('a write waits for the socket, and a large one is not sealed at once', async () => {
    const [a, b] = pipes({ allowHalfOpen: true })
    const [one, two] = secured([a, b])
    await once(one, 'secure')
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
    const [one, two] = secured(pipes({ allowHalfOpen: true }))
    await once(one, 'secure')
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
    const [one, two] = secured(pipes())
    await once(one, 'secure')
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
  })

  test('the 17th extra secret that would wait rejects, and sends no record', async () => {
    const [one, two] = secured(pipes())
    await once(one, 'secure')
    for (let i = 0; i < 16; i++) await one.rekey(EXTRA)
    const { records } = one.stats.sent
    await expect(one.rekey(EXTRA)).rejects.toMatchObject({ code: 'ERR_INVALID_STATE' })
    expect([one.stats.sent.records, one.destroyed]).toEqual([records, false])
    one.destroy()
    two.destroy()
  })

  test('wrong secrets reject and leave the stream as it was', async () => {
    const [one, two] = secured(pipes())
    await once(one, 'secure')
    await expect(one.rekey('secret' as never)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    await expect(one.rekey(Buffer.alloc(31))).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
    expect(one.destroyed).toBe(false)
    one.destroy()
    two.destroy()
  })
})

describe('wrong arguments', () => {
  const socket = new PassThrough()
  const good: SecureStreamOptions = { secret: SECRET, role: 'initiator' }
  const cases: [string, object, RegExp][] = [
    ['a text as secret', { secret: 'correct horse battery staple, twice' }, /password/],
    ['no secret', { secret: undefined }, /"options.secret" must be a Uint8Array/],
    ['a short secret', { secret: Buffer.alloc(31) }, /32 to 65536 bytes, got length 31/],
    ['a long secret', { secret: Buffer.alloc(65_537) }, /got length 65537/],
    ['a short one of two', { secret: [SECRET, Buffer.alloc(5)] }, /"options.secret\[1\]"/],
    ['no secrets', { secret: [] }, /1 to 16 secrets, got 0/],
    ['too many secrets', { secret: Array(17).fill(SECRET) }, /got 17/],
    ['a sparse array of secrets', { secret: Array(1) }, /got undefined/],
    ['no role', { role: undefined }, /"options.role" must be 'initiator' or 'responder'/],
    ['another role', { role: 'client' }, /got 'client'/],
    ['no ciphers', { ciphers: [] }, /at least one cipher/],
    ['an unknown cipher', { ciphers: ['aes-192-gcm'] }, /has no 'aes-192-gcm'/],
    ['a cipher that is no string', { ciphers: [1] }, /"options.ciphers\[0\]" must be a string/],
    ['ciphers that are no list', { ciphers: 'aes-256-gcm' }, /must be an array/],
    ['rekeyAfterBytes 0', { rekeyAfterBytes: 0 }, /rekeyAfterBytes/],
    ['rekeyAfterBytes too large', { rekeyAfterBytes: 2 ** 30 + 1 }, /2\^30/],
    ['rekeyAfterRecords too large', { rekeyAfterRecords: 2 ** 20 + 1 }, /2\^20/],
    ['maxRecord too small', { maxRecord: 28 }, /maxRecord/],
    ['maxRecord too large', { maxRecord: 20 * 2 ** 20 + 1 }, /maxRecord/],
    ['handshakeTimeout 0', { handshakeTimeout: 0 }, /handshakeTimeout/],
    ['rekeyTimeout NaN', { rekeyTimeout: Number.NaN }, /rekeyTimeout/],
    ['another wire', { compat: 'tls' }, /'keibidrop'/],
    ['a wire that needs one cipher', { compat: 'keibidrop' }, /alone/],
    ['a misspelt option', { cipher: 'aes-256-gcm' }, /has no 'cipher'/],
  ]

  test.each(cases)('%s', (_name, wrong, message) => {
    const error = thrown(() => secureStream(socket, { ...good, ...wrong } as never)) as NodeJS.ErrnoException
    expect(error.code).toMatch(/^ERR_(INVALID_ARG_TYPE|INVALID_ARG_VALUE|OUT_OF_RANGE)$/)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('horse')
    expect(socket.eventNames()).toEqual(new PassThrough().eventNames())
  })

  test.each([undefined, null, 1, {}, SECRET, new (class {})()])('a socket that is %o', value => {
    refuses(() => secureStream(value as never, good), 'ERR_INVALID_ARG_TYPE')
  })

  test('a socket with an encoding, or of objects', () => {
    refuses(() => secureStream(new PassThrough({ encoding: 'utf8' }), good), 'ERR_INVALID_ARG_VALUE')
    refuses(() => secureStream(new PassThrough({ objectMode: true }), good), 'ERR_INVALID_ARG_VALUE')
  })

  test('a socket that is closed already', async () => {
    const [a] = pipes()
    a.destroy()
    await once(a, 'close')
    expect(await failure(secureStream(a, good))).toMatchObject({ code: 'ERR_AESGCM_HANDSHAKE_FAILED' })
  })

  test('a wrong receiver', async () => {
    const { rekey } = session.SecureStream.prototype
    await expect(rekey.call({} as never)).rejects.toMatchObject({ code: 'ERR_INVALID_THIS' })
    for (const Class of [
      session.SecureStream,
      session.Handshake,
      session.RecordWriter,
      session.RecordReader,
    ]) {
      const { stats, hello } = Object.getOwnPropertyDescriptors(Class.prototype) as PropertyDescriptorMap
      refuses(() => (stats ?? hello)?.get?.call({}), 'ERR_INVALID_THIS')
    }
  })
})

describe('supportedCiphers and negotiateCipher', () => {
  const ALL = session.supportedCiphers()

  test('the fixed order, whatever the order of the lists', () => {
    expect(ALL).toEqual(['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305'])
    const lists = ALL.flatMap((_, i) => ALL.map((_, j) => [...new Set([ALL[i], ALL[j]])] as session.Cipher[]))
    for (const a of lists)
      for (const b of lists) {
        const common = ALL.filter(cipher => a.includes(cipher) && b.includes(cipher))
        if (common.length === 0) {
          refuses(() => session.negotiateCipher(a, b), 'ERR_AESGCM_HANDSHAKE_FAILED')
        } else {
          expect(session.negotiateCipher(a, b)).toBe(common[0])
          expect(session.negotiateCipher(b, a)).toBe(common[0])
        }
      }
  })

  test('unknown names are ignored, other values are refused', () => {
    expect(session.negotiateCipher(['aes-512-gcm', 'aes-128-gcm'] as never, ALL)).toBe('aes-128-gcm')
    refuses(() => session.negotiateCipher([], ALL), 'ERR_AESGCM_HANDSHAKE_FAILED')
    refuses(() => session.negotiateCipher('aes-256-gcm' as never, ALL), 'ERR_INVALID_ARG_TYPE')
    refuses(() => session.negotiateCipher(ALL, [1] as never), 'ERR_INVALID_ARG_TYPE')
    refuses(() => session.negotiateCipher(ALL, Array(256).fill('x')), 'ERR_OUT_OF_RANGE')
  })
})

test('both faces give one class and the same functions', () => {
  const required = createRequire(import.meta.url)('hardware-aes-gcm/session') as typeof session
  expect(Object.keys(required).sort()).toEqual(Object.keys(session).sort())
  for (const [name, value] of Object.entries(session)) expect(Reflect.get(required, name)).toBe(value)
})

test('inspection shows neither secrets nor data', async () => {
  const secret = Buffer.from('0123456789abcdef0123456789abcdef')
  const [one, two] = secured(pipes(), { secret })
  const handshake = new session.Handshake({ secret, role: 'initiator' })
  await once(one, 'secure')
  two.write('attack at dawn')
  one.write('attack at dusk')
  await once(one, 'readable')
  for (const shown of [one, two, handshake].map(value => inspect(value, { depth: 9, showHidden: true }))) {
    expect(shown).not.toMatch(/attack|61 74 74 61|0123456789|30 31 32|Buffer|Uint8Array/)
  }
  expect(inspect(one)).toContain("cipher: 'aes-256-gcm'")
  one.destroy()
  two.destroy()
})
