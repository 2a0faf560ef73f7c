// The class DecryptionReader: any part of an encrypted message. types/stream.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { DecryptionKey, ReaderOptions, Source } from '../../../types/stream.d.ts'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { dispose, floor, isInteger, markAsUncloneable, max, min } from '../../cipher/base/builtins.cjs'
import {
  detached,
  keyDestroyed,
  mustBe,
  outOfRange,
  wrongReceiver,
  wrongType,
} from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { allocate, copy, wipe } from '../../cipher/base/views.cjs'
import type { ChunksHandle } from '../../cipher/native/binding.cjs'
import { chunksDestroy } from '../../cipher/native/calls.cjs'
import { partOf } from './chunk-transform.cjs'
import { openChunks } from './chunks.cjs'
import { forged, truncated } from './errors.cjs'
import { Header } from './header.cjs'
import { openingKey } from './keys.cjs'
import { OPTIONS, type Own, settingsOf } from './options.cjs'
import { CHUNK_BYTES, chunksOf, MAX_BYTES, MAX_CHUNKS, SEALED_BYTES } from './sizes.cjs'
import { type Bytes, bytesOf } from './source.cjs'

const { ReadableStream } = process.getBuiltinModule('node:stream/web')

const NAMES = [...OPTIONS, 'verifyEnd'] as const satisfies (keyof ReaderOptions)[]
/** Chunks read and opened together: 1 MiB. */
const RUN = 64

/** A message with known key and size, from `open`. Callers cannot make one. */
class Opened {
  readonly source: Bytes
  readonly handle: ChunksHandle
  /** Where the chunks begin. */
  readonly start: number
  /** Whole chunks, and the bytes of the last one. */
  readonly chunks: number
  readonly rest: number

  constructor(source: Bytes, handle: ChunksHandle, start: number, chunks: number, rest: number) {
    this.source = source
    this.handle = handle
    this.start = start
    this.chunks = chunks
    this.rest = rest
  }
}

export class DecryptionReader implements Disposable {
  readonly #size: number
  readonly #message: Opened
  /** Whether the last chunk was authenticated, and with it the size. */
  #endIsKnown = false
  #destroyed = false

