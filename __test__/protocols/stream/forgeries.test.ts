// Messages that were changed: every one is refused, with the position of the first chunk that is not authentic.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { DecryptionReader, decryptBuffer } from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'
import { CHUNK_BYTES, HEADER_BYTES, open, SEALED_CHUNK_BYTES, seal } from '../../models/cobblestone.mjs'
import { Random, thrown } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { cut, type Failure, failure, KEY, MESSAGE, STREAMS, TEXT } from './tools.js'

const random = new Random('stream-forgeries')
const TARGET = Buffer.alloc(MESSAGE.length)

/** The code and position that the model wants. */
function wanted(message: Buffer): [string, number | undefined] {
  const verdict = open(KEY, message)
  if (verdict.ok) throw new Error('this message is genuine')
  if (verdict.failure === 'wrong key') return ['ERR_AESGCM_WRONG_KEY', undefined]
  if (verdict.failure === 'truncated') return ['ERR_AESGCM_STREAM_TRUNCATED', undefined]
  return ['ERR_AESGCM_AUTHENTICATION_FAILED', verdict.position]
}

const told = ({ code, position }: Failure) => [code, position]
const refused = (message: Buffer) =>
  told(thrown(() => decryptBuffer(message, KEY, { target: TARGET })) as Failure)

test('one bit, anywhere: the place decides the error', () => {
  const bits = MESSAGE.length * 8
  const all = count(3000, bits)
  const message = Buffer.from(MESSAGE)
  for (let i = 0; i < all; i++) {
    const bit = all === bits ? i : random.below(bits)
    const byte = bit >> 3
    message[byte] = (message[byte] as number) ^ (1 << (bit & 7))
    const chunk = Math.floor((byte - HEADER_BYTES) / SEALED_CHUNK_BYTES)
    const expected =
      byte < HEADER_BYTES
        ? ['ERR_AESGCM_WRONG_KEY', undefined]
        : ['ERR_AESGCM_AUTHENTICATION_FAILED', chunk * CHUNK_BYTES]
    const found = refused(message)
    if (found[0] !== expected[0] || found[1] !== expected[1])
      expect(found, `bit ${bit & 7} of byte ${byte}`).toEqual(expected)
    message[byte] = MESSAGE[byte] as number
  }
  expect(decryptBuffer(message, KEY).equals(TEXT)).toBe(true)
})

test('a message that ends early, after every byte', () => {
  const step = count(7, 1)
  for (let end = 0; end < MESSAGE.length; end += step) {
    const near = (end - HEADER_BYTES) % SEALED_CHUNK_BYTES
    // All places near the ends of chunks, and a sample of the others.
    if (step > 1 && near < SEALED_CHUNK_BYTES - 20 && near > 20 && end % 91 > 6) continue
    const message = MESSAGE.subarray(0, end)
    expect(refused(message), String(end)).toEqual(wanted(message))
  }
  for (const [end, code] of [
    [0, 'STREAM_TRUNCATED'],
    [HEADER_BYTES - 1, 'STREAM_TRUNCATED'],
    [HEADER_BYTES, 'STREAM_TRUNCATED'],
    [HEADER_BYTES + 15, 'AUTHENTICATION_FAILED'],
    [HEADER_BYTES + SEALED_CHUNK_BYTES, 'STREAM_TRUNCATED'],
    [HEADER_BYTES + SEALED_CHUNK_BYTES + 15, 'AUTHENTICATION_FAILED'],
    [HEADER_BYTES + 2 * SEALED_CHUNK_BYTES, 'STREAM_TRUNCATED'],
  ] as const)
    expect(refused(MESSAGE.subarray(0, end))[0], String(end)).toBe(`ERR_AESGCM_${code}`)
})

