// Tries mutants on test files: one after the other until a test fails, which kills the mutant.
import { choose } from './choose.mjs'

/** Seconds that a test file may take with a mutant: far more than without one, since the machine may be busy. */
const limitOf = seconds => 15 + 5 * seconds

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
  async #without(test) {
    const { name } = test
    if (!this.#passing.has(name)) {
      choose(this.#copy, 'none')
      const { failed, seconds } = await this.#runner.run(test, 300)
      if (failed.length > 0) console.log(`${name} fails without a mutant, and is not used: ${failed[0]}`)
      this.#passing.set(name, failed.length > 0 ? undefined : seconds)
    }
    return this.#passing.get(name)
  }

  /**
   * Tries the mutant `id` on `tests`, objects { name, seconds, failing } for the runner: { outcome, by }. The outcome is `killed`, `late`
   * (ended by the time limit) or `survived`.
   */
  async run(id, tests) {
    for (const test of tests) {
      choose(this.#copy, 'mutant', id)
      if (this.#passing.has(test.name) && this.#passing.get(test.name) === undefined) continue
      const { failed } = await this.#runner.run(test, limitOf(this.#passing.get(test.name) ?? test.seconds))
      if (failed.length === 0) continue
      if ((await this.#without(test)) === undefined) continue
      return { outcome: failed[0] === 'timeout' ? 'late' : 'killed', by: `${test.name}: ${failed[0]}` }
    }
    const tried = tests.map(({ name }) => name).join(' ')
    return { outcome: 'survived', by: tried || 'no test reaches it' }
  }
}
