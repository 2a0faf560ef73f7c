// Results are made without code of a program. Such code once ran after lengths had been read: by the class behind Buffer, whose
// parent a program may replace, or by a getter that `Buffer.from` reads.
import { describe, expect, test } from 'vitest'
import { inTurn } from '../../tools/in-turn.js'
import { run } from '../../tools/support.js'

/** What `run` does with a program that runs this code before it loads the package. */
const after = (code: string) => ({ flags: ['--import', `data:text/javascript,${encodeURIComponent(code)}`] })

/** Calls that return Buffers. */
const CALLS = {
  encrypt: 'open(aes.encrypt(text))',
  'encrypt, of pieces': 'open(aes.encrypt([text, new Uint8Array(0)]))',
  decrypt: 'aes.decrypt(frame)',
  tryDecrypt: 'aes.tryDecrypt(frame)',
  decryptInPlace: 'aes.decryptInPlace(Uint8Array.from(frame))',
  plaintextOf: 'aes.plaintextOf(new Uint8Array(92)).fill(7)',
  encryptBatch: 'open(aes.encryptBatch([text])[0])',
  decryptBatch: 'aes.decryptBatch([frame])[0]',
  tryDecryptBatch: 'aes.tryDecryptBatch([frame])[0]',
  'seal of a keyring': 'ring.open(ring.seal(text))',
  'open of a keyring': 'ring.open(sealed)',
  'tryOpen of a keyring': 'ring.tryOpen(sealed)',
  'bytes of a column': 'users.open(row).photo',
  'sealAndSplit and combineAndOpen': 'combineAndOpen(shared.shares, shared.sealed)',
  encryptBuffer: 'decryptBuffer(encryptBuffer(text, key), key)',
  context: "context('users', 'email', 17)",
  'context of bytes': 'context(text)',
  randomBytes: 'randomBytes(64).fill(7)',
}

/** How a program puts code, or other objects, where Buffers are made. */
const WAYS = {
  'a replaced parent of the class behind Buffer': `
    const Class = Buffer[Symbol.species]
    const parent = Object.getPrototypeOf(Class)
    const hook = () => Object.setPrototypeOf(Class, function (...values) {
      if (!busy) during()
      return Reflect.construct(parent, values, new.target)
    })
    const unhook = () => Object.setPrototypeOf(Class, parent)`,
  'a replaced Buffer.prototype': `
    const own = Buffer.prototype
    const hook = () => { Buffer.prototype = new Proxy(own, { getPrototypeOf() { during(); return own } }) }
    const unhook = () => { Buffer.prototype = own }`,
  'a getter of byteLength': `
    const descriptor = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')
    const hook = () => Object.defineProperty(ArrayBuffer.prototype, 'byteLength', { configurable: true, get() {
      if (!busy) during()
      return descriptor.get.call(this)
    } })
    const unhook = () => Object.defineProperty(ArrayBuffer.prototype, 'byteLength', descriptor)`,
  'a replaced Symbol.species': `
    const descriptor = Object.getOwnPropertyDescriptor(Buffer, Symbol.species)
    const hook = () => Object.defineProperty(Buffer, Symbol.species, { configurable: true, get() { during(); return Uint8Array } })
    const unhook = () => Object.defineProperty(Buffer, Symbol.species, descriptor)`,
}

