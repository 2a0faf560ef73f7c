// Which calls take the short way: lib/ remembers views that come again, and stops trying where they do not.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AesGcm } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { KEY, must, Resizable, ROOT, run } from '../tools/support.js'

// The instance that the package uses, because a test loads the same files.
const require = createRequire(import.meta.url)
const slate = require(join(ROOT, 'dist/cipher/native/slate.cjs'))
const { create } = require(join(ROOT, 'dist/cipher/native/calls.cjs'))

const handle = create(0, 255, KEY, false, false, 2 ** 32, 2 ** 32, undefined)
const { low, high } = slate.numberOf(handle)
/** Whether a call over a frame takes the short way. */
const isShort = (frame: unknown, aad?: unknown) => {
  const status = slate.inPlaceShortly(slate.ENCRYPT, low, high, frame, aad)
  must(status === 0 || status === 1, () => `status ${status}`)
  return status === 0
}
const own = (length: number, memory = length) => new Uint8Array(new ArrayBuffer(memory), 0, length)
/** So many calls pass between two tries to remember views. */
const REST = 1024
/** So many calls with the same arguments, at the end of which the short way must be taken. */
const settle = (frame: Uint8Array, aad?: Uint8Array) => {
  for (let i = 0; i < REST; i++) isShort(frame, aad)
  expect(isShort(frame, aad)).toBe(true)
}

test('views that come again', () => {
  const [frame, aad] = [own(60), own(5)]
  settle(frame)
  for (let i = 0; i < 100; i++) expect(isShort(frame)).toBe(true)
  settle(frame, aad)
  for (let i = 0; i < 100; i++) expect(isShort(frame, aad)).toBe(true)
  for (const other of [undefined, null, own(5)]) expect(isShort(frame, other)).toBe(false)
})

test('views that never come again are left alone, and one that does is tried later', () => {
  settle(own(60))
  let short = 0
  for (let i = 0; i < 100 * (REST + 1); i++) if (isShort(own(60))) short++
  expect(short).toBe(100)
  settle(own(60))
})

test('two views in turn: one of them', () => {
  const frames = [own(60), own(60)]
  settle(frames[0] as Uint8Array)
  let short = 0
  for (let i = 0; i < 20_000; i++) if (isShort(frames[i % 2])) short++
  expect(short).toBeGreaterThan(8_000)
  expect(short).toBeLessThan(12_000)
})

test('memory that is not remembered', () => {
  const resizable = new Uint8Array(new Resizable(60, { maxByteLength: 100 }))
  const gone = own(60)
  structuredClone(gone.buffer, { transfer: [gone.buffer] })
  const never: [string, unknown][] = [
    ['more than 64 KiB', own(60, (64 << 10) + 1)],
    ['shared', new Uint8Array(new SharedArrayBuffer(60))],
    ['resizable', resizable],
    ['gone', gone],
    ['empty', own(0)],
    ['a DataView', new DataView(new ArrayBuffer(60))],
    ['signed', new Int8Array(60)],
    ['clamped', new Uint8ClampedArray(60)],
    ['a Proxy', new Proxy(own(60), {})],
    ['undefined', undefined],
    ['an object', {}],
  ]
  for (const [what, value] of never) {
    let short = 0
    for (let i = 0; i < 3 * REST; i++) if (isShort(value)) short++
    expect(short, what).toBe(0)
    settle(own(60))
  }
  settle(own(60, 64 << 10))
})

test('a remembered view whose memory goes', () => {
  const frame = own(60)
  settle(frame)
  structuredClone(frame.buffer, { transfer: [frame.buffer] })
  expect(isShort(frame)).toBe(false)
  expect(() => new AesGcm(KEY).encryptInPlace(frame)).toThrow(/detached/)
})

test('at most two memories are kept, and none that is large', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const key = new AesGcm(KEY)
  const used = (bytes: number) => {
    const refs = Array.from({ length: 20 }, () => {
      const memory = new ArrayBuffer(bytes)
      const frame = new Uint8Array(memory, 0, 60)
      const aad = new Uint8Array(memory, 100, 3)
      for (let i = 0; i < 2 * REST; i++) key.encryptInPlace(frame, i < REST ? null : aad)
      return new WeakRef(memory)
    })
    return () => refs.filter(ref => ref.deref() !== undefined).length
  }
  const [small, large] = [used(4096), used(1 << 20)]
  await new Promise(resolve => setImmediate(resolve))
  gc()
  expect(small()).toBeLessThanOrEqual(2)
  expect(large()).toBe(0)
})

test('a stack that overflows in any call leaves the right key, memory and count', () => {
  const script = `
    const key = new AesGcm(Buffer.alloc(32)), other = new AesGcm(Buffer.alloc(32, 1))
    const memory = new ArrayBuffer(4096)
    const views = Array.from({ length: 8 }, (_, i) => new Uint8Array(memory, i * 100, 60))
    let ok = 0, overflows = 0
    const dive = depth => {
      if (depth > 0) return dive(depth - 1)
      for (let i = 0; i < 400; i++) {
        key.encryptInPlace(views[i & 7], views[(i + 3) & 7])
        ok++
        if (!key.tryDecryptInPlace(views[i & 7], views[(i + 3) & 7])) throw new Error('forged')
        if (other.tryDecryptInPlace(views[i & 7])) throw new Error('opened')
      }
    }
    let most = 100
    for (;;) { try { dive(most); most += 50 } catch { break } }
    for (let depth = most - 150; depth < most + 50; depth++) {
      try { dive(depth) } catch (error) { if (!/call stack/.test(error.message)) throw error; overflows++ }
    }
    if (key.failedDecryptions !== 0 || other.messagesEncrypted !== 0) throw new Error('another key')
    console.log(key.messagesEncrypted >= ok, overflows > 0, ok > 0)`
  const { stdout, stderr } = run(script)
  expect(stderr).toBe('')
  expect(stdout.trim()).toBe('true true true')
})
