// Memory that is gone, shared, moved, shrunk, overlapping, disguised or of another realm.
import { createContext, runInContext } from 'node:vm'
import { AesGcm } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import {
  ARGUMENTS,
  argumentsOf,
  call,
  detach,
  KEY,
  METHODS,
  type Method,
  must,
  opened,
  partsOf,
  Random,
  Resizable,
  refusalOf,
  refuses,
  refusesArgument,
} from './support.js'

/** What the compiler's library does not know of yet. */
const Growable = SharedArrayBuffer as unknown as new (
  length: number,
  options: { maxByteLength: number },
) => SharedArrayBuffer & { grow(length: number): void }
const { Memory } = (globalThis as unknown as { WebAssembly: Record<'Memory', typeof WasmMemory> }).WebAssembly
declare class WasmMemory {
  constructor(options: { initial: number; maximum?: number; shared?: boolean })
  readonly buffer: ArrayBuffer
  grow(pages: number): void
}

const methods = Object.keys(METHODS) as Method[]
const GONE = 'ERR_AESGCM_DETACHED_BUFFER'
const SHARED = 'ERR_AESGCM_SHARED_BUFFER'

/** `bytes` at `start` of a resizable buffer with room for more. */
function resizable(bytes: Uint8Array, start = 0) {
  const buffer = new Resizable(start + bytes.length, { maxByteLength: 4096 })
  new Uint8Array(buffer, start).set(bytes)
  return buffer
}

describe.each(ARGUMENTS)('%s: %s', (method, name) => {
  const aes = new AesGcm(KEY)
  const bytes = () => argumentsOf(method)[name] as Uint8Array

  // Node-API reports this memory as empty: an empty message encrypted, or empty AAD authenticated, unless asked.
  test('whose memory is gone', () => {
    refusesArgument(aes, method, name, detach(bytes()), GONE, 'transferred')
    refusesArgument(aes, method, name, detach(new Uint8Array(0)), GONE, 'transferred and empty before')

    const { length } = bytes()
    const shrunk = resizable(bytes())
    const fixed = new Uint8Array(shrunk, 0, length)
    shrunk.resize(length - 1)
    refusesArgument(aes, method, name, fixed, GONE, 'shrunk by a byte')
    shrunk.resize(length)
    fixed.set(bytes())
    expect(call(aes, method, Object.values({ ...argumentsOf(method), [name]: fixed }))).not.toBe(false)

    const gone = resizable(bytes(), 100)
    const tracking = new Uint8Array(gone, 100)
    gone.resize(99)
    refusesArgument(aes, method, name, tracking, GONE, 'shrunk to before it')

    const wasm = new Memory({ initial: 1, maximum: 2 })
    const view = new Uint8Array(wasm.buffer, 0, length)
    wasm.grow(1)
    refusesArgument(aes, method, name, view, GONE, 'moved away by WebAssembly')
  })

  test('that another thread may write', () => {
    const { length } = bytes()
    const wasm = new Memory({ initial: 1, maximum: 2, shared: true })
    const growable = new Growable(length, { maxByteLength: 4096 })
    const shared = [
      new Uint8Array(new SharedArrayBuffer(length)),
      Buffer.from(new SharedArrayBuffer(length)),
      new Uint8Array(growable),
      new Uint8Array(wasm.buffer, 0, length),
      runInContext(`new Uint8Array(new SharedArrayBuffer(${length}))`, createContext()),
    ]
    growable.grow(length + 5)
    for (const view of shared) refusesArgument(aes, method, name, view, SHARED)
    // (plaintextOf finds it too short first.)
    if (method !== 'plaintextOf')
      refusesArgument(aes, method, name, new Uint8Array(new SharedArrayBuffer(0)), SHARED)
  })

  // Every one is a Uint8Array of the very bytes, whatever it claims to be.
  test('that is sound, however strange', () => {
    const wasm = new Memory({ initial: 1 })
    const inWasm = new Uint8Array(wasm.buffer, 7, bytes().length)
    inWasm.set(bytes())
    const tracked = resizable(bytes())
    const disguised = new Uint8Array(bytes())
    Object.setPrototypeOf(disguised, null)
    const foreign = runInContext('list => Uint8Array.from(list)', createContext())(Array.from(bytes()))
    const foreignSubclass = runInContext(
      'list => new (class extends Uint8Array { get length() { return 1 } })(list)',
      createContext(),
    )(Array.from(bytes()))
    const strange = { inWasm, tracked: new Uint8Array(tracked), disguised, foreign, foreignSubclass }
    for (const [what, view] of Object.entries({ ...strange, liar: new Liar(bytes()) })) {
      const values = { ...argumentsOf(method), [name]: view }
      const result = call(aes, method, Object.values(values))
      must(result !== false, () => `${method} refuses ${name}: ${what}`)
      const { plaintext, aad, target, frame, tag } = values
      // Copied by what the views are, not by what they say.
      const made = { encrypt: result, encryptInto: target, encryptInPlace: frame }[method as 'encrypt']
      if (made !== undefined) {
        const copy = Buffer.from(new Uint8Array(made as Uint8Array)).subarray(0, 78)
        const text = opened(KEY, partsOf('start', copy), new Uint8Array(aad as Uint8Array))
        if (plaintext) expect(text, what).toEqual(Buffer.from(new Uint8Array(plaintext)))
      }
      if (method === 'encryptDetached') {
        const plain = argumentsOf(method)
        call(aes, method, Object.values(plain))
        expect(new Uint8Array(tag as Uint8Array), what).toEqual(plain.tag)
      }
    }
  })
})

