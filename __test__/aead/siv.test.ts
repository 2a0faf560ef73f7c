// AesGcmSiv beyond the conformance suite and its answers: constants, new keys, limits, texts of errors, repeated nonces.
import { AesGcm, KeyArena } from 'hardware-aes-gcm'
import { AesGcmSiv, NONCE_BYTES, OVERHEAD, TAG_BYTES } from 'hardware-aes-gcm/siv'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { describe, expect, test } from 'vitest'
import { membersOf } from '../conformance/aead.mjs'
import { siv } from '../models/siv.mjs'
import { KEY, must, refuses } from '../tools/support.js'

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

test('statics need no receiver', () => {
  const { isAvailable, generateKey } = AesGcmSiv
  expect([isAvailable(), generateKey().length]).toEqual([true, 32])
})

// The methods are those of one base class: the object decides its cipher, not the class that a method is taken from.
test('a method of another class on an object does what the object does', () => {
  const [gcm, repeating] = [new AesGcm(KEY), new AesGcmSiv(KEY)]
  const text = Buffer.from('text')
  const frame = XAesGcm.prototype.encrypt.call(repeating, text)
  expect(frame.length).toBe(text.length + OVERHEAD)
  expect(repeating.decrypt(frame)).toEqual(text)
  expect(gcm.decrypt(AesGcmSiv.prototype.encrypt.call(gcm, text))).toEqual(text)
  expect(AesGcmSiv.prototype.tryDecrypt.call(gcm, frame)).toBe(null)
  const [members, others]: PropertyDescriptorMap[] = [membersOf(AesGcm), membersOf(AesGcmSiv)]
  for (const name of Object.keys(members as PropertyDescriptorMap).filter(name => name !== 'constructor'))
    expect(others?.[name], name).toEqual(members?.[name])
  expect([repeating instanceof AesGcm, repeating instanceof XAesGcm]).toEqual([false, false])
  expect(gcm instanceof AesGcmSiv).toBe(false)
})

test.each([16, 32])('a key of AesGcm, of %s bytes, opens no frame of AesGcmSiv, and the reverse', bytes => {
  const [gcm, repeating] = [new AesGcm(KEY.subarray(0, bytes)), new AesGcmSiv(KEY.subarray(0, bytes))]
  const text = Buffer.alloc(100)
  expect([gcm.tryDecrypt(repeating.encrypt(text)), repeating.tryDecrypt(gcm.encrypt(text))]).toEqual([
    null,
    null,
  ])
})

test('an object takes two places of its arena, and leaves both', () => {
  const arena = new KeyArena({ keys: 3 })
  const repeating = new AesGcmSiv(KEY, { arena })
  expect(arena.used).toBe(2)
  refuses(() => new AesGcmSiv(KEY, { arena }), 'ERR_AESGCM_ARENA_FULL')
  new AesGcm(KEY, { arena })
  expect(arena.used).toBe(3)
  repeating.destroy()
  expect(arena.used).toBe(1)
  new AesGcmSiv(KEY.subarray(0, 16), { arena }).encrypt(KEY)
  arena.destroy()
  expect(arena.used).toBe(0)
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

test.each(['start', 'end'] as const)('off the thread, nonceAt %s', async nonceAt => {
  const repeating = new AesGcmSiv(KEY, { nonceAt })
  for (const length of [0, 1, 100, 100_000]) {
    const text = Buffer.alloc(length, 7)
    const frame = Buffer.alloc(length + OVERHEAD)
    repeating.plaintextOf(frame).set(text)
    const sealed = await repeating.encryptInPlaceAsync(frame, KEY)
    const at = nonceAt === 'start' ? 0 : length + TAG_BYTES
    const made = siv(KEY, sealed.subarray(at, at + NONCE_BYTES), text, KEY)
    const parts = [made.text, made.tag]
    const wanted = Buffer.concat(nonceAt === 'start' ? [made.nonce, ...parts] : [...parts, made.nonce])
    must(sealed.equals(wanted), `another frame around ${length} bytes`)
    const opened = await repeating.decryptInPlaceAsync(Buffer.from(sealed), KEY)
    must(opened.equals(text), `another text of ${length} bytes`)
    await expect(repeating.decryptInPlaceAsync(sealed)).rejects.toMatchObject({
      code: 'ERR_AESGCM_AUTHENTICATION_FAILED',
    })
  }
  expect([repeating.messagesEncrypted, repeating.failedDecryptions]).toEqual([4, 4])
})
