// Incoming bytes, in chunks of any size, from which whole records are taken. Memory is allocated
// for bytes that have arrived, never for an announced length.
import type { Buffer } from 'node:buffer'
import { types } from '../../../cipher/base/builtins.cjs'
import { detached, notBytes, shared } from '../../../cipher/base/errors.cjs'
import {
  allocate,
  byteLength,
  bytesOver,
  copy,
  copyShort,
  isAttached,
  viewOf,
} from '../../../cipher/base/views.cjs'

type Bytes = Uint8Array<ArrayBuffer>
const { isSharedArrayBuffer, isUint8Array } = types

/** Smaller chunks are collected, so single bytes from a peer do not cost an object each. */
const SMALL = 2048
const COLLECTED = 2 ** 14

export class ByteQueue {
  #chunks: Bytes[] = []
  /** Bytes taken from the first chunk. */
  #offset = 0
  /** Whether bytes of the first chunk were handed out in place, so it must not be written. */
  #given = false
  /** Where small chunks are collected. No byte is used twice, since consumers have views. */
  #collection = bytesOver(new ArrayBuffer(0), 0, 0)
  #used = 0
  /** Whether the last chunk is the one collected last. */
  #extends = false
  /** Bytes not yet taken. */
  bytes = 0

  /** Adds a chunk, whose memory belongs to this object from then on. */
  push(chunk: unknown): void {
    if (!isUint8Array(chunk)) throw notBytes('chunk', chunk)
    const length = byteLength(chunk)
    if (length === 0) {
      if (!isAttached(chunk)) throw detached('chunk')
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

  /** A byte not yet taken, counted from the first one. The caller knows that it is there. */
  byte(index: number): number {
    let at = this.#offset + index
    for (const chunk of this.#chunks) {
      if (at < chunk.length) return chunk[at] as number
      at -= chunk.length
    }
    return 0
  }

  /** The first 32 bits not yet taken, as a number. */
  length(): number {
    return ((this.byte(0) << 24) | (this.byte(1) << 16) | (this.byte(2) << 8) | this.byte(3)) >>> 0
  }

  /** Takes the next bytes, which are there, and fills a short `target` with them. */
  read(target: Uint8Array): void {
    const first = this.#chunks[0] as Bytes
    const { length } = target
    this.bytes -= length
    if (this.#offset + length <= first.length) {
      copyShort(target, first, this.#offset)
      this.#advance(length)
    } else this.#gather(target, 0)
  }

  /** Takes `bytes` bytes, which are there. They are copied only if they span chunks. */
  take(bytes: number): Buffer<ArrayBuffer> {
    const first = this.#chunks[0] as Bytes
    const from = this.#offset
    const rest = first.length - from
    this.bytes -= bytes
    if (bytes <= rest) {
      if (bytes > 0) this.#given = true
      this.#advance(bytes)
      return there(viewOf(first, from, bytes))
    }
    // A chunk of which no byte was given away has room, if it is as long: that saves most records
    // of bulk data, which fill a read of the socket, a new ArrayBuffer.
    const hosts = !this.#given && bytes <= first.length
    const target = hosts ? there(viewOf(first, 0, bytes)) : allocate(bytes)
    copy(target, there(viewOf(first, from, rest)))
    this.#advance(rest)
    this.#gather(target, rest)
    return target
  }

  /** Fills `target` from `at` on with the next bytes. */
  #gather(target: Uint8Array, at: number): void {
    while (at < target.length) {
      const chunk = this.#chunks[0] as Bytes
      const [from, left] = [this.#offset, target.length - at]
      const rest = chunk.length - from
      const some = rest < left ? rest : left
      copy(target, there(viewOf(chunk, from, some)), at)
      this.#advance(some)
      at += some
    }
  }

  /** Continues after `bytes` bytes of the first chunk. */
  #advance(bytes: number): void {
    this.#offset += bytes
    if (this.#offset < (this.#chunks[0] as Bytes).length || this.#chunks.length === 1) return
    this.#chunks.shift()
    this.#offset = 0
    this.#given = false
  }

  /** Forgets all bytes. */
  clear(): void {
    this.#chunks = []
    this.#offset = this.bytes = 0
    this.#given = this.#extends = false
  }
}

/** The memory of a chunk must not be detached while its bytes wait. */
function there(view: Buffer<ArrayBuffer> | undefined): Buffer<ArrayBuffer> {
  if (view === undefined) throw detached('chunk')
  return view
}
