// What index.d.ts promises beyond the bytes: memory of results, nonces, counters, limits, errors, secrecy of the key.
import { createSecretKey, webcrypto } from 'node:crypto'
import { inspect } from 'node:util'
import {
  AesGcm,
  AesGcmError,
  AuthenticationError,
  cpu,
  NONCE_BYTES,
  OVERHEAD,
  TAG_BYTES,
} from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import {
  cloned,
  isOwn,
  KEY,
  KEY_BYTES,
  LAYOUTS,
  opened,
  partsOf,
  Random,
  refuses,
  thrown,
} from './support.js'

const random = new Random('frames')
const EXHAUSTED = 'ERR_AESGCM_KEY_EXHAUSTED'

test('constants', () => {
  expect([NONCE_BYTES, TAG_BYTES, OVERHEAD]).toEqual([12, 16, 28])
})

describe('generateKey', () => {
  test('gives 16 or 32 bytes that are nobody else’s, new every time', () => {
    expect(
      [AesGcm.generateKey(128), AesGcm.generateKey(256), AesGcm.generateKey(undefined)].map(
        key => key.length,
      ),
    ).toEqual([16, 32, 32])
    const keys = Array.from({ length: 1000 }, () => AesGcm.generateKey())
    keys.forEach(isOwn)
    expect(new Set(keys.map(key => key.toString('hex'))).size).toBe(1000)
    // Every byte takes part: none is the same in all of them.
    for (let n = 0; n < 32; n++) expect(new Set(keys.map(key => key[n])).size).toBeGreaterThan(100)
  })

  test.each([0, 64, 127, 129, 192, 512, -128, 128.5, Number.NaN, '256', null, {}, 256n])(
    'refuses %s bits',
    bits => {
      refuses(() => AesGcm.generateKey(bits as never), 'ERR_OUT_OF_RANGE')
    },
  )
})

describe('keys', () => {
  test.each(KEY_BYTES)(
    'of %i bytes: as bytes or as a KeyObject, and wiped by the caller afterwards',
    length => {
      const key = random.bytes(length)
      const [aes, ofKeyObject] = [new AesGcm(key), new AesGcm(createSecretKey(key))]
      expect([aes.keyBits, ofKeyObject.keyBits]).toEqual([length * 8, length * 8])
      const kept = Buffer.from(key)
      key.fill(0)
      const frame = aes.encrypt(Buffer.from('text'))
      expect(opened(kept, partsOf('start', frame)).toString()).toBe('text')
      expect(ofKeyObject.decrypt(frame).toString()).toBe('text')
    },
  )

  test('a KeyObject is as it was afterwards', () => {
    const keyObject = createSecretKey(KEY)
    new AesGcm(keyObject)
    expect(keyObject.export()).toEqual(KEY)
  })

  test('are in nothing that can be printed, copied or thrown', () => {
    const aes = new AesGcm(KEY)
    const said = (value: unknown) => [
      inspect(value, { showHidden: true, depth: Infinity, showProxy: true, getters: true }),
      JSON.stringify(value),
      String(value),
      inspect(cloned(value as object), { showHidden: true }),
      inspect(Object.getOwnPropertyDescriptors(value)),
    ]
    const errors = [
      () => aes.decrypt(KEY),
      () => aes.encrypt('x' as never),
      () => aes.encryptInto(KEY, KEY),
      () => aes.encryptDetached(Buffer.from(KEY), KEY, KEY),
      () => new AesGcm(KEY, { nonceAt: 'x' as never }),
      () => new AesGcm(Buffer.concat([KEY, KEY])),
      () => new AesGcm(Buffer.from(KEY), { backend: KEY as never }),
      () => new AesGcm(KEY.toString('hex') as never),
      () => new AesGcm(KEY.buffer as never),
    ].map(thrown)
    const bare = (text: string | undefined) => String(text).replace(/\s/g, '')
    const encodings = (['hex', 'base64', 'base64url', 'latin1'] as const).map(name => KEY.toString(name))
    const forms = [...encodings, KEY.join()].map(bare)
    const found = (text: string | undefined) =>
      forms.some(form => bare(text).includes(form.slice(0, 12)) || bare(text).includes(form.slice(-12)))
    expect(said(KEY).filter(found).length, 'the search finds a key that is there').toBeGreaterThan(2)
    for (const text of [aes, ...errors].flatMap(said)) expect(found(text), text).toBe(false)
    expect([JSON.stringify(aes), structuredClone(aes), Object.keys(aes)]).toEqual(['{}', {}, []])
  })
})

