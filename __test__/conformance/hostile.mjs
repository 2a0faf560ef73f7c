// Values that are not bytes, and memory that is gone, shared, resizable or disguised: arguments for the hostile cases.
import { createSecretKey } from 'node:crypto'
import { createContext, runInContext } from 'node:vm'

const bytes = (length = 78) => new Uint8Array(length)

// Made once, because each reserves gigabytes of addresses or makes a realm, which is slow under an emulator.
const wasm = new WebAssembly.Memory({ initial: 1, maximum: 2 })
const sharedWasm = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true })
const realm = createContext()

/**
 * The view, its memory taken away.
 * @template {Uint8Array} T
 * @param {T} view
 * @returns {T}
 */
export function detach(view) {
  structuredClone(view.buffer, { transfer: [view.buffer] })
  return view
}

/**
 * Throws wherever it is touched: this shows code that runs an argument's own code.
 * @type {(target: object) => any}
 */
export function touchy(target) {
  const trap = () => {
    throw new Error('code of an argument ran')
  }
  const names = 'get has getPrototypeOf getOwnPropertyDescriptor ownKeys apply isExtensible'.split(' ')
  return new Proxy(target, Object.fromEntries(names.map(name => [name, trap])))
}

/** Each with a description. */
export const NOT_BYTES = [
  ['a number', 78],
  ['NaN', Number.NaN],
  ['a bigint', 78n],
  ['a string', 'x'.repeat(78)],
  ['a boolean', true],
  ['a symbol', Symbol('bytes')],
  ['a function', () => bytes()],
  ['an object', {}],
  ['an empty array', []],
  ['an array of numbers', Array.from(bytes())],
  ['an array of Uint8Arrays', [bytes(), bytes()]],
  ['an array-like', { ...bytes(), length: 78, byteLength: 78, [Symbol.toStringTag]: 'Uint8Array' }],
  ['a DataView', new DataView(new ArrayBuffer(78))],
  ['a Float64Array', new Float64Array(10)],
  ['a Uint16Array', new Uint16Array(39)],
  ['a BigUint64Array', new BigUint64Array(10)],
  ['a Uint8ClampedArray', new Uint8ClampedArray(78)],
  ['an Int8Array', new Int8Array(78)],
  ['an ArrayBuffer', new ArrayBuffer(78)],
  ['a SharedArrayBuffer', new SharedArrayBuffer(78)],
  ['a Proxy of a Uint8Array', new Proxy(bytes(), {})],
  ['a Proxy that throws', touchy(bytes())],
  ['an object over a Proxy that throws', Object.create(touchy({}))],
  ['Uint8Array.prototype', Uint8Array.prototype],
  ['an object with the prototype of a Uint8Array', Object.create(Uint8Array.prototype)],
  ['an object with the prototype of a Buffer', Object.create(Buffer.prototype)],
  ['a KeyObject', createSecretKey(bytes(32))],
]
export const MISSING = [
  ['undefined', undefined],
  ['null', null],
]

/** `content` at `start` of a resizable buffer with room for more. */
export function resizable(content, start = 0) {
  const buffer = new ArrayBuffer(start + content.length, { maxByteLength: 4096 })
  new Uint8Array(buffer, start).set(content)
  return buffer
}

/** Views of the same length as `content` whose memory is gone, each with the way in which the memory went. */
export function* gone(content) {
  const { length } = content
  yield ['transferred', detach(Uint8Array.from(content))]
  yield ['transferred and empty before', detach(new Uint8Array(0))]
  const shrunk = resizable(content)
  const fixed = new Uint8Array(shrunk, 0, length)
  shrunk.resize(length - 1)
  yield ['shrunk by a byte', fixed]
  const before = resizable(content, 100)
  const tracking = new Uint8Array(before, 100)
  before.resize(99)
  yield ['shrunk to before it', tracking]
  const taken = new Uint8Array(wasm.buffer, 0, length)
  // Growth by no page detaches the buffer, too.
  wasm.grow(0)
  yield ['taken away by WebAssembly', taken]
}

/** Views of memory that another thread may write, each with the kind of memory. */
export function* shared(length) {
  yield ['a SharedArrayBuffer', new Uint8Array(new SharedArrayBuffer(length))]
  yield ['a SharedArrayBuffer, as a Buffer', Buffer.from(new SharedArrayBuffer(length))]
  const growable = new SharedArrayBuffer(length, { maxByteLength: 4096 })
  const view = new Uint8Array(growable)
  growable.grow(length + 5)
  yield ['a growable SharedArrayBuffer', view]
  yield ['shared WebAssembly memory', new Uint8Array(sharedWasm.buffer, 0, length)]
  const foreign = `new Uint8Array(new SharedArrayBuffer(${length}))`
  yield ['a SharedArrayBuffer of another realm', runInContext(foreign, realm)]
}

/** Good views of `content` in forms that mislead code which trusts their class. */
export function* disguises(content) {
  const inWasm = new Uint8Array(wasm.buffer, 7, content.length)
  inWasm.set(content)
  yield ['in WebAssembly memory', inWasm]
  yield ['tracking a resizable buffer', new Uint8Array(resizable(content))]
  const regrown = resizable(content)
  const fixed = new Uint8Array(regrown, 0, content.length)
  regrown.resize(content.length - 1)
  regrown.resize(content.length)
  fixed.set(content)
  yield ['out of bounds once, and back', fixed]
  yield ['without a prototype', Object.setPrototypeOf(new Uint8Array(content), null)]
  const foreign = code => runInContext(code, realm)(Array.from(content))
  yield ['of another realm', foreign('list => Uint8Array.from(list)')]
  const subclass = 'class extends Uint8Array { get length() { return 1 } }'
  yield ['of a subclass in another realm', foreign(`list => new (${subclass})(list)`)]
  yield ['a liar', new Liar(content)]
}

/** Lies wherever JavaScript can be lied to. */
export class Liar extends Uint8Array {
  static get [Symbol.species]() {
    throw new Error('species ran')
  }
  get length() {
    return 1
  }
  get byteLength() {
    return 2 ** 31
  }
  get byteOffset() {
    return 2 ** 20
  }
  get buffer() {
    return new ArrayBuffer(0)
  }
  at() {
    throw new Error('at ran')
  }
  valueOf() {
    throw new Error('valueOf ran')
  }
  toString() {
    throw new Error('toString ran')
  }
  [Symbol.toPrimitive]() {
    throw new Error('toPrimitive ran')
  }
}

const buffer = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'buffer')

/** The true memory and the true bytes of a view whose class may lie. */
export const trueBuffer = view => buffer.get.call(view)
export const trueBytes = view => Buffer.from(new Uint8Array(view))
