// The bytes before the chunks of a message. The first ones may tell how many there are.
import type { Buffer } from 'node:buffer'
import { min } from '../../cipher/base/builtins.cjs'
import { part } from '../../cipher/base/bytes.cjs'
import { allocate, byteLength, copy } from '../../cipher/base/views.cjs'
import type { ChunksHandle } from '../../cipher/native/binding.cjs'
import type { OpeningKey } from './keys.cjs'
import { resume } from './message.cjs'
import type { Settings } from './options.cjs'

export class Header {
  readonly #key: OpeningKey
  #bytes: Buffer<ArrayBuffer>
  #known = 0

  constructor(key: OpeningKey) {
    this.#key = key
    this.#bytes = allocate(0)
    this.#grow()
  }

  /** The bytes that were taken: all of them, once none is missing. */
  get known(): number {
    return this.#known
  }

  /** The bytes that are needed next. */
  get missing(): number {
    return this.#bytes.length - this.#known
  }

  /** Takes what is missing from the beginning of a piece, and returns how many bytes it took. */
  take(piece: Uint8Array): number {
    let taken = 0
    for (;;) {
      const some = min(this.missing, byteLength(piece) - taken)
      if (some === 0) return taken
      copy(this.#bytes, part(piece, taken, some), this.#known)
      this.#known += some
      taken += some
      if (this.missing === 0) this.#grow()
    }
  }

  /** The native key of the message, once nothing is missing. */
  resume(settings: Settings): ChunksHandle {
    return resume(this.#key, this.#bytes, settings)
  }

  #grow(): void {
    const size = this.#key.headerBytes(this.#bytes)
    if (size <= this.#known) return
    const longer = allocate(size)
    copy(longer, this.#bytes)
    this.#bytes = longer
  }
}