describe.each(LAYOUTS)('nonceAt %s', nonceAt => {
  const from = nonceAt === 'start' ? 12 : 0

  test('results are Buffers over memory of their own', () => {
    const aes = new AesGcm(KEY, { nonceAt })
    for (const length of [0, 1, 100, 5000]) {
      const frame = aes.encrypt(random.bytes(length))
      isOwn(frame)
      isOwn(aes.decrypt(frame))
      expect(frame.length).toBe(length + OVERHEAD)
    }
  })

  test('decryptInPlace and plaintextOf give views of the frame, of any kind of view', () => {
    const aes = new AesGcm(KEY, { nonceAt })
    const memory = new ArrayBuffer(300)
    for (const length of [0, 1, 77]) {
      for (const frame of [new Uint8Array(memory, 50, length + 28), Buffer.from(memory, 50, length + 28)]) {
        const plaintext = random.bytes(length)
        const view = aes.plaintextOf(frame)
        view.set(plaintext)
        aes.encryptInPlace(frame)
        const result = aes.decryptInPlace(frame)
        for (const one of [view, result]) {
          expect([Buffer.isBuffer(one), one.buffer === memory, one.byteOffset, one.length]).toEqual([
            true,
            true,
            50 + from,
            length,
          ])
        }
        expect(result).toEqual(plaintext)
      }
    }
  })

  test('no nonce comes twice, from one object or from many on one key', () => {
    const seen = new Set<string>()
    const one = new AesGcm(KEY, { nonceAt })
    const frame = Buffer.alloc(28)
    for (let n = 0; n < 101_000; n++) {
      const aes = n < 100_000 ? one : new AesGcm(KEY, { nonceAt })
      aes.encryptInPlace(frame)
      seen.add(frame.toString('latin1', nonceAt === 'start' ? 0 : 16, nonceAt === 'start' ? 12 : 28))
    }
    expect(seen.size).toBe(101_000)
  })
})

test('WebCrypto reads frames, and takes our Buffers as they are', async () => {
  const key = AesGcm.generateKey()
  const frame = new AesGcm(key).encrypt(Buffer.from('text'), Buffer.from('aad'))
  const subtle = await webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
  const algorithm = { name: 'AES-GCM', iv: frame.subarray(0, 12), additionalData: Buffer.from('aad') }
  const plaintext = await webcrypto.subtle.decrypt(algorithm, subtle, frame.subarray(12))
  expect(Buffer.from(plaintext).toString()).toBe('text')
})

