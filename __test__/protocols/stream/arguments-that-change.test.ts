// Regressions: sources, options and objects that change while a call of hardware-aes-gcm/stream works, and damaged ends.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { SecureStream } from 'hardware-aes-gcm/session'
import {
  createDecryptStream,
  createEncryptStream,
  DecryptionReader,
  decryptBuffer,
  encryptBuffer,
} from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'

const key = randomBytes(32)
const [CHUNK, SEALED, HEADER] = [16_384, 16_400, 56]
const RESIZED = expect.objectContaining({ code: 'ERR_OUT_OF_RANGE', name: 'RangeError' })

/** A Uint8Array with these bytes, over memory that can change its length. The types of ES2022 lack it. */
function resizable(bytes: Uint8Array, most = bytes.length) {
  const Resizable = ArrayBuffer as never as new (
    length: number,
    options: { maxByteLength: number },
  ) => ArrayBuffer & { resize(length: number): void }
  const memory = new Resizable(bytes.length, { maxByteLength: most })
  const view = new Uint8Array(memory)
  view.set(bytes)
  return { memory, view }
}
const thrown = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('no memory that was never written comes out', () => {
  test.each([SEALED, 0])('of a reader whose source shrinks to %i bytes after it was given', async left => {
    const message = encryptBuffer(Buffer.alloc(3 * CHUNK + 5, 7), key)
    let shrinks = false
    const source = {
      size: message.length,
      read(position: number, length: number) {
        const { memory, view } = resizable(message.subarray(position, position + length))
        if (shrinks) {
          // Between the turn in which the reader takes the bytes and the turn in which it opens them, or after both.
          void Promise.resolve()
            .then(() => {})
            .then(() => memory.resize(left))
        }
        return view
      },
    }
    const reader = await DecryptionReader.open(source, key)
    shrinks = true
    const outcome = await reader.read(0, 2 * CHUNK).catch(error => error)
    if (outcome instanceof Error) expect(outcome).toEqual(RESIZED)
    else expect(outcome.equals(Buffer.alloc(2 * CHUNK, 7))).toBe(true)
  })

  test('of encryptBuffer whose option "target" changes the plaintext', () => {
    for (const length of [10, 60_000]) {
      const { memory, view } = resizable(randomBytes(40_000), 60_000)
      const options = {
        get target() {
          memory.resize(length)
          return undefined
        },
      }
      const message = encryptBuffer(view, key, options)
      expect(decryptBuffer(message, key)).toEqual(Buffer.from(view))
    }
  })

  test('of a reader whose property "size" is written to', async () => {
    const reader = await DecryptionReader.open(encryptBuffer(Buffer.alloc(100, 7), key), key)
    expect(thrown(() => Object.assign(reader, { size: CHUNK }))).toBeInstanceOf(TypeError)
    expect(await reader.read(0)).toEqual(Buffer.alloc(100, 7))
  })
})

test('a message that the option "target" detaches is refused with a code', () => {
  const message = new Uint8Array(encryptBuffer(Buffer.alloc(100), key))
  const options = {
    get target() {
      structuredClone(message.buffer, { transfer: [message.buffer] })
      return undefined
    },
  }
  expect(thrown(() => decryptBuffer(message, key, options))).toMatchObject({ code: expect.any(String) })
})

describe('a reader without verifyEnd, of a message that was cut after two chunks', () => {
  const whole = encryptBuffer(Buffer.alloc(3 * CHUNK + 5), key)
  const cut = Buffer.concat([whole.subarray(0, HEADER + 2 * SEALED), randomBytes(16)])
  const forged = expect.objectContaining({ code: 'ERR_AESGCM_AUTHENTICATION_FAILED', position: 2 * CHUNK })

  test('refuses a read up to its size, and one from there on', async () => {
    const reader = await DecryptionReader.open(cut, key, { verifyEnd: false })
    expect(reader.size).toBe(2 * CHUNK)
    await expect(reader.read(0, reader.size)).rejects.toEqual(forged)
    await expect(reader.read(reader.size, reader.size)).rejects.toEqual(forged)
    await expect(new Response(reader.stream(0, reader.size) as never).arrayBuffer()).rejects.toEqual(forged)
    expect((await reader.read(0, reader.size - 1)).length).toBe(2 * CHUNK - 1)
    expect(await reader.read(0, 0)).toHaveLength(0)
  })

  test('refuses every other range that depends on its size', async () => {
    const size = 2 * CHUNK
    for (const range of [[], [0], [0, -9], [-9, size - 1], [size, 7], [size + 1, 7]]) {
      const reader = await DecryptionReader.open(cut, key, { verifyEnd: false })
      await expect(reader.read(...range), `${range}`).rejects.toEqual(forged)
    }
  })
})

