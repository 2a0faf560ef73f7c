// BlindIndex: the answers of Tink and of node:crypto, the arguments that it refuses, and a key that nothing shows.
import { createHmac, createSecretKey, generateKeyPairSync, webcrypto } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { cloned, detach, Random, refuses, run } from '../../tools/support.js'
import { PRF } from '../../vectors/tink.js'
import { BlindIndex, context } from './internals.js'

const random = new Random('blind index')
const KEY = random.bytes(32)
const PURPOSE = 'users.email'
const options = { purpose: PURPOSE }
type Key = ConstructorParameters<typeof BlindIndex>[0]
type Index = InstanceType<typeof BlindIndex>
type Options = ConstructorParameters<typeof BlindIndex>[1]

/** HMAC-SHA-256, of the purpose and the value in PASETO's encoding. */
const answer = (key: Uint8Array, purpose: string, value: string | Uint8Array, bits = 128) =>
  createHmac('sha256', key)
    .update(context(purpose, value))
    .digest()
    .subarray(0, bits / 8)
    .toString('base64url')

describe('answers', () => {
  test("Tink's pseudo-random function HmacPrfKey gives the same bytes", () => {
    const { keyset, input, output16 } = PRF[0] as (typeof PRF)[0]
    const value = Buffer.from(keyset.key[0]?.keyData.value as string, 'base64')
    // params { hash = SHA256 }, key_value of 32 bytes.
    expect(value.subarray(0, 6).toString('hex')).toBe('120208031a20')
    const key = value.subarray(6)
    expect(createHmac('sha256', key).update(input, 'hex').digest('hex').slice(0, 32)).toBe(output16)
    // The same function, for an input that is the encoding of a purpose and a value.
    const index = new BlindIndex(key, options)
    const tink = createHmac('sha256', key).update(context(PURPOSE, 'james.bond@mi6.co.uk')).digest()
    expect(index.of('james.bond@mi6.co.uk')).toBe(tink.subarray(0, 16).toString('base64url'))
  })

  test('a known answer, which Python gives too', () => {
    const index = new BlindIndex(Buffer.alloc(32, 1), { purpose: 'users.email', bits: 256 })
    expect(index.of('ada@example.org')).toBe('HBVLxjNOFzVjC_vEdvZoR8ktXaHEM6qZVX2LwzEpDCk')
  })

  test('values of all lengths round those that have memory of their own', () => {
    const key = Buffer.alloc(65, 3)
    const index = new BlindIndex(key, options)
    for (const length of [0, 1, 255, 256, 257, 258, 1000])
      for (const value of ['a'.repeat(length), Buffer.alloc(length, 9), 'é'.repeat(length)])
        expect(index.of(value)).toBe(answer(key, PURPOSE, value))
  })

  test('1 000 keys, purposes, values and lengths', () => {
    for (let i = 0; i < 1000; i++) {
      const key = random.bytes(random.pick([32, 33, 63, 64, 65, 1024]))
      const purpose = random.pick(['p', 'users.email', 'ü'.repeat(50), '🔑'])
      const bits = 32 + 8 * random.below(29)
      const text = random.pick(['', 'x', 'é🔑', 'x'.repeat(5000), random.bytes(9).toString('hex')])
      const index = new BlindIndex(key, { purpose, bits })
      for (const value of [text, Buffer.from(text), random.bytes(random.below(100))])
        expect(index.of(value)).toBe(answer(key, purpose, value, bits))
    }
  })

  test('a text and its bytes have one index; other purposes and keys have others', () => {
    const index = new BlindIndex(KEY, options)
    expect(index.of('é')).toBe(index.of(Buffer.from('é')))
    const all = [
      index.of('a'),
      index.of('A'),
      index.of('a '),
      index.of(''),
      new BlindIndex(KEY, { purpose: 'users.name' }).of('a'),
      new BlindIndex(random.bytes(32), options).of('a'),
      // Not a join: the border between purpose and value counts.
      new BlindIndex(KEY, { purpose: 'users.emaila' }).of(''),
    ]
    expect(new Set(all).size).toBe(all.length)
  })

  test('a KeyObject, and a Uint8Array that changes later', () => {
    const wanted = answer(KEY, PURPOSE, 'x')
    expect(new BlindIndex(createSecretKey(KEY), options).of('x')).toBe(wanted)
    const key = Uint8Array.from(KEY)
    const index = new BlindIndex(key, options)
    key.fill(0)
    expect(index.of('x')).toBe(wanted)
  })

  test('generateKey gives 32 new bytes in memory of their own', () => {
    const [one, other] = [BlindIndex.generateKey(), BlindIndex.generateKey()]
    expect([one.length, one.buffer.byteLength]).toEqual([32, 32])
    expect(one.equals(other)).toBe(false)
    expect(new BlindIndex(one, options).of('x')).toBe(answer(one, PURPOSE, 'x'))
  })
})

