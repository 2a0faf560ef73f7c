// Collects what became of the mutants, prints those that survive, and judges.
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { finder } from './keys.mjs'

/** The part of all mutants that the tests must kill. */
const MARK = 0.95

/** The probability of `least` survivors or more among `count` mutants of which each survives with the probability 1 - MARK. */
export function chance(least, count) {
  let below = 0
  for (let k = 0, term = MARK ** count; k < least; k++) {
    below += term
    term *= ((count - k) / (k + 1)) * ((1 - MARK) / MARK)
  }
  return 1 - below
}

export class Report {
  #language
  #explained
  #log
  #counts = { killed: 0, late: 0, unviable: 0, explained: 0, survived: 0 }
  #wrong = []

  constructor(language, explained) {
    this.#language = language
    this.#explained = finder(explained)
    const folder = join(root, 'target', 'mutants')
    mkdirSync(folder, { recursive: true })
    this.#log = join(folder, `${language}.jsonl`)
  }

  /** `control` is the outcome that a control must have. */
  add({ mutant, outcome, by, seconds, control }) {
    const { file, at, within, line, to } = mutant
    const entry = { outcome, file, at, within, line, to, by, seconds: Math.round(seconds * 10) / 10 }
    if (control !== undefined) {
      if (control !== outcome)
        this.#wrong.push(`a control was ${outcome} instead of ${control}: ${file}:${at} by ${by}`)
      return
    }
    appendFileSync(this.#log, `${JSON.stringify(entry)}\n`)
    const known = this.#explained(mutant)
    if (outcome === 'survived' && known !== undefined) {
      this.#counts.explained++
      return
    }
    this.#counts[outcome]++
    if (outcome === 'survived')
      console.log(`survived: ${file}:${at} ${within}\n  ${line}\n  becomes ${to || 'empty'}; tried: ${by}`)
    // Of several mutants that look the same, and of a class, tests may kill some.
    const isOne = known?.times === 1
    if (isOne && outcome !== 'unviable')
      this.#wrong.push(
        `an explained mutant did not survive, remove it from explained/: ${file}:${at} to ${to}, by ${by}`,
      )
  }

  /**
   * Prints the figures. Whether the check fails: for every survivor, or, of a `sample`, for so many that tests which kill MARK of all
   * mutants would leave as many in one sample of 10 000.
   */
  end(sample) {
    const { killed, late, unviable, explained, survived } = this.#counts
    const dead = killed + late
    const rate = ((100 * dead) / Math.max(1, dead + survived)).toFixed(1)
    console.log(
      `${this.#language}: ${dead} killed (${late} by the time limit), ${explained} explained, ${survived} survived, ` +
        `${unviable} do not compile; ${rate}% of those without an explanation are killed`,
    )
    for (const sentence of this.#wrong) console.log(sentence)
    const tooMany = sample ? chance(survived, dead + survived) < 1e-4 : survived > 0
    if (sample && !tooMany && survived > 0)
      console.log(`${this.#language}: a sample of tests that kill ${100 * MARK}% may leave as many`)
    return tooMany || this.#wrong.length > 0
  }
}
