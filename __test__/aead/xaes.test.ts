// XAesGcm beyond the conformance suite and its answers: constants, new keys, limits, texts of errors, calls off the thread.
import { AesGcm, KeyArena } from 'hardware-aes-gcm'
import { NONCE_BYTES, OVERHEAD, TAG_BYTES, XAesGcm } from 'hardware-aes-gcm/xaes'
import { describe, expect, test } from 'vitest'
import { membersOf } from '../conformance/aead.mjs'
import { xaes } from '../models/xaes.mjs'
import { KEY, refuses } from '../tools/support.js'

test('constants', () => {
  expect([NONCE_BYTES, TAG_BYTES, OVERHEAD]).toEqual([24, 16, 40])
})

describe('generateKey', () => {
  test('gives 32 new bytes', () => {
    const keys = [XAesGcm.generateKey(), XAesGcm.generateKey(256), XAesGcm.generateKey(undefined)]
    expect(keys.map(key => key.length)).toEqual([32, 32, 32])
    expect(new Set(keys.map(String)).size).toBe(3)
  })

  test.each([0, 128, 192, 255, 257, -256, Number.NaN, '256', null, {}, 256n])('refuses %s bits', bits => {
    const { message } = refuses(() => XAesGcm.generateKey(bits as never), 'ERR_OUT_OF_RANGE')
    expect(message).toMatch(/^"bits" must be 256, got /)
  })
})

test('statics need no receiver', () => {
  const { isAvailable, generateKey } = XAesGcm
  expect([isAvailable(), generateKey().length]).toEqual([true, 32])
})

// The methods are those of one base class: the object decides its cipher, not the class that a method is taken from.
test('a method of one class on an object of the other does what the object does', () => {
  const [gcm, long] = [new AesGcm(KEY), new XAesGcm(KEY)]
  const text = Buffer.from('text')
  const frames = [AesGcm.prototype.encrypt.call(long, text), XAesGcm.prototype.encrypt.call(gcm, text)]
  expect(frames.map(frame => frame.length - text.length)).toEqual([40, 28])
  expect(long.decrypt(frames[0] as Buffer)).toEqual(text)
  expect(gcm.decrypt(frames[1] as Buffer)).toEqual(text)
  expect(AesGcm.prototype.tryDecrypt.call(gcm, frames[0] as Buffer)).toBe(null)
  const [members, others]: PropertyDescriptorMap[] = [membersOf(AesGcm), membersOf(XAesGcm)]
  for (const name of Object.keys(members as PropertyDescriptorMap).filter(name => name !== 'constructor'))
    expect(others?.[name], name).toEqual(members?.[name])
  expect([long instanceof AesGcm, gcm instanceof XAesGcm]).toEqual([false, false])
})

test('a key of AesGcm opens no frame of XAesGcm, and the reverse', () => {
  const [gcm, long] = [new AesGcm(KEY), new XAesGcm(KEY)]
  const text = Buffer.alloc(100)
  expect([gcm.tryDecrypt(long.encrypt(text)), long.tryDecrypt(gcm.encrypt(text))]).toEqual([null, null])
})

test('an object takes two places of its arena, and leaves both', () => {
  const arena = new KeyArena({ keys: 3 })
  const long = new XAesGcm(KEY, { arena })
  expect(arena.used).toBe(2)
  refuses(() => new XAesGcm(KEY, { arena }), 'ERR_AESGCM_ARENA_FULL')
  new AesGcm(KEY, { arena })
  expect(arena.used).toBe(3)
  long.destroy()
  expect(arena.used).toBe(1)
  new XAesGcm(KEY, { arena }).encrypt(KEY)
  arena.destroy()
  expect(arena.used).toBe(0)
})

test('no limit of messages by default, and maxMessages at its bounds', () => {
  const most = Number.MAX_SAFE_INTEGER
  for (const maxMessages of [2 ** 32 + 1, most]) new XAesGcm(KEY, { maxMessages }).encrypt(KEY)
  const { message } = refuses(() => new XAesGcm(KEY, { maxMessages: most + 1 }), 'ERR_OUT_OF_RANGE')
  expect(message).toBe(
    '"options.maxMessages" must be a whole number from 0 to 2^53 - 1, got 9007199254740992',
  )
  const spent = new XAesGcm(KEY, { maxMessages: 0 })
  expect(refuses(() => spent.encrypt(KEY), 'ERR_AESGCM_KEY_EXHAUSTED').message).toBe(
    'this object has reached its limit of messages (maxMessages): ' +
      'rotate to a new key, in a new object; this object still decrypts',
  )
  expect(refuses(() => spent.encryptBatch([KEY]), 'ERR_AESGCM_KEY_EXHAUSTED').message).toMatch(
    /^this batch would exceed the limit of messages \(maxMessages\) of this object: /,
  )
})

test('lengths in errors are those of the class', () => {
  const long = new XAesGcm(KEY)
  const said = (run: () => unknown, code = 'ERR_OUT_OF_RANGE') => refuses(run, code).message
  expect(said(() => long.encryptDetached(Buffer.alloc(3), Buffer.alloc(12), Buffer.alloc(16)))).toBe(
    '"nonce" must be a Uint8Array of length 24, got length 12',
  )
  expect(said(() => long.encryptInPlace(Buffer.alloc(39)))).toMatch(/of at least 40 bytes: .* and 40 bytes /)
  expect(said(() => long.plaintextOf(Buffer.alloc(39)))).toMatch(/at least 40 bytes/)
  expect(said(() => long.encryptInto(Buffer.alloc(3), Buffer.alloc(5)))).toMatch(/at least 45 bytes/)
  expect(said(() => long.encryptBatchInPlace(Buffer.alloc(79), 40))).toMatch(/^frame 1 .* at least 40 /)
  expect(said(() => new XAesGcm(Buffer.alloc(16)), 'ERR_AESGCM_INVALID_KEY_LENGTH')).toBe(
    '"key" must be 32 bytes, got length 16',
  )
})

test.each(['start', 'end'] as const)('off the thread, nonceAt %s', async nonceAt => {
  const long = new XAesGcm(KEY, { nonceAt })
  for (const length of [0, 1, 100, 100_000]) {
    const text = Buffer.alloc(length, 7)
    const frame = Buffer.alloc(length + OVERHEAD)
    long.plaintextOf(frame).set(text)
    const sealed = await long.encryptInPlaceAsync(frame, KEY)
    const at = nonceAt === 'start' ? 0 : length + TAG_BYTES
    const made = xaes(KEY, sealed.subarray(at, at + NONCE_BYTES), text, KEY)
    const parts = [made.text, made.tag]
    expect(sealed).toEqual(
      Buffer.concat(nonceAt === 'start' ? [made.nonce, ...parts] : [...parts, made.nonce]),
    )
    expect(long.decrypt(sealed, KEY)).toEqual(text)
    expect(await long.decryptInPlaceAsync(Buffer.from(sealed), KEY)).toEqual(text)
    await expect(long.decryptInPlaceAsync(sealed)).rejects.toMatchObject({
      code: 'ERR_AESGCM_AUTHENTICATION_FAILED',
    })
  }
  await expect(long.encryptInPlaceAsync(Buffer.alloc(OVERHEAD - 1))).rejects.toThrow('at least 40 bytes')
  expect([long.messagesEncrypted, long.failedDecryptions]).toEqual([4, 4])
})
