// The short way: calls without arguments, which lie in an array of numbers that a loading of the addon gives once, and the ArrayBuffers that
// it remembers. Whoever holds both can write any number there, and take the memory away: no call may touch other memory.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { AesGcm } from 'hardware-aes-gcm'
import { beforeAll, describe, expect, test } from 'vitest'
import { BINARY, KEY, Random, type Raw, Resizable, run } from '../tools/support.js'
import { create, JUNK, load, loadWithShortWay, make, NUMBERS, raw, reasonOf, SHORT } from './functions.js'

// src/node/slate.rs and lib/cipher/native/slate.cts have the same numbers.
const [STATUS, OPERATION, KEY_LOW, PREFIX_LOW, FRAME, AAD] = [0, 1, 2, 4, 6, 8] as const
const [ENCRYPT, DECRYPT] = [1, 2] as const
const ELSEWHERE = 1

const { at } = Uint8Array.prototype

/** The compiler's library for Node does not know it. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { Memory: new (options: object) => { buffer: ArrayBuffer; grow(pages: number): void } }
}

/** The number of a key, in halves. */
const halves = (number: unknown) => [Number(number) % 2 ** 24, Math.floor(Number(number) / 2 ** 24)] as const

/** A loading of the addon with its slate, and one key. */
function open() {
  const { by, words } = loadWithShortWay()
  const key = create.key(by)
  return { by, words, key, number: halves(by.numberOf?.(key)) }
}
type Opened = ReturnType<typeof open>

/** One call over views, each an offset and a length in its memory. */
function call({ by, words, number }: Opened, operation: number, views: Record<number, readonly number[]>) {
  words.fill(0)
  words.set([ELSEWHERE, operation, ...number])
  for (const [at, view] of Object.entries(views)) words.set(view, Number(at))
  expect(by.call?.()).toBe(undefined)
  return words[STATUS] as number
}

/** Remembers one memory for frame and additional data. */
function remember({ by }: Opened, memory: ArrayBuffer) {
  expect(by.remember?.(memory, memory)).toBe(0)
}

beforeAll(() => {
  new AesGcm(KEY) // the package asks for the slate of its own loading
})

test('a loading gives its slate once, to the first that asks', () => {
  const by = load()
  const short = by.validateWith?.(at) as Raw & { words: Int32Array }
  const { words, ...functions } = short
  expect(words).toBeInstanceOf(Int32Array)
  expect(words).toHaveLength(10)
  expect(Object.keys(functions).sort()).toEqual([...SHORT].sort())
  expect(Object.values(functions).every(value => typeof value === 'function')).toBe(true)
  expect(reasonOf(by.validateWith?.(at))).toBe('Option')
  expect(reasonOf(raw.validateWith?.(at)), 'the package was first').toBe('Option')
  expect(loadWithShortWay().words).not.toBe(words)
})

test('raw opens without a key, raw remember redirects: the functions without a handle are no exports', () => {
  for (const name of SHORT) expect(raw[name], name).toBe(undefined)
})

test('a setter of Object.prototype does not get the short way', () => {
  const got: unknown[] = []
  const names = ['words', ...SHORT]
  const by = load()
  let short: unknown
  for (const name of names)
    Object.defineProperty(Object.prototype, name, { configurable: true, set: value => got.push(value) })
  try {
    short = by.validateWith?.(at)
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name)
  }
  expect(got).toEqual([])
  expect(Object.keys(short as object).sort()).toEqual(names.sort())
})

test('a second copy of the package over one binary has no short way, and works', () => {
  const script = `
    import { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    const copy = () => {
      for (const file of Object.keys(require.cache)) if (!file.endsWith('.node')) delete require.cache[file]
      const { Keyring } = require('hardware-aes-gcm/keyring')
      return { ring: Keyring.generate(), hasShortWay: require('./dist/cipher/native/sealed-calls.cjs').hasShortWay() }
    }
    const [first, second] = [copy(), copy()]
    for (const { ring, hasShortWay } of [second, first])
      console.log(hasShortWay, ring.openText(ring.sealText('text', 'aad'), 'aad'))`
  const { stdout, stderr } = run(script)
  expect([stdout, stderr]).toEqual(['false text\ntrue text\n', ''])
})

