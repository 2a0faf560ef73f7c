// Random bytes into memory that is gone, shared, moved or disguised; patched built-ins; and no random bytes left behind.
import { createContext, runInContext } from 'node:vm'
import { randomBytes, randomFillSync, randomInfo } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { StandIn } from '../../tools/stand-in.js'
import { detach, Resizable, refuses, run, thrown, touchy } from '../../tools/support.js'

const GONE = 'ERR_AESGCM_DETACHED_BUFFER'
const SHARED = 'ERR_AESGCM_SHARED_BUFFER'
const fill = randomFillSync as (view: unknown, offset?: unknown, size?: unknown) => unknown
const bytesOf = (memory: ArrayBufferLike) => new Uint8Array(memory)
const zero = (bytes: Uint8Array) => bytes.every(byte => byte === 0)

describe('memory', () => {
  const views = (memory: ArrayBufferLike) => [
    ...[memory, new Uint8Array(memory), new DataView(memory), new Uint16Array(memory)],
    ...[new BigInt64Array(memory), new Float64Array(memory), Buffer.from(memory as ArrayBuffer)],
  ]

  test('that is gone: transferred, shrunk away', () => {
    for (let kind = 0; kind < 7; kind++) {
      for (const length of [64, 0]) {
        const memory = new ArrayBuffer(length)
        const view = views(memory)[kind]
        detach(new Uint8Array(memory))
        for (const part of [[], [0], [0, 0], [undefined, 0]])
          refuses(() => fill(view, ...part), GONE, `${kind}`)
      }
      const shrinking = new Resizable(64, { maxByteLength: 128 })
      const fixed = [
        ...[
          new Uint8Array(shrinking, 0, 64),
          new DataView(shrinking, 0, 64),
          new Uint16Array(shrinking, 8, 28),
        ],
        ...[new BigInt64Array(shrinking, 0, 8), new Uint8Array(shrinking, 40), new DataView(shrinking, 40)],
      ]
      shrinking.resize(32)
      for (const view of fixed) {
        refuses(() => fill(view), GONE)
        refuses(() => fill(view, 0, 0), GONE)
      }
      expect(zero(bytesOf(shrinking))).toBe(true)
    }
  })

  test('that another thread may write', () => {
    for (const length of [64, 0]) {
      const memory = new SharedArrayBuffer(length)
      for (const view of views(memory)) {
        for (const part of [[], [0], [0, 0], [0, 8], ['0']]) refuses(() => fill(view, ...part), SHARED)
      }
      expect(zero(bytesOf(memory))).toBe(true)
    }
  })

  test('that grows and shrinks is as long as it is now', () => {
    const memory = new Resizable(0, { maxByteLength: 4096 })
    const [bytes, words, data] = [new Uint8Array(memory), new Uint32Array(memory), new DataView(memory)]
    for (const length of [40, 8, 0, 4096, 66]) {
      memory.resize(length)
      for (const view of [bytes, words, data, memory]) {
        bytes.fill(0)
        expect(fill(view)).toBe(view)
        if (length >= 16) expect(zero(bytes)).toBe(false)
        const end = view === words ? length >> 2 : length
        refuses(() => fill(view, 0, end + 1), 'ERR_OUT_OF_RANGE')
        expect(fill(view, end)).toBe(view)
      }
    }
  })

  test('of another realm', () => {
    for (const code of [
      'new Uint8Array(40)',
      'new DataView(new ArrayBuffer(40))',
      'new BigUint64Array(5)',
      'new ArrayBuffer(40)',
    ]) {
      const view = runInContext(code, createContext()) as Uint8Array
      expect(fill(view)).toBe(view)
      expect(zero(new Uint8Array(view.buffer ?? view)), code).toBe(false)
    }
    refuses(() => fill(runInContext('new SharedArrayBuffer(8)', createContext())), SHARED)
  })
})

