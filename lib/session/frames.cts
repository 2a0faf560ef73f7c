// The bytes that came in, in chunks of any size, from which whole records are taken. Memory is allocated for bytes that are
// there, never for a length that a peer announced.
import { types } from '../builtins.cjs'
import { detached, notBytes, shared } from '../errors.cjs'
import { allocate, byteLength, bytesOver, copy, isThere } from '../views.cjs'

type Bytes = Uint8Array<ArrayBuffer>
const { isSharedArrayBuffer, isUint8Array } = types

/** Chunks below this size are collected, so that a peer who sends single bytes does not cost an object for each. */
const SMALL = 2048
const COLLECTED = 2 ** 14

export class Frames {
  #chunks: Bytes[] = []
  /** Bytes of the first chunk that were taken. */
  #offset = 0
  /** Where small chunks are collected, and how much of it was used: no byte is used twice, since consumers have views. */
  #collection = bytesOver(new ArrayBuffer(0), 0, 0)
  #used = 0
  /** Whether the last chunk is the one that was collected last. */
  #extends = false
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
      this.#extends = false
    }
    this.bytes += length
  }

  #collect(chunk: Uint8Array, length: number): void {
    if (length > this.#collection.length - this.#used) {
      this.#collection = allocate(COLLECTED)
      this.#used = 0
      this.#extends = false
    }
    const buffer = this.#collection.buffer as ArrayBuffer
    const chunks = this.#chunks
    copy(bytesOver(buffer, this.#used, length), chunk)
    const last = this.#extends ? (chunks.pop() as Bytes).length : 0
    chunks.push(bytesOver(buffer, this.#used - last, last + length) as Bytes)
    this.#used += length
    this.#extends = true
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
    this.#offset = this.bytes = 0
    this.#extends = false
  }
}