test('the addon shows the slate nowhere else', () => {
  for (const name of Reflect.ownKeys(raw)) {
    const value = raw[name as string] as unknown
    expect(ArrayBuffer.isView(value), String(name)).toBe(false)
    const parts: PropertyDescriptorMap =
      typeof value === 'function' ? Object.getOwnPropertyDescriptors(value) : {}
    for (const part of Object.values(parts)) expect(ArrayBuffer.isView(part.value)).toBe(false)
  }
})

describe('calls over remembered memory', () => {
  test('encrypt and decrypt within its bounds', () => {
    const opened = open()
    const memory = new ArrayBuffer(200)
    remember(opened, memory)
    const bytes = new Uint8Array(memory).fill(7)
    expect(call(opened, ENCRYPT, { [FRAME]: [10, 60], [AAD]: [100, 5] })).toBe(0)
    expect(bytes.subarray(0, 10).every(byte => byte === 7)).toBe(true)
    expect(bytes.subarray(70).every(byte => byte === 7)).toBe(true)
    expect(reasonOf(call(opened, DECRYPT, { [FRAME]: [10, 60] }))).toBe('Authentication')
    expect(call(opened, DECRYPT, { [FRAME]: [10, 60], [AAD]: [100, 5] })).toBe(0)
    expect(opened.by.messagesEncrypted?.(opened.key)).toBe(1)
    expect(opened.by.failedDecryptions?.(opened.key)).toBe(1)
    // A refusal of the core, as its number.
    expect(reasonOf(call(opened, ENCRYPT, { [FRAME]: [0, 27] }))).toBe('FrameTooShort')
    expect(opened.by.destroy?.(opened.key)).toBe(0)
    expect(reasonOf(call(opened, ENCRYPT, { [FRAME]: [10, 60] }))).toBe('Destroyed')
  })

  test('do nothing outside of it, over parts that meet, or without a key', () => {
    const opened = open()
    const memory = new ArrayBuffer(200)
    const most = 2 ** 31 - 1
    const good = { [FRAME]: [0, 60], [AAD]: [60, 5] }
    for (const operation of [ENCRYPT, DECRYPT])
      expect(call(opened, operation, good), 'no memory').toBe(ELSEWHERE)
    remember(opened, memory)
    const outside = [
      ...[[0, 201], [200, 1], [141, 60], [-1, 60], [10, -1], [most, most], [-1, -1]], // biome-ignore format: one line
    ]
    for (const view of outside) {
      for (const operation of [ENCRYPT, DECRYPT]) {
        for (const place of [FRAME, AAD]) {
          const what = `${operation} ${place} ${view}`
          expect(call(opened, operation, { ...good, [place]: view }), what).toBe(ELSEWHERE)
        }
      }
    }
    for (const operation of [0, 3, 4, 9, 10, -1])
      expect(call(opened, operation, good), `operation ${operation}`).toBe(ELSEWHERE)
    const meeting = { [FRAME]: [0, 60], [AAD]: [59, 5] }
    for (const operation of [ENCRYPT, DECRYPT]) expect(call(opened, operation, meeting)).toBe(ELSEWHERE)
    const numbers = [
      [0, 0],
      [-1, -1],
      [1, 1],
      [most, most],
      [opened.number[0], opened.number[1] + 1],
    ]
    for (const number of numbers)
      expect(call({ ...opened, number: number as never }, ENCRYPT, { [FRAME]: [0, 60] })).toBe(ELSEWHERE)
    // Objects of other kinds: their numbers are read as those of keys would be.
    for (const kind of ['packets', 'chunks', 'arena'] as const) {
      const number = halves(opened.by.numberOf?.(make(kind, opened.by)))
      expect(call({ ...opened, number }, ENCRYPT, { [FRAME]: [0, 60] }), kind).toBe(ELSEWHERE)
    }
    expect(new Uint8Array(memory).every(byte => byte === 0)).toBe(true)
    expect(opened.by.messagesEncrypted?.(opened.key)).toBe(0)
    expect(opened.by.failedDecryptions?.(opened.key)).toBe(0)
  })

  test('do nothing after it went', () => {
    const opened = open()
    const frame = { [FRAME]: [0, 60] }
    const memory = new ArrayBuffer(60)
    remember(opened, memory)
    expect(call(opened, ENCRYPT, frame)).toBe(0)
    const moved = structuredClone(memory, { transfer: [memory] })
    const before = new Uint8Array(moved.slice(0))
    expect(call(opened, DECRYPT, frame)).toBe(ELSEWHERE)
    expect(new Uint8Array(moved)).toEqual(before)
    const shrinking = new Resizable(100, { maxByteLength: 100 })
    remember(opened, shrinking)
    expect(call(opened, ENCRYPT, frame)).toBe(0)
    // Without the whole tag: its last byte alone is 0 once in 256 runs, as it is after both calls of resize.
    for (const length of [59, 44]) {
      shrinking.resize(length)
      expect(call(opened, DECRYPT, frame), `${length} bytes`).toBe(ELSEWHERE)
    }
    shrinking.resize(60)
    expect(reasonOf(call(opened, DECRYPT, frame))).toBe('Authentication')
    const wasm = new WebAssembly.Memory({ initial: 1, maximum: 2 })
    remember(opened, wasm.buffer)
    expect(call(opened, ENCRYPT, frame)).toBe(0)
    wasm.grow(1)
    expect(call(opened, DECRYPT, frame)).toBe(ELSEWHERE)
  })

  test('with random numbers touch nothing but remembered memory', () => {
    const opened = open()
    const random = new Random('slate')
    const around = Array.from({ length: 4 }, () => new Uint8Array(new ArrayBuffer(100)).fill(0x5a))
    const memories = [0, 1].map(() => new ArrayBuffer(100))
    opened.by.remember?.(...memories)
    const statuses = new Set<number>()
    for (let i = 0; i < 20_000; i++) {
      const bytes = random.bytes(40)
      const any = Array.from({ length: 10 }, (_, n) => bytes.readInt32LE(4 * n))
      // Most numbers are small, so that many calls find a key and memory.
      const numbers = any.map(number => (random.below(12) === 0 ? number : number & 0x3f))
      numbers[OPERATION] = random.below(12) === 0 ? random.below(40) : 1 + random.below(2)
      if (random.below(8) !== 0) numbers.splice(KEY_LOW, 2, ...opened.number)
      numbers[STATUS] = ELSEWHERE
      opened.words.set(numbers)
      opened.by.call?.()
      statuses.add(opened.words[STATUS] as number)
      if (i % 1000 !== 999) continue
      const at = random.below(2)
      const memory = memories[at] as ArrayBuffer
      if (memory.byteLength > 0) {
        structuredClone(memory, { transfer: [memory] })
      } else {
        for (const [n, { byteLength }] of memories.entries())
          if (byteLength === 0) memories[n] = new ArrayBuffer(100)
        opened.by.remember?.(...memories)
      }
    }
    expect(statuses.has(0) && statuses.has(ELSEWHERE) && statuses.size > 3, `${[...statuses]}`).toBe(true)
    for (const status of statuses) expect(status <= ELSEWHERE && reasonOf(status) !== 'Internal').toBe(true)
    expect(around.every(bytes => bytes.every(byte => byte === 0x5a))).toBe(true)
  })

  test('do nothing for another loading or a handle that it made', () => {
    const [one, other] = [open(), open()]
    remember(one, new ArrayBuffer(100))
    expect(call(other, ENCRYPT, { [FRAME]: [0, 60] }), 'memory of the other').toBe(ELSEWHERE)
    remember(other, new ArrayBuffer(100))
    expect(call({ ...other, number: one.number }, ENCRYPT, { [FRAME]: [0, 60] })).toBe(ELSEWHERE)
    expect(call(other, ENCRYPT, { [FRAME]: [0, 60] })).toBe(0)
  })
})

