// Streams for tests: messages, sources in given pieces, and what comes out.
import { Readable } from 'node:stream'
import {
  createDecryptStream,
  createEncryptStream,
  DecryptionStream,
  EncryptionStream,
} from 'hardware-aes-gcm/stream'
import { CHUNK_BYTES, seal } from '../../models/cobblestone.mjs'

export type Failure = Error & { code?: string; position?: number }

export const KEY = Buffer.alloc(32, 0xde)
export const SHORT_KEY = Buffer.alloc(16, 0x07)
const SALT = Buffer.alloc(24, 0x5a)

/** Bytes that tell their place. */
export function textOf(length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length)
  // A function for each byte would take 20 times as long.
  for (let i = 0; i < length; i++) bytes[i] = i * 31 + (i >> 8) * 7 + (i >> 14)
  return bytes
}

/** Three chunks: two whole ones and a short one. */
export const TEXT = textOf(2 * CHUNK_BYTES + 100)
export const MESSAGE = seal(KEY, TEXT, SALT)

/** The bytes in pieces that end at these places. */
export function cut(bytes: Buffer, ends: readonly number[]): Buffer[] {
  const all = [0, ...ends, bytes.length]
  return all.slice(1).map((end, i) => bytes.subarray(all[i], end))
}

/** All bytes of a stream. */
export async function collected(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

/** The pieces as a stream of the web. */
export const sourceOf = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

const web = (pieces: readonly Buffer[], pair: unknown) =>
  collected(sourceOf(pieces).pipeThrough(pair as never) as never)

/** The streams that encrypt and decrypt pieces. */
export const STREAMS = {
  node: {
    encrypt: (pieces: readonly Buffer[], key = KEY) =>
      collected(Readable.from(pieces).pipe(createEncryptStream(key))),
    decrypt: (pieces: readonly Buffer[], key = KEY) => {
      const stream = createDecryptStream(key)
      for (const piece of pieces) stream.write(piece)
      return collected(stream.end())
    },
  },
  web: {
    encrypt: (pieces: readonly Buffer[], key = KEY) => web(pieces, new EncryptionStream(key)),
    decrypt: (pieces: readonly Buffer[], key = KEY) => web(pieces, new DecryptionStream(key)),
  },
}

/** The error of a promise. */
export async function failure(promise: Promise<unknown>): Promise<Failure> {
  const ended = await promise.then(
    value => ({ value }),
    error => ({ error }),
  )
  if ('error' in ended) return ended.error as Failure
  throw new Error('the promise was fulfilled')
}
