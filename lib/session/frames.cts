// The bytes that came in, in chunks of any size, from which whole records are taken. Memory is allocated for bytes that are
// there, never for a length that a peer announced.
import { max, min, types } from '../builtins.cjs'
import { detached, notBytes, shared } from '../errors.cjs'
import { allocate, byteLength, bytesOver, copy, isThere } from '../views.cjs'

type Bytes = Uint8Array<ArrayBuffer>
const { isSharedArrayBuffer, isUint8Array } = types

/** Chunks below this size are collected, so that a peer who sends single bytes does not cost an object for each. */
const SMALL = 2048
/** The first collection after a large chunk, and the largest of those that follow, each twice as long as the one before. */
const LEAST_COLLECTION = 2 ** 8
const MOST_COLLECTION = 2 ** 14

export class Frames {
  #chunks: Bytes[] = []
  /** Bytes of the first chunk that were taken. */
  #offset = 0
  /** Free bytes behind the last chunk, if it is a collection. */
  #room = 0
  /** Bytes of the next collection: few at first, so that large chunks between small ones do not leave much room unused. */
  #collection = LEAST_COLLECTION
  /** Bytes that were not taken. */
  bytes = 0
  /** Where the bytes that `take` took begin in `memory`. */
  memory = bytesOver(new ArrayBuffer(0), 0, 0) as Bytes
  at = 0

  /** Adds a chunk, whose memory belongs to this object from then on. */
  push(chunk: unknown): void {
    if (!isUint8Array(chunk)) throw notBytes('chunk', chunk)
    const length = byteLength(chunk)
    if (length === 0) {
      if (!isThere(chunk)) throw detached('chunk')
      return
    }
    if (isSharedArrayBuffer(chunk.buffer)) throw shared('chunk')
    if (this.bytes === 0) {
      this.clear()
      this.#chunks = [chunk as Bytes]
    } else if (length < SMALL) this.#collect(chunk, length)
    else {
      this.#chunks.push(chunk as Bytes)
      this.#room = 0
      this.#collection = LEAST_COLLECTION
    }
    this.bytes += length
  }

  #collect(chunk: Uint8Array, length: number): void {
    const chunks = this.#chunks
    if (length > this.#room) {
      const bytes = max(this.#collection, length)
      const collection = allocate(bytes)
      chunks.push(bytesOver(collection.buffer, 0, 0) as Bytes)
      this.#room = bytes
      this.#collection = min(MOST_COLLECTION, 2 * this.#collection)
    }
    const last = chunks[chunks.length - 1] as Bytes
    const { buffer, byteLength: used } = last
    copy(bytesOver(buffer, used, length), chunk)
    chunks[chunks.length - 1] = bytesOver(buffer, 0, used + length) as Bytes
    this.#room -= length
  }

  /** A byte that was not taken, counted from the first such byte. The caller knows that it is there. */
  byte(index: number): number {
    let at = this.#offset + index
    for (const chunk of this.#chunks) {
      if (at < chunk.length) return chunk[at] as number
      at -= chunk.length
    }
    return 0
  }

  /** The first 32 bits that were not taken, as a number. */
  length(): number {
    return ((this.byte(0) << 24) | (this.byte(1) << 16) | (this.byte(2) << 8) | this.byte(3)) >>> 0
  }

  /** Takes `bytes` bytes, which are there, and sets `memory` and `at`. They are copied only if they span chunks. */
  take(bytes: number): void {
    this.bytes -= bytes
    const first = this.#chunks[0] as Bytes
    if (this.#offset + bytes <= first.length) {
      this.memory = first
      this.at = this.#offset
      this.#offset += bytes
      if (this.#offset === first.length && this.#chunks.length > 1) this.#shift()
      return
    }
    this.memory = allocate(bytes)
    this.at = 0
    let at = 0
    while (at < bytes) {
      const chunk = this.#chunks[0] as Bytes
      const rest = chunk.length - this.#offset
      const some = rest < bytes - at ? rest : bytes - at
      this.memory.set(chunk.subarray(this.#offset, this.#offset + some), at)
      at += some
      this.#offset += some
      if (some === rest && this.#chunks.length > 1) this.#shift()
    }
  }

  #shift(): void {
    this.#chunks.shift()
    this.#offset = 0
  }

  /** Forgets all bytes. */
  clear(): void {
    this.#chunks = []
    this.#offset = this.#room = this.bytes = 0
    this.#collection = LEAST_COLLECTION
  }
}