describe('values and texts sealed by a key and a prefix on the slate', () => {
  const bytes = (length: number) => new Uint8Array(length)
  const sealing = ({ words, number }: Opened, low: number, high: number) => {
    words.set(number, KEY_LOW)
    words.set([low, high], PREFIX_LOW)
  }

  test('are those of the calls with both', () => {
    const opened = open()
    const { by, key } = opened
    for (const [low, high, skip, begin] of [
      [0x01020304, 1, 5, [1, 1, 2, 3, 4]],
      [-2, 0, 5, [0, 255, 255, 255, 254]],
      [0, 256, 0, []],
    ] as const) {
      sealing(opened, low, high)
      for (const aad of [undefined, '', 'aad', 'é€😀'.repeat(500)]) {
        const given = aad === undefined ? [] : [aad]
        for (const text of ['', 'x', 'text'.repeat(3000), 'é€😀'.repeat(3000)]) {
          const sealed = by.sealTextShortly?.(text, ...given)
          expect([...Buffer.from(sealed as string, 'base64url').subarray(0, skip)]).toEqual(begin)
          expect(by.openText?.(key, skip, sealed, ...given)).toBe(text)
          expect(by.openTextShortly?.(sealed, ...given)).toBe(text)
        }
        const target = bytes(40)
        expect(by.sealIntoShortly?.(target, bytes(3).fill(9), ...given)).toBe(31 + skip)
        const plaintext = bytes(3)
        expect(by.openInto?.(key, skip, plaintext, target.subarray(0, 31 + skip), ...given)).toBe(3)
        expect(plaintext).toEqual(bytes(3).fill(9))
        const sealed = target.subarray(0, 31 + skip)
        expect(by.openIntoShortly?.(plaintext.fill(0), sealed, ...given)).toBe(3)
        expect(plaintext).toEqual(bytes(3).fill(9))
      }
    }
  })

  test('are refused without a key, and as the calls with both refuse them', () => {
    const opened = open()
    const { by, words, number, key } = opened
    const [low, high] = number
    const target = bytes(64).fill(7)
    const sealed = by.sealText?.(key, 2 ** 32 + 1, 'x') as string
    words.set([1, 1], PREFIX_LOW)
    for (const wrong of [
      [0, 0],
      [-1, -1],
      [low, high + 1],
      [low ^ 0x800000, high],
    ]) {
      words.set(wrong, KEY_LOW)
      expect(reasonOf(by.sealTextShortly?.('x'))).toBe('Handle')
      expect(reasonOf(by.sealIntoShortly?.(target, bytes(3)))).toBe('Handle')
      expect(reasonOf(by.openIntoShortly?.(target, bytes(40)))).toBe('Handle')
      expect(reasonOf(by.openTextShortly?.(sealed))).toBe('Handle')
    }
    for (const kind of ['packets', 'chunks', 'arena'] as const) {
      words.set(halves(by.numberOf?.(make(kind, by))), KEY_LOW)
      expect(reasonOf(by.sealTextShortly?.('x')), kind).toBe('Handle')
      expect(reasonOf(by.openTextShortly?.(sealed)), kind).toBe('Handle')
    }
    sealing(opened, 1, 1)
    for (const name of ['sealTextShortly', 'openTextShortly']) {
      for (const junk of [...JUNK.filter(value => typeof value !== 'string'), ...NUMBERS])
        expect(reasonOf(by[name]?.(junk, 'aad'))).toBe('NotText')
      expect(reasonOf(by[name]?.())).toBe('NotText')
      for (const aad of [bytes(3), null, undefined, 7]) expect(reasonOf(by[name]?.('x', aad))).toBe('NotText')
      expect(reasonOf(by[name]?.('x', '\udc00'))).toBe('Surrogate')
    }
    expect(reasonOf(by.sealTextShortly?.('\ud800'))).toBe('Surrogate')
    expect(reasonOf(by.sealIntoShortly?.(target, target))).toBe('Overlap')
    expect(reasonOf(by.sealIntoShortly?.(target, bytes(3), target.subarray(1)))).toBe('Overlap')
    expect(reasonOf(by.sealIntoShortly?.(bytes(35), bytes(3)))).toBe('TargetTooShort')
    expect(reasonOf(by.openIntoShortly?.(target, target))).toBe('Overlap')
    expect(by.failedDecryptions?.(key)).toBe(0)
    expect(target).toEqual(bytes(64).fill(7))
    for (const high of [1, 0, 255, 256, 2 ** 31 - 1, -1]) {
      words.set([high], PREFIX_LOW + 1)
      expect(reasonOf(by.openIntoShortly?.(target, bytes(40))), `${high}`).toBe('Authentication')
    }
    expect(reasonOf(by.openIntoShortly?.(target, bytes(4)))).toBe('Authentication')
    words.set([1, 1], PREFIX_LOW)
    // Texts of another key, or of none, which the call at length may open.
    for (const text of ['', 'A', '€', '+/+/', 'A'.repeat(54), 'AQAAAA', sealed.slice(1), `€${sealed}`])
      expect(reasonOf(by.openTextShortly?.(text)), text).toBe('NotText')
    for (const other of [
      [2, 1],
      [1, 0],
      [1, 255],
    ]) {
      words.set(other, PREFIX_LOW)
      expect(reasonOf(by.openTextShortly?.(sealed)), `${other}`).toBe('NotText')
    }
    expect(by.failedDecryptions?.(key)).toBe(7)
    words.set([1, 1], PREFIX_LOW)
    for (const text of ['AQAAAAE', 'AQAAAAEA=', 'AQAAAAH', `${sealed}=`, sealed.slice(0, -1), `${sealed}€`])
      expect(reasonOf(by.openTextShortly?.(text)), text).toBe('Authentication')
    words.set([1, 256], PREFIX_LOW)
    for (const text of ['', 'A', '€', '+/+/', 'AAAA', sealed])
      expect(reasonOf(by.openTextShortly?.(text)), text).toBe('Authentication')
    expect(by.messagesEncrypted?.(key)).toBe(1)
    expect(by.failedDecryptions?.(key)).toBe(19)
    expect(by.destroy?.(key)).toBe(0)
    expect(reasonOf(by.sealTextShortly?.('x'))).toBe('Destroyed')
    expect(reasonOf(by.openTextShortly?.(sealed))).toBe('Destroyed')
    expect(reasonOf(by.sealIntoShortly?.(target, bytes(3)))).toBe('Destroyed')
  })

  // One reads UTF-8, the other UTF-16: characters beyond one byte, halves of a pair, and texts of
  // each length near the ends of the memory for them are where they could differ.
  test('open as the call at length opens them, whatever the strings', () => {
    const { by, words, key, number } = open()
    words.set(number, KEY_LOW)
    words.set([0, 1], PREFIX_LOW)
    const random = new Random('strings of two readers')
    const lengths = [
      ...[0, 1, 2, 63, 64, 1023, 1024, 3067, 3068, 3071, 3072, 4095, 4096],
      random.below(20_000),
    ]
    const near = () => Math.max(0, random.pick(lengths) + random.below(9) - 4)
    const pieces = ['x', 'text', '\u0000', 'é', 'ÿ', '€', '\ufffd', '😀', '\ud83d', '\udc00', '\ufeff']
    const string = (): string => {
      const length = near()
      if (random.below(3) === 0) return 'a'.repeat(length)
      const some = Array.from({ length: 1 + random.below(4) }, () => random.pick(pieces)).join('')
      const text = some.repeat(Math.ceil(length / some.length)).slice(0, length)
      return random.below(2) === 0 ? text : random.pick(pieces) + 'a'.repeat(length)
    }
    const aads = () => (random.below(4) === 0 ? [] : [string()])
    const changed = (text: string): string => {
      const at = random.below(text.length)
      const unit = text.charCodeAt(at)
      const other = random.pick([
        ...[
          String.fromCharCode(unit + 256),
          String.fromCharCode(unit + 128),
          '\ud800',
          '€',
          '=',
          '+',
          '',
          ' ',
        ],
        ...[String.fromCharCode(unit ^ (1 << random.below(7))), text.charAt(at) + text.charAt(at)],
      ])
      return text.slice(0, at) + other + text.slice(at + 1)
    }
    const kinds = new Set<string>()
    for (let i = 0; i < 1500; i++) {
      const aad = aads()
      const made = by.sealText?.(key, 2 ** 32, string(), ...aad)
      const sealed = typeof made === 'string' ? made : string()
      const text = random.pick([sealed, sealed, changed(`${sealed}A`), sealed.slice(random.below(5))])
      // A string of two halves, a part of a string, and one of two bytes a character that could have one.
      const cut = random.below(text.length + 1)
      const form = random.pick([text, text.slice(0, cut) + text.slice(cut), `${text}€`.slice(0, text.length)])
      const given = random.below(9) === 0 ? aads() : aad
      const [at, shortly] = [by.openText?.(key, 5, form, ...given), by.openTextShortly?.(form, ...given)]
      // Texts that have lost their prefix are left to the call at length.
      if (typeof at === 'string') expect(shortly).toBe(at)
      else if (reasonOf(at) === 'Surrogate' || /^AQAAAA[A-D]/.test(form))
        expect(reasonOf(shortly)).toBe(reasonOf(at))
      else expect(reasonOf(shortly)).toBe('NotText')
      kinds.add(typeof at === 'string' ? 'opened' : `${reasonOf(at)}`)
    }
    expect([...kinds].sort()).toEqual(['Authentication', 'Surrogate', 'opened'])
  })

  test('with any prefix on the slate are longer by five bytes, or have none', () => {
    const opened = open()
    const random = new Random('prefixes')
    for (let i = 0; i < 500; i++) {
      const words = random.bytes(8)
      sealing(opened, words.readInt32LE(0), words.readInt32LE(4) >> random.below(32))
      const sealed = Buffer.from(opened.by.sealTextShortly?.('text') as string, 'base64url')
      expect([32, 37]).toContain(sealed.length)
      expect(opened.by.openText?.(opened.key, sealed.length - 32, sealed.toString('base64url'))).toBe('text')
    }
  })
})

