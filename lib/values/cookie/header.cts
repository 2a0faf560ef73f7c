// The header `Cookie` of a request, which an attacker writes: each look reads it once, and builds
// no object of its names.
import { define, uncurried, unitAt } from '../../cipher/base/builtins.cjs'

const indexOf: (text: string, part: string, from?: number) => number = uncurried(String.prototype.indexOf)
const startsWith: (text: string, start: string) => boolean = uncurried(String.prototype.startsWith)
const slice: (text: string, start: number, end?: number) => string = uncurried(String.prototype.slice)

const [TAB, SPACE, QUOTE, EQUALS] = [0x09, 0x20, 0x22, 0x3d] as const
/**
 * Most values of one name that are tried. A browser sends several for different paths and domains,
 * and another host of the site may have set one of them.
 */
const MAX_VALUES = 4
/** Most combinations of parts that are tried: three tossed parts. */
const MAX_JOINED = 8

/**
 * The first values of a cookie's name that begin with `mark`, in the order of the header. Others do
 * not count, however many there are.
 */
export function valuesOf(header: string, name: string, mark = ''): readonly string[] {
  let values: string[] = []
  // Most headers have one cookie of the name, or none: `define` costs more than all the rest.
  if (indexOf(header, name) < 0) return values
  for (let start = 0; start < header.length && values.length < MAX_VALUES; ) {
    const found = indexOf(header, ';', start)
    const end = found < 0 ? header.length : found
    const from = afterBlanks(header, start, end)
    const equals = from + name.length
    if (equals < end && unitAt(header, equals) === EQUALS && slice(header, from, equals) === name) {
      const value = valueIn(header, equals + 1, end)
      if (mark === '' || startsWith(value, mark)) {
        if (values.length === 0) values = [value]
        else define(values, `${values.length}`, value, true)
      }
    }
    start = end + 1
  }
  return values
}

/** A value without the blanks around it and the quotes that some programs add. */
function valueIn(header: string, start: number, end: number): string {
  const from = afterBlanks(header, start, end)
  let to = end
  while (to > from && isBlank(unitAt(header, to - 1))) to--
  const isQuoted = to - from >= 2 && unitAt(header, from) === QUOTE && unitAt(header, to - 1) === QUOTE
  return isQuoted ? slice(header, from + 1, to - 1) : slice(header, from, to)
}

function afterBlanks(header: string, start: number, end: number): number {
  let at = start
  while (at < end && isBlank(unitAt(header, at))) at++
  return at
}

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB
}

/**
 * The values in parts `name.0`, `name.1`, …, as other programs split a long one; at most `most`
 * parts. They have no mark: where another host tossed one, each combination is a value.
 */
export function joinedValues(header: string, name: string, most: number): readonly string[] {
  let joined: string[] = []
  for (let i = 0; i < most; i++) {
    const parts = valuesOf(header, `${name}.${i}`)
    if (parts.length === 0) break
    joined = i === 0 ? (parts as string[]) : combined(joined, parts)
  }
  return joined
}

function combined(starts: readonly string[], ends: readonly string[]): string[] {
  const texts: string[] = []
  for (let i = 0; i < starts.length; i++)
    for (let k = 0; k < ends.length && texts.length < MAX_JOINED; k++)
      define(texts, `${texts.length}`, `${starts[i]}${ends[k]}`, true)
  return texts
}
