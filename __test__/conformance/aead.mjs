// The class under test: its objects, its frames, its methods, and arguments with which each method succeeds.
import { equal, must, refuses } from './checks.mjs'
import { Random } from './random.mjs'

export const TAG_BYTES = 16
/** @type {NonceAt[]} */
export const LAYOUTS = ['start', 'end']

/**
 * @typedef {'start' | 'end'} NonceAt
 * @typedef {Uint8Array | null | undefined} Aad
 * @typedef {{ nonce: Buffer, text: Buffer, tag: Buffer }} Parts
 * @typedef {(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, aad?: Aad) => Parts} Seal
 *
 * @typedef {object} Subject a class of keys
 * @property {any} Class
 * @property {readonly number[]} keyBytes the key sizes it takes
 * @property {number} nonceBytes
 * @property {Seal} [seal] an independent implementation; without one, the class is judged by `answers` and by itself
 * @property {readonly (readonly string[])[]} answers in hexadecimal: key, nonce, plaintext, AAD, ciphertext, tag
 * @property {boolean} [slow] whether `seal` is so slow that sweeps take fewer and shorter messages
 * @property {number} [maxMessages] the ceiling of the option of that name, 2^32 by default
 *
 * @typedef {{ name: string, run: () => void }} Case
 */

/** Every method that takes memory: the names of its arguments in order, and those it writes to. */
export const METHODS = {
  encrypt: { takes: ['plaintext', 'aad'], writes: [] },
  decrypt: { takes: ['frame', 'aad'], writes: [] },
  tryDecrypt: { takes: ['frame', 'aad'], writes: [] },
  encryptInto: { takes: ['target', 'plaintext', 'aad'], writes: ['target'] },
  decryptInto: { takes: ['target', 'frame', 'aad'], writes: ['target'] },
  tryDecryptInto: { takes: ['target', 'frame', 'aad'], writes: ['target'] },
  encryptInPlace: { takes: ['frame', 'aad'], writes: ['frame'] },
  decryptInPlace: { takes: ['frame', 'aad'], writes: ['frame'] },
  tryDecryptInPlace: { takes: ['frame', 'aad'], writes: ['frame'] },
  plaintextOf: { takes: ['frame'], writes: [] },
  encryptDetached: { takes: ['data', 'nonce', 'tag', 'aad'], writes: ['data', 'tag'] },
  decryptDetached: { takes: ['data', 'nonce', 'tag', 'aad'], writes: ['data'] },
  tryDecryptDetached: { takes: ['data', 'nonce', 'tag', 'aad'], writes: ['data'] },
}

export const NAMES = Object.keys(METHODS)
/** The methods that need a key. */
export const CRYPTING = NAMES.filter(method => method !== 'plaintextOf')

/** The result of a method that does not throw, for a message that is not authentic: false or null. */
export const refusalOf = method => (/Detached|InPlace/.test(method) ? false : null)

/**
 * The methods and getters of a class as property descriptors, also those that it inherits from its base class.
 * @returns {PropertyDescriptorMap}
 */
export function membersOf({ prototype }) {
  const owners = []
  // The last one, Object.prototype, is left out; its realm may be another.
  for (let owner = prototype, next; owner !== null; owner = next) {
    next = Object.getPrototypeOf(owner)
    if (next !== null) owners.unshift(Object.getOwnPropertyDescriptors(owner))
  }
  return Object.assign({}, ...owners)
}

/** One class with keys of one size on one backend. */
export class Aead {
  /**
   * @param {Subject} subject
   * @param {{ keyBytes: number, backend?: string, thorough?: boolean }} options `thorough`: whole sweeps
   */
  constructor(subject, { keyBytes, backend, thorough = false }) {
    this.subject = subject
    this.Class = subject.Class
    this.keyBytes = keyBytes
    this.nonceBytes = subject.nonceBytes
    this.overhead = subject.nonceBytes + TAG_BYTES
    this.backend = backend
    this.thorough = thorough
    // Under Jest on Node 20, tests have no Symbol.dispose, while the class has a method of this name.
    const symbols = Object.getOwnPropertySymbols(membersOf(this.Class))
    this.dispose = Symbol.dispose ?? symbols.find(({ description }) => /dispose/i.test(description))
    const random = this.random('message')
    this.key = random.bytes(keyBytes)
    this.text = random.bytes(50)
    this.aad = random.bytes(20)
    this.nonce = random.bytes(this.nonceBytes)
  }

