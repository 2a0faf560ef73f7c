// Receivers that are no AesGcm, destroyed ones, subclasses and frozen ones.
import { inspect } from 'node:util'
import { AesGcm, type AesGcmOptions } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { argumentsOf, call, cloned, KEY, METHODS, type Method, refuses, run, thrown } from './support.js'

const methods = Object.keys(METHODS) as Method[]
const members = Object.entries(Object.getOwnPropertyDescriptors(AesGcm.prototype))
// Showing an object never throws: inspect.test.ts.
const symbols = Object.getOwnPropertySymbols(AesGcm.prototype).filter(symbol => symbol !== inspect.custom)

describe('receivers', () => {
  const real = new AesGcm(KEY)
  let encrypted = 0
  class Other {
    readonly #handle = {}
    has() {
      return #handle in this
    }
  }
  const wrong = [
    ...[undefined, null, 0, '', true, 1n, Symbol('x'), {}, [], () => {}, Buffer.alloc(40)],
    ...[Object.create(AesGcm.prototype), Object.create(real), new Proxy(real, {}), AesGcm.prototype, AesGcm],
    ...[new Other(), cloned(real), Object.assign(Object.create(AesGcm.prototype), real)],
  ]
  const functions = [
    ...members.flatMap(([name, { value, get }]) =>
      name === 'constructor' ? [] : [[name, get ?? value] as const],
    ),
    ...symbols.map(symbol => [String(symbol), Reflect.get(AesGcm.prototype, symbol)] as const),
  ].filter(([, member]) => typeof member === 'function')

  test('every method and getter is among those tried', () => {
    const counters = [
      ...['backend', 'keyBits', 'messagesEncrypted', 'bytesEncrypted', 'failedDecryptions', 'destroyed'],
    ]
    const expected = [...methods, ...counters, 'destroy', String(Symbol.dispose)]
    expect(functions.map(([name]) => name).sort()).toEqual(expected.sort())
  })

  test.each(functions)('%s', (name, member) => {
    const values = name in METHODS ? Object.values(argumentsOf(name as Method)) : []
    for (const self of wrong)
      refuses(() => member.call(self, ...values), 'ERR_INVALID_THIS', String(typeof self))
    // None of them led to the real one.
    expect(real.failedDecryptions).toBe(0)
    expect(real.encrypt(Buffer.alloc(0)).length).toBe(28)
    encrypted += 1
    expect(real.messagesEncrypted).toBe(encrypted)
  })

  // In a process of its own: here objects have been made.
  test('before the first object was ever made', () => {
    const script = `
      const members = Object.getOwnPropertyDescriptors(AesGcm.prototype)
      delete members.constructor
      delete members[Symbol.for('nodejs.util.inspect.custom')]
      for (const name of Reflect.ownKeys(members)) {
        const member = members[name].get ?? members[name].value
        try { member.call({}) } catch (error) { if (error.code !== 'ERR_INVALID_THIS') console.log(name, error.message) }
      }`
    expect(run(script)).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test('the class without new, and new with another target', () => {
    expect(thrown(() => (AesGcm as unknown as (key: Uint8Array) => void)(KEY))).toBeInstanceOf(TypeError)
    expect(thrown(() => Reflect.apply(AesGcm, real, [KEY]))).toBeInstanceOf(TypeError)
    const odd = Reflect.construct(AesGcm, [KEY], Object) as object
    expect(AesGcm.prototype.encrypt.call(odd as AesGcm, Buffer.alloc(3)).length).toBe(31)
  })

  test('statics need no receiver', () => {
    const { isAvailable, generateKey } = AesGcm
    expect([isAvailable(), generateKey().length]).toEqual([true, 32])
  })
})

describe('destroyed objects', () => {
  const used = () => {
    const aes = new AesGcm(KEY)
    aes.encrypt(Buffer.alloc(10))
    aes.tryDecryptInPlace(Buffer.alloc(30))
    return aes
  }

  test.each(methods.filter(method => method !== 'plaintextOf'))(
    '%s is refused, and writes nothing',
    method => {
      for (const end of ['destroy', Symbol.dispose] as const) {
        const aes = used()
        aes[end]()
        const values = argumentsOf(method)
        refuses(() => call(aes, method, Object.values(values)), 'ERR_AESGCM_DESTROYED')
        expect(values).toEqual(argumentsOf(method))
        refuses(() => aes.decryptInPlace(Buffer.alloc(3)), 'ERR_AESGCM_DESTROYED')
        refuses(() => aes.tryDecryptInPlace(Buffer.alloc(3)), 'ERR_AESGCM_DESTROYED')
      }
    },
  )

  test('what needs no key goes on, and a second destroy does nothing', () => {
    const [aes, other] = [used(), used()]
    const facts = (of: AesGcm) => [
      of.backend,
      of.keyBits,
      of.messagesEncrypted,
      of.bytesEncrypted,
      of.failedDecryptions,
    ]
    const before = facts(aes)
    for (let n = 0; n < 3; n++) {
      aes.destroy()
      aes[Symbol.dispose]()
    }
    expect(facts(aes)).toEqual(before)
    expect(before.slice(2)).toEqual([1, 10, 1])
    expect(aes.plaintextOf(Buffer.alloc(30)).length).toBe(2)
    // Another object on the same key is another object; and its slot is not the next one's.
    expect(other.decrypt(new AesGcm(KEY).encrypt(Buffer.alloc(4))).length).toBe(4)
    expect(facts(other)).toEqual(before)
  })
})

describe('subclasses and frozen objects', () => {
  test('a subclass adds to what it inherits', () => {
    class Sub extends AesGcm {
      readonly made: string
      constructor(key: Uint8Array, options?: AesGcmOptions) {
        super(key, options)
        this.made = this.backend
      }
      override encrypt(plaintext: Uint8Array) {
        return super.encrypt(plaintext, Buffer.from('sub'))
      }
      text(frame: Uint8Array) {
        return this.decrypt(frame, Buffer.from('sub')).toString()
      }
    }
    const sub = new Sub(KEY, { nonceAt: 'end' })
    expect(sub).toBeInstanceOf(AesGcm)
    expect(sub.text(sub.encrypt(Buffer.from('text')))).toBe('text')
    expect([sub.made, sub.messagesEncrypted]).toEqual([sub.backend, 1])
    refuses(
      () => new AesGcm(KEY, { nonceAt: 'end' }).decrypt(sub.encrypt(KEY)),
      'ERR_AESGCM_AUTHENTICATION_FAILED',
    )
  })

  test('a frozen object, frozen options, views that take no properties', () => {
    const aes = Object.freeze(
      new AesGcm(Object.preventExtensions(new Uint8Array(KEY)), Object.freeze({ verifyFirst: true })),
    )
    const frame = Object.preventExtensions(aes.encrypt(Buffer.from('text')))
    expect(aes.decryptInPlace(frame).toString()).toBe('text')
    expect([aes.messagesEncrypted, aes.failedDecryptions]).toEqual([1, 0])
    aes.destroy()
    refuses(() => aes.encrypt(frame), 'ERR_AESGCM_DESTROYED')
  })

  test('the counters and facts are read only', () => {
    const aes = new AesGcm(KEY)
    for (const name of [
      'backend',
      'keyBits',
      'messagesEncrypted',
      'bytesEncrypted',
      'failedDecryptions',
    ] as const) {
      expect(thrown(() => Object.assign(aes, { [name]: 1 }))).toBeInstanceOf(TypeError)
    }
  })
})
