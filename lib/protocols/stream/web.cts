// The streams of the web. types/stream.d.ts documents them.
import type { Buffer } from 'node:buffer'
import type { ReadableStreamDefaultController, WritableStreamDefaultController } from 'node:stream/web'
import type { DecryptionKey, EncryptionKey, StreamOptions } from '../../../types/stream.d.ts'
import { min } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { decryption, encryption } from './begin.cjs'
import { type ChunkTransform, partOf } from './chunk-transform.cjs'
import { ownOptions } from './options.cjs'

const { ReadableStream, WritableStream } = process.getBuiltinModule('node:stream/web')

/** Bytes processed before the stream waits for its reader. */
const MAX_AT_ONCE = 2 ** 20

type Made = Buffer<ArrayBuffer>

export class EncryptionStream {
  readonly readable: ReadableStream<Made>
  readonly writable: WritableStream<Uint8Array>

  constructor(key: EncryptionKey, options?: StreamOptions) {
    const work = encryption(key, ownOptions(options))
    const { readable, writable } = pairOf(work, work.header)
    this.readable = readable
    this.writable = writable
  }
}

export class DecryptionStream {
  readonly readable: ReadableStream<Made>
  readonly writable: WritableStream<Uint8Array>

  constructor(key: DecryptionKey, options?: StreamOptions) {
    const { readable, writable } = pairOf(decryption(key, ownOptions(options)))
    this.readable = readable
    this.writable = writable
  }
}

/**
 * Both sides of a message. A TransformStream would not report the end of either side on every
 * version of Node, so the key could not be wiped then.
 */
function pairOf(work: ChunkTransform, header?: Made) {
  let reader!: ReadableStreamDefaultController<Made>
  let writer!: WritableStreamDefaultController & { readonly signal: AbortSignal }
  let proceed = () => {}
  /** Waits until the reader wants more, or the stream ends. */
  const room = async () => {
    while (!over && (reader.desiredSize ?? 0) <= 0)
      await new Promise<void>(resolve => {
        proceed = resolve
      })
  }
  let over = false
  const end = () => {
    over = true
    work.destroy()
    proceed()
  }
  /** The result of `body`. If it throws, both sides fail. */
  const attempt = (body: () => Made | undefined) => {
    try {
      const made = body()
      if (made !== undefined && made.length > 0) reader.enqueue(made)
    } catch (error) {
      end()
      reader.error(error)
      throw error
    }
  }
  const readable = new ReadableStream<Made>({
    start: controller => {
      reader = controller
      if (header !== undefined) reader.enqueue(header)
    },
    pull: () => proceed(),
    cancel: reason => {
      end()
      writer.error(reason)
    },
  })
  const writable = new WritableStream<Uint8Array>({
    start: controller => {
      // The types of Node 20 lack the signal.
      writer = controller as typeof writer
      // `abort` is called only after a write has ended, which may wait for its reader.
      writer.signal.addEventListener('abort', end)
    },
    write: async chunk => {
      let length = 0
      attempt(() => {
        length = lengthOf('chunk', chunk)
        return undefined
      })
      for (let at = 0; at < length; at += MAX_AT_ONCE) {
        await room()
        if (over) return
        attempt(() => work.push(partOf(chunk, at, min(MAX_AT_ONCE, length - at))))
      }
    },
    close: () => {
      attempt(() => work.end())
      reader.close()
    },
    abort: reason => reader.error(reason),
  })
  return { readable, writable }
}