test('an option "signal" that is not a signal is refused with a code', () => {
  for (const signal of [null, 1, {}] as never[])
    expect(thrown(() => createEncryptStream(key, { signal }))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
})

test('of two faults, decryptBuffer tells the first, as a stream does', async () => {
  const whole = encryptBuffer(Buffer.alloc(2 * CHUNK + 5), key)
  for (const rest of [0, 5]) {
    const damaged = Buffer.from(whole.subarray(0, HEADER + 2 * SEALED + rest))
    damaged[HEADER] = (damaged[HEADER] as number) ^ 1
    expect(thrown(() => decryptBuffer(damaged, key))).toMatchObject({ position: 0 })
    const stream = createDecryptStream(key)
    stream.end(damaged)
    const [error] = await once(stream.resume(), 'error')
    expect(error).toMatchObject({ position: 0 })
  }
})

describe('the_message_ended_early_without_an_error_where_the_memory_of_a_write_was_gone', () => {
  const gone = (memory: ArrayBuffer) => structuredClone(memory, { transfer: [memory] })
  const refused = { code: 'ERR_AESGCM_DETACHED_BUFFER', message: expect.stringContaining('"chunk"') }

  test('in a pause of its reader', async () => {
    const stream = createEncryptStream(key)
    const chunk = new Uint8Array(3 * 2 ** 20)
    stream.end(chunk)
    gone(chunk.buffer)
    const [error] = await once(stream.resume(), 'error')
    expect(error).toMatchObject(refused)
  })

  test('before its turn', async () => {
    const stream = createEncryptStream(key)
    const chunk = new Uint8Array(10)
    stream.cork()
    stream.write(chunk)
    gone(chunk.buffer)
    stream.end()
    const [error] = await once(stream.resume(), 'error')
    expect(error).toMatchObject(refused)
  })
})

test.each([1, 100, CHUNK, CHUNK + 1])(
  'a write of %i shared bytes is refused, whatever its length',
  async length => {
    const stream = createEncryptStream(key)
    stream.on('data', () => {})
    stream.write(new Uint8Array(new SharedArrayBuffer(length)) as never)
    const [error] = await once(stream, 'error')
    expect(error).toMatchObject({ code: 'ERR_AESGCM_SHARED_BUFFER' })
  },
)

test('a patched subarray does not see the keys that are derived', () => {
  const { subarray } = Buffer.prototype
  const seen: number[] = []
  try {
    Buffer.prototype.subarray = function (this: Buffer, ...range: [number?, number?]) {
      seen.push(this.length)
      return subarray.apply(this, range)
    }
    encryptBuffer(Buffer.alloc(5), key)
  } finally {
    Buffer.prototype.subarray = subarray
  }
  expect(seen).not.toContain(64)
})

test('a source that is a revoked Proxy is refused with a code', async () => {
  const { proxy, revoke } = Proxy.revocable({ size: 100, read: () => Buffer.alloc(0) }, {})
  revoke()
  await expect(DecryptionReader.open(proxy, key)).rejects.toMatchObject({
    code: 'ERR_INVALID_ARG_TYPE',
    message: '"source" is a Proxy that was revoked',
  })
})

test('a polluted Object.prototype does not replace the methods of the streams', async () => {
  const polluted = Object.prototype as { transform?: unknown; write?: unknown }
  polluted.transform = (chunk: unknown, _: unknown, callback: (error: null, chunk: unknown) => void) =>
    callback(null, chunk)
  polluted.write = (_: unknown, __: unknown, callback: () => void) => callback()
  const [own] = [createEncryptStream(key), delete polluted.transform]
  const socket = new Duplex({ read() {}, write: (_, __, callback) => callback() })
  const session = new SecureStream(socket, { secret: randomBytes(32), role: 'initiator' })
  delete polluted.write
  expect(Object.hasOwn(session, '_write')).toBe(false)
  session.destroy()
  const parts: Buffer[] = []
  own.on('data', part => parts.push(part))
  own.end('attack at dawn')
  await once(own, 'end')
  expect(decryptBuffer(Buffer.concat(parts), key).toString()).toBe('attack at dawn')
})
