// Arguments, options and receivers of every wrong kind: a typed error before a byte is written.
import { createSecretKey, generateKeyPairSync, KeyObject, webcrypto } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { AesGcm, type AesGcmOptions, cpu, KeyArena } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import {
  ARGUMENTS,
  argumentsOf,
  call,
  detach,
  KEY,
  METHODS,
  type Method,
  refuses,
  refusesArgument,
  run,
  thrown,
  touchy,
} from './support.js'

const bytes = (length = 78) => new Uint8Array(length)
const NOT_BYTES: [string, unknown][] = [
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
  ['a KeyObject', createSecretKey(KEY)],
]
const MISSING: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
]

test.each(ARGUMENTS)('%s: %s of every wrong type', (method, name) => {
  const aes = new AesGcm(KEY)
  for (const [what, value] of name === 'aad' ? NOT_BYTES : [...NOT_BYTES, ...MISSING]) {
    refusesArgument(aes, method, name, value, 'ERR_INVALID_ARG_TYPE', what)
  }
})

test.each(Object.keys(METHODS) as Method[])(
  '%s is good with the arguments these tests begin from',
  method => {
    const aes = new AesGcm(KEY)
    expect(call(aes, method, Object.values(argumentsOf(method)))).not.toBe(false)
    refuses(() => call(aes, method, []), 'ERR_INVALID_ARG_TYPE')
  },
)

describe('lengths', () => {
  const aes = new AesGcm(KEY)

  test('keys of 0 to 64 bytes, but for 16 and 32', () => {
    for (const length of [...Array(65).keys(), 1 << 20]) {
      if (length === 16 || length === 32) new AesGcm(bytes(length))
      else refuses(() => new AesGcm(bytes(length)), 'ERR_AESGCM_INVALID_KEY_LENGTH', `${length}`)
    }
    for (const length of [1, 15, 17, 24, 31, 33, 64]) {
      refuses(() => new AesGcm(createSecretKey(bytes(length))), 'ERR_AESGCM_INVALID_KEY_LENGTH')
    }
  })

  test.each(['encryptDetached', 'decryptDetached', 'tryDecryptDetached'] as const)(
    'nonce and tag of %s',
    method => {
      for (const length of [...Array(65).keys(), 4096]) {
        if (length !== 12) refusesArgument(aes, method, 'nonce', bytes(length), 'ERR_OUT_OF_RANGE')
        if (length !== 16) refusesArgument(aes, method, 'tag', bytes(length), 'ERR_OUT_OF_RANGE')
      }
    },
  )

  test('targets and frames too short for what goes into them', () => {
    for (let length = 0; length < 28; length++) {
      refusesArgument(aes, 'encryptInPlace', 'frame', bytes(length), 'ERR_OUT_OF_RANGE')
      refusesArgument(aes, 'plaintextOf', 'frame', bytes(length), 'ERR_OUT_OF_RANGE')
    }
    for (let length = 0; length < 78; length++) {
      refusesArgument(aes, 'encryptInto', 'target', bytes(length), 'ERR_OUT_OF_RANGE')
      if (length < 50) refusesArgument(aes, 'decryptInto', 'target', bytes(length), 'ERR_OUT_OF_RANGE')
    }
  })

  test('the texts say what was wanted and what was given', () => {
    const message = (run: () => unknown) => thrown(run).message
    const [data, nonce, tag] = [bytes(9), bytes(12), bytes(16)]
    expect(message(() => aes.encryptDetached(data, bytes(8), tag))).toBe(
      '"nonce" must be a Uint8Array of length 12, got length 8',
    )
    expect(message(() => aes.decryptDetached(data, nonce, bytes(4)))).toBe(
      '"tag" must be a Uint8Array of length 16, got length 4',
    )
    expect(message(() => aes.encrypt('text' as never))).toBe(
      '"plaintext" must be a Uint8Array, got string: Buffer.from(text) gives the bytes of a text',
    )
    expect(message(() => new AesGcm(bytes(24)))).toBe('"key" must be 16 or 32 bytes, got length 24')
  })
})

