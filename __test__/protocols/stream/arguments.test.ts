// The arguments of hardware-aes-gcm/stream: sizes, keys, options and memory of every wrong kind, and what a refused call leaves behind.
import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { KeyArena } from 'hardware-aes-gcm'
import * as stream from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'
import { detach, isOwn, refuses } from '../../tools/support.js'
import { KEY, MESSAGE, TEXT } from './tools.js'

const { decryptBuffer, decryptedSize, encryptBuffer, encryptedRange, encryptedSize } = stream
const MOST = 2 ** 52 - 1

describe('sizes', () => {
  test('of messages and texts agree, up to the longest', () => {
    const near = [0, 16_384, 2 ** 32, 2 ** 40, 2 ** 51].flatMap(size => [-1, 0, 1].map(more => size + more))
    for (const size of [...near.filter(size => size >= 0), MOST - 1, MOST]) {
      const encrypted = encryptedSize(size)
      expect(BigInt(encrypted)).toBe(56n + BigInt(size) + 16n * (BigInt(size) / 16_384n + 1n))
      expect(decryptedSize(encrypted)).toBe(size)
    }
  })

  test('that no message has are refused', () => {
    const body = [0, 1, 15, 16_400, 16_401, 16_415, 2 * 16_400, 2 ** 38 * 16_400, 2 ** 38 * 16_400 + 16]
    for (const size of [0, 55, ...body.map(bytes => 56 + bytes), 2 ** 53, -1, 0.5, Number.NaN])
      refuses(() => decryptedSize(size), 'ERR_OUT_OF_RANGE')
    for (const size of [-1, 0.5, Number.NaN, Infinity, MOST + 1, 2 ** 53])
      refuses(() => encryptedSize(size), 'ERR_OUT_OF_RANGE')
    refuses(() => encryptedSize('7' as never), 'ERR_INVALID_ARG_TYPE')
    refuses(() => decryptedSize(7n as never), 'ERR_INVALID_ARG_TYPE')
  })

  test('ranges', () => {
    expect(encryptedRange(0, 20_000)).toEqual({ start: 56, end: 56 + 2 * 16_400 })
    expect(encryptedRange(16_384, 16_385)).toEqual({ start: 56 + 16_400, end: 56 + 2 * 16_400 })
    expect(encryptedRange(16_383, 16_384)).toEqual({ start: 56, end: 56 + 16_400 })
    expect(encryptedRange(7, 7)).toEqual({ start: 56, end: 56 })
    expect(encryptedRange(MOST - 1, MOST)).toEqual({
      start: 56 + (2 ** 38 - 1) * 16_400,
      end: encryptedSize(MOST),
    })
    for (const [start, end] of [
      [2, 1],
      [-1, 1],
      [0, 2 ** 53],
      [0.5, 1],
    ] as const)
      refuses(() => encryptedRange(start, end), 'ERR_OUT_OF_RANGE')
  })
})

/** Every function that takes a key and works at once. */
const TAKES_KEY: Record<string, (key: never, options?: never) => unknown> = {
  encryptBuffer: (key, options) => encryptBuffer(TEXT, key, options),
  decryptBuffer: (key, options) => decryptBuffer(MESSAGE, key, options),
  createEncryptStream: (key, options) => stream.createEncryptStream(key, options).destroy(),
  createDecryptStream: (key, options) => stream.createDecryptStream(key, options).destroy(),
  EncryptionStream: (key, options) => new stream.EncryptionStream(key, options),
  DecryptionStream: (key, options) => new stream.DecryptionStream(key, options),
}

