// Bytes that a seed decides, and memory between canaries.
import { createCipheriv, createHash } from 'node:crypto'
import { SEED } from './checks.mjs'

/** A generator for one purpose: a case that runs alone sees the same bytes as among others. */
export class Random {
  #keystream
  #pool = Buffer.alloc(1 << 16)
  #at = this.#pool.length

  constructor(purpose) {
    const key = createHash('sha256').update(`${SEED} ${purpose}`).digest()
    this.#keystream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  }

  /** @type {(length: number) => Buffer<ArrayBuffer>} */
  bytes(length) {
    const target = Buffer.alloc(length)
    for (let done = 0; done < length; ) {
      if (this.#at === this.#pool.length) {
        this.#pool.set(this.#keystream.update(Buffer.alloc(this.#pool.length)))
        this.#at = 0
      }
      const some = this.#pool.subarray(this.#at, this.#at + length - done)
      target.set(some, done)
      done += some.length
      this.#at += some.length
    }
    return target
  }

  below(end) {
    return this.bytes(4).readUInt32LE() % end
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return list[this.below(list.length)]
  }
}

const CANARY_BYTES = 64
const CANARIES = Buffer.alloc(2 * CANARY_BYTES, 0xa5)

/** Memory for one argument, used again and again: its bytes at any offset, and canaries on both sides. */
export class Place {
  #memory = Buffer.alloc(4096, CANARIES)
  #start = CANARY_BYTES
  #end = CANARY_BYTES

  /** `content`, beginning 64 + `offset` bytes into its ArrayBuffer. */
  put(content, offset = 0) {
    this.#start = CANARY_BYTES + offset
    this.#end = this.#start + content.length
    if (this.#memory.length < this.#end + CANARY_BYTES) this.#memory = Buffer.alloc(this.#end + CANARY_BYTES)
    this.#memory.set(CANARIES.subarray(0, this.#start))
    this.#memory.set(content, this.#start)
    this.#memory.set(CANARIES.subarray(0, CANARY_BYTES), this.#end)
    return this.#memory.subarray(this.#start, this.#end)
  }

  /** Whether the bytes beside the content are as they were. */
  get intact() {
    const end = this.#end + CANARY_BYTES
    return (
      this.#memory.compare(CANARIES, 0, this.#start, 0, this.#start) === 0 &&
      this.#memory.compare(CANARIES, 0, CANARY_BYTES, this.#end, end) === 0
    )
  }
}