describe('keys', () => {
  const pair = generateKeyPairSync('ed25519')
  const not = (key: unknown, code = 'ERR_INVALID_ARG_TYPE') =>
    refuses(() => new AesGcm(key as Uint8Array), code)

  test('of wrong types', async () => {
    for (const [what, value] of [...NOT_BYTES, ...MISSING]) {
      if (what !== 'a KeyObject') not(value)
    }
    not(await webcrypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']))
    not(Object.create(KeyObject.prototype))
    not(new Proxy(createSecretKey(KEY), {}))
  })

  test('that throw when they are asked for their bytes', () => {
    const forged = Object.create(Object.getPrototypeOf(createSecretKey(KEY)))
    const symbols = Object.getOwnPropertySymbols(createSecretKey(KEY))
    const handle = { export: () => Reflect.get(touchy({}), 'bytes') }
    for (const symbol of symbols) Object.defineProperty(forged, symbol, { value: handle })
    not(Object.create(Object.getPrototypeOf(createSecretKey(KEY))))
    expect(thrown(() => new AesGcm(forged)).message).toContain('"key"')
  })

  test('that are KeyObjects and not secret', () => {
    not(pair.publicKey, 'ERR_INVALID_ARG_VALUE')
    not(pair.privateKey, 'ERR_INVALID_ARG_VALUE')
  })

  // Exported as a secret one, a public key ends the process in an assertion of Node's.
  test('that are KeyObjects and lie about being secret', () => {
    const script = `
      const { publicKey, privateKey } = generateKeyPairSync('ed25519')
      for (const key of [publicKey, privateKey]) {
        Object.defineProperty(key, 'type', { value: 'secret' })
        try { new AesGcm(key) } catch (error) { console.log(error.code) }
      }`
    const { stdout, status } = run(`import { generateKeyPairSync } from 'node:crypto';${script}`)
    expect({ stdout, status }).toEqual({ stdout: 'ERR_INVALID_ARG_VALUE\n'.repeat(2), status: 0 })
  })
})

describe('options', () => {
  const make = (options: unknown) => new AesGcm(KEY, options as AesGcmOptions)

  test.each([
    ['options', 'ERR_INVALID_ARG_TYPE', [null, 1, 'start', true, 1n, Symbol('x'), () => {}]],
    [
      'nonceAt',
      'ERR_INVALID_ARG_VALUE',
      ['', 'START', 'middle', 0, true, {}, ['end'], Symbol('end'), touchy({})],
    ],
    ['verifyFirst', 'ERR_INVALID_ARG_TYPE', [0, 1, 'true', '', {}, touchy({})]],
    ['maxMessages', 'ERR_INVALID_ARG_TYPE', ['1', true, 1n, {}, [1], null, touchy({}), { valueOf: () => 1 }]],
    ['maxFailures', 'ERR_INVALID_ARG_TYPE', ['1', true, 1n, {}, [1], null, touchy({}), { valueOf: () => 1 }]],
    ['maxMessages', 'ERR_OUT_OF_RANGE', [-1, 0.5, Number.NaN, Infinity, 2 ** 32 + 1, 2 ** 53, -Infinity]],
    ['maxFailures', 'ERR_OUT_OF_RANGE', [-1, 0, -0, 0.5, Number.NaN, Infinity, 2 ** 32 + 1, 2 ** 53]],
    [
      'arena',
      'ERR_INVALID_ARG_TYPE',
      [{}, null, false, 0, KeyArena, KeyArena.prototype, Object.create(KeyArena.default), touchy({})],
    ],
    [
      'arena',
      'ERR_INVALID_ARG_TYPE',
      [new Proxy(KeyArena.default, {}), new AesGcm(KEY), structuredClone(KeyArena.default)],
    ],
  ])('%s: %s', (name, code, values) => {
    for (const value of values) {
      const error = refuses(() => make(name === 'options' ? value : { [name]: value }), code, name)
      expect(error.message).toContain(name)
    }
  })

  test('a misspelt limit is refused, and so is one that a class hides', () => {
    for (const options of [{ maxMesages: 1 }, { maxMessages: 1, MaxFailures: 1 }, { keys: 1 }]) {
      const { message } = refuses(() => make(options), 'ERR_INVALID_ARG_VALUE')
      expect(message).toMatch(
        /^"options" has no '(maxMesages|MaxFailures|keys)': there is 'nonceAt', .*'arena'$/,
      )
    }
    class Settings {
      get maxMessages() {
        return 0
      }
    }
    for (const options of [new Settings(), Object.create({ maxMessages: 0 }), KeyArena.default, [], KEY])
      expect(refuses(() => make(options), 'ERR_INVALID_ARG_TYPE').message).toContain('must be a plain object')
    const plain = [Object.create(null), runInNewContext('({ maxMessages: 0 })'), { [Symbol('x')]: 1 }]
    for (const options of plain) expect(make(options).keyBits).toBe(256)
  })

  test('at their bounds', () => {
    expect(make({ maxMessages: 0, maxFailures: 1 }).backend).toBe(cpu().backend)
    expect(make({ maxMessages: 2 ** 32, maxFailures: 2 ** 32 }).keyBits).toBe(256)
    make({
      nonceAt: undefined,
      maxMessages: undefined,
      maxFailures: undefined,
      verifyFirst: undefined,
      arena: undefined,
    })
    make(Object.freeze({ nonceAt: 'end' }))
    make(Object.assign(Object.create(null), { nonceAt: 'end' }))
  })

  test('each is read once', () => {
    const reads: string[] = []
    const values = {
      nonceAt: 'end',
      verifyFirst: true,
      maxMessages: 5,
      maxFailures: 5,
      backend: cpu().backend,
      arena: KeyArena.default,
    }
    const options = new Proxy(values, {
      get(target, name) {
        reads.push(String(name))
        return Reflect.get(target, name)
      },
    })
    expect(make(options).encrypt(bytes(3)).length).toBe(31)
    expect(reads.sort()).toEqual(Object.keys(values).sort())
  })

  test('a polluted Object.prototype is not read', () => {
    const polluted = {
      nonceAt: 'end',
      verifyFirst: 'no',
      maxMessages: 0,
      maxFailures: 0,
      backend: 'none',
      arena: {},
    }
    try {
      Object.assign(Object.prototype, polluted, { aad: KEY, cause: 'polluted' })
      for (const options of [undefined, {}]) {
        const aes = new AesGcm(KEY, options)
        const frame = aes.encrypt(bytes(40))
        expect(aes.plaintextOf(frame).byteOffset - frame.byteOffset).toBe(12)
        expect(aes.decrypt(frame)).toEqual(Buffer.alloc(40))
        expect(aes.backend).toBe(cpu().backend)
        const error = refuses(() => aes.decrypt(bytes(3)), 'ERR_AESGCM_AUTHENTICATION_FAILED')
        expect(Object.hasOwn(error, 'cause')).toBe(false)
      }
    } finally {
      for (const name of [...Object.keys(polluted), 'aad', 'cause'])
        Reflect.deleteProperty(Object.prototype, name)
    }
  })

  test('a getter that detaches the key, overwrites it, or throws', () => {
    const key = () => Uint8Array.from(KEY)
    const gone = key()
    const detaching = {
      get nonceAt() {
        detach(gone)
        return 'end' as const
      },
    }
    refuses(() => new AesGcm(gone, detaching), 'ERR_AESGCM_DETACHED_BUFFER')
    const changed = key()
    const overwriting = {
      get verifyFirst() {
        changed.fill(0)
        return true
      },
    }
    const frame = new AesGcm(changed, overwriting).encrypt(bytes(5))
    expect(new AesGcm(bytes(32)).decrypt(frame)).toEqual(Buffer.alloc(5))
    const throwing = {
      get backend(): never {
        throw new RangeError('mine')
      },
    }
    expect(thrown(() => make(throwing)).message).toBe('mine')
  })
})
