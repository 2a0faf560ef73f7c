// Tries mutants on test files: one after the other until a test fails, which kills the mutant.
import { choose } from './choose.mjs'

/** Seconds that a test file may take with a mutant: far more than without one, since the machine may be busy. */
const limitOf = seconds => 30 + 5 * seconds

export class Trial {
  #copy
  #runner
  /** Seconds of the test files that pass without a mutant, by name; undefined for one that fails. */
  #passing = new Map()

  constructor(copy, runner) {
    this.#copy = copy
    this.#runner = runner
  }

  /** Seconds of the test file without a mutant, or undefined if the file fails: then the file proves nothing here. */
  async #without(name) {
    if (!this.#passing.has(name)) {
      choose(this.#copy, 'none')
      const { failed, seconds } = await this.#runner.run(name, 300)
      if (failed.length > 0) console.log(`${name} fails without a mutant, and is not used: ${failed[0]}`)
      this.#passing.set(name, failed.length > 0 ? undefined : seconds)
    }
    return this.#passing.get(name)
  }

  /** Tries the mutant `id` on the test files: { outcome, by }. The outcome is `killed`, `late` (ended by the time limit) or `survived`. */
  async run(id, tests) {
    for (const name of tests) {
      choose(this.#copy, 'mutant', id)
      const known = this.#passing.get(name)
      if (this.#passing.has(name) && known === undefined) continue
      const { failed } = await this.#runner.run(name, limitOf(known ?? 20))
      if (failed.length === 0) continue
      if ((await this.#without(name)) === undefined) continue
      return { outcome: failed[0] === 'timeout' ? 'late' : 'killed', by: `${name}: ${failed[0]}` }
    }
    return { outcome: 'survived', by: tests.length === 0 ? 'no test reaches it' : tests.join(' ') }
  }
}