const [header, first, second, last] = cut(
  MESSAGE,
  [0, 1, 2].map(chunk => HEADER_BYTES + chunk * SEALED_CHUNK_BYTES),
) as [Buffer, Buffer, Buffer, Buffer]
const other = cut(seal(KEY, TEXT, Buffer.alloc(24, 1)), [HEADER_BYTES, HEADER_BYTES + SEALED_CHUNK_BYTES])
const FORGERIES: Record<string, Buffer[]> = {
  'two chunks swapped': [header, second, first, last],
  'the first chunk dropped': [header, second, last],
  'a chunk in the middle dropped': [header, first, last],
  'the last chunk dropped': [header, first, second],
  'a chunk repeated': [header, first, first, last],
  'the last chunk repeated': [header, first, second, last, last],
  'the last chunk in front': [header, last],
  'a byte more': [header, first, second, last, Buffer.alloc(1)],
  'a chunk of zeros more': [header, first, second, last, Buffer.alloc(SEALED_CHUNK_BYTES)],
  'the header of another message': [other[0] as Buffer, first, second, last],
  'a chunk of another message': [header, other[1] as Buffer, second, last],
  'no header': [first, second, last],
}

describe.each(Object.entries(FORGERIES))('%s', (_, parts) => {
  const message = Buffer.concat(parts)

  test('in memory', () => {
    const target = Buffer.alloc(message.length, 0xee)
    const error = thrown(() => decryptBuffer(message, KEY, { target })) as Failure
    expect(told(error)).toEqual(wanted(message))
    expect(Object.keys(error)).toEqual(error.position === undefined ? ['code'] : ['code', 'position'])
    // What was opened before the failure is not left behind.
    expect(target.every(byte => byte === 0 || byte === 0xee)).toBe(true)
  })

  test.each(Object.entries(STREAMS))('as a stream: %s', async (_, { decrypt }) => {
    for (const ends of [[], [100, 20_000], [HEADER_BYTES]])
      expect(
        told(
          await failure(
            decrypt(
              cut(
                message,
                ends.filter(end => end < message.length),
              ),
            ),
          ),
        ),
      ).toEqual(wanted(message))
  })

  test('is published once as a failed authentication, if it is one', () => {
    let published = 0
    const listen = () => void published++
    const name = 'hardware-aes-gcm:authentication-failed'
    subscribe(name, listen)
    const [code] = refused(message)
    unsubscribe(name, listen)
    expect(published).toBe(code === 'ERR_AESGCM_AUTHENTICATION_FAILED' ? 1 : 0)
  })

  test('to a reader', async () => {
    const opened = DecryptionReader.open(message, KEY)
    const [code] = wanted(message)
    const error = await failure(opened.then(reader => reader.read()))
    expect([error.code, typeof error.position]).toEqual([
      code,
      code === 'ERR_AESGCM_AUTHENTICATION_FAILED' ? 'number' : 'undefined',
    ])
  })
})

test('another key, another length of key, another context: told before any chunk', () => {
  const message = seal(KEY, TEXT, random.bytes(24), Buffer.from('context'))
  for (const [key, context] of [
    [Buffer.alloc(32, 1), 'context'],
    [KEY.subarray(0, 16), 'context'],
    [KEY, 'Context'],
    [KEY, ''],
    [KEY, 'context\0'],
    [KEY, null],
  ] as const) {
    const target = Buffer.alloc(message.length, 0xee)
    const error = thrown(() => decryptBuffer(message, key, { context, target })) as Failure
    expect(told(error)).toEqual(['ERR_AESGCM_WRONG_KEY', undefined])
    expect(target.every(byte => byte === 0xee)).toBe(true)
    const cut = thrown(() => decryptBuffer(message.subarray(0, HEADER_BYTES), key, { context })) as Failure
    expect(cut.code).toBe('ERR_AESGCM_WRONG_KEY')
  }
  for (const context of ['context', Buffer.from('context'), new Uint8Array(Buffer.from('context'))])
    expect(decryptBuffer(message, KEY, { context }).equals(TEXT)).toBe(true)
})
