// The test files that killed mutants in this run: they are tried first on mutants of the same function, then of the same file.

/** How many test files are remembered for a function or a file. */
const MOST = 4

export class Killers {
  /** Names of test files, the last one to kill first, by function and by file. */
  #names = new Map()

  add({ file, within }, name) {
    for (const place of [`${file} ${within}`, file]) {
      const others = (this.#names.get(place) ?? []).filter(other => other !== name)
      this.#names.set(place, [name, ...others].slice(0, MOST))
    }
  }

  near({ file, within }) {
    const places = [`${file} ${within}`, file]
    return [...new Set(places.flatMap(place => this.#names.get(place) ?? []))]
  }
}