describe('disguises', () => {
  const lie = {
    get: () => {
      throw new Error('code of an argument ran')
    },
  }
  const names = ['length', 'byteLength', 'byteOffset', 'buffer', 'BYTES_PER_ELEMENT', 'at', 'constructor']

  test('a view is filled by its true type and length, not by its properties', () => {
    const memory = new ArrayBuffer(128)
    const classes = [Uint8Array, Uint8ClampedArray, Int16Array, Float32Array, BigInt64Array, DataView]
    for (const Class of classes) {
      for (const prototype of [undefined, null, {}, Uint8Array.prototype, DataView.prototype]) {
        bytesOf(memory).fill(0)
        const view = new (Class as typeof Uint8Array)(
          memory,
          32,
          Class === DataView ? 64 : 64 / bytesEach(Class),
        )
        if (prototype !== undefined) Object.setPrototypeOf(view, prototype)
        for (const name of names) Object.defineProperty(view, name, lie)
        Object.defineProperty(view, Symbol.toStringTag, lie)
        for (const part of [[], [0, 64 / bytesEach(Class)]]) {
          expect(fill(view, ...part) === view).toBe(true)
          expect(zero(bytesOf(memory).subarray(32, 96))).toBe(false)
          expect(zero(bytesOf(memory).subarray(0, 32)) && zero(bytesOf(memory).subarray(96))).toBe(true)
        }
        refuses(() => fill(view, 0, 64 / bytesEach(Class) + 1), 'ERR_OUT_OF_RANGE')
      }
    }
    for (const name of names) Object.defineProperty(memory, name, { ...lie, configurable: true })
    expect(fill(memory) === memory).toBe(true)
  })

  const bytesEach = (Class: unknown) => (Class as typeof Uint8Array).BYTES_PER_ELEMENT ?? 1

  test('a subclass is not asked for its species, its length or its memory', () => {
    class Liar extends Uint8Array {
      static get [Symbol.species](): never {
        throw new Error('species ran')
      }
      override get length(): number {
        return 2 ** 20
      }
      override get buffer(): ArrayBuffer {
        return new ArrayBuffer(2 ** 20)
      }
    }
    const liar = new Liar(48)
    expect(fill(liar) === liar).toBe(true)
    expect(fill(liar, 8, 40) === liar).toBe(true)
    refuses(() => fill(liar, 0, 49), 'ERR_OUT_OF_RANGE')
  })

  test('a value that only looks like a view is refused, and its code does not run', () => {
    const fakes = [
      ...[new Uint8Array(8), new DataView(new ArrayBuffer(8)), new ArrayBuffer(8)].flatMap(real => [
        new Proxy(real, {}),
        touchy(real),
        Object.create(real),
        Object.create(Object.getPrototypeOf(real)),
      ]),
      ...[Uint8Array.prototype, DataView.prototype, ArrayBuffer.prototype, touchy(() => {})],
      { length: 8, byteLength: 8, buffer: new ArrayBuffer(8), [Symbol.toStringTag]: 'Uint8Array' },
    ]
    for (const fake of fakes) {
      for (const part of [[], [0], [0, 4]]) refuses(() => fill(fake, ...part), 'ERR_INVALID_ARG_TYPE')
    }
    const odd = [touchy({}), { valueOf: () => 1 }, [1], new Number(1), '1', 1n]
    for (const value of odd) {
      refuses(() => fill(new Uint8Array(8), value), 'ERR_INVALID_ARG_TYPE')
      refuses(() => fill(new Uint8Array(8), 0, value), 'ERR_INVALID_ARG_TYPE')
      refuses(() => randomBytes(value as never), 'ERR_INVALID_ARG_TYPE')
    }
  })
})

