// encryptInPlaceAsync and decryptInPlaceAsync work on Buffers of every origin and size: on their memory, or on a copy.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markAsUntransferable } from 'node:worker_threads'
import { AesGcm, randomBytes } from 'hardware-aes-gcm'
import { afterAll, describe, expect, test } from 'vitest'
import { isOwn, KEY, Random, Resizable, run } from '../../tools/support.js'
import { AUTHENTICATION, counts, isDetached, occupyPool, own, ownCopy, rejected } from './async.js'

const random = new Random('async copies')
const folder = mkdtempSync(join(tmpdir(), 'aesgcm-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The memory of WebAssembly cannot be transferred. The compiler's library does not know its class. */
const { Memory } = (
  globalThis as unknown as { WebAssembly: { Memory: new (_: object) => { buffer: ArrayBuffer } } }
).WebAssembly
const wasm = new Memory({ initial: 3 }).buffer
const at = (memory: ArrayBuffer, start: number, bytes: Uint8Array) => {
  const view = new Uint8Array(memory, start, bytes.length)
  view.set(bytes)
  return view
}

/** Ways to a frame with these bytes. Which of them give the frame memory of its own depends on size and version of Node. */
const ORIGINS: Record<string, (bytes: Buffer) => Uint8Array> = {
  'Buffer.concat': bytes => Buffer.concat([bytes.subarray(0, 7), bytes.subarray(7)]),
  'Buffer.from of bytes': bytes => Buffer.from(bytes),
  'Buffer.from of base64': bytes => Buffer.from(bytes.toString('base64'), 'base64'),
  readFileSync: bytes => {
    writeFileSync(join(folder, 'frame'), bytes)
    return readFileSync(join(folder, 'frame'))
  },
  'Buffer.allocUnsafe': bytes => {
    const frame = Buffer.allocUnsafe(bytes.length)
    frame.set(bytes)
    return frame
  },
  'an ArrayBuffer of its own': bytes => ownCopy(bytes),
  'randomBytes of this package': bytes => {
    const frame = randomBytes(bytes.length)
    frame.set(bytes)
    return frame
  },
  'the middle of an ArrayBuffer': bytes => at(new ArrayBuffer(bytes.length + 100), 50, bytes),
  'memory marked as untransferable': bytes => {
    const frame = ownCopy(bytes)
    markAsUntransferable(frame.buffer)
    return frame
  },
  'resizable memory': bytes =>
    at(new Resizable(bytes.length, { maxByteLength: bytes.length + 100 }), 0, bytes),
  'resizable memory that grew': bytes => {
    const memory = new Resizable(bytes.length, { maxByteLength: bytes.length + 100 })
    const frame = at(memory, 0, bytes)
    memory.resize(bytes.length + 1)
    return frame
  },
  'the memory of WebAssembly': bytes => at(wasm, 500, bytes),
}

/** Whether a call is to take the memory of `frame`, rather than a copy. */
const moves = (frame: Uint8Array, origin = '') =>
  frame.length === frame.buffer.byteLength && !/untransferable|WebAssembly/.test(origin)

/** After a call: the frame is detached if its memory moved, and otherwise as it was. */
const expectLeft = (frame: Uint8Array, moved: boolean, bytes: Buffer) => {
  expect(isDetached(frame)).toBe(moved)
  if (!moved) expect(bytes.equals(frame)).toBe(true)
}

describe.each(Object.keys(ORIGINS))('a frame from %s', origin => {
  const make = ORIGINS[origin] as (bytes: Buffer) => Uint8Array

  test.each([0, 10, 3000, 5000, 70_000])('with a message of %d bytes works', async size => {
    const aes = new AesGcm(KEY)
    const [text, aad] = [random.bytes(size), random.bytes(9)]
    const plain = Buffer.concat([Buffer.alloc(12), text, Buffer.alloc(16)])
    const frame = make(plain)
    const moved = moves(frame, origin)
    const promise = aes.encryptInPlaceAsync(frame, aad)
    expectLeft(frame, moved, plain)
    const sealed = await promise
    isOwn(sealed)
    expect(aes.decrypt(sealed, aad).equals(text)).toBe(true)
    const again = make(sealed)
    const movedAgain = moves(again, origin)
    const opened = await aes.decryptInPlaceAsync(again, aad)
    expect(opened.equals(text) && opened.buffer !== again.buffer).toBe(true)
    expectLeft(again, movedAgain, sealed)
    expect(counts(aes)).toEqual([1, size, 0])
  })

  test.each([0, 10, 3000, 5000, 70_000])('of %d bytes that is a forgery is in the error', async size => {
    const aes = new AesGcm(KEY)
    const forged = random.bytes(size)
    const frame = make(forged)
    const moved = moves(frame, origin)
    const error = await rejected(aes.decryptInPlaceAsync(frame), AUTHENTICATION)
    expectLeft(frame, moved, forged)
    isOwn(error.frame)
    expect(error.frame?.equals(forged)).toBe(true)
    expect(counts(aes)).toEqual([0, 0, 1])
  })

  test('that is too short stays with the caller', async () => {
    const aes = new AesGcm(KEY)
    for (const size of [0, 10, 27]) {
      const bytes = random.bytes(size)
      const frame = make(bytes)
      const error = await rejected(aes.encryptInPlaceAsync(frame), 'ERR_OUT_OF_RANGE')
      expect([error.message, error.frame]).toEqual([expect.stringContaining(`got length ${size}`), undefined])
      expectLeft(frame, false, bytes)
    }
    expect(counts(aes)).toEqual([0, 0, 0])
  })

  test('is in the error of an aborted call', async () => {
    const controller = new AbortController()
    const bytes = random.bytes(3000)
    const frame = make(bytes)
    const moved = moves(frame, origin)
    occupyPool()
    const promise = new AesGcm(KEY).encryptInPlaceAsync(frame, null, { signal: controller.signal })
    controller.abort()
    const error = await rejected(promise, 'ABORT_ERR')
    expectLeft(frame, moved, bytes)
    isOwn(error.frame)
    expect(error.frame?.equals(bytes)).toBe(true)
  })
})

test('a frame that is all of the memory of WebAssembly, or of the pool, is copied', async () => {
  const aes = new AesGcm(KEY)
  for (const memory of [new Memory({ initial: 1 }).buffer, Buffer.from('x').buffer as ArrayBuffer]) {
    const frame = new Uint8Array(memory)
    const text = aes.plaintextOf(Buffer.from(frame))
    const sealed = await aes.encryptInPlaceAsync(frame)
    expect(aes.decrypt(sealed).equals(text) && !isDetached(frame)).toBe(true)
  }
})

test('a copy is made in the call: changes of the frame after it have no effect, nor has the work on its neighbours', async () => {
  const aes = new AesGcm(KEY)
  for (const length of [40, 1 << 20]) {
    const memory = own(length + 200, 7)
    const frame = memory.subarray(100, -100)
    const promise = aes.encryptInPlaceAsync(frame)
    frame.fill(8)
    const sealed = await promise
    expect(aes.decrypt(sealed).every(byte => byte === 7)).toBe(true)
    expect(memory.subarray(0, 100).every(byte => byte === 7) && frame.every(byte => byte === 8)).toBe(true)
  }
})

test('AAD that overlaps a frame is refused in memory of every kind; AAD beside the frame is accepted', async () => {
  const memory = own(100)
  const [aes, frame] = [new AesGcm(KEY), memory.subarray(20, 80)]
  for (const way of ['encryptInPlaceAsync', 'decryptInPlaceAsync'] as const) {
    for (const [start, end] of [
      [0, 21],
      [79, 100],
      [30, 31],
      [20, 80],
      [0, 100],
    ]) {
      const error = await rejected(aes[way](frame, memory.subarray(start, end)), 'ERR_AESGCM_BUFFER_OVERLAP')
      expect(error.message).toBe('"frame" is written to and must not share memory with "aad"')
      expect(error.frame).toBe(undefined)
    }
  }
  expect(counts(aes)).toEqual([0, 0, 0])
  for (const [start, end] of [
    [0, 20],
    [80, 100],
    [30, 30],
    [0, 0],
  ]) {
    const aad = memory.subarray(start, end)
    const sealed = await aes.encryptInPlaceAsync(frame, aad)
    expect(aes.tryDecrypt(sealed, aad)?.length).toBe(32)
  }
})

test('the copy of a refused call is wiped', () => {
  // Keeps every Buffer that is made. Runs before the package is imported, because the package saves allocUnsafeSlow.
  const keeping = `
    const { allocUnsafeSlow } = Buffer
    globalThis.made = []
    Buffer.allocUnsafeSlow = length => made[made.push(allocUnsafeSlow(length)) - 1]`
  const script = `
    const aes = new AesGcm(Buffer.alloc(32), { maxMessages: 0 })
    const memory = Buffer.alloc(600, 7)
    made.length = 0
    const refused = await aes.encryptInPlaceAsync(memory.subarray(0, 500)).catch(error => error.code)
    console.log(refused, made.length, made[0].length, made[0].some(byte => byte), memory.every(byte => byte === 7))`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(keeping)}`]
  expect(run(script, { flags })).toEqual({
    status: 0,
    stdout: 'ERR_AESGCM_KEY_EXHAUSTED 1 500 false true\n',
    stderr: '',
  })
})