test('the array may be taken away: the words stay, and a call reads what they say', () => {
  const opened = open()
  remember(opened, new ArrayBuffer(100))
  const { words } = opened
  words.set([ELSEWHERE, ENCRYPT, ...opened.number, 0, 0, 0, 60])
  try {
    structuredClone(words.buffer, { transfer: [words.buffer as ArrayBuffer] })
  } catch {} // Node does not let memory of an addon go
  expect(opened.by.call?.()).toBe(undefined)
  expect([0, 1]).toContain(opened.by.messagesEncrypted?.(opened.key))
})

test('remember accepts two ArrayBuffers that are there', () => {
  const { by } = open()
  const gone = new ArrayBuffer(8)
  structuredClone(gone, { transfer: [gone] })
  const good = runInNewContext('new ArrayBuffer(8)')
  expect(by.remember?.(good, new ArrayBuffer(8))).toBe(0)
  const wrong = [new SharedArrayBuffer(8), new Uint8Array(8), new DataView(new ArrayBuffer(8)), ...JUNK]
  const sharedWasm = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })
  for (const value of [...wrong, ...NUMBERS, sharedWasm.buffer, new Proxy(new ArrayBuffer(8), {})]) {
    expect(reasonOf(by.remember?.(value, good))).toBe('NotBytes')
    expect(reasonOf(by.remember?.(good, value))).toBe('NotBytes')
  }
  expect(reasonOf(by.remember?.(gone, good))).toBe('Detached')
  expect(reasonOf(by.remember?.(good, gone))).toBe('Detached')
  expect(reasonOf(by.remember?.(good))).toBe('NotBytes')
  expect(reasonOf(by.remember?.())).toBe('NotBytes')
})