/** Lies wherever JavaScript can be lied to. */
class Liar extends Uint8Array {
  static get [Symbol.species](): Uint8ArrayConstructor {
    throw new Error('species ran')
  }
  override get length(): number {
    return 1
  }
  override get byteLength(): number {
    return 2 ** 31
  }
  override get byteOffset(): number {
    return 2 ** 20
  }
  override get buffer(): ArrayBuffer {
    return new ArrayBuffer(0)
  }
  override at(): never {
    throw new Error('at ran')
  }
  override valueOf(): this {
    throw new Error('valueOf ran')
  }
  override toString(): string {
    throw new Error('toString ran')
  }
  [Symbol.toPrimitive](): never {
    throw new Error('toPrimitive ran')
  }
}

describe('disguises', () => {
  const aes = new AesGcm(KEY)
  const plaintext = new Random('disguises').bytes(40)

  test('a liar is encrypted, decrypted and viewed by its true bytes', () => {
    expect(aes.decrypt(new Liar(aes.encrypt(new Liar(plaintext))))).toEqual(plaintext)
    const memory = new ArrayBuffer(100)
    const frame = new Liar(memory, 9, 68)
    Buffer.from(memory, 21, 40).set(plaintext)
    aes.encryptInPlace(frame)
    expect(opened(KEY, partsOf('start', Buffer.from(memory, 9, 68)))).toEqual(plaintext)
    const view = aes.decryptInPlace(frame)
    expect(view).toEqual(plaintext)
    expect([view.buffer === memory, view.byteOffset]).toEqual([true, 21])
    new AesGcm(new Liar(KEY)).decrypt(aes.encrypt(plaintext))
    refuses(() => new AesGcm(new Liar(31)), 'ERR_AESGCM_INVALID_KEY_LENGTH')
    refuses(() => aes.encryptInPlace(new Liar(27)), 'ERR_OUT_OF_RANGE')
    refuses(() => aes.encrypt(detach(new Uint8Array(9))), GONE)
  })

  test.each([
    ['zero', { value: 0 }],
    ['huge', { value: 2 ** 52 }],
    [
      'a trap',
      {
        get: () => {
          throw new Error('code of an argument ran')
        },
      },
    ],
  ])('an ArrayBuffer whose own byteLength is %s', (_, descriptor) => {
    const frame = new Uint8Array(aes.encrypt(plaintext))
    Object.defineProperty(frame.buffer, 'byteLength', descriptor)
    expect(Buffer.compare(aes.plaintextOf(frame), frame.subarray(12, 52))).toBe(0)
    const view = aes.decryptInPlace(frame)
    expect([Buffer.isBuffer(view), Buffer.compare(view, plaintext)]).toEqual([true, 0])
  })

  test('an ArrayBuffer that detaches itself when its byteLength is read', () => {
    for (const method of ['plaintextOf', 'decryptInPlace'] as const) {
      const frame = new Uint8Array(aes.encrypt(plaintext))
      const get = () => detach(frame).length
      Object.defineProperty(frame.buffer, 'byteLength', { get })
      refuses(() => aes[method](frame), GONE)
    }
  })

  test('a view that follows its buffer has the length it has now', () => {
    const buffer = resizable(plaintext)
    const tracking = new Uint8Array(buffer)
    for (const length of [40, 5, 0, 1000, 13]) {
      buffer.resize(length)
      expect(aes.encrypt(tracking).length).toBe(length + 28)
      expect(aes.decrypt(aes.encrypt(tracking), tracking.subarray(0, 0)).length).toBe(length)
    }
  })

  test('a key that is gone, shared, of another realm, or wiped after use', () => {
    refuses(() => new AesGcm(detach(new Uint8Array(32))), GONE)
    // A key is copied before anything is made of it, so another thread can change nothing under it.
    const shared = new Uint8Array(new SharedArrayBuffer(32))
    shared.set(KEY)
    const ofShared = new AesGcm(shared)
    shared.fill(0)
    expect(ofShared.decrypt(aes.encrypt(plaintext))).toEqual(plaintext)
    refuses(() => new AesGcm(new Uint8Array(new SharedArrayBuffer(31))), SHARED)
    const foreign = runInContext('list => Uint8Array.from(list)', createContext())(Array.from(KEY))
    expect(new AesGcm(foreign).decrypt(aes.encrypt(plaintext))).toEqual(plaintext)
  })
})

