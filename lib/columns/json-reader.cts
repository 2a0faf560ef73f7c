// Parses the JSON of many rows. Most rows of a table have the same members, and an object with the
// members of the one before takes half the time of JSON.parse.
import { define, keys as namesOf, parseJson, uncurried, unitAt } from '../base/builtins.cjs'
import { isList } from '../base/lists.cjs'
import { decimalIn } from './number.cjs'

const { stringify } = JSON
const slice: (text: string, start: number, end: number) => string = uncurried(String.prototype.slice)

/** V8 keeps all of a text alive for a part of it, so longer ones are left to JSON.parse. */
const MOST_CHARACTERS = 1000
/** How many times the members of another object are learnt. */
const MOST_SHAPES = 4
/** How many more texts may differ from the shape than are like it, before it is not tried again. */
const MOST_MISSES = 20

const [QUOTE, COMMA, BACKSLASH, OPEN, CLOSE, SPACE] = [0x22, 0x2c, 0x5c, 0x7b, 0x7d, 0x20]

export class JsonReader {
  #shape: Shape | undefined
  #shapes = 0
  /** Texts that differed from the shape, without those that were like it. */
  #misses = 0

  /** As JSON.parse, whatever the text. */
  read(text: string): unknown {
    if (this.#misses > MOST_MISSES || text.length > MOST_CHARACTERS) return parseJson(text)
    const object = this.#shape === undefined ? undefined : objectIn(text, this.#shape)
    if (object !== undefined) {
      this.#misses--
      return object
    }
    this.#misses++
    const value: unknown = parseJson(text)
    if (this.#shapes < MOST_SHAPES && typeof value === 'object' && value !== null && !isList(value)) {
      this.#shapes++
      this.#shape = shapeOf(value, parseJson(text))
    }
    return value
  }
}

/** The members of an object. */
interface Shape {
  readonly names: readonly string[]
  /** The beginnings of members, such as `"city":`. */
  readonly beginnings: readonly string[]
  /** An object with these members, and no value of a row. */
  readonly empty: object
}

/** `spare` equals the object. */
function shapeOf(object: object, spare: Record<string, unknown>): Shape {
  const names = namesOf(object)
  const beginnings: string[] = []
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    define(beginnings, `${i}`, `${stringify(name)}:`, true)
    spare[name] = null
  }
  return { names, beginnings, empty: spare }
}

/**
 * The object of a text with exactly these members in this order, whose values are strings without
 * escapes, plain decimals, booleans or null, without space; undefined for every other text.
 */
function objectIn(text: string, { names, beginnings, empty }: Shape): object | undefined {
  if (unitAt(text, 0) !== OPEN) return undefined
  // The copy has all the members, so assigning them runs no setter of Object.prototype.
  const object: Record<string, unknown> = { ...empty }
  let at = 1
  for (let i = 0; i < names.length; i++) {
    const beginning = beginnings[i] as string
    for (let j = 0; j < beginning.length; j++)
      if (unitAt(text, at++) !== unitAt(beginning, j)) return undefined
    const isString = unitAt(text, at) === QUOTE
    const start = isString ? at + 1 : at
    const end = isString ? endOfString(text, start) : endOfOther(text, start)
    if (end < 0) return undefined
    const value = isString ? slice(text, start, end) : otherIn(text, start, end)
    if (value === undefined) return undefined
    object[names[i] as string] = value
    at = isString ? end + 1 : end
    if (unitAt(text, at++) !== (i === names.length - 1 ? CLOSE : COMMA)) return undefined
  }
  return at === text.length ? object : undefined
}

/** Where the quotation mark after a string without escapes is; -1 for other strings. */
function endOfString(text: string, start: number): number {
  for (let at = start; ; at++) {
    const unit = unitAt(text, at)
    if (unit === QUOTE) return at
    // Past the end, the unit is NaN.
    if (!(unit >= SPACE) || unit === BACKSLASH) return -1
  }
}

/** Where a number, a boolean or null ends; -1 if the text ends before. */
function endOfOther(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const unit = unitAt(text, at)
    if (unit === COMMA || unit === CLOSE) return at
  }
  return -1
}

function otherIn(text: string, start: number, end: number): number | boolean | null | undefined {
  const number = decimalIn(text, start, end)
  if (number !== undefined) return number
  switch (slice(text, start, end)) {
    case 'true':
      return true
    case 'false':
      return false
    case 'null':
      return null
    default:
      return undefined
  }
}
