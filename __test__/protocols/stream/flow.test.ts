// Streams whose consumers wait, stop early, abort or throw: memory stays bounded, and the key is wiped on every way out.
import { once } from 'node:events'
import { Readable, type Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { KeyArena } from 'hardware-aes-gcm'
import {
  createDecryptStream,
  createEncryptStream,
  DecryptionStream,
  decryptBuffer,
  EncryptionStream,
  encryptBuffer,
} from 'hardware-aes-gcm/stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CHUNK_BYTES } from '../../models/cobblestone.mjs'
import { collected, failure, KEY, MESSAGE, sourceOf, TEXT, textOf } from './tools.js'

const PIECE = textOf(65_536)
const LONG = encryptBuffer(textOf(3_000_000), KEY)
/** Holds the key of the stream of a test. */
let arena: KeyArena
beforeEach(() => {
  arena = new KeyArena({ keys: 2 })
})
afterEach(() => arena.destroy())

/** Streams under test, and a source for each that does not end. */
const NODE: Record<string, [make: (options?: object) => Transform, source: () => Iterable<Buffer>]> = {
  createEncryptStream: [
    options => createEncryptStream(KEY, { arena, ...options }),
    function* () {
      for (;;) yield PIECE
    },
  ],
  createDecryptStream: [
    options => createDecryptStream(KEY, { arena, ...options }),
    function* () {
      for (let at = 0; at < LONG.length; at += 65_536) yield LONG.subarray(at, at + 65_536)
    },
  ],
}

describe.each(Object.entries(NODE))('%s', (name, [make, source]) => {
  const encrypts = name === 'createEncryptStream'

  test('takes no more than its high-water marks while nobody reads', async () => {
    const stream = make()
    let written = 0
    for (const piece of source()) {
      written += piece.length
      if (!stream.write(piece)) break
    }
    // Until the stream would take more: it does not.
    for (let i = 0; i < 20; i++) await setImmediate()
    for (let i = 0; i < 50 && !stream.writableNeedDrain; i++) stream.write(PIECE)
    expect(written).toBeLessThanOrEqual(3 * 65_536)
    expect(stream.readableLength).toBeLessThanOrEqual(3 * 65_536)
    stream.destroy()
    await once(stream, 'close')
  })

  test('a long write goes on only as its reader reads', async () => {
    const stream = make()
    const whole = encrypts ? textOf(8 * 2 ** 20) : encryptBuffer(textOf(8 * 2 ** 20), KEY)
    stream.end(whole)
    for (let i = 0; i < 20; i++) await setImmediate()
    expect(stream.readableLength).toBeLessThan(2 * 2 ** 20)
    const all = await collected(stream)
    expect(encrypts ? decryptBuffer(all, KEY).equals(whole) : all.equals(decryptBuffer(whole, KEY))).toBe(
      true,
    )
  })

  test('wipes its key at the end', async () => {
    const stream = make()
    const all = collected(stream.end(encrypts ? TEXT : MESSAGE))
    await all
    expect(arena.used).toBe(0)
  })

  test('wipes its key when it is destroyed, and when a signal aborts', async () => {
    const stream = make()
    stream.write(encrypts ? TEXT : MESSAGE)
    expect(arena.used).toBe(1)
    stream.destroy()
    expect(arena.used).toBe(0)
    const controller = new AbortController()
    const aborted = make({ signal: controller.signal })
    aborted.write(encrypts ? TEXT : MESSAGE)
    expect(arena.used).toBe(1)
    const error = once(aborted, 'error')
    controller.abort()
    expect(await error).toMatchObject([{ name: 'AbortError' }])
    expect(arena.used).toBe(0)
    const late = make({ signal: AbortSignal.abort() })
    expect(await once(late, 'error')).toMatchObject([{ name: 'AbortError' }])
    expect(arena.used).toBe(0)
  })

  test('wipes its key when the consumer stops early', async () => {
    const stream = Readable.from(source()).pipe(make())
    let bytes = 0
    for await (const part of stream) {
      bytes += part.length
      if (bytes > 100_000) break
    }
    expect(bytes).toBeGreaterThan(100_000)
    expect(arena.used).toBe(0)
  })

  test('wipes its key when the sink fails, or the source', async () => {
    const sink = new Writable({ write: (_chunk, _encoding, done) => done(new Error('the sink failed')) })
    await expect(pipeline(Readable.from(source()), make(), sink)).rejects.toThrow('the sink failed')
    expect(arena.used).toBe(0)
    async function* failing() {
      yield encrypts ? TEXT : MESSAGE.subarray(0, 20_000)
      throw new Error('the source failed')
    }
    await expect(pipeline(failing, make(), collected)).rejects.toThrow('the source failed')
    expect(arena.used).toBe(0)
  })

  test('goes on after a listener of data threw', async () => {
    const stream = make()
    const parts: Buffer[] = []
    const uncaught = new Promise<unknown>(resolve => {
      const others = process.listeners('uncaughtException')
      process.removeAllListeners('uncaughtException')
      process.once('uncaughtException', error => {
        for (const other of others) process.on('uncaughtException', other)
        resolve(error)
      })
    })
    stream.on('data', part => {
      parts.push(part)
      if (parts.length === 1) throw new Error('of the listener')
    })
    setTimeout(() => stream.end(encrypts ? TEXT : MESSAGE), 1)
    expect(await uncaught).toMatchObject({ message: 'of the listener' })
    if (stream.destroyed) expect(arena.used).toBe(0)
    stream.destroy()
    expect(arena.used).toBe(0)
  })
})

test('every Buffer that comes out has memory that is not written again', async () => {
  const parts: Uint8Array[] = []
  const copies: Buffer[] = []
  const stream = createDecryptStream(KEY)
  stream.on('data', part => {
    parts.push(part)
    copies.push(Buffer.from(part))
  })
  for (let at = 0; at < LONG.length; at += 50_000) stream.write(LONG.subarray(at, at + 50_000))
  stream.end()
  await once(stream, 'end')
  expect(parts.length).toBeGreaterThan(10)
  parts.forEach((part, i) => {
    expect(copies[i]?.equals(part)).toBe(true)
  })
  expect(new Set(parts.map(({ buffer }) => buffer)).size).toBe(parts.length)
})

test('a decrypting stream that fails gives whole authentic chunks alone', async () => {
  const text = textOf(10 * CHUNK_BYTES)
  const message = encryptBuffer(text, KEY)
  message[message.length - 20_000] = (message[message.length - 20_000] as number) ^ 1
  for (const piece of [1000, 20_000, 65_536]) {
    const parts: Buffer[] = []
    const stream = createDecryptStream(KEY, { arena })
    stream.on('data', part => parts.push(part))
    const failed = once(stream, 'error')
    for (let at = 0; at < message.length; at += piece) stream.write(message.subarray(at, at + piece))
    stream.end()
    const [error] = await failed
    const out = Buffer.concat(parts)
    expect(error).toMatchObject({ code: 'ERR_AESGCM_AUTHENTICATION_FAILED', position: 8 * CHUNK_BYTES })
    expect([out.length % CHUNK_BYTES, out.length <= error.position]).toEqual([0, true])
    expect(out.equals(text.subarray(0, out.length))).toBe(true)
    expect(arena.used).toBe(0)
  }
})

const WEB: Record<
  string,
  [make: () => { readable: ReadableStream; writable: WritableStream }, whole: Buffer]
> = {
  EncryptionStream: [() => new EncryptionStream(KEY, { arena }) as never, TEXT],
  DecryptionStream: [() => new DecryptionStream(KEY, { arena }) as never, MESSAGE],
}

describe.each(Object.entries(WEB))('%s', (name, [make, whole]) => {
  const encrypts = name === 'EncryptionStream'

  test('writes wait while nobody reads, in the middle of a long one too, but not one of no bytes', async () => {
    const { readable, writable } = make()
    const writer = writable.getWriter()
    const long = encrypts ? textOf(8 * 2 ** 20) : encryptBuffer(textOf(8 * 2 ** 20), KEY)
    let written = false
    const none = writer.write(new Uint8Array(0)).then(() => 'done')
    for (let i = 0; i < 5; i++) await setImmediate()
    expect(await Promise.race([none, 'waits'])).toBe('done')
    const writing = writer.write(long).then(() => {
      written = true
    })
    for (let i = 0; i < 20; i++) await setImmediate()
    expect([written, writer.desiredSize]).toEqual([false, 0])
    const closing = writer.close()
    const all = await collected(readable as never)
    await Promise.all([writing, closing])
    expect(encrypts ? decryptBuffer(all, KEY).equals(long) : all.equals(decryptBuffer(long, KEY))).toBe(true)
    expect(arena.used).toBe(0)
  })

  test('wipes its key when it is cancelled, and tells its writer', async () => {
    const { readable, writable } = make()
    const writer = writable.getWriter()
    // Whether the write began before the end is a matter of chance.
    writer.write(whole).catch(() => {})
    await readable.cancel(new Error('enough'))
    expect(arena.used).toBe(0)
    await expect(writer.closed).rejects.toThrow('enough')
  })

  test('wipes its key when it is aborted, during a write that waits too, and tells its reader', async () => {
    const { readable, writable } = make()
    const writer = writable.getWriter()
    writer.write(encrypts ? textOf(4 * 2 ** 20) : encryptBuffer(textOf(4 * 2 ** 20), KEY)).catch(() => {})
    writer.closed.catch(() => {})
    for (let i = 0; i < 5; i++) await setImmediate()
    await writer.abort(new Error('no more'))
    expect(arena.used).toBe(0)
    await expect(collected(readable as never)).rejects.toThrow('no more')
  })

  test('fails for a chunk whose memory goes away while its write waits', async () => {
    const { readable, writable } = make()
    const long = new Uint8Array(encrypts ? textOf(2 ** 21) : encryptBuffer(textOf(2 ** 21), KEY))
    const writing = failure(writable.getWriter().write(long))
    for (let i = 0; i < 5; i++) await setImmediate()
    structuredClone(long.buffer, { transfer: [long.buffer] })
    const wanted = { code: 'ERR_AESGCM_DETACHED_BUFFER', message: expect.stringContaining('"chunk"') }
    const reader = readable.getReader()
    // What was there for the reader before it asked: the header, or a mebibyte of text.
    expect((await reader.read()).value).toHaveLength(encrypts ? 56 : 63 * CHUNK_BYTES)
    expect(await failure(reader.read())).toMatchObject(wanted)
    expect(await writing).toMatchObject(wanted)
    expect(arena.used).toBe(0)
  })

  test('fails on both sides for a chunk that is no Uint8Array', async () => {
    for (const wrong of ['text', new ArrayBuffer(4), 7, null, new Uint16Array(3)]) {
      const { readable, writable } = make()
      const writer = writable.getWriter()
      writer.closed.catch(() => {})
      const read = failure(collected(readable as never))
      const wanted = { code: 'ERR_INVALID_ARG_TYPE', message: expect.stringMatching(/^"chunk" must be/) }
      expect(await failure(writer.write(wrong))).toMatchObject(wanted)
      expect(await read).toMatchObject(wanted)
      expect(arena.used).toBe(0)
    }
  })
})

test.each(Object.entries(NODE))('%s refuses a chunk in shared memory', async (_, [make]) => {
  const stream = make()
  const failed = once(stream, 'error')
  stream.write(new Uint8Array(new SharedArrayBuffer(100)))
  const [error] = await failed
  expect(error).toMatchObject({
    code: 'ERR_AESGCM_SHARED_BUFFER',
    message: expect.stringContaining('"chunk"'),
  })
})

test('a message of whole chunks gives no empty part at its end', async () => {
  const text = textOf(CHUNK_BYTES)
  const lengths: number[] = []
  const pair = new DecryptionStream(KEY)
  const opened = sourceOf([encryptBuffer(text, KEY)]).pipeThrough(pair as never) as ReadableStream<Uint8Array>
  for await (const part of opened) lengths.push(part.length)
  expect(lengths).toEqual([CHUNK_BYTES])
})

test('the error of a forged chunk reaches writer and reader of a DecryptionStream', async () => {
  const forged = Buffer.from(MESSAGE)
  forged[forged.length - 1] = (forged[forged.length - 1] as number) ^ 1
  const { readable, writable } = new DecryptionStream(KEY, { arena })
  const piping = sourceOf([forged]).pipeTo(writable as never)
  const wanted = { code: 'ERR_AESGCM_AUTHENTICATION_FAILED', position: 2 * CHUNK_BYTES }
  expect(await failure(collected(readable))).toMatchObject(wanted)
  expect(await failure(piping)).toMatchObject(wanted)
  expect(arena.used).toBe(0)
})

/** The rest of such a write is a part of a chunk, which gives nothing to push. */
test.each([0, 1, 5000, 16_383])(
  'a write of a mebibyte and %i bytes does not stop a slow pipeline',
  async more => {
    const writes = () => [1, 2, 3].map(() => textOf(2 ** 20 + more))
    const slow = (taken: Buffer[]) =>
      new Writable({
        write(chunk: Buffer, _, callback) {
          taken.push(chunk)
          setTimeout(callback, 1)
        },
      })
    const [sealed, opened]: Buffer[][] = [[], []]
    await pipeline(Readable.from(writes()), createEncryptStream(KEY), slow(sealed as Buffer[]))
    const message = Buffer.concat(sealed as Buffer[])
    const pieces = [0, 1, 2].map(n =>
      message.subarray(n * (2 ** 20 + more), n < 2 ? (n + 1) * (2 ** 20 + more) : undefined),
    )
    await pipeline(Readable.from(pieces), createDecryptStream(KEY), slow(opened as Buffer[]))
    expect(Buffer.concat(opened as Buffer[]).equals(Buffer.concat(writes()))).toBe(true)
  },
)