describe.each(Object.entries(TAKES_KEY))('%s', (_, call) => {
  test('takes a Uint8Array or a secret KeyObject, and leaves it as it was', () => {
    for (const key of [KEY, new Uint8Array(KEY), createSecretKey(KEY)]) call(key as never)
    expect(KEY.equals(Buffer.alloc(32, 0xde))).toBe(true)
  })

  test.each([0, 15, 17, 24, 31, 33, 64])('refuses a key of %i bytes', length => {
    refuses(() => call(Buffer.alloc(length) as never), 'ERR_AESGCM_INVALID_KEY_LENGTH')
  })

  test('refuses other keys', () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    refuses(() => call(privateKey as never), 'ERR_INVALID_ARG_VALUE')
    for (const key of [undefined, null, 'ab'.repeat(16), 7, {}, new ArrayBuffer(32), [...KEY]])
      refuses(() => call(key as never), 'ERR_INVALID_ARG_TYPE')
    const gone = Buffer.from(new ArrayBuffer(32))
    detach(gone)
    expect(refuses(() => call(gone as never), 'ERR_AESGCM_DETACHED_BUFFER').message).toContain('"key"')
    const context = () => call(KEY as never, { context: gone } as never)
    expect(refuses(context, 'ERR_AESGCM_DETACHED_BUFFER').message).toContain('"options.context"')
  })

  test('refuses options of wrong kinds, and unknown ones', () => {
    for (const options of [null, 7, 'context', { context: 7 }, { context: {} }, { arena: {} }])
      refuses(() => call(KEY as never, options as never), 'ERR_INVALID_ARG_TYPE')
    const wrongContext = () => call(KEY as never, { context: 7 } as never)
    expect(refuses(wrongContext, 'ERR_INVALID_ARG_TYPE').message).toBe(
      '"options.context" must be a string or a Uint8Array, got number',
    )
    for (const options of [{ contxt: 'a' }, { salt: KEY }, { backend: 'none' }])
      refuses(() => call(KEY as never, options as never), 'ERR_INVALID_ARG_VALUE')
    using arena = new KeyArena({ keys: 1 })
    arena.destroy()
    // A decrypting stream makes its key only when it has a header.
    try {
      call(KEY as never, { arena } as never)
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
    }
  })
})

test('a context is read at once: later changes have no effect', async () => {
  const context = Buffer.from('context')
  const encrypting = stream.createEncryptStream(KEY, { context })
  context.fill(0)
  const parts: Buffer[] = []
  for await (const part of encrypting.end(TEXT)) parts.push(part)
  expect(decryptBuffer(Buffer.concat(parts), KEY, { context: 'context' }).equals(TEXT)).toBe(true)
})

test('two messages of one text share no bytes of salt, commitment or chunks', () => {
  const all = Array.from({ length: 100 }, () => encryptBuffer(TEXT, KEY))
  for (const [from, to] of [
    [0, 24],
    [24, 56],
    [56, 72],
  ])
    expect(new Set(all.map(message => message.toString('hex', from, to))).size).toBe(100)
})