  static {
    showAs(
      DecryptionReader,
      'DecryptionReader',
      self => #message in self,
      self => ({ size: self.#size, destroyed: self.#destroyed }),
    )
  }

  constructor(message: never) {
    const given: unknown = message
    if (!(given instanceof Opened)) throw wrongType('a DecryptionReader is made by DecryptionReader.open()')
    markAsUncloneable(this)
    this.#message = given
    this.#size = given.chunks * CHUNK_BYTES + given.rest - TAG_BYTES
  }

  static async open(
    source: Source | FileHandle | Blob | Uint8Array,
    key: DecryptionKey,
    options?: ReaderOptions,
  ): Promise<DecryptionReader> {
    const own = optionsOf(options === undefined ? {} : options, NAMES)
    const settings = settingsOf(own as Own)
    const verifyEnd = own('verifyEnd', true)
    if (typeof verifyEnd !== 'boolean') throw mustBe('options.verifyEnd', 'a boolean', verifyEnd)
    const opening = openingKey(key)
    let header: Header
    let handle: ChunksHandle
    let whole: Bytes
    try {
      header = new Header(opening)
      whole = await bytesOf(source)
      while (header.missing > 0) {
        const { known, missing } = header
        if (whole.size < known + missing) throw truncated()
        // Memory that shrank since `read` resolved would be asked for again, for ever.
        if (header.take(await whole.read(known, missing)) < missing) throw detached('source.read()')
      }
      handle = header.resume(settings)
    } finally {
      wipe(opening.bytes, 0)
    }
    try {
      const { chunks, rest } = chunksOf(whole.size - header.known)
      if (rest === 0) throw truncated()
      if (rest < TAG_BYTES || chunks >= MAX_CHUNKS) throw forged(chunks)
      const reader = new DecryptionReader(new Opened(whole, handle, header.known, chunks, rest) as never)
      if (verifyEnd) await reader.#verifyEnd()
      return reader
    } catch (error) {
      chunksDestroy(handle)
      throw error
    }
  }

  get size(): number {
    DecryptionReader.#check(this)
    return this.#size
  }

  async read(start?: number, end?: number): Promise<Buffer<ArrayBuffer>> {
    DecryptionReader.#check(this)
    const [from, to] = await this.#range(start, end)
    const target = allocateResult(to - from, 'read it in parts, or as a stream')
    try {
      for (let at = from; at < to; ) at += await this.#fill(target, at - from, at, to)
    } catch (error) {
      wipe(target, 0)
      throw error
    }
    return target
  }

  stream(
    start?: number,
    end?: number,
  ): ReadableStream<Buffer<ArrayBuffer>> & NodeReadableStream<Buffer<ArrayBuffer>> {
    DecryptionReader.#check(this)
    // Argument errors are thrown here; only the end may have to be verified first.
    this.#positions(start, end)
    let at: number | undefined
    let to = 0
    return new ReadableStream<Buffer<ArrayBuffer>>(
      {
        pull: async controller => {
          if (at === undefined) [at, to] = await this.#range(start, end)
          if (at < to) {
            // Up to the end of the run, so the next runs begin with whole chunks.
            const after = min(to, (floor(at / CHUNK_BYTES) + RUN) * CHUNK_BYTES)
            const part = allocate(after - at)
            await this.#fill(part, 0, at, after)
            at = after
            controller.enqueue(part)
          }
          if (at === to) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
  }

  destroy(): void {
    DecryptionReader.#check(this)
    this.#destroyed = true
    chunksDestroy(this.#message.handle)
  }

  [dispose](): void {
    this.destroy()
  }

  /** The range that a caller means. Authenticates the size if the range depends on it. */
  async #range(start: number | undefined, end: number | undefined): Promise<[number, number]> {
    const range = this.#positions(start, end)
    // An empty range needs no chunk, whose decryption would refuse.
    if (this.#destroyed) throw keyDestroyed()
    const fromEnd =
      end === undefined || end < 0 || end >= this.#size || (start ?? 0) < 0 || (start ?? 0) >= this.#size
    if (fromEnd) await this.#verifyEnd()
    return range
  }

  #positions(start: number | undefined, end: number | undefined): [number, number] {
    const position = (name: string, value: number) => {
      if (typeof value !== 'number') throw mustBe(name, 'a number', value)
      if (!isInteger(value) || value > MAX_BYTES + 1 || value < -MAX_BYTES - 1)
        throw outOfRange(`"${name}" must be a whole number from -(2^52) to 2^52, got ${value}`)
      return value < 0 ? max(0, this.#size + value) : min(value, this.#size)
    }
    const from = start === undefined ? 0 : position('start', start)
    const to = end === undefined ? this.#size : position('end', end)
    return [from, max(from, to)]
  }

  async #verifyEnd(): Promise<void> {
    if (this.#endIsKnown) return
    const { chunks, rest } = this.#message
    const last = allocate(rest - TAG_BYTES)
    await this.#open(chunks, chunks, last)
    wipe(last, 0)
  }

  /** Writes bytes `at` to `to`, of one run at most, to `target` at `place`; returns how many. */
  async #fill(target: Buffer<ArrayBuffer>, place: number, at: number, to: number): Promise<number> {
    const first = floor(at / CHUNK_BYTES)
    const last = min(floor((to - 1) / CHUNK_BYTES), first + RUN - 1)
    const begin = first * CHUNK_BYTES
    const bytes = min(this.#size, (last + 1) * CHUNK_BYTES) - begin
    const wanted = min(to, begin + bytes) - at
    if (wanted === bytes) {
      await this.#open(first, last, partOf(target, place, bytes))
      return bytes
    }
    // The first or the last chunk has bytes that nobody asked for.
    const whole = allocate(bytes)
    await this.#open(first, last, whole)
    copy(target, partOf(whole, at - begin, wanted), place)
    wipe(whole, 0)
    return wanted
  }

  /** Opens the chunks from `first` to `last` into `target`. */
  async #open(first: number, last: number, target: Buffer<ArrayBuffer>): Promise<void> {
    const { source, handle, start, chunks, rest } = this.#message
    const withEnd = last === chunks
    const length = (last - first) * SEALED_BYTES + (withEnd ? rest : SEALED_BYTES)
    const sealed = await source.read(start + first * SEALED_BYTES, length)
    openChunks(handle, first, sealed, target, withEnd)
    if (withEnd) this.#endIsKnown = true
  }

  static #check(self: unknown): void {
    if (typeof self === 'object' && self !== null && #message in self) return
    throw wrongReceiver('DecryptionReader')
  }
}
