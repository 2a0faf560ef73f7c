// Nonces spread over bucket files by a hash of all their bits, so that equal ones meet in one bucket, and the exact
// search for equal ones in a bucket. A nonce is three 32-bit words throughout.
import { readFileSync, writeSync } from 'node:fs'

export const NONCE_BYTES = 12
export const BUCKETS = 128
const BUCKET_BITS = 7
const WORDS = NONCE_BYTES / 4
// Small enough that a worker's buffers for all buckets stay in a megabyte.
const BUFFERED = 680 * WORDS
// More of a bucket's repeats than these are counted and not listed.
const EXAMPLES = 10

/** Uses all bits, and spreads a counter in any of the words as evenly as random ones. */
function hash(a, b, c) {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77) ^ Math.imul(c, 0xc2b2ae3d)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39)
  return (h ^ (h >>> 15)) >>> 0
}

/** Appends nonces to the files of all buckets, which other threads and processes append to at the same time. */
export class Spreader {
  #files
  #filled = new Uint32Array(BUCKETS)
  #buffers = Array.from({ length: BUCKETS }, () => new Uint32Array(BUFFERED))

  /** `files`: descriptors opened for appending, one for each bucket. */
  constructor(files) {
    this.#files = files
  }

  /** Adds the nonce whose first word is `words[at]`. */
  add(words, at) {
    const a = words[at]
    const b = words[at + 1]
    const c = words[at + 2]
    const bucket = hash(a, b, c) >>> (32 - BUCKET_BITS)
    const buffer = this.#buffers[bucket]
    const end = this.#filled[bucket]
    buffer[end] = a
    buffer[end + 1] = b
    buffer[end + 2] = c
    this.#filled[bucket] = end + WORDS
    if (end + WORDS === BUFFERED) this.#write(bucket)
  }

  flush() {
    for (let bucket = 0; bucket < BUCKETS; bucket++) this.#write(bucket)
  }

  /** In one write: a second one could come after another thread's, in the middle of a nonce. */
  #write(bucket) {
    const bytes = this.#filled[bucket] * 4
    if (bytes === 0) return
    const written = writeSync(this.#files[bucket], this.#buffers[bucket].subarray(0, this.#filled[bucket]))
    if (written !== bytes)
      throw new Error(`only ${written} of ${bytes} bytes were written: is the disk full?`)
    this.#filled[bucket] = 0
  }
}

/** How many nonces a bucket's file holds, and what `repeats` says of them. `most` bounds the memory. */
export function search(path, most) {
  const bytes = readFileSync(path)
  const nonces = bytes.length / NONCE_BYTES
  if (!Number.isInteger(nonces)) throw new Error(`${path} ends inside a nonce`)
  // Different nonces spread evenly.
  if (nonces > most) throw new Error(`a bucket holds ${nonces} nonces, more than ${most}: many must be equal`)
  return { nonces, ...repeats(new Uint32Array(bytes.buffer, bytes.byteOffset, nonces * WORDS)) }
}

/** How many nonces of a list stand in it before, and the first of them in hex. */
export function repeats(words) {
  const nonces = words.length / WORDS
  // Open addressing, at most half full: an entry is a position in the list plus one.
  const mask = 2 ** Math.ceil(Math.log2(nonces + 1) + 1) - 1
  const table = new Uint32Array(mask + 1)
  const examples = []
  let repeated = 0
  for (let at = 0; at < words.length; at += WORDS) {
    const a = words[at]
    const b = words[at + 1]
    const c = words[at + 2]
    let slot = hash(a, b, c) & mask
    while (table[slot] !== 0) {
      const other = table[slot] - 1
      if (words[other] === a && words[other + 1] === b && words[other + 2] === c) break
      slot = (slot + 1) & mask
    }
    if (table[slot] === 0) table[slot] = at + 1
    else if (repeated++ < EXAMPLES) examples.push(hex(words.slice(at, at + WORDS)))
  }
  return { repeated, examples }
}

/** A nonce as its bytes stand in a frame. */
function hex(nonce) {
  return Buffer.from(nonce.buffer).toString('hex')
}
