// A small generator whose numbers a seed decides (mulberry32): the calls draw millions of them.
const { imul } = Math

const BLOCK_BYTES = 2 ** 16

export class Chance {
  #state
  #block = new Uint8Array(BLOCK_BYTES)

  constructor(seed) {
    this.#state = seed >>> 0
    for (let i = 0; i < BLOCK_BYTES; i++) this.#block[i] = this.below(256)
  }

  /** From 0 to `end` - 1. */
  below(end) {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  /** True once in `times`. */
  once(times) {
    return this.below(times) === 0
  }

  /** @type {<T>(list: readonly T[]) => T} */
  pick(list) {
    return list[this.below(list.length)]
  }

  /** Fills a view of at most a kibibyte with random bytes, which may come again in another view. */
  fill(view) {
    const start = this.below(BLOCK_BYTES - view.length)
    view.set(this.#block.subarray(start, start + view.length))
    return view
  }
}
