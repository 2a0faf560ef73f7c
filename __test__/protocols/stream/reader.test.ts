// DecryptionReader: every kind of source, ranges of every kind, sizes past 2^32, and how little it reads.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import { KeyArena } from 'hardware-aes-gcm'
import { DecryptionReader, encryptBuffer, encryptedRange, encryptedSize } from 'hardware-aes-gcm/stream'
import { afterAll, describe, expect, test } from 'vitest'
import {
  CHUNK_BYTES,
  derive,
  HEADER_BYTES,
  SEALED_CHUNK_BYTES,
  sealChunk,
} from '../../models/cobblestone.mjs'
import { detach, Random, Resizable } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { collected, failure, KEY, MESSAGE, TEXT, textOf } from './tools.js'

const random = new Random('stream-reader')
const folder = mkdtempSync(join(tmpdir(), 'reader-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

/** A source that remembers its reads. */
function recorded(message: Uint8Array) {
  const reads: [number, number][] = []
  const read = (position: number, length: number) => {
    reads.push([position, length])
    return message.subarray(position, position + length)
  }
  return { size: message.length, reads, read }
}

describe('sources', () => {
  test('shared memory is refused, and memory that is gone', async () => {
    expect(await failure(DecryptionReader.open(Buffer.from(new SharedArrayBuffer(200)), KEY))).toMatchObject({
      code: 'ERR_AESGCM_SHARED_BUFFER',
      message: expect.stringContaining('"source"'),
    })
    const gone = Buffer.from(new ArrayBuffer(200))
    detach(gone)
    const read = () => gone
    for (const [source, name] of [
      [gone, 'source'],
      [{ size: 200, read }, 'source.read()'],
    ] as const)
      expect(await failure(DecryptionReader.open(source, KEY))).toMatchObject({
        code: 'ERR_AESGCM_DETACHED_BUFFER',
        message: expect.stringContaining(`"${name}"`),
      })
  })

  test('a Buffer, a Uint8Array, a Blob, a FileHandle, an object', async () => {
    const path = join(folder, 'message')
    writeFileSync(path, MESSAGE)
    const file = await openFile(path)
    const sources = [
      MESSAGE,
      new Uint8Array(MESSAGE),
      new Blob([MESSAGE]),
      file,
      { size: MESSAGE.length, read: async (at: number, length: number) => MESSAGE.subarray(at, at + length) },
      // A source may give more than it is asked for.
      { size: MESSAGE.length, read: (at: number) => MESSAGE.subarray(at) },
    ]
    for (const source of sources) {
      using reader = await DecryptionReader.open(source, KEY)
      expect(reader.size).toBe(TEXT.length)
      expect((await reader.read()).equals(TEXT)).toBe(true)
      expect((await reader.read(16_000, 17_000)).equals(TEXT.subarray(16_000, 17_000))).toBe(true)
    }
    // The reader leaves the file open.
    expect((await file.stat()).size).toBe(MESSAGE.length)
    await file.close()
  })

  test.each([
    undefined,
    null,
    7,
    'path',
    {},
    { size: 7 },
    { read() {} },
    { size: 7, stat() {} },
    new ArrayBuffer(80),
  ])('refuses %s', async source => {
    const error = await failure(DecryptionReader.open(source as never, KEY))
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining('"source" must be a FileHandle, a Blob'),
    })
  })

  test('a file that became shorter', async () => {
    const path = join(folder, 'shorter')
    writeFileSync(path, MESSAGE)
    const file = await openFile(path, 'r+')
    using reader = await DecryptionReader.open(file, KEY)
    await file.truncate(HEADER_BYTES + 9)
    expect(await failure(reader.read(0, 9))).toMatchObject({ code: 'ERR_AESGCM_STREAM_TRUNCATED' })
    await file.close()
  })

  test('errors of a source, and reads that give too little', async () => {
    const broken = new Error('the network is down')
    const source = { ...recorded(MESSAGE), read: () => Promise.reject(broken) }
    expect(await failure(DecryptionReader.open(source, KEY))).toBe(broken)
    for (const short of [0, 1, 55]) {
      const little = { size: MESSAGE.length, read: (at: number) => MESSAGE.subarray(at, at + short) }
      const error = await failure(DecryptionReader.open(little, KEY))
      expect(error).toMatchObject({ code: 'ERR_AESGCM_STREAM_TRUNCATED' })
    }
    const text = { size: MESSAGE.length, read: () => 'text' as never }
    expect(await failure(DecryptionReader.open(text, KEY))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    expect(await failure(DecryptionReader.open(MESSAGE, KEY, { verifyEnd: 0 as never }))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: '"options.verifyEnd" must be a boolean, got number',
    })
    for (const size of [-1, 0.5, Number.NaN, 2 ** 53, '7'])
      expect(
        await failure(DecryptionReader.open({ ...recorded(MESSAGE), size: size as never }, KEY)),
      ).toMatchObject({
        code: typeof size === 'string' ? 'ERR_INVALID_ARG_TYPE' : 'ERR_OUT_OF_RANGE',
        message: expect.stringContaining('"source.size"'),
      })
  })
})

