// Code of a caller that runs while a part of a slab is made, and classes behind Buffer that a program replaced.
import { describe, expect, test } from 'vitest'
import { inTurn } from '../tools/in-turn.js'
import { run } from '../tools/support.js'

/** What `run` does with a program that runs this code before it loads the package. */
const after = (code: string) => ({ flags: ['--import', `data:text/javascript,${encodeURIComponent(code)}`] })

interface Way {
  /** Runs a body whenever `script` makes a part of some memory, and counts how often. */
  within(body: string, script: string): string
  options: Parameters<typeof run>[1]
}

const CLASS: Way = {
  within: (body, script) => `
    const Class = Buffer[Symbol.species]
    const parent = Object.getPrototypeOf(Class)
    let busy = false
    let ran = 0
    Object.setPrototypeOf(Class, function (memory, start, length) {
      if (start !== undefined && !busy) {
        busy = true
        ran++
        try { ${body} } finally { busy = false }
      }
      return Reflect.construct(parent, [memory, start, length], new.target)
    })
    try { ${script} } finally { Object.setPrototypeOf(Class, parent) }`,
  options: {},
}

/** In runtimes without a class behind Buffer, `Buffer.from` makes the parts. It reads `byteLength`. */
const GETTER: Way = {
  within: (body, script) => `
    const { get } = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')
    let busy = false
    let ran = 0
    Object.defineProperty(ArrayBuffer.prototype, 'byteLength', { configurable: true, get() {
      if (busy) return get.call(this)
      busy = true
      ran++
      const memory = this
      try { ${body} } finally { busy = false }
      return get.call(this)
    } })
    try { ${script} } finally {
      Object.defineProperty(ArrayBuffer.prototype, 'byteLength', { configurable: true, get })
    }`,
  options: after('Object.defineProperty(Buffer, Symbol.species, { value: Buffer })'),
}

const DETACHES = 'try { memory.transfer?.() } catch {}'

/** What becomes of frames whose parts are made while such a body runs. */
const madeBeside = ({ within }: Way, body: string) => `
  const { AesGcm } = require('hardware-aes-gcm')
  const aes = new AesGcm(Buffer.alloc(32))
  const text = Buffer.alloc(64, 7)
  const frames = []
  ${within(body, `for (let i = 0; i < 1000; i++) frames.push(aes.encrypt(text), aes.encrypt([text, new Uint8Array(0)]))`)}
  const alive = frames.filter(frame => frame.length > 0)
  const spans = alive.map(({ byteOffset, length, buffer }) => ({ buffer, start: byteOffset, end: byteOffset + length }))
  const last = new Map()
  let apart = true
  for (const { buffer, start, end } of spans.sort((a, b) => a.start - b.start)) {
    if (start < (last.get(buffer) ?? 0)) apart = false
    last.set(buffer, end)
  }
  const open = alive.every(frame => aes.decrypt(frame).equals(text))
  return [ran > 0, frames.length >= 2000, apart, alive.length > 0, open]`

/** The lengths of plaintexts that get so many bytes from the question for their length to the encryption. */
const given = ({ within }: Way, bytes: number) => `
  const { AesGcm } = require('hardware-aes-gcm')
  const aes = new AesGcm(Buffer.alloc(32))
  const given = new ArrayBuffer(50, { maxByteLength: 100 })
  const text = new Uint8Array(given)
  const frames = []
  ${within(
    `if (memory.byteLength === 2 ** 15) given.resize(${bytes})`,
    `for (const plaintext of [text, [text, new Uint8Array(0)]]) {
      given.resize(50)
      frames.push(aes.encrypt(plaintext))
    }`,
  )}
  return frames.map(frame => aes.decrypt(frame).length)`

const givenToKeyring = ({ within }: Way, bytes: number) => `
  const { Keyring } = require('hardware-aes-gcm/keyring')
  const ring = Keyring.generate()
  const given = new ArrayBuffer(100, { maxByteLength: 200 })
  let sealed
  ${within(
    `if (memory.byteLength === 2 ** 15) given.resize(${bytes})`,
    'sealed = ring.seal(new Uint8Array(given))',
  )}
  return ring.open(sealed).length`