describe('counters and limits', () => {
  const bytes = (length: number) => new Uint8Array(length)
  const counts = (aes: AesGcm) => [aes.messagesEncrypted, aes.bytesEncrypted, aes.failedDecryptions]
  /** Every way to encrypt a frame, around what it may write. */
  const encryptions = {
    encrypt: (aes: AesGcm, memory: Uint8Array) => aes.encrypt(memory.subarray(28)),
    encryptInto: (aes: AesGcm, memory: Uint8Array) => aes.encryptInto(memory, bytes(memory.length - 28)),
    encryptInPlace: (aes: AesGcm, memory: Uint8Array) => aes.encryptInPlace(memory),
  }
  const decryptions = {
    decrypt: (aes: AesGcm, memory: Uint8Array) => aes.decrypt(memory),
    decryptInto: (aes: AesGcm, memory: Uint8Array) => aes.decryptInto(memory, bytes(memory.length)),
    decryptInPlace: (aes: AesGcm, memory: Uint8Array) => aes.decryptInPlace(memory),
    tryDecryptInPlace: (aes: AesGcm, memory: Uint8Array) => aes.tryDecryptInPlace(memory),
    decryptDetached: (aes: AesGcm, memory: Uint8Array) => aes.decryptDetached(memory, bytes(12), bytes(16)),
    tryDecryptDetached: (aes: AesGcm, memory: Uint8Array) =>
      aes.tryDecryptDetached(memory, bytes(12), bytes(16)),
  }

  test('frames count messages and bytes, detached messages bytes alone, decryption nothing', () => {
    const aes = new AesGcm(KEY)
    expect(counts(aes)).toEqual([0, 0, 0])
    const frame = aes.encrypt(bytes(100))
    expect(counts(aes)).toEqual([1, 100, 0])
    aes.encryptInto(bytes(60), bytes(30), bytes(7))
    expect(counts(aes)).toEqual([2, 130, 0])
    aes.encryptInPlace(bytes(28))
    expect(counts(aes)).toEqual([3, 130, 0])
    aes.encryptDetached(bytes(11), bytes(12), bytes(16))
    expect(counts(aes)).toEqual([3, 141, 0])
    aes.decrypt(frame)
    expect(aes.tryDecryptInPlace(frame)).toBe(true)
    expect(counts(aes)).toEqual([3, 141, 0])
    expect(counts(new AesGcm(KEY)), 'another object on the key').toEqual([0, 0, 0])
  })

  test.each(Object.entries(encryptions))('maxMessages at its number, and one past it: %s', (_, encrypt) => {
    for (const maxMessages of [0, 1, 5]) {
      const aes = new AesGcm(KEY, { maxMessages })
      for (let n = 0; n < maxMessages; n++) encrypt(aes, bytes(40))
      const before = counts(aes)
      for (let n = 0; n < 3; n++) {
        const memory = random.bytes(40)
        const copy = Buffer.from(memory)
        refuses(() => encrypt(aes, memory), EXHAUSTED)
        expect(memory).toEqual(copy)
      }
      expect(counts(aes)).toEqual(before)
      expect(aes.messagesEncrypted).toBe(maxMessages)
      expect(aes.decrypt(new AesGcm(KEY).encrypt(copyOf('text'))).toString()).toBe('text')
      refuses(() => aes.decrypt(bytes(30)), 'ERR_AESGCM_AUTHENTICATION_FAILED')
    }
  })

  test('detached messages are not of maxMessages', () => {
    const aes = new AesGcm(KEY, { maxMessages: 1 })
    for (let n = 0; n < 5; n++) aes.encryptDetached(bytes(9), bytes(12), bytes(16))
    aes.encrypt(bytes(1))
    refuses(() => aes.encrypt(bytes(1)), EXHAUSTED)
    aes.encryptDetached(bytes(9), bytes(12), bytes(16))
    expect(counts(aes)).toEqual([1, 55, 0])
  })

  test.each(Object.entries(decryptions))('maxFailures at its number, and one past it: %s', (_, decrypt) => {
    for (const verifyFirst of [false, true]) {
      const aes = new AesGcm(KEY, { maxFailures: 3, verifyFirst })
      const good = aes.encrypt(copyOf('text'))
      for (let n = 0; n < 3; n++) {
        expect(aes.decrypt(good).toString(), 'before the last failure').toBe('text')
        expect(aes.tryDecryptInPlace(Buffer.alloc(n * 20))).toBe(false)
      }
      expect(aes.failedDecryptions).toBe(3)
      for (const memory of [random.bytes(50), Buffer.from(good), random.bytes(0)]) {
        const copy = Buffer.from(memory)
        refuses(() => decrypt(aes, memory), EXHAUSTED)
        expect(memory).toEqual(copy)
      }
      expect(counts(aes)).toEqual([1, 4, 3])
      aes.encrypt(bytes(1))
      aes.encryptDetached(bytes(1), bytes(12), bytes(16))
      expect(counts(aes)).toEqual([2, 6, 3])
    }
  })
})

const copyOf = (text: string) => Buffer.from(text)

test('errors: classes, names and codes', () => {
  const cause = new Error('cause')
  const error = new AesGcmError('ERR_AESGCM_DESTROYED', 'text', { cause })
  expect([error.name, error.code, error.message, error.cause]).toEqual([
    'AesGcmError',
    'ERR_AESGCM_DESTROYED',
    'text',
    cause,
  ])
  const bad = thrown(() => new AesGcm(KEY).decrypt(Buffer.alloc(28)))
  for (const one of [bad, new AuthenticationError()]) {
    for (const Class of [AuthenticationError, AesGcmError, Error]) expect(one).toBeInstanceOf(Class)
    expect([one.name, one.code]).toEqual(['AuthenticationError', 'ERR_AESGCM_AUTHENTICATION_FAILED'])
    expect(String(one)).toBe(`AuthenticationError: ${new AuthenticationError().message}`)
    expect(Object.keys(one)).toEqual(['code'])
  }
  expect(error).not.toBeInstanceOf(AuthenticationError)
})

// Keys nobody destroys: native memory that only the collector can give back. Kept, 200 000 keys would be 200 MiB.
test('objects that are dropped give their memory back', async () => {
  const { backends } = cpu()
  const frame = Buffer.alloc(28)
  const make = async (count: number) => {
    for (let n = 1; n <= count; n++) {
      new AesGcm(KEY, { backend: backends[n % backends.length] }).encryptInPlace(frame)
      // Collected in rounds of our own, for the bound not to depend on when the collector finds the time; what it
      // finds is finalized between turns.
      if (n % 5000 === 0) {
        gc?.()
        for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
      }
    }
    return process.memoryUsage.rss()
  }
  expect(typeof gc).toBe('function')
  const before = await make(20_000)
  expect(((await make(200_000)) - before) / 2 ** 20).toBeLessThan(48)
})
