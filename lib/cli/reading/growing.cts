// Secret bytes whose number is not known beforehand.
import type { Buffer } from 'node:buffer'
import { buffer as node } from '../../cipher/base/builtins.cjs'

const { Buffer: Bytes } = node

/** Thrown for more bytes than the limit. */
export const TOO_LONG = Symbol('too long')

/** Growing bytes in their own memory; outgrown memory is wiped. */
export class Growing {
  #memory: Buffer
  #length = 0
  readonly #limit: number

  constructor(limit: number, expected: number) {
    this.#limit = limit
    this.#memory = Bytes.alloc(Math.min(expected, limit) + 1)
  }

  /** Free memory, at least a byte of it. */
  get room(): Buffer {
    if (this.#length === this.#memory.length) {
      const larger = Bytes.alloc(this.#memory.length * 2)
      this.#memory.copy(larger)
      this.#memory.fill(0)
      this.#memory = larger
    }
    return this.#memory.subarray(this.#length)
  }

  get length(): number {
    return this.#length
  }

  /** `length` bytes were written into the room. */
  took(length: number): void {
    this.#length += length
    if (this.#length > this.#limit) throw TOO_LONG
  }

  /** Wipes the bytes from `length` on, and forgets them. */
  cut(length: number): void {
    this.#memory.fill(0, length, this.#length)
    this.#length = length
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  wipe(): void {
    this.#memory.fill(0)
  }
}
