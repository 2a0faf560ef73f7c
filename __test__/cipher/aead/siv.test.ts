// AesGcmSiv beyond the conformance suite and classes.test: constants, new keys, limits, texts of errors, repeated nonces.
import { AesGcm } from 'hardware-aes-gcm'
import { AesGcmSiv, NONCE_BYTES, OVERHEAD, TAG_BYTES } from 'hardware-aes-gcm/siv'
import { describe, expect, test } from 'vitest'
import { KEY, refuses } from '../../tools/support.js'

test('constants', () => {
  expect([NONCE_BYTES, TAG_BYTES, OVERHEAD]).toEqual([12, 16, 28])
})

describe('generateKey', () => {
  test('gives 32 new bytes, or 16', () => {
    const bits = [undefined, 256, 256, 128, 128] as const
    const keys = bits.map(each => AesGcmSiv.generateKey(each))
    expect(keys.map(key => key.length)).toEqual([32, 32, 32, 16, 16])
    expect(new Set(keys.map(String)).size).toBe(5)
  })

  test.each([0, 192, 255, -128, Number.NaN, '256', null, {}, 256n])('refuses %s bits', bits => {
    const { message } = refuses(() => AesGcmSiv.generateKey(bits as never), 'ERR_OUT_OF_RANGE')
    expect(message).toMatch(/^"bits" must be 128 or 256, got /)
  })
})

test('maxMessages at its bounds', () => {
  const most = 2 ** 48
  for (const maxMessages of [2 ** 32 + 1, most, undefined]) new AesGcmSiv(KEY, { maxMessages }).encrypt(KEY)
  const { message } = refuses(() => new AesGcmSiv(KEY, { maxMessages: most + 1 }), 'ERR_OUT_OF_RANGE')
  expect(message).toBe('"options.maxMessages" must be a whole number from 0 to 2^48, got 281474976710657')
  const spent = new AesGcmSiv(KEY, { maxMessages: 0 })
  expect(refuses(() => spent.encrypt(KEY), 'ERR_AESGCM_KEY_EXHAUSTED').message).toBe(
    'this object has reached its limit of messages (maxMessages) or blocks (2^48): ' +
      'rotate to a new key, in a new object; this object still decrypts',
  )
  expect(refuses(() => spent.encryptBatch([KEY]), 'ERR_AESGCM_KEY_EXHAUSTED').message).toMatch(
    /^this batch would exceed the limit of messages \(maxMessages\) or blocks \(2\^48\) of this object: /,
  )
})

test('lengths in errors are those of the class', () => {
  const repeating = new AesGcmSiv(KEY)
  const said = (run: () => unknown, code = 'ERR_OUT_OF_RANGE') => refuses(run, code).message
  expect(said(() => repeating.encryptDetached(Buffer.alloc(3), Buffer.alloc(24), Buffer.alloc(16)))).toBe(
    '"nonce" must be a Uint8Array of length 12, got length 24',
  )
  expect(said(() => repeating.encryptInPlace(Buffer.alloc(27)))).toMatch(
    /of at least 28 bytes: .* and 28 bytes /,
  )
  expect(said(() => repeating.encryptInto(Buffer.alloc(3), Buffer.alloc(5)))).toMatch(/at least 33 bytes/)
  expect(said(() => new AesGcmSiv(Buffer.alloc(24)), 'ERR_AESGCM_INVALID_KEY_LENGTH')).toBe(
    '"key" must be 16 or 32 bytes, got length 24',
  )
})

test('the longest message of each class', () => {
  const pieces = (bytes: number) => Array<Uint8Array>(2 ** 16).fill(new Uint8Array(bytes))
  const said = (aes: AesGcm | AesGcmSiv, bytes: number) =>
    refuses(() => aes.encrypt(pieces(bytes)), 'ERR_OUT_OF_RANGE').message
  expect(said(new AesGcmSiv(KEY), 2 ** 20 + 1)).toBe('a message must be at most 2^36 bytes')
  expect(said(new AesGcm(KEY), 2 ** 20)).toBe('a message must be at most 2^36 - 32 bytes')
})

test('with one nonce, only equal messages with equal AAD have equal ciphertexts and tags', () => {
  const repeating = new AesGcmSiv(KEY)
  const sealed = (text: string, aad: string) => {
    const [data, tag] = [Buffer.from(text), Buffer.alloc(TAG_BYTES)]
    repeating.encryptDetached(data, Buffer.alloc(NONCE_BYTES), tag, Buffer.from(aad))
    // Four bytes of the text, which AES-GCM would encrypt alike, and the tag.
    return [data.toString('hex', 0, 4), tag.toString('hex')]
  }
  const first = sealed('one text', '')
  expect(sealed('one text', '')).toEqual(first)
  const others = [sealed('one test', ''), sealed('one text', '1'), sealed('one text!', '')]
  expect(new Set([first, ...others].flat()).size).toBe(8)
})