  /** The message whose parts are the arguments of `argumentsOf`. Made late: the CPU may have no backend. */
  get message() {
    this.sealed ??= this.seal(this.key, this.nonce, this.text, this.aad)
    return this.sealed
  }

  /** All of a list, or in a thinned run every third from `n` on: three values of `n` together see the whole list. */
  some(list, n) {
    return [...list].filter((_, i) => this.thorough || i % 3 === n % 3)
  }

  random(purpose) {
    return new Random(`${this.Class.name} ${this.keyBytes} ${purpose}`)
  }

  make(options = {}, key = this.key) {
    return new this.Class(key, { backend: this.backend, ...options })
  }

  /** One object for each layout and order of verification. */
  variants(key = this.key) {
    return LAYOUTS.flatMap(nonceAt =>
      [false, true].map(verifyFirst => ({
        aes: this.make({ nonceAt, verifyFirst }, key),
        nonceAt,
        name: `nonceAt ${nonceAt}, verifyFirst ${verifyFirst}`,
      })),
    )
  }

  /** @type {Seal} */
  seal(key, nonce, plaintext, aad) {
    if (this.subject.seal) return this.subject.seal(key, nonce, plaintext, aad)
    const parts = { nonce: Buffer.from(nonce), text: Buffer.from(plaintext), tag: Buffer.alloc(TAG_BYTES) }
    this.make({}, key).encryptDetached(parts.text, nonce, parts.tag, aad)
    return parts
  }

  /** @type {(nonceAt: NonceAt, parts: Parts) => Buffer} */
  frameOf(nonceAt, { nonce, text, tag }) {
    return Buffer.concat(nonceAt === 'start' ? [nonce, text, tag] : [text, tag, nonce])
  }

  nonceOf(nonceAt, frame) {
    const at = nonceAt === 'start' ? 0 : frame.length - this.nonceBytes
    return Buffer.from(frame.subarray(at, at + this.nonceBytes))
  }

  /** Whether `frame` is what the oracle makes of this message with the nonce that is in the frame. */
  isFrame(frame, plaintext, aad, nonceAt = 'start', key = this.key) {
    const parts = this.seal(key, this.nonceOf(nonceAt, frame), plaintext, aad)
    return Buffer.compare(frame, this.frameOf(nonceAt, parts)) === 0
  }

  /**
   * Fresh arguments with which a method of an object on `key` succeeds, by name and in order. Each has memory of its own,
   * and most are so small that V8 keeps them on its own heap at first.
   * @returns {Record<string, Uint8Array<ArrayBuffer>>}
   */
  argumentsOf(method) {
    const { nonce, text, tag } = this.message
    const encrypts = method === 'encryptDetached'
    const all = {
      plaintext: this.text,
      aad: this.aad,
      frame: this.frameOf('start', this.message),
      target: Buffer.alloc(this.text.length + this.overhead + 12, 0x77),
      data: encrypts ? this.text : text,
      nonce,
      tag: encrypts ? Buffer.alloc(TAG_BYTES, 0x77) : tag,
    }
    const { takes } = METHODS[method]
    return Object.fromEntries(takes.map(name => [name, new Uint8Array(all[name])]))
  }

  /** With one argument replaced, the call is refused with `code`, by name, and changes no byte and no counter. */
  refusesArgument(aes, method, name, value, code, what = '') {
    const values = this.argumentsOf(method)
    const before = Object.entries(this.argumentsOf(method)).filter(([other]) => other !== name)
    values[name] = value
    const counted = counts(aes)
    const error = refuses(() => aes[method](...Object.values(values)), code, `${method}: ${name} ${what}`)
    must(error.message.includes(`"${name}"`), () => `${method} does not name "${name}": ${error.message}`)
    equal(counts(aes), counted, `${method}: ${name} ${what}: counters`)
    for (const [other, bytes] of before) {
      must(
        Buffer.compare(values[other], bytes) === 0,
        () => `${method} refuses ${name} ${what}, and changed ${other}`,
      )
    }
  }
}

/** The counters of an object: messages, bytes, failures. */
export const counts = aes => [aes.messagesEncrypted, aes.bytesEncrypted, aes.failedDecryptions]
