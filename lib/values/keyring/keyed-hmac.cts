// HMAC-SHA256 (RFC 2104) of many texts under one key and after one head, as two hashes, each in one
// call. Node's createHmac takes over twice as long, and on some lines of Node twelve times as long.
import type { Buffer } from 'node:buffer'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { crypto, buffer as node, uncurried } from '../../cipher/base/builtins.cjs'
import { part } from '../../cipher/base/bytes.cjs'
import { allocateOffHeap, byteLength, copy, wipe } from '../../cipher/base/views.cjs'
import { NUMBER_BYTES, writeNumber } from './pae.cjs'

const BLOCK_BYTES = 64
const HASH_BYTES = 32
/** A longer text has memory of its own for the call. */
const SHORT_BYTES = 256

const { hash } = crypto
type Write = (target: Buffer, text: string, at: number, length: number) => number
// Up to Node 22, `write` and `toString` look these up at each call: a replaced one would see keys.
const { base64urlSlice, latin1Write, utf8Write } = node.Buffer.prototype as never as Record<string, never>
const writeUtf8: Write = uncurried(utf8Write as never)
const writeLatin1: Write = uncurried(latin1Write as never)
const base64urlOf: (bytes: Buffer, start: number, end: number) => string = uncurried(base64urlSlice as never)
/** `wipe` of a part, which needs no view of it. */
const clear: (view: Uint8Array, zero: 0, from: number, to: number) => unknown = uncurried(
  Uint8Array.prototype.fill,
)

export class KeyedHmac {
  /** The key in the block of the inner hash, the head, and room for a text. */
  readonly inner: Buffer<ArrayBuffer>
  /** The key in the block of the outer hash, and room for a hash. */
  readonly outer: Buffer<ArrayBuffer>
  /** Where texts begin. */
  readonly #start: number

  /** The caller wipes the key, and in the end `inner` and `outer`. The head ends with a length. */
  constructor(key: Uint8Array, head: Uint8Array) {
    this.#start = BLOCK_BYTES + byteLength(head)
    this.inner = allocateOffHeap(this.#start + SHORT_BYTES)
    this.outer = allocateOffHeap(BLOCK_BYTES + HASH_BYTES)
    const hashed = byteLength(key) > BLOCK_BYTES ? hash('sha256', key, 'buffer') : undefined
    const block = hashed ?? key
    const length = byteLength(block)
    for (let i = 0; i < BLOCK_BYTES; i++) {
      const byte = i < length ? (block[i] as number) : 0
      this.inner[i] = byte ^ 0x36
      this.outer[i] = byte ^ 0x5c
    }
    if (hashed !== undefined) wipe(hashed, 0)
    copy(this.inner, head, BLOCK_BYTES)
  }

  /** The first bytes of the HMAC of a text of `length` bytes, in base64url. */
  of(text: string | Uint8Array, length: number, bytes: number): string {
    const start = this.#start
    const end = start + length
    const isShort = length <= SHORT_BYTES
    const message = isShort ? this.inner : allocateResult(end, 'pass a hash of the value')
    try {
      if (!isShort) copy(message, part(this.inner, 0, start))
      if (typeof text === 'string') writeUtf8(message, text, start, length)
      else copy(message, text, start)
      writeNumber(message, start - NUMBER_BYTES, length)
      this.#keep(hash('sha256', part(message, 0, end), 'binary'))
    } finally {
      clear(message, 0, isShort ? start : 0, end)
    }
    try {
      this.#keep(hash('sha256', this.outer, 'binary'))
      return base64urlOf(this.outer, BLOCK_BYTES, BLOCK_BYTES + bytes)
    } finally {
      clear(this.outer, 0, BLOCK_BYTES, BLOCK_BYTES + HASH_BYTES)
    }
  }

  /** A hash as a string, one character a byte: a Buffer would take longer to make. */
  #keep(hash: string): void {
    writeLatin1(this.outer, hash, BLOCK_BYTES, HASH_BYTES)
  }
}
