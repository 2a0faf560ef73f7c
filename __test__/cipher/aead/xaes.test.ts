// XAesGcm beyond the conformance suite and classes.test: constants, new keys, limits, texts of errors.
import { NONCE_BYTES, OVERHEAD, TAG_BYTES, XAesGcm } from 'hardware-aes-gcm/xaes'
import { describe, expect, test } from 'vitest'
import { KEY, refuses } from '../../tools/support.js'

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