describe('refused', () => {
  test.each([undefined, null, 'x'.repeat(32), 7, {}, [], new Uint16Array(16), new ArrayBuffer(32)])(
    '%o is no key',
    key => {
      refuses(() => new BlindIndex(key as Key, options), 'ERR_INVALID_ARG_TYPE')
    },
  )

  test('keys of other kinds and lengths', () => {
    const pair = generateKeyPairSync('ed25519')
    refuses(() => new BlindIndex(pair.privateKey, options), 'ERR_INVALID_ARG_VALUE')
    for (const bytes of [0, 1, 16, 31, 1025])
      for (const key of [
        Buffer.alloc(bytes, 3),
        ...(bytes > 0 ? [createSecretKey(Buffer.alloc(bytes, 3))] : []),
      ])
        refuses(() => new BlindIndex(key, options), 'ERR_AESGCM_INVALID_KEY_LENGTH')
    const text = Buffer.from(KEY.toString('base64').slice(0, 24))
    expect(refuses(() => new BlindIndex(text, options), 'ERR_AESGCM_INVALID_KEY_LENGTH').message).toContain(
      'looks like text',
    )
  })

  test('a CryptoKey, with advice', async () => {
    const key = await webcrypto.subtle.importKey('raw', KEY, { name: 'HMAC', hash: 'SHA-256' }, true, [
      'sign',
    ])
    const { message } = refuses(() => new BlindIndex(key as never, options), 'ERR_INVALID_ARG_TYPE')
    expect(message).toContain('KeyObject.from')
  })

  test.each([
    [undefined, 'ERR_INVALID_ARG_TYPE'],
    [null, 'ERR_INVALID_ARG_TYPE'],
    ['users.email', 'ERR_INVALID_ARG_TYPE'],
    [{}, 'ERR_INVALID_ARG_TYPE'],
    [{ purpose: '' }, 'ERR_INVALID_ARG_VALUE'],
    [{ purpose: 7 }, 'ERR_INVALID_ARG_TYPE'],
    [{ purpose: Buffer.from('p') }, 'ERR_INVALID_ARG_TYPE'],
    [{ purpose: '\ud800' }, 'ERR_INVALID_ARG_VALUE'],
    [{ purpose: 'p', bits: 24 }, 'ERR_OUT_OF_RANGE'],
    [{ purpose: 'p', bits: 264 }, 'ERR_OUT_OF_RANGE'],
    [{ purpose: 'p', bits: 36 }, 'ERR_OUT_OF_RANGE'],
    [{ purpose: 'p', bits: '128' }, 'ERR_INVALID_ARG_TYPE'],
    [{ purpose: 'p', bit: 128 }, 'ERR_INVALID_ARG_VALUE'],
    [Object.create({ purpose: 'p' }), 'ERR_INVALID_ARG_TYPE'],
  ])('options %o', (value, code) => {
    refuses(() => new BlindIndex(KEY, value as Options), code)
  })

  test.each([undefined, null, 7, 7n, true, {}, [], new Date(0), Object('x'), new Uint16Array(2)])(
    '%o has no index',
    value => {
      refuses(() => new BlindIndex(KEY, options).of(value as string), 'ERR_INVALID_ARG_TYPE')
    },
  )

  test('a lone surrogate, shared and detached memory', () => {
    const index = new BlindIndex(KEY, options)
    expect(refuses(() => index.of('x\ud800'), 'ERR_INVALID_ARG_VALUE').message).toMatch(/^"value" /)
    const { message } = refuses(() => new BlindIndex(KEY, { purpose: '\ud800' }), 'ERR_INVALID_ARG_VALUE')
    expect(message).toMatch(/^"options\.purpose" /)
    refuses(() => index.of(new Uint8Array(new SharedArrayBuffer(2))), 'ERR_AESGCM_SHARED_BUFFER')
    const gone = new Uint8Array(2)
    structuredClone(gone.buffer, { transfer: [gone.buffer] })
    refuses(() => index.of(gone), 'ERR_AESGCM_DETACHED_BUFFER')
    const key = new Uint8Array(KEY)
    detach(key)
    const ofKey = refuses(() => new BlindIndex(key, options), 'ERR_AESGCM_DETACHED_BUFFER').message
    expect(ofKey).toContain('"key"')
    expect(index.of('x')).toBe(answer(KEY, PURPOSE, 'x'))
  })

  test('other receivers', () => {
    const { prototype } = BlindIndex
    for (const other of [
      undefined,
      null,
      7,
      {},
      Object.create(prototype),
      new Proxy(new BlindIndex(KEY, options), {}),
    ])
      for (const run of [
        () => prototype.of.call(other, 'x'),
        () => prototype.destroy.call(other as Index),
        () => prototype[Symbol.dispose].call(other as Index),
        () => Reflect.get(prototype, 'bits', other),
        () => Reflect.get(prototype, 'purpose', other),
        () => Reflect.get(prototype, 'destroyed', other),
      ])
        expect(refuses(run, 'ERR_INVALID_THIS').message).toContain('of type BlindIndex')
  })
})