test('the number of a key', () => {
  const { by, key } = open()
  const number = by.numberOf?.(key) as number
  expect(Number.isInteger(number) && number > 0 && number < 2 ** 47).toBe(true)
  expect(by.numberOf?.(create.key(by))).not.toBe(number)
  expect(by.destroy?.(key)).toBe(0)
  expect(by.numberOf?.(key)).toBe(number)
  for (const junk of [...JUNK, ...NUMBERS]) expect(reasonOf(by.numberOf?.(junk))).toBe('Handle')
})

test('a memory is kept until another takes its place, and no longer', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const { by } = open()
  const remembered = () => {
    const refs = [1, 2].map(() => new WeakRef(new ArrayBuffer(64)))
    by.remember?.(...refs.map(ref => ref.deref()))
    return refs
  }
  const first = remembered()
  const settle = async () => {
    await new Promise(resolve => setImmediate(resolve))
    gc()
  }
  await settle()
  const kept = (refs: WeakRef<ArrayBuffer>[]) => refs.map(ref => ref.deref() !== undefined)
  expect(kept(first)).toEqual([true, true])
  const second = remembered()
  await settle()
  expect([kept(first), kept(second)]).toEqual([
    [false, false],
    [true, true],
  ])
})

test('workers have slates of their own, and end with memory remembered', async () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const loaded = { exports: {} }
    process.dlopen(loaded, workerData)
    const { words, call, remember } = loaded.exports.validateWith(Uint8Array.prototype.at)
    const key = loaded.exports.create(0, 255, new Uint8Array(32), false, false, 2 ** 32, 2 ** 32, undefined)
    const full = loaded.exports.numberOf(key)
    const number = [full % 2 ** 24, Math.floor(full / 2 ** 24)]
    const memory = new ArrayBuffer(4096)
    remember(memory, memory)
    let done = 0
    for (let i = 0; i < 20000; i++) {
      words.set([1, 1, ...number, 0, 0, i % 64, 60, 0, 0])
      call()
      words[1] = 2
      call()
      if (words[0] === 0) done++
    }
    parentPort.postMessage([done, loaded.exports.messagesEncrypted(key)])`
  const workers = Array.from({ length: 3 }, () => {
    const worker = new Worker(source, { eval: true, workerData: BINARY })
    return new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject))
  })
  expect(await Promise.all(workers)).toEqual([1, 2, 3].map(() => [20_000, 20_000]))
})
