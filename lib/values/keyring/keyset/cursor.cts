// Reads JSON whose form is known, character by character.
//
// JSON.parse accepts repeated names and keeps the last, which Tink does not, and its errors show
// parts of the text. The reader skips no value, so the form limits the depth. As in Protocol
// Buffers' JSON, null means that a member is absent.
import { isInteger, join, positionOf, slice, toSpliced, unitAt } from '../../../cipher/base/builtins.cjs'
import { isWellFormed } from '../../../cipher/base/utf8.cjs'
import { invalidKeyset } from './errors.cjs'

const { fromCharCode } = String

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The characters after a backslash, and those that they mean. `u` is apart. */
const ESCAPES = '"\\/bfnrt'
const MEANINGS = '"\\/\b\f\n\r\t'

/** A member's name, and its other spelling. */
export type Name = readonly [camel: string, snake: string]

export class Cursor {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Reads an object. `member` reads the value of the name at that index, unless it is null. */
  object(place: string, names: readonly Name[], member: (index: number) => void): void {
    this.#expect(place, '{')
    let seen = 0
    for (let isFirst = true; !this.#word('}'); isFirst = false) {
      if (!isFirst) this.#expect(place, ',')
      const index = indexOf(names, this.string(place, 'have a name'))
      if (index < 0) throw this.#fault(place, 'has an unknown name')
      if ((seen & (1 << index)) !== 0) throw this.#fault(place, 'has a name twice')
      seen |= 1 << index
      this.#expect(place, ':')
      if (!this.#word('null')) member(index)
    }
  }

  array(place: string, element: (index: number) => void): void {
    this.#expect(place, '[')
    for (let i = 0; !this.#word(']'); i++) {
      if (i > 0) this.#expect(place, ',')
      element(i)
    }
  }

  string(place: string, must = 'be a string'): string {
    this.#space()
    const text = this.#text
    if (unitAt(text, this.#at) !== QUOTE) throw this.#fault(place, `must ${must}`)
    let start = ++this.#at
    let value = ''
    for (; ; this.#at++) {
      if (this.#at >= text.length) throw this.#fault(place, 'is cut off')
      const code = unitAt(text, this.#at)
      if (code === QUOTE) break
      if (code < 0x20) throw this.#fault(place, 'has a control character in a string')
      if (code !== BACKSLASH) continue
      value += slice(text, start, this.#at)
      value += this.#escape(place)
      start = this.#at + 1
    }
    value += slice(text, start, this.#at++)
    if (!isWellFormed(value)) throw this.#fault(place, 'has an unpaired surrogate')
    return value
  }

  /** A whole number from 0 to `most`, possibly as a string, as JSON's writers put large numbers. */
  number(place: string, most: number): number {
    const isString = this.#peek() === QUOTE
    const value = numberIn(isString ? this.string(place) : this.#run())
    if (value === undefined || value > most)
      throw this.#fault(place, `must be a whole number from 0 to ${most}`)
    return value
  }

  /** An enum value, by name or number. Name 0 is UNKNOWN_…, so the error does not suggest it. */
  choice(place: string, names: readonly string[], most = names.length - 1): number {
    if (this.#peek() !== QUOTE) return this.number(place, most)
    const index = positionOf(names, this.string(place))
    if (index < 0) throw this.#fault(place, `must be one of ${join(toSpliced(names, 0, 1), ', ')}`)
    return index
  }

  /** Refuses what comes after the value. */
  end(): void {
    this.#space()
    if (this.#at < this.#text.length) throw this.#fault('', 'has more text after its end')
  }

  /** The character after the backslash at the position. Stops at its last character. */
  #escape(place: string): string {
    const text = this.#text
    const code = unitAt(text, ++this.#at)
    for (let i = 0; i < ESCAPES.length; i++) {
      if (unitAt(ESCAPES, i) === code) return slice(MEANINGS, i, i + 1)
    }
    let value = code === 0x75 ? 0 : -1
    for (let i = 0; i < 4 && value >= 0; i++) {
      const digit = hexDigit(unitAt(text, ++this.#at))
      value = digit < 0 ? -1 : value * 16 + digit
    }
    if (value < 0) throw this.#fault(place, 'has an invalid escape')
    return fromCharCode(value)
  }

  /** The characters up to the next that does not belong to a number. */
  #run(): string {
    const start = this.#at
    for (; this.#at < this.#text.length; this.#at++) {
      const code = unitAt(this.#text, this.#at)
      const isDigit = code >= 0x30 && code <= 0x39
      // + - . E e
      if (!isDigit && code !== 0x2b && code !== 0x2d && code !== 0x2e && (code | 0x20) !== 0x65) break
    }
    return slice(this.#text, start, this.#at)
  }

  #peek(): number {
    return unitAt(this.#text, this.#at)
  }

  #space(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const code = unitAt(this.#text, this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    }
  }

  /** Goes past a word, if it comes next. */
  #word(word: string): boolean {
    this.#space()
    if (slice(this.#text, this.#at, this.#at + word.length) !== word) return false
    this.#at += word.length
    return true
  }

  #expect(place: string, mark: string): void {
    if (!this.#word(mark)) throw this.#fault(place, `must have ${mark}`)
  }

  #fault(place: string, what: string): Error {
    return invalidKeyset(place, `${what}, at character ${this.#at} of the text`)
  }
}

function indexOf(names: readonly Name[], name: string): number {
  for (let i = 0; i < names.length; i++) {
    // Not destructured, which would use the iterator of arrays.
    const spellings = names[i] as Name
    if (name === spellings[0] || name === spellings[1]) return i
  }
  return -1
}

/** The value of a hex digit, or -1, even for NaN: the code past the end of a text. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = (code | 0x20) - 0x61
  return letter >= 0 && letter < 6 ? letter + 10 : -1
}

/** Limits within which a double is exact: digits, and digits of the exponent. */
const MAX_DIGITS = 15
const MAX_EXPONENT_DIGITS = 2

/** A whole number in JSON's notation, with a zero fraction or an exponent: 1, 1.0, 10e-1. */
function numberIn(text: string): number | undefined {
  let at = 0
  const take = (...codes: readonly number[]) => {
    const isNext = positionOf(codes, unitAt(text, at)) >= 0
    if (isNext) at++
    return isNext
  }
  const digits = () => {
    const start = at
    while (unitAt(text, at) >= 0x30 && unitAt(text, at) <= 0x39) at++
    return at - start
  }
  take(0x2d) // -
  const first = at
  const whole = digits()
  const fraction = take(0x2e) ? digits() : undefined // .
  let exponent: number | undefined
  if (take(0x45, 0x65)) {
    take(0x2b, 0x2d)
    exponent = digits()
  }
  const hasZero = whole > 1 && unitAt(text, first) === 0x30
  if (at < text.length || whole === 0 || hasZero || fraction === 0 || exponent === 0) return undefined
  if (whole + (fraction ?? 0) > MAX_DIGITS || (exponent ?? 0) > MAX_EXPONENT_DIGITS) return undefined
  const value = +text
  // The sum makes 0 of -0.
  return isInteger(value) && value >= 0 ? value + 0 : undefined
}
