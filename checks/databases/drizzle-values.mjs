// Random numbers for the operations of Drizzle, and results as they are compared.
import { createHash } from 'node:crypto'
import { seed } from '../tools/random.mjs'

/** Numbers from the seed, faster than those of ../tools/random.mjs. */
export class Numbers {
  #state
  constructor(name) {
    this.#state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE() | 1
  }

  /** A number from 0 up to, not including, `below`. */
  below(below) {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return (state >>> 0) % below
  }

  pick(list) {
    return list[this.below(list.length)]
  }
}

/** Indexes stay in a result as opaque objects, so they do not count. */
export const withoutIndexes = value =>
  Array.isArray(value)
    ? value.map(withoutIndexes)
    : value?.constructor === Object
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => name !== 'emailIndex')
            .map(([name, part]) => [name, withoutIndexes(part)]),
        )
      : value
