// Remembers the mutants that the compiler refuses, which takes it a round of several seconds each time.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'

const PATH = join(root, 'target', 'mutants', 'refused.json')

export class Refused {
  #digests
  #known

  /** `sources`: the texts of the files. A file that changed is compiled anew with all of its mutants. */
  constructor(sources) {
    const digest = text => createHash('sha256').update(text).digest('hex')
    this.#digests = new Map([...sources].map(([name, text]) => [name, digest(text)]))
    this.#known = new Set(existsSync(PATH) ? JSON.parse(readFileSync(PATH, 'utf8')) : [])
  }

  #name({ file, start, genre, replacement }) {
    return `${this.#digests.get(file)} ${start} ${genre} ${replacement}`
  }

  has(mutant) {
    return this.#known.has(this.#name(mutant))
  }

  add(mutants) {
    for (const mutant of mutants) this.#known.add(this.#name(mutant))
    writeFileSync(PATH, JSON.stringify([...this.#known]))
  }
}
