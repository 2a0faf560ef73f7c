// The names of declared columns, and the properties of rows that are other spellings of them.
//
// Most databases ignore the case of names, and libraries translate between firstName and
// first_name. A row with such a spelling would have its clear text stored in the declared column.
import { define, getterOf, positionOf, uncurried } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { type RowName, shownRow } from './row-name.cjs'

const Texts = Map<string, string>
const get: (map: Map<string, string>, name: string) => string | undefined = uncurried(Texts.prototype.get)
const set: (map: Map<string, string>, name: string, value: string) => unknown = uncurried(Texts.prototype.set)
const sizeOf = getterOf<Map<string, string>, number>(Texts.prototype, 'size')
const toLowerCase: (text: string) => string = uncurried(String.prototype.toLowerCase)

/** Most names of properties whose answer is kept. Rows may have any names. */
const KEPT = 1000

export class Names {
  /** Declared names by their folds. */
  readonly #byFold = new Texts()
  /**
   * By property of a row: the declared name that it misspells, itself if it is a known one, or ''.
   * Kept, since rows repeat.
   */
  readonly #answers = new Texts()
  /** The names of a row without misspelt ones. Most rows have those of the row before. */
  #last: readonly string[] = []
  #others: readonly string[] = []
  /** Whether these include every needed one; undefined if not checked. */
  #isWhole: boolean | undefined
  readonly #needed: readonly string[]

  /** `needed`: the names that a whole row has. */
  constructor(needed: readonly string[]) {
    this.#needed = needed
    for (let i = 0; i < needed.length; i++) this.#know(needed[i] as string)
  }

  /** The names of the row that was checked last which are none of the declaration. */
  get others(): readonly string[] {
    return this.#others
  }

  /** Whether the row that was checked last is known to be whole. */
  get isWhole(): boolean {
    return this.#isWhole === true
  }

  /** Whether these are the names of the row that was checked last, and it is whole. */
  isWholeAgain(names: readonly string[]): boolean {
    return this.#isWhole === true && areSame(names, this.#last)
  }

  /** Adds a declared name. `argument` is where it was declared. */
  add(argument: string, name: string): void {
    this.refuseTaken(argument, name)
    set(this.#byFold, foldOf(name), name)
    this.#know(name)
  }

  /** Takes an undeclared name out of the others of every row. */
  pass(argument: string, name: string): void {
    this.refuseTaken(argument, name)
    this.#know(name)
  }

  /** Whether a name is declared, that of a part of the key, or one to pass. */
  knows(name: string): boolean {
    return get(this.#answers, name) === name
  }

  #know(name: string): void {
    set(this.#answers, name, name)
  }

  /** Refuses a name that a declared one cannot be told from. */
  refuseTaken(argument: string, name: string): void {
    const taken = get(this.#byFold, foldOf(name))
    if (taken === undefined) return
    throw wrongValue(
      `"${argument}" is '${name}', which another column has: '${taken}' (case, '_' and '-' do not count)`,
    )
  }

  /**
   * Refuses a row that has, among its names, another spelling of a declared one. `argument` names
   * the row.
   */
  check(argument: RowName, names: readonly string[]): void {
    if (areSame(names, this.#last)) {
      // Only for a row that repeats the one before, since looking would slow down a mixed list.
      this.#isWhole ??= hasAll(names, this.#needed)
      return
    }
    const others: string[] = []
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string
      const declared = this.#nearTo(name)
      if (declared === name) continue
      if (declared === '') {
        define(others, `${others.length}`, name, true)
        continue
      }
      throw wrongValue(
        `"${shownRow(argument)}" has '${name}', and the declared column is '${declared}': name it as declared`,
      )
    }
    this.#last = names
    this.#others = others
    this.#isWhole = undefined
  }

  /** The declared name that a property is another spelling of, itself if it is known, or ''. */
  #nearTo(property: string): string {
    const answer = get(this.#answers, property)
    if (answer !== undefined) return answer
    const declared = get(this.#byFold, foldOf(property)) ?? ''
    if (sizeOf(this.#answers) < KEPT) set(this.#answers, property, declared)
    return declared
  }
}

function hasAll(names: readonly string[], needed: readonly string[]): boolean {
  if (names.length < needed.length) return false
  for (let i = 0; i < needed.length; i++) if (positionOf(names, needed[i]) < 0) return false
  return true
}

function areSame(names: readonly string[], others: readonly string[]): boolean {
  if (names.length !== others.length) return false
  for (let i = 0; i < names.length; i++) if (names[i] !== others[i]) return false
  return true
}

/** A name without case, `_` and `-`. */
function foldOf(name: string): string {
  let fold = ''
  for (let i = 0; i < name.length; i++) {
    const letter = name[i] as string
    if (letter !== '_' && letter !== '-') fold += letter
  }
  return toLowerCase(fold)
}
