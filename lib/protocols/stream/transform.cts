// The streams of Node. types/stream.d.ts documents them.
import type { TransformCallback, TransformOptions, Transform as TransformType } from 'node:stream'
import type { DecryptionKey, EncryptionKey, TransformStreamOptions } from '../../../types/stream.d.ts'
import { signalFrom } from '../../cipher/aead/abort.cjs'
import { min } from '../../cipher/base/builtins.cjs'
import { detached } from '../../cipher/base/errors.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { isAttached } from '../../cipher/base/views.cjs'
import { decryption, encryption } from './begin.cjs'
import { type ChunkTransform, partOf } from './chunk-transform.cjs'
import { OPTIONS, type Own } from './options.cjs'

const { addAbortSignal, Transform } = process.getBuiltinModule('node:stream')

/** Bytes processed before the stream asks its reader for room. */
const MAX_AT_ONCE = 2 ** 20
const HIGH_WATER_MARK = 2 ** 16
const NAMES = [...OPTIONS, 'highWaterMark', 'signal'] as const satisfies (keyof TransformStreamOptions)[]

export function createEncryptStream(key: EncryptionKey, options?: TransformStreamOptions): TransformType {
  const own = optionsOf(options === undefined ? {} : options, NAMES)
  const work = encryption(key, own as Own)
  return new MessageTransform(work, own, work.header)
}

export function createDecryptStream(key: DecryptionKey, options?: TransformStreamOptions): TransformType {
  const own = optionsOf(options === undefined ? {} : options, NAMES)
  return new MessageTransform(decryption(key, own as Own), own)
}

class MessageTransform extends Transform {
  readonly #work: ChunkTransform
  /** The rest of a long write, for which the reader had no room. */
  #goOn: (() => void) | undefined

  constructor(
    work: ChunkTransform,
    own: (name: 'highWaterMark' | 'signal', fallback?: unknown) => unknown,
    header?: Uint8Array,
  ) {
    try {
      // Without a prototype: a polluted `Object.prototype` would add methods.
      super({ __proto__: null, highWaterMark: own('highWaterMark', HIGH_WATER_MARK) } as TransformOptions)
      this.#work = work
      const signal = signalFrom(own('signal'))?.signal
      // Last, because the stream is destroyed here if the signal has aborted.
      if (header !== undefined) this.push(header)
      if (signal !== undefined) addAbortSignal(signal, this)
    } catch (error) {
      work.destroy()
      throw error
    }
  }

  override _transform(chunk: Uint8Array, _encoding: BufferEncoding, callback: TransformCallback): void {
    // Its memory may be gone since the write.
    if (chunk.length === 0 && !isAttached(chunk)) callback(detached('chunk'))
    else this.#take(chunk, 0, chunk.length, callback)
  }

  /**
   * Processes `chunk` from `from` to `end`. Cuts a long one, so the reader's pauses hold in its
   * middle too. `end` was read before the first pause: memory detached after it must fail, not end
   * the chunk.
   */
  #take(chunk: Uint8Array, from: number, end: number, callback: TransformCallback): void {
    try {
      for (let at = from; at < end; ) {
        const some = min(MAX_AT_ONCE, end - at)
        const made = this.#work.push(some === end ? chunk : partOf(chunk, at, some))
        at += some
        if (made === undefined || this.push(made)) continue
        this.#goOn = () => this.#take(chunk, at, end, callback)
        return
      }
    } catch (error) {
      callback(error as Error)
      return
    }
    callback()
  }

  override _read(size: number): void {
    const goOn = this.#goOn
    this.#goOn = undefined
    if (goOn !== undefined) goOn()
    // Transform may hold back a write's callback if its end was not pushed: no `_read` would come.
    if (this.#goOn === undefined) super._read(size)
  }

  override _flush(callback: TransformCallback): void {
    try {
      const made = this.#work.end()
      callback(null, made.length > 0 ? made : undefined)
    } catch (error) {
      callback(error as Error)
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#goOn = undefined
    this.#work.destroy()
    callback(error)
  }
}