// Regression: the header asked for the same bytes for ever, and no timer of the process ran again.
test('a source whose answer is detached or shrunk a microtask later is refused', async () => {
  const pool = new Resizable(200, { maxByteLength: 200 })
  let reads = 0
  for (const spoil of [detach, () => pool.resize(0)]) {
    const read = async (_: number, length: number) => {
      if (++reads > 9) throw new Error('asked again')
      pool.resize(200)
      const bytes = new Uint8Array(spoil === detach ? new ArrayBuffer(length) : pool, 0, length)
      const later = Promise.resolve().then(() => {})
      later.then(() => spoil(bytes))
      return bytes
    }
    expect(await failure(DecryptionReader.open({ size: 1000, read }, KEY))).toMatchObject({
      code: 'ERR_AESGCM_DETACHED_BUFFER',
    })
  }
  expect(reads).toBe(2)
})

test('any range, by read and by stream', async () => {
  const text = textOf(200 * CHUNK_BYTES + 5)
  using reader = await DecryptionReader.open(encryptBuffer(text, KEY), KEY)
  const place = () => {
    const near = CHUNK_BYTES * random.below(202) + random.below(5) - 2
    return random.below(2) === 0 ? near - text.length : near
  }
  for (let i = 0; i < count(60, 2000); i++) {
    const [start, end] = [place(), random.below(5) === 0 ? undefined : place()]
    // A Buffer reads positions as the reader does.
    const wanted = text.subarray(start, end)
    const part = await reader.read(start, end)
    expect(part.equals(wanted), `${start} to ${end}`).toBe(true)
    expect((await collected(reader.stream(start, end))).equals(wanted), `${start} to ${end}`).toBe(true)
  }
  expect(await reader.read(7, 7)).toHaveLength(0)
  expect(await reader.read(9, 7)).toHaveLength(0)
  expect((await Promise.all([0, 1, 2, 3].map(n => reader.read(n, n + 1)))).map(([byte]) => byte)).toEqual([
    ...text.subarray(0, 4),
  ])
  for (const wrong of [0.5, Number.NaN, Infinity, 2 ** 53]) {
    expect(await failure(reader.read(wrong))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
    expect(() => reader.stream(0, wrong)).toThrow(RangeError)
  }
  expect(await failure(reader.read('7' as never))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
})

test('a bound that is no whole number is refused by its name', async () => {
  using reader = await DecryptionReader.open(MESSAGE, KEY)
  for (const [wrong, code, text] of [
    ['1', 'ERR_INVALID_ARG_TYPE', 'a number, got string'],
    [0.5, 'ERR_OUT_OF_RANGE', 'a whole number from -(2^52) to 2^52, got 0.5'],
    [2 ** 52 + 1, 'ERR_OUT_OF_RANGE', 'a whole number from -(2^52) to 2^52, got 4503599627370497'],
    [-(2 ** 52) - 1, 'ERR_OUT_OF_RANGE', 'a whole number from -(2^52) to 2^52, got -4503599627370497'],
  ] as const) {
    const bound = wrong as number
    expect(await failure(reader.read(bound))).toMatchObject({ code, message: `"start" must be ${text}` })
    expect(await failure(reader.read(0, bound))).toMatchObject({ code, message: `"end" must be ${text}` })
  }
  for (const bound of [2 ** 52, -(2 ** 52)])
    expect((await reader.read(bound, 1)).length).toBe(bound < 0 ? 1 : 0)
})

test('one byte needs the header, the last chunk once, and one chunk', async () => {
  const message = encryptBuffer(textOf(100 * CHUNK_BYTES), KEY)
  const source = recorded(message)
  using reader = await DecryptionReader.open(source, KEY)
  const last = HEADER_BYTES + 100 * SEALED_CHUNK_BYTES
  expect(source.reads.splice(0)).toEqual([
    [0, HEADER_BYTES],
    [last, 16],
  ])
  await reader.read(50 * CHUNK_BYTES, 50 * CHUNK_BYTES + 1)
  expect(source.reads.splice(0)).toEqual([[HEADER_BYTES + 50 * SEALED_CHUNK_BYTES, SEALED_CHUNK_BYTES]])
  await reader.read(-1)
  expect(source.reads).toEqual([[last - SEALED_CHUNK_BYTES, SEALED_CHUNK_BYTES]])
})

test('without verifyEnd, the end is verified when a range depends on it', async () => {
  const message = encryptBuffer(textOf(3 * CHUNK_BYTES + 9), KEY)
  const cut = message.subarray(0, HEADER_BYTES + 2 * SEALED_CHUNK_BYTES + 500)
  const source = recorded(cut)
  expect(await failure(DecryptionReader.open(recorded(cut), KEY))).toMatchObject({
    code: 'ERR_AESGCM_AUTHENTICATION_FAILED',
    position: 2 * CHUNK_BYTES,
  })
  using reader = await DecryptionReader.open(source, KEY, { verifyEnd: false })
  expect(source.reads).toHaveLength(1)
  expect((await reader.read(0, 9)).equals(textOf(9))).toBe(true)
  expect(source.reads).toHaveLength(2)
  for (const range of [[-9], [0], [0, -1], [0, reader.size + 1], [2 ** 40, 2 ** 41], []])
    expect(await failure(reader.read(...range)), String(range)).toMatchObject({ position: 2 * CHUNK_BYTES })
  expect(await failure(collected(reader.stream(-9)))).toMatchObject({ position: 2 * CHUNK_BYTES })
})

test('a message that ends where none can end is refused when it is opened', async () => {
  const other = Buffer.alloc(32, 1)
  for (const [end, key, code, position] of [
    [0, KEY, 'STREAM_TRUNCATED'],
    [HEADER_BYTES - 1, other, 'STREAM_TRUNCATED'],
    [HEADER_BYTES, other, 'WRONG_KEY'],
    [HEADER_BYTES, KEY, 'STREAM_TRUNCATED'],
    [HEADER_BYTES + 15, KEY, 'AUTHENTICATION_FAILED', 0],
    [HEADER_BYTES + SEALED_CHUNK_BYTES, KEY, 'STREAM_TRUNCATED'],
    [HEADER_BYTES + SEALED_CHUNK_BYTES + 15, KEY, 'AUTHENTICATION_FAILED', CHUNK_BYTES],
  ] as const)
    for (const verifyEnd of [false, true]) {
      const error = await failure(DecryptionReader.open(MESSAGE.subarray(0, end), key, { verifyEnd }))
      expect([error.code, error.position], String(end)).toEqual([`ERR_AESGCM_${code}`, position])
    }
})

test('64 GiB and more, of which only a few chunks are read', async () => {
  const salt = Buffer.alloc(24, 3)
  const secrets = derive(KEY, salt, Buffer.alloc(0))
  for (const size of [2 ** 36 + 100, 2 ** 45 - 1, 2 ** 52 - 1]) {
    let bytes = 0
    const read = (position: number, length: number) => {
      bytes += length
      if (position === 0) return Buffer.concat([salt, secrets.commitment])
      const parts: Buffer[] = []
      for (
        let chunk = (position - HEADER_BYTES) / SEALED_CHUNK_BYTES;
        parts.length * SEALED_CHUNK_BYTES < length;
        chunk++
      ) {
        const text = Buffer.alloc(Math.min(CHUNK_BYTES, size - chunk * CHUNK_BYTES))
        if (text.length >= 8) text.writeDoubleLE(chunk)
        parts.push(sealChunk(secrets, chunk, text))
      }
      return Buffer.concat(parts)
    }
    using reader = await DecryptionReader.open({ size: encryptedSize(size), read }, KEY)
    expect(reader.size).toBe(size)
    for (const chunk of [0, 1, 2 ** 18, 2 ** 18 + 1, 2 ** 22 - 1, Math.floor(size / CHUNK_BYTES) - 1]) {
      const found = await reader.read(chunk * CHUNK_BYTES, chunk * CHUNK_BYTES + 8)
      expect(found.readDoubleLE()).toBe(chunk)
      const { start, end } = encryptedRange(chunk * CHUNK_BYTES + 1, (chunk + 1) * CHUNK_BYTES)
      expect([start, end - start]).toEqual([HEADER_BYTES + chunk * SEALED_CHUNK_BYTES, SEALED_CHUNK_BYTES])
    }
    expect(bytes).toBeLessThan(2 ** 20)
  }
})

test('a source that is larger than any message', async () => {
  for (const size of [encryptedSize(2 ** 52 - 1) + 17, 2 ** 53 - 1]) {
    const read = (position: number, length: number) => MESSAGE.subarray(position, position + length)
    for (const verifyEnd of [false, true])
      expect(await failure(DecryptionReader.open({ size, read }, KEY, { verifyEnd }))).toMatchObject({
        code: 'ERR_AESGCM_AUTHENTICATION_FAILED',
      })
  }
})

test('a stream reads nothing before somebody asks for its bytes, and nothing for no bytes', async () => {
  const source = recorded(MESSAGE)
  using reader = await DecryptionReader.open(source, KEY)
  source.reads.length = 0
  const stream = reader.stream(0, 9)
  await setImmediate()
  for await (const part of reader.stream(7, 7)) expect.unreachable(`a part of ${part.length} bytes`)
  expect(source.reads).toEqual([])
  expect((await collected(stream)).equals(TEXT.subarray(0, 9))).toBe(true)
})

test('destroy wipes the key, and later reads are refused', async () => {
  using arena = new KeyArena({ keys: 1 })
  const reader = await DecryptionReader.open(MESSAGE, KEY, { arena })
  const stream = reader.stream()
  expect([arena.used, inspect(reader)]).toEqual([
    1,
    `DecryptionReader { size: ${TEXT.length}, destroyed: false }`,
  ])
  reader.destroy()
  reader[Symbol.dispose]()
  expect(arena.used).toBe(0)
  expect(await failure(reader.read())).toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
  expect(await failure(collected(stream))).toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
  {
    using another = await DecryptionReader.open(MESSAGE, KEY, { arena })
    expect([arena.used, another.size]).toEqual([1, TEXT.length])
  }
  expect(arena.used).toBe(0)
  // A key in vain.
  const forged = Buffer.from(MESSAGE).fill(0, MESSAGE.length - 16)
  expect(await failure(DecryptionReader.open(forged, KEY, { arena }))).toMatchObject({
    position: 2 * CHUNK_BYTES,
  })
  expect(arena.used).toBe(0)
})

test('a destroyed reader gave an empty range', async () => {
  const empty = await DecryptionReader.open(encryptBuffer(Buffer.alloc(0), KEY), KEY)
  const reader = await DecryptionReader.open(MESSAGE, KEY)
  const stream = reader.stream(7, 7)
  expect(await reader.read(0, 0)).toHaveLength(0)
  for (const one of [empty, reader]) {
    one.destroy()
    for (const [start, end] of [[0, 0], [5, 2], [one.size], [-1, 0]] as const) {
      expect(await failure(one.read(start, end))).toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
      expect(await failure(collected(one.stream(start, end)))).toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
    }
    // A caller's mistake comes first.
    expect(await failure(one.read(0.5))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
  }
  expect(await failure(collected(stream))).toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
})

test('a forged chunk spoils the ranges that need it, and no others', async () => {
  const message = Buffer.from(MESSAGE)
  message[HEADER_BYTES + SEALED_CHUNK_BYTES + 9] =
    (message[HEADER_BYTES + SEALED_CHUNK_BYTES + 9] as number) ^ 1
  using reader = await DecryptionReader.open(message, KEY)
  expect((await reader.read(0, CHUNK_BYTES)).equals(TEXT.subarray(0, CHUNK_BYTES))).toBe(true)
  expect((await reader.read(2 * CHUNK_BYTES)).equals(TEXT.subarray(2 * CHUNK_BYTES))).toBe(true)
  for (const [start, end] of [
    [0, CHUNK_BYTES + 1],
    [CHUNK_BYTES, CHUNK_BYTES + 1],
    [2 * CHUNK_BYTES - 1, undefined],
  ] as const)
    expect(await failure(reader.read(start, end))).toMatchObject({ position: CHUNK_BYTES })
})

test('is made by open alone, and its methods refuse other receivers', async () => {
  const Class = DecryptionReader as never as new (value: unknown) => unknown
  expect(() => new Class({})).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }))
  const reader = await DecryptionReader.open(MESSAGE, KEY)
  const wrong = expect.objectContaining({ code: 'ERR_INVALID_THIS' })
  expect(() => reader.destroy.call({} as never)).toThrow(wrong)
  expect(() => reader.stream.call({} as never)).toThrow(wrong)
  expect(await failure(reader.read.call({} as never))).toMatchObject({
    code: 'ERR_INVALID_THIS',
    message: 'Value of "this" must be of type DecryptionReader',
  })
  for (const other of [{}, undefined, null, 7])
    expect(() => Reflect.get(DecryptionReader.prototype, 'size', other)).toThrow(wrong)
})