const BESIDE: [name: string, Way, body: string][] = [
  ['a getter of its byteLength that encrypts', GETTER, 'frames.push(aes.encrypt(text))'],
  ['a getter of its byteLength that throws', GETTER, 'throw new Error("planted")'],
  ['a getter of its byteLength that says nothing', GETTER, 'return undefined'],
  ['a getter of its byteLength that detaches it, where that is possible', GETTER, DETACHES],
  ['a class of Buffers that encrypts', CLASS, 'frames.push(aes.encrypt(text))'],
  ['a class of Buffers that throws', CLASS, 'throw new Error("planted")'],
  ['a class of Buffers that detaches it, where that is possible', CLASS, DETACHES],
]
const GIVEN = [10, 90]
const GIVEN_TO_KEYRING = [60, 190]

// Each way undoes what it did to the process.
const outcomes = new Map(
  [GETTER, CLASS].map(way => {
    const bodies = [
      ...BESIDE.filter(([, its]) => its === way).map(([, , body]) => madeBeside(way, body)),
      ...GIVEN.map(bytes => given(way, bytes)),
      ...GIVEN_TO_KEYRING.map(bytes => givenToKeyring(way, bytes)),
    ]
    return [way, inTurn(bodies, way.options)]
  }),
)

test.each(BESIDE)('%s', (_, way, body) => {
  expect(outcomes.get(way)?.(madeBeside(way, body))).toEqual([true, true, true, true, true])
})

describe.each([
  ['a getter of its byteLength', GETTER],
  ['a class of Buffers', CLASS],
])('%s', (_, way) => {
  test.each(GIVEN)('that gives the plaintext %i bytes', bytes => {
    expect(outcomes.get(way)?.(given(way, bytes))).toEqual([bytes, bytes])
  })

  test.each(GIVEN_TO_KEYRING)('that gives the plaintext of a keyring %i bytes', bytes => {
    expect(outcomes.get(way)?.(givenToKeyring(way, bytes))).toBe(bytes)
  })
})

/** A class with the prototype of Buffers that makes what this expression gives. */
const making = (result: string) =>
  `Object.assign(function (memory, start, length) { return ${result} }, { prototype: Buffer.prototype })`

test.each([
  ['makes plain objects', making('this')],
  [
    'makes arrays of another class',
    making('Object.setPrototypeOf(new Uint8ClampedArray(memory, start, length), Buffer.prototype)'),
  ],
  ['makes Buffers over other memory', making('new Class(new ArrayBuffer(memory.byteLength), start, length)')],
  ['makes Buffers that begin elsewhere', making('new Class(memory, 0, length)')],
  ['makes Buffers of another length', making('new Class(memory, start)')],
  ['makes Buffers with another prototype', 'class extends Class {}'],
  ['throws', making('missing')],
  ['is undefined', 'undefined'],
])('a replaced class behind Buffer that %s makes no result', (_, replacement) => {
  const code = `
    const Class = Buffer[Symbol.species]
    Object.defineProperty(Buffer, Symbol.species, { value: ${replacement} })`
  const script = `
    import { isUint8Array } from 'node:util/types'
    const aes = new AesGcm(Buffer.alloc(32))
    const text = Buffer.alloc(64, 7)
    const frames = Array.from({ length: 4 }, () => aes.encrypt(text))
    const texts = [aes.decrypt(frames[0]), aes.decrypt(frames[1]), aes.decryptInPlace(frames[2])]
    const lengths = [...frames, ...texts].map(bytes =>
      isUint8Array(bytes) && Object.getPrototypeOf(bytes) === Buffer.prototype ? bytes.length : NaN)
    console.log(...lengths, texts.every(opened => text.equals(opened)))`
  const stdout = `${'92 '.repeat(4)}${'64 '.repeat(3)}true\n`
  expect(run(script, after(code))).toEqual({ status: 0, stdout, stderr: '' })
})