describe('a changed environment', () => {
  // While they are patched, only the package runs.
  test('built-ins patched after importing are not called', () => {
    const script = `
      import { randomBytes, randomFillSync, randomInfo } from 'hardware-aes-gcm'
      const { defineProperty, getOwnPropertyDescriptor } = Object
      const views = [new Uint8Array(40), new DataView(new ArrayBuffer(40)), new Uint32Array(10), new ArrayBuffer(40)]
      randomInfo() // Loads the binding: Node itself would trip over what is patched.
      let undo
      const patch = (target, ...names) => {
        for (const name of names) {
          const was = getOwnPropertyDescriptor(target, name)
          const evil = () => { throw new Error(String(name) + ' was called') }
          undo = { back: () => was ? defineProperty(target, name, was) : delete target[name], next: undo }
          defineProperty(target, name, { configurable: true, ...was?.get || !was ? { get: evil } : { value: evil } })
        }
      }
      const TypedArray = Object.getPrototypeOf(Uint8Array)
      const results = Object.create(null)
      let count = 0
      const keep = run => { try { results[count] = run() } catch (error) { results[count] = error.code ?? error.message } count++ }
      patch(TypedArray.prototype, 'buffer', 'byteLength', 'byteOffset', 'length', Symbol.toStringTag, 'at', 'fill', 'set', 'subarray', 'slice')
      patch(DataView.prototype, 'buffer', 'byteLength', 'byteOffset')
      patch(ArrayBuffer.prototype, 'byteLength', 'slice')
      patch(Uint8Array.prototype, 'length', 'at', 'set', 'fill')
      patch(Array.prototype, 'at', 'includes', 0, 32, 33, 40, 64)
      patch(Buffer, 'from', 'alloc', 'allocUnsafe', 'allocUnsafeSlow', Symbol.species)
      patch(Buffer.prototype, 'fill', 'copy', 'set')
      patch(Function.prototype, 'call', 'apply', 'bind')
      keep(() => randomBytes(32)); keep(() => randomBytes(33)); keep(() => randomBytes(400)); keep(() => AesGcm.generateKey())
      for (let n = 0; n < 4; n++) { keep(() => randomFillSync(views[n]) === views[n]); keep(() => randomFillSync(views[n], 1, 9) === views[n]) }
      keep(() => randomFillSync(views[0], 41)); keep(() => randomBytes(-1)); keep(() => randomInfo().seedings > 0)
      for (; undo; undo = undo.next) undo.back()
      console.log(...Object.values(results).map(result => Buffer.isBuffer(result) ? result.length : result))`
    expect(run(script)).toEqual({
      status: 0,
      stdout: `32 33 400 32 ${'true '.repeat(8)}ERR_OUT_OF_RANGE ERR_OUT_OF_RANGE true\n`,
      stderr: '',
    })
  })

  test('frozen intrinsics', () => {
    const script = `
      import { randomBytes, randomFillSync, reseed, KeyArena } from 'hardware-aes-gcm'
      reseed()
      console.log(randomBytes(32).length, randomFillSync(new DataView(new ArrayBuffer(9))).byteLength, KeyArena.default.used)`
    const { status, stdout } = run(script, { flags: ['--frozen-intrinsics'] })
    expect([status, stdout]).toEqual([0, '32 9 0\n'])
  })
})

const standIn = new StandIn()

// Small requests go through memory that is used again. A binding in front of the real one exposes this memory.
test('the memory through which small requests go is wiped, whatever happens', () => {
  standIn.lie(`random: view => {
    globalThis.seen = view
    const status = real.random(view)
    globalThis.given = Buffer.from(view).toString('hex')
    return globalThis.end ? globalThis.end() : status
  }`)
  const script = `
    import { randomBytes } from 'hardware-aes-gcm'
    AesGcm.isAvailable()
    const ends = { done: undefined, refused: () => -1, thrown: () => { throw new Error('of the binding') } }
    const found = []
    let tried = 0
    for (const name of Object.keys(ends)) {
      globalThis.end = ends[name]
      for (const size of [1, 16, 31, 32, 63, 64]) {
        let bytes
        try { bytes = randomBytes(size) } catch {}
        const { seen, given } = globalThis
        const good = name === 'done' ? bytes.toString('hex') === given && bytes.buffer !== seen.buffer : bytes === undefined
        const wiped = new Uint8Array(seen.buffer).every(byte => byte === 0)
        if (!good || !wiped || seen.length !== size) found.push([name, size, good, wiped])
        tried++
      }
    }
    console.log(JSON.stringify(found), tried)`
  expect(run(script, { cwd: standIn.folder })).toEqual({ status: 0, stdout: '[] 18\n', stderr: '' })
})

test('errors show no random bytes and no stack of native code', () => {
  for (const error of [
    thrown(() => fill(7)),
    thrown(() => fill(new Uint8Array(8), 9)),
    thrown(() => randomBytes(-1)),
  ]) {
    expect(Object.keys(error)).toEqual(['code'])
  }
  expect(JSON.stringify(randomInfo())).not.toMatch(/[0-9a-f]{16}/)
})