describe('memory', () => {
  const size = encryptedSize(TEXT.length)

  test('results lie in memory of their own, or at the beginning of the target', () => {
    isOwn(encryptBuffer(TEXT, KEY))
    isOwn(decryptBuffer(MESSAGE, KEY))
    const target = new Uint8Array(size + 100).fill(0xee)
    const message = encryptBuffer(TEXT, KEY, { target })
    expect([message.buffer, message.byteOffset, message.length]).toEqual([target.buffer, 0, size])
    expect(target.subarray(size).every(byte => byte === 0xee)).toBe(true)
    const text = decryptBuffer(message, KEY, { target: new Uint8Array(TEXT.length) })
    expect(text.equals(TEXT)).toBe(true)
    expect(encryptBuffer(Buffer.alloc(0), KEY, { target })).toHaveLength(72)
    expect(decryptBuffer(target.subarray(0, 72), KEY, { target: Buffer.alloc(0) })).toHaveLength(0)
  })

  test('a target that is too short, shared, gone or no Uint8Array is refused unchanged', () => {
    for (const [call, need] of [
      [(target: unknown) => encryptBuffer(TEXT, KEY, { target: target as never }), size],
      [(target: unknown) => decryptBuffer(MESSAGE, KEY, { target: target as never }), TEXT.length],
    ] as const) {
      const short = Buffer.alloc(need - 1, 0xee)
      const least = `"target" must be a Uint8Array of at least ${need} bytes, got length`
      expect(refuses(() => call(short), 'ERR_OUT_OF_RANGE').message).toBe(`${least} ${need - 1}`)
      expect(short.every(byte => byte === 0xee)).toBe(true)
      const shared = Buffer.from(new SharedArrayBuffer(need)).fill(0xee)
      expect(refuses(() => call(shared), 'ERR_AESGCM_SHARED_BUFFER').message).toContain('"target"')
      expect(shared.every(byte => byte === 0xee)).toBe(true)
      for (const wrong of [null, 'text', new ArrayBuffer(need)])
        expect(refuses(() => call(wrong), 'ERR_INVALID_ARG_TYPE').message).toContain('"target"')
      const gone = Buffer.from(new ArrayBuffer(need))
      detach(gone)
      expect(refuses(() => call(gone), 'ERR_OUT_OF_RANGE').message).toBe(`${least} 0`)
    }
    const [empty, gone] = [encryptBuffer(Buffer.alloc(0), KEY), Buffer.from(new ArrayBuffer(9))]
    detach(gone)
    const run = () => decryptBuffer(empty, KEY, { target: gone })
    expect(refuses(run, 'ERR_AESGCM_DETACHED_BUFFER').message).toContain('"target"')
  })

  test('a target that overlaps the input is refused, and both stay as they were', () => {
    const memory = Buffer.alloc(3 * size)
    TEXT.copy(memory, size)
    const source = memory.subarray(size, size + TEXT.length)
    for (const at of [1, size - 1, size, size + TEXT.length - 1]) {
      const before = Buffer.from(memory)
      const run = () => encryptBuffer(source, KEY, { target: memory.subarray(at) })
      expect(refuses(run, 'ERR_AESGCM_BUFFER_OVERLAP').message).toBe(
        '"target" is written to and must not share memory with "plaintext"',
      )
      expect(memory.equals(before)).toBe(true)
    }
    // Memory that only touches.
    for (const at of [0, size + TEXT.length])
      expect(
        decryptBuffer(encryptBuffer(source, KEY, { target: memory.subarray(at) }), KEY).equals(TEXT),
      ).toBe(true)
    const sealed = Buffer.concat([MESSAGE, Buffer.alloc(100)])
    const run = () => decryptBuffer(sealed.subarray(0, MESSAGE.length), KEY, { target: sealed.subarray(56) })
    expect(refuses(run, 'ERR_AESGCM_BUFFER_OVERLAP').message).toBe(
      '"target" is written to and must not share memory with "message"',
    )
    expect(sealed.subarray(0, MESSAGE.length).equals(MESSAGE)).toBe(true)
  })

  test('an input that is shared, gone or no Uint8Array is refused', () => {
    const shared = Buffer.from(new SharedArrayBuffer(200))
    const gone = Buffer.from(new ArrayBuffer(200))
    detach(gone)
    const target = Buffer.alloc(300, 0xee)
    for (const [name, call] of [
      ['plaintext', encryptBuffer],
      ['message', decryptBuffer],
    ] as const) {
      const { message } = refuses(() => call(shared, KEY, { target }), 'ERR_AESGCM_SHARED_BUFFER')
      // encryptBuffer named "source", and had wiped the target.
      expect(message).toMatch(new RegExp(`^"${name}" is on`))
      expect(target.every(byte => byte === 0xee)).toBe(true)
    }
    for (const [name, call] of [
      ['plaintext', encryptBuffer],
      ['message', decryptBuffer],
    ] as const) {
      expect(refuses(() => call(gone, KEY), 'ERR_AESGCM_DETACHED_BUFFER').message).toContain(`"${name}"`)
      for (const wrong of [undefined, null, 'text', new ArrayBuffer(8), [1]])
        refuses(() => call(wrong as never, KEY), 'ERR_INVALID_ARG_TYPE')
    }
  })

  test('no key stays behind after a refused call', () => {
    using arena = new KeyArena({ keys: 1 })
    refuses(() => decryptBuffer(MESSAGE.subarray(0, -1), KEY, { arena }), 'ERR_AESGCM_AUTHENTICATION_FAILED')
    refuses(() => encryptBuffer(TEXT, KEY, { arena, target: Buffer.alloc(9) }), 'ERR_OUT_OF_RANGE')
    refuses(
      () => encryptBuffer(Buffer.from(new SharedArrayBuffer(9)), KEY, { arena }),
      'ERR_AESGCM_SHARED_BUFFER',
    )
    expect(arena.used).toBe(0)
    decryptBuffer(encryptBuffer(TEXT, KEY, { arena }), KEY, { arena })
    expect(arena.used).toBe(0)
  })
})