/** Each call's result with and without the way: whether they are alike, and whether code ran. */
const script = (way: string) => `
  const { AesGcm, randomBytes } = require('hardware-aes-gcm')
  const { Keyring, context } = require('hardware-aes-gcm/keyring')
  const { encryptedColumns } = require('hardware-aes-gcm/columns')
  const { combineAndOpen, sealAndSplit } = require('hardware-aes-gcm/shamir')
  const { decryptBuffer, encryptBuffer } = require('hardware-aes-gcm/stream')
  const key = Buffer.alloc(32)
  const aes = new AesGcm(key)
  const ring = Keyring.generate()
  const users = encryptedColumns('users', { keyring: ring, rowKey: 'id', columns: { photo: 'bytes' } })
  const text = new Uint8Array(64).fill(7)
  const frame = aes.encrypt(text)
  const sealed = ring.seal(text)
  const row = users.seal({ id: 1, photo: text })
  const shared = sealAndSplit(text, { shares: 3, threshold: 2 })
  const { prototype } = Buffer
  let open
  let ran = 0
  let busy = false
  const during = () => {
    ran++
    busy = true
    context('admin', 'roles', 1)
    busy = false
  }
  ${way}
  const all = {}
  for (const [name, call] of Object.entries({ ${Object.entries(CALLS).map(([name, call]) => `${JSON.stringify(name)}: () => ${call}`)} })) {
    open = frame => aes.decrypt(frame)
    const right = Buffer.from(call()).toString('hex')
    ran = 0
    hook()
    let got
    try { got = call() } finally { unhook() }
    all[name] = [ran, Object.getPrototypeOf(got) === prototype, Buffer.isBuffer(got), Buffer.from(got).toString('hex') === right]
  }
  return all`

const outcomes = inTurn(Object.values(WAYS).map(script))

describe.each(Object.entries(WAYS))('%s', (_, way) => {
  test.each(Object.keys(CALLS))('runs no code for %s, whose result is a Buffer', name => {
    const all = outcomes(script(way)) as Record<string, unknown>
    expect(all[name]).toEqual([0, true, true, true])
  })
})

/** What became of calls whose memory a replaced parent of the class behind Buffer changed, or chose itself. */
const DEFECTS = `
  const { AesGcm } = require('hardware-aes-gcm')
  const { Keyring, context } = require('hardware-aes-gcm/keyring')
  const Class = Buffer[Symbol.species]
  const parent = Object.getPrototypeOf(Class)
  const hooked = (hook, call) => {
    Object.setPrototypeOf(Class, function (...values) {
      return hook() ?? Reflect.construct(parent, values, new.target)
    })
    try { return call() } finally { Object.setPrototypeOf(Class, parent) }
  }
  const aes = new AesGcm(Buffer.alloc(32))
  const ring = Keyring.generate()
  const text = Buffer.alloc(3000, 7)
  const resizable = bytes => {
    const memory = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length })
    const view = new Uint8Array(memory)
    view.set(bytes)
    return [view, () => { memory.resize(4) }]
  }
  const opened = [
    [text => aes.encrypt(text), frame => aes.decrypt(frame)],
    [text => aes.encrypt(text), frame => aes.tryDecrypt(frame)],
    [text => ring.seal(text), sealed => ring.open(sealed)],
    [text => text, text => aes.decrypt(aes.encryptBatch([text])[0])],
    [text => text, text => context('table', text).subarray(-text.length)],
  ].map(([before, call]) => {
    const [view, shrink] = resizable(before(text))
    return text.equals(hooked(shrink, () => call(view)))
  })
  let inside = false
  const place = hooked(() => { if (!inside) { inside = true; context('admin', 'roles', 1); inside = false } },
    () => context('users', 'email', 17))
  const own = new Uint8Array(200)
  const sealed = hooked(() => own.subarray(0, 50), () => ring.seal(new Uint8Array(17)))
  return {
    'plaintext longer than decrypted': opened.slice(0, 3),
    'batch and context of foreign memory': opened.slice(3),
    'context reentered': place.equals(context('users', 'email', 17)),
    'immutable memory written': [own.every(byte => byte === 0), ring.open(sealed).length],
  }`

const defects = inTurn([DEFECTS])

test.each([
  ['plaintext longer than decrypted', [true, true, true]],
  ['batch and context of foreign memory', [true, true]],
  ['context reentered', true],
  ['immutable memory written', [true, 17]],
])('no %s, by a replaced parent of the class behind Buffer', (name, right) => {
  expect((defects(DEFECTS) as Record<string, unknown>)[name]).toEqual(right)
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