describe('the object', () => {
  test('after destroy, and again', () => {
    for (const end of ['destroy', Symbol.dispose] as const) {
      const index = new BlindIndex(KEY, options)
      expect(index.destroyed).toBe(false)
      index[end]()
      index[end]()
      expect(index.destroyed).toBe(true)
      expect([index.purpose, index.bits]).toEqual([PURPOSE, 128])
      refuses(() => index.of('x'), 'ERR_AESGCM_DESTROYED')
    }
  })

  test('shows no key', () => {
    const index = new BlindIndex(KEY, options)
    expect(inspect(index, { showHidden: true })).toBe(
      "BlindIndex { purpose: 'users.email', bits: 128, destroyed: false }",
    )
    expect(inspect({ a: { b: { c: index } } })).not.toContain(KEY.toString('hex').slice(0, 8))
    expect(inspect(cloned(index))).toBe('{}')
    expect(JSON.stringify(index)).toBe('{}')
    expect(Reflect.ownKeys(index)).toEqual([])
    refuses(() => BlindIndex.prototype.of.call(cloned(index), 'x'), 'ERR_INVALID_THIS')
  })
})

test('functions of Buffer that a program replaced see neither key nor value', () => {
  const { status, stdout, stderr } = run(`
    import { BlindIndex } from 'hardware-aes-gcm/keyring'
    const index = new BlindIndex(Buffer.alloc(32, 7), { purpose: 'users.email' })
    const before = [index.of('x'), index.of('x'.repeat(300)), index.of(Buffer.from('x'))]
    const values = ['x', 'x'.repeat(300), Buffer.from('x')]
    const seen = []
    for (const { prototype } of [Buffer, Object.getPrototypeOf(Uint8Array)])
      for (const name of Object.getOwnPropertyNames(prototype)) {
        const { value: real, writable } = Object.getOwnPropertyDescriptor(prototype, name)
        if (typeof real !== 'function' || !writable || name === 'constructor') continue
        prototype[name] = function (...all) {
          seen.push(name)
          return real.apply(this, all)
        }
      }
    const after = values.map(value => index.of(value))
    const names = seen.splice(0)
    console.log(JSON.stringify([before.every((one, i) => one === after[i]), names]))`)
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '[true,[]]\n', stderr: '' })
})
