// The values that random calls pass: bytes in every kind of memory, and all that is not bytes.
import { createSecretKey } from 'node:crypto'
import { detach, gone, Liar, MISSING, NOT_BYTES, shared } from '../conformance/hostile.mjs'

/** The error of the caller's own code, in getters and traps: the package passes it on. */
const OWN = Object.assign(new Error("of the caller's own code"), { code: 'OWN' })
const fail = () => {
  throw OWN
}

const MEMORY_BYTES = 4096
/** Where views begin at most: so near to each other that they often overlap. */
const LAST_START = 1024
const LENGTHS = [0, 0, 1, 2, 11, 12, 13, 15, 16, 17, 27, 28, 29, 31, 32, 33, 48, 64, 84, 100, 255, 256, 300]
const NUMBERS = [
  ...[0, 1, 2, 12, 16, 28, 29, 32, 64, 255, 256],
  ...[2 ** 16, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53],
  ...[-0, -1, 0.5, -2.5, Number.NaN, Infinity, -Infinity, 1e300],
]
const NAMES = ['key', 'aad', 'threshold', 'nonceAt', 'length', 'then', '__proto__', 'constructor']
const TEXTS = ['', 'start', 'end', 'aesni', 'text', 'horcrux', 'x'.repeat(32), '0'.repeat(64), '1|', '\ud800']

/** Views of memory that a call may not use: gone, shared. Made once, since each costs memory outside of the heap. */
const LOST = [
  ...[...gone(Buffer.alloc(78))].map(([, view]) => view),
  ...[...shared(78)].map(([, view]) => view),
]
/** Without those whose traps throw errors without a code: here, each may stand in the place of options, whose traps do run. */
const NEVER_BYTES = [...NOT_BYTES, ...MISSING]
  .filter(([what]) => !what.includes('throws'))
  .map(([, value]) => value)

export class Values {
  constructor(chance) {
    this.chance = chance
    const plain = () => new ArrayBuffer(MEMORY_BYTES)
    const wasm = new WebAssembly.Memory({ initial: 1, maximum: 1 })
    /** Memories from which views are cut, so that the arguments of a call often overlap. */
    this.memories = [
      plain(),
      plain(),
      new ArrayBuffer(MEMORY_BYTES, { maxByteLength: 2 * MEMORY_BYTES }),
      wasm.buffer,
    ]
  }

  length() {
    return this.chance.once(3) ? this.chance.below(400) : this.chance.pick(LENGTHS)
  }

  /** A view over `length` random bytes, in any memory that a call may use. */
  bytes(length = this.length()) {
    return this.chance.fill(this.room(length))
  }

  /** A view of `length` bytes. */
  room(length = this.length()) {
    const { chance } = this
    switch (chance.below(8)) {
      case 0:
        return Buffer.from('x'.repeat(length)) // in the pool
      case 1:
        return Buffer.allocUnsafe(length) // in the pool
      case 2:
        return Buffer.concat([Buffer.alloc(length >> 1), Buffer.alloc(length - (length >> 1))])
      case 3:
        return new Uint8Array(length)
      case 4:
        return Buffer.allocUnsafeSlow(length)
      default:
        return this.cut(length)
    }
  }

  /** A view of one of the memories, at any place. */
  cut(length) {
    const memory = this.chance.pick(this.memories)
    const start = this.chance.below(LAST_START)
    return this.chance.once(2) ? Buffer.from(memory, start, length) : new Uint8Array(memory, start, length)
  }

  /** `content` in memory of any kind. */
  put(content) {
    const place = this.room(content.length)
    place.set(content)
    return place
  }

  /** A view of up to 60 bytes that overlaps `view` or lies beside it; any value if its memory is gone. */
  beside(view) {
    const { byteOffset, buffer } = view
    if (buffer.byteLength === 0) return this.anything()
    const start = Math.min(Math.max(0, byteOffset - 20 + this.chance.below(40)), buffer.byteLength)
    return new Uint8Array(buffer, start, Math.min(this.chance.below(60), buffer.byteLength - start))
  }

  number() {
    return this.chance.once(4) ? this.chance.below(400) : this.chance.pick(NUMBERS)
  }

  /** Any value at all. */
  anything() {
    const { chance } = this
    switch (chance.below(14)) {
      case 0:
        return chance.pick(LOST)
      case 1:
        return detach(new Uint8Array(chance.below(40)))
      case 2:
        return this.bytes()
      case 3:
        return this.number()
      case 4:
        return chance.pick(TEXTS)
      case 5:
        return this.proxy()
      case 6:
        return this.list()
      case 7:
        return this.options()
      case 8:
        return chance.once(2) ? createSecretKey(Buffer.alloc(1 + chance.below(40))) : new Liar(this.length())
      case 9:
        return Uint32Array.from({ length: chance.below(5) }, () => chance.below(200))
      case 10:
        return { [Symbol.iterator]: fail, get length() { return fail() }, get byteLength() { return fail() } } // biome-ignore format: one line
      default:
        return chance.pick(NEVER_BYTES)
    }
  }

  /** A Proxy that was revoked, that throws, or that tells a length that no array has. */
  proxy() {
    const { chance } = this
    const target = chance.once(2) ? [this.bytes(), this.bytes()] : {}
    switch (chance.below(5)) {
      case 0: {
        const { proxy, revoke } = Proxy.revocable(target, {})
        revoke()
        return chance.once(3) ? (chance.once(2) ? new Proxy(proxy, {}) : Object.create(proxy)) : proxy
      }
      case 1:
        return new Proxy(target, { get: fail })
      case 2:
        return new Proxy(target, { ownKeys: fail, getPrototypeOf: fail })
      case 3: {
        const length = chance.once(2) ? 2 ** 32 : this.number()
        return new Proxy([this.bytes()], {
          get: (list, name) => (name === 'length' ? length : Reflect.get(list, name)),
        })
      }
      default:
        return new Proxy(target, {})
    }
  }

  list() {
    const { chance } = this
    const list = Array.from({ length: chance.below(5) }, () =>
      chance.once(3) ? chance.pick(NEVER_BYTES) : this.bytes(),
    )
    if (chance.once(6))
      Object.defineProperty(list, chance.below(3), { get: fail, configurable: true, enumerable: true })
    return list
  }

  options() {
    const { chance } = this
    const options = chance.once(5) ? Object.create(null) : {}
    for (let n = chance.below(3); n > 0; n--) {
      const value = chance.once(2) ? this.number() : chance.pick(NEVER_BYTES)
      Object.defineProperty(options, chance.pick(NAMES), { value, enumerable: true, configurable: true })
    }
    if (chance.once(8)) Object.defineProperty(options, chance.pick(NAMES), { get: fail, enumerable: true })
    return options
  }
}