/** Of two ranges, whether they have a byte in common. */
const meet = (a: number, aLength: number, b: number, bLength: number) => a < b + bLength && b < a + aLength

describe.each(methods.filter(method => method !== 'plaintextOf'))('overlap in %s', method => {
  const { takes, writes } = METHODS[method]
  const names = Object.keys(takes)
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map(b => [a, b] as const))

  test.each(pairs)('%s and %s, at every distance from -64 to 64', (a, b) => {
    const aes = new AesGcm(KEY)
    const written = writes.includes(a) || writes.includes(b)
    const [first, second] = [takes[a] as Buffer, takes[b] as Buffer]
    const random = new Random(`${method} ${a} ${b}`)
    // The lengths at which two ranges begin to meet are among the distances, on either side.
    const [aLength, bLength] = [first.length, second.length]
    for (let distance = -64 - bLength; distance <= 64 + aLength; distance++) {
      const memory = random.bytes(400)
      const before = Buffer.from(memory)
      const values: Record<string, Uint8Array> = argumentsOf(method)
      values[a] = memory.subarray(150, 150 + aLength)
      values[b] = memory.subarray(150 + distance, 150 + distance + bLength)
      const run = () => call(aes, method, Object.values(values))
      if (written && meet(150, aLength, 150 + distance, bLength)) {
        const error = refuses(run, 'ERR_AESGCM_BUFFER_OVERLAP', `distance ${distance}`)
        expect(error.message).toMatch(new RegExp(`"(${a}|${b})" .* "(${a}|${b})"`))
        must(memory.equals(before), () => `bytes were written at distance ${distance}`)
      } else if (method.startsWith('encrypt')) run()
      else if (method.startsWith('try')) expect(run()).toBe(refusalOf(method))
      else refuses(run, 'ERR_AESGCM_AUTHENTICATION_FAILED', `distance ${distance}`)
    }
  })
})

test('one Buffer as everything at once', () => {
  const bytes = new Random('everything').bytes(32)
  const aes = new AesGcm(bytes)
  const before = Buffer.from(bytes)
  const [nonce, tag] = [bytes.subarray(0, 12), bytes.subarray(16)]
  for (const run of [
    () => aes.encryptInPlace(bytes, bytes),
    () => aes.decryptInPlace(bytes, bytes),
    () => aes.tryDecryptInPlace(bytes, bytes),
    () => aes.encryptInto(bytes, bytes, bytes),
    () => aes.decryptInto(bytes, bytes, bytes),
    () => aes.tryDecryptInto(bytes, bytes, bytes),
    () => aes.encryptDetached(bytes, nonce, tag, bytes),
    () => aes.encryptDetached(Buffer.alloc(4), nonce, bytes.subarray(0, 16)),
    () => aes.decryptDetached(bytes, nonce, tag, bytes),
    () => aes.tryDecryptDetached(bytes, nonce, tag, bytes),
  ]) {
    refuses(run, 'ERR_AESGCM_BUFFER_OVERLAP')
    expect(bytes).toEqual(before)
  }
  // What is only read may be one thing: message and AAD, and the key's own bytes.
  expect(aes.decrypt(aes.encrypt(bytes, bytes), bytes)).toEqual(bytes)
  // No bytes are in common with no bytes.
  aes.encryptInPlace(bytes, bytes.subarray(9, 9))
  aes.encryptDetached(bytes.subarray(3, 3), nonce, tag, bytes.subarray(5, 5))
})
