// Chunks from bytes in pieces of any size. Whole chunks are read in place; a chunk that spans
// pieces is gathered first. Results have their own memory, which is not used again.
import type { Buffer } from 'node:buffer'
import { floor } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { detached, shared } from '../../cipher/base/errors.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import {
  allocate,
  allocateOffHeap,
  byteLength,
  bytesOver,
  copy,
  isShared,
  viewOf,
  wipe,
} from '../../cipher/base/views.cjs'
import { wipeWith } from '../../cipher/base/wipe-with.cjs'
import type { ChunksHandle } from '../../cipher/native/binding.cjs'
import { chunksDestroy } from '../../cipher/native/calls.cjs'
import { openChunks, sealChunks } from './chunks.cjs'
import { forged, truncated } from './errors.cjs'
import { Header } from './header.cjs'
import type { OpeningKey, SealingKey } from './keys.cjs'
import { begin } from './message.cjs'
import type { Settings } from './options.cjs'
import { CHUNK_BYTES, SEALED_BYTES } from './sizes.cjs'

/** A message written piece by piece. After an error, the caller destroys it. */
export abstract class ChunkTransform {
  /** Bytes of a chunk that comes in, and of one that goes out. */
  readonly #taken: number
  readonly #given: number
  #gathered: Buffer<ArrayBuffer> | undefined
  #held = 0

  constructor(taken: number, given: number) {
    this.#taken = taken
    this.#given = given
  }

  /** Fills `target` with the chunks of `source`. */
  protected abstract run(source: Uint8Array, target: Uint8Array, last: boolean): void

  /** How many bytes the last chunk puts out, for `held` bytes. Throws if that is no chunk. */
  protected abstract lastOf(held: number): number

  /** Wipes the key, and what was gathered. */
  destroy(): void {
    if (this.#gathered !== undefined) wipe(this.#gathered, 0)
    this.#gathered = undefined
    this.#held = 0
  }

  /** Takes all of a piece, and returns the chunks that it completes, if any. */
  push(piece: Uint8Array): Buffer<ArrayBuffer> | undefined {
    const length = ownLengthOf(piece)
    const taken = this.#taken
    const given = this.#given
    const held = this.#held
    const count = floor((held + length) / taken)
    if (count === 0) {
      if (length > 0) this.#gather(piece)
      return undefined
    }
    const target = allocate(count * given)
    try {
      let from = 0
      if (held > 0) {
        from = taken - held
        this.#gather(from === length ? piece : partOf(piece, 0, from))
        this.run(this.#gathered as Uint8Array, count === 1 ? target : partOf(target, 0, given), false)
        this.#held = 0
      }
      const done = held > 0 ? given : 0
      const whole = length - from - ((length - from) % taken)
      if (whole > 0) {
        const source = whole === length ? piece : partOf(piece, from, whole)
        this.run(source, done === 0 ? target : partOf(target, done, target.length - done), false)
      }
      if (from + whole < length) this.#gather(partOf(piece, from + whole, length - from - whole))
    } catch (error) {
      wipe(target, 0)
      throw error
    }
    return target
  }

  /** The last chunk. The message is complete with it, and its key wiped. */
  end(): Buffer<ArrayBuffer> {
    const held = this.#held
    const target = allocate(this.lastOf(held))
    this.#gathered ??= allocateOffHeap(0)
    this.run(bytesOver(this.#gathered.buffer, 0, held), target, true)
    this.destroy()
    return target
  }

  #gather(piece: Uint8Array): void {
    this.#gathered ??= allocateOffHeap(this.#taken)
    copy(this.#gathered, piece, this.#held)
    this.#held += byteLength(piece)
  }
}

/** A message to be encrypted. Its header goes out first. */
export class Encryption extends ChunkTransform {
  readonly header: Buffer<ArrayBuffer>
  readonly #handle: ChunksHandle

  constructor(key: SealingKey, settings: Settings) {
    super(CHUNK_BYTES, SEALED_BYTES)
    const { handle, header } = begin(key, settings)
    this.#handle = handle
    this.header = header
  }

  protected override run(source: Uint8Array, target: Uint8Array, last: boolean): void {
    sealChunks(this.#handle, source, target, last)
  }

  protected override lastOf(held: number): number {
    return held + TAG_BYTES
  }

  override destroy(): void {
    chunksDestroy(this.#handle)
    super.destroy()
  }
}

/** A message to be decrypted, from its header on. */
export class Decryption extends ChunkTransform {
  readonly #settings: Settings
  /** Until the header is complete. */
  #key: OpeningKey | undefined
  readonly #header: Header
  #handle: ChunksHandle | undefined
  /** Chunks opened so far. */
  #opened = 0

  constructor(key: OpeningKey, settings: Settings) {
    super(SEALED_BYTES, CHUNK_BYTES)
    this.#key = key
    this.#header = new Header(key)
    this.#settings = settings
    wipeWith(this, key.bytes)
  }

  override push(piece: Uint8Array): Buffer<ArrayBuffer> | undefined {
    if (this.#handle !== undefined) return super.push(piece)
    const length = ownLengthOf(piece)
    const some = this.#header.take(piece)
    if (this.#header.missing > 0) return undefined
    if (this.#key !== undefined) this.#handle = this.#header.resume(this.#settings)
    this.#forgetKey()
    return super.push(partOf(piece, some, length - some))
  }

  protected override run(source: Uint8Array, target: Uint8Array, last: boolean): void {
    openChunks(this.#handle as ChunksHandle, this.#opened, source, target, last)
    this.#opened += floor(byteLength(target) / CHUNK_BYTES)
  }

  protected override lastOf(held: number): number {
    if (this.#handle === undefined || held === 0) throw truncated()
    if (held < TAG_BYTES) throw forged(this.#opened)
    return held - TAG_BYTES
  }

  override destroy(): void {
    this.#forgetKey()
    if (this.#handle !== undefined) chunksDestroy(this.#handle)
    super.destroy()
  }

  #forgetKey(): void {
    if (this.#key !== undefined) wipe(this.#key.bytes, 0)
    this.#key = undefined
  }
}

/** The length of a piece, whose memory has no other writer. */
function ownLengthOf(piece: Uint8Array): number {
  const length = lengthOf('chunk', piece)
  if (isShared(piece)) throw shared('chunk')
  return length
}

/** Part of a piece, whose memory must be there. */
export function partOf(piece: Uint8Array, start: number, length: number): Buffer<ArrayBuffer> {
  const part = viewOf(piece, start, length)
  if (part === undefined) throw detached('chunk')
  return part
}
