// The main entry beyond the conformance suite: constants, new keys, errors, WebCrypto, garbage-collected objects.
import { webcrypto } from 'node:crypto'
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
import { isOwn, KEY, refuses, run, thrown } from '../tools/support.js'

test('constants', () => {
  expect([NONCE_BYTES, TAG_BYTES, OVERHEAD]).toEqual([12, 16, 28])
})

describe('generateKey', () => {
  test('gives 16 or 32 new bytes in memory of their own, each time', () => {
    expect(
      [AesGcm.generateKey(128), AesGcm.generateKey(256), AesGcm.generateKey(undefined)].map(
        key => key.length,
      ),
    ).toEqual([16, 32, 32])
    const keys = Array.from({ length: 1000 }, () => AesGcm.generateKey())
    keys.forEach(isOwn)
    expect(new Set(keys.map(key => key.toString('hex'))).size).toBe(1000)
    // No byte is the same in all keys.
    for (let n = 0; n < 32; n++) expect(new Set(keys.map(key => key[n])).size).toBeGreaterThan(100)
  })

  test.each([0, 64, 127, 129, 192, 512, -128, 128.5, Number.NaN, '256', null, {}, 256n])(
    'refuses %s bits',
    bits => {
      refuses(() => AesGcm.generateKey(bits as never), 'ERR_OUT_OF_RANGE')
    },
  )
})

test('WebCrypto reads frames, and takes our Buffers as they are', async () => {
  const key = AesGcm.generateKey()
  const frame = new AesGcm(key).encrypt(Buffer.from('text'), Buffer.from('aad'))
  const subtle = await webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
  const algorithm = { name: 'AES-GCM', iv: frame.subarray(0, 12), additionalData: Buffer.from('aad') }
  const plaintext = await webcrypto.subtle.decrypt(algorithm, subtle, frame.subarray(12))
  expect(Buffer.from(plaintext).toString()).toBe('text')
})

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

test('statics need no receiver', () => {
  const { isAvailable, generateKey } = AesGcm
  expect([isAvailable(), generateKey().length]).toEqual([true, 32])
})

// In a process of its own, because members may behave differently after the first object of a process.
test('members refuse a wrong receiver before the first object was ever made', () => {
  const script = `
    const members = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(AesGcm.prototype))
    delete members.constructor
    const names = Reflect.ownKeys(members)
    if (names.length < 25 || !names.includes('encrypt')) console.log('members are missing')
    for (const name of names) {
      const member = members[name].get ?? members[name].value
      try { await member.call({}) } catch (error) { if (error.code !== 'ERR_INVALID_THIS') console.log(name, error.message) }
    }`
  expect(run(script)).toEqual({ status: 0, stdout: '', stderr: '' })
})

// Only the collector gives back the native memory of keys that the caller does not destroy: here 200 MiB.
test('objects that are dropped give their memory back', async () => {
  const { backends } = cpu()
  const frame = Buffer.alloc(28)
  const make = async (count: number) => {
    for (let n = 1; n <= count; n++) {
      new AesGcm(KEY, { backend: backends[n % backends.length] }).encryptInPlace(frame)
      // The test collects by itself, so that the bound does not depend on the collector's schedule. Finalizers run
      // between turns of the event loop.
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
