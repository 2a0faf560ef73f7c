// Random numbers for long runs, which the seed of a run decides: faster than those of ../tools/random.mjs.
import { number } from '../tools/random.mjs'

export class Numbers {
  #state

  constructor(name) {
    this.#state = number(2 ** 32, name)
  }

  /** A whole number from 0 up to, not including, `most`. */
  below(most) {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % most
  }

  pick(list) {
    return list[this.below(list.length)]
  }
}
