// The layout of a hand-written format: text, with the parts of a message in braces.
// '{iv}:{tag}:{ct}' is an IV, a tag and a ciphertext separated by colons, each encoded alone;
// adjacent parts, as in '{iv}{tag}{ct}', are encoded together.
import type { Buffer } from 'node:buffer'
import { define, indexOf, join, positionOf, slice, unitAt } from '../../cipher/base/builtins.cjs'
import { fromEncoded } from '../../cipher/base/encoded.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { shown } from '../../cipher/base/parse.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { bytesOver } from '../../cipher/base/views.cjs'
import type { Parts } from './cipher.cjs'

const PARTS = ['iv', 'tag', 'ct', 'salt'] as const
/** Encodings of parts. `'mime'` is base64 with line breaks and spaces anywhere, as in RFC 2045. */
export const ENCODINGS = ['hex', 'base64', 'base64url', 'mime'] as const
export type PartEncoding = (typeof ENCODINGS)[number]
export type Part = (typeof PARTS)[number]

/** The bytes of the parts found in a text. */
export type Found = { [Name in Part]?: Uint8Array }

/** Lengths in bytes. An IV without one has 12 or 16, where the text shows where it ends. */
export interface Lengths {
  readonly iv: number | undefined
  readonly salt: number | undefined
}

/** Parts encoded together, and the text before them. */
interface Run {
  readonly before: string
  readonly parts: readonly Part[]
  /** Without one, the parts come as bytes alone. */
  readonly encoding: PartEncoding | undefined
}

export interface Layout {
  readonly runs: readonly Run[]
  /** The text after the last part. */
  readonly after: string
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='
const SPACES = ' \t\r\n'
const ALPHABETS = {
  hex: '0123456789abcdefABCDEF',
  base64: BASE64,
  mime: BASE64 + SPACES,
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=',
}

/** Reads a layout. `encoding` is that of parts which name none. */
export function layoutOf(name: string, layout: string, encoding: PartEncoding | undefined): Layout {
  const runs: Run[] = []
  let at = 0
  for (;;) {
    const open = indexOf(layout, '{', at)
    const text = slice(layout, at, open < 0 ? layout.length : open)
    if (indexOf(text, '}', 0) >= 0) throw wrong(name, "has a '}' without a '{'")
    checkSeparator(name, runs[runs.length - 1], text)
    if (open < 0) return checked({ runs, after: text })
    const { parts, encoding: own, end } = runAt(name, layout, open)
    define(runs, `${runs.length}`, { before: text, parts, encoding: own ?? encoding }, true)
    at = end
  }
}

/** Throws for parts without an encoding that have text around them: bytes have none. */
function checked(layout: Layout): Layout {
  for (let i = 0; i < layout.runs.length; i++) {
    if ((layout.runs[i] as Run).encoding === undefined && !isBare(layout))
      encodingOf('options.encoding', undefined, ENCODINGS)
  }
  return layout
}

/** Whether a layout consists of parts alone, so a value may contain them as bytes. */
export function isBare({ runs, after }: Layout): boolean {
  return runs.length === 1 && (runs[0] as Run).before === '' && after === ''
}

/** The parts side by side from a brace on, the encoding that they name, and where they end. */
function runAt(
  name: string,
  layout: string,
  open: number,
): { parts: readonly Part[]; encoding: PartEncoding | undefined; end: number } {
  const parts: Part[] = []
  let encoding: PartEncoding | undefined
  let at = open
  while (layout[at] === '{') {
    const close = indexOf(layout, '}', at)
    if (close < 0) throw wrong(name, "has a '{' without a '}'")
    const inside = slice(layout, at + 1, close)
    const colon = indexOf(inside, ':', 0)
    const part = oneOf(name, PARTS, colon < 0 ? inside : slice(inside, 0, colon))
    const own = colon < 0 ? undefined : oneOf(name, ENCODINGS, slice(inside, colon + 1))
    if (parts.length > 0 && own !== encoding)
      throw wrong(name, 'has parts side by side, which are encoded together, with different encodings')
    encoding = own
    define(parts, `${parts.length}`, part, true)
    at = close + 1
  }
  return { parts, encoding, end: at }
}

/** Throws if the text after a part could belong to it, so its end could not be found. */
function checkSeparator(name: string, run: Run | undefined, text: string): void {
  if (run?.encoding === undefined || text === '') return
  if (indexOf(ALPHABETS[run.encoding], text[0] as string, 0) < 0) return
  throw wrong(
    name,
    `has ${shown(text)} after a part in ${run.encoding}, which may contain '${text[0]}' itself`,
  )
}

function oneOf<Name extends string>(name: string, names: readonly Name[], given: string): Name {
  if (positionOf(names, given) >= 0) return given as Name
  throw wrong(name, `has ${shown(given)} in braces, where one of '${join(names, "', '")}' is known`)
}

/** How a text of one layout is cut into its parts. */
export function partsBy(layout: Layout, lengths: Lengths): (text: string) => Parts | undefined {
  return text => {
    const found = { __proto__: null } as Found
    return read(layout, text, lengths, found) ? complete(found) : undefined
  }
}

/** The parts of a message, if all of them were found. */
export function complete({ iv, tag, ct, salt }: Found): Parts | undefined {
  if (iv === undefined || tag === undefined || ct === undefined) return undefined
  return { iv, tag, ciphertext: ct, salt }
}

/** The parts of a text of this layout, put into `found`; false if the text has another layout. */
export function read({ runs, after }: Layout, text: string, lengths: Lengths, found: Found): boolean {
  let at = 0
  for (let i = 0; i < runs.length; i++) {
    const run = runs[i] as Run
    if (!isAt(text, run.before, at)) return false
    const start = at + run.before.length
    const next = i + 1 < runs.length ? (runs[i + 1] as Run).before : after
    at = next === '' ? text.length : indexOf(text, next, start)
    const bytes = at < 0 ? undefined : bytesIn(slice(text, start, at), run.encoding)
    if (bytes === undefined || !readRun(run, bytes, lengths, found)) return false
  }
  return slice(text, at) === after
}

function isAt(text: string, part: string, at: number): boolean {
  return slice(text, at, at + part.length) === part
}

/** Fills `found` with the parts in bytes; false for other lengths. Only for bare layouts. */
export function readBytes(layout: Layout, bytes: Buffer, lengths: Lengths, found: Found): boolean {
  return readRun(layout.runs[0] as Run, bytes, lengths, found)
}

/** The bytes of a text in an encoding; undefined for another text. */
export function bytesIn(text: string, encoding: PartEncoding | undefined): Buffer | undefined {
  if (encoding === undefined) return undefined
  return encoding === 'mime' ? fromEncoded(withoutSpaces(text), 'base64') : fromEncoded(text, encoding)
}

function withoutSpaces(text: string): string {
  let rest = ''
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const unit = unitAt(text, i)
    if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0d && unit !== 0x0a) continue
    rest += slice(text, start, i)
    start = i + 1
  }
  return rest + slice(text, start)
}

/** Cuts the bytes of a run into its parts. One of them has the length that the others leave. */
function readRun({ parts }: Run, bytes: Buffer, lengths: Lengths, found: Found): boolean {
  const open = openPart(parts, lengths)
  let rest = bytes.length
  for (let i = 0; i < parts.length; i++) if (parts[i] !== open) rest -= lengthOf(parts[i] as Part, lengths)
  if (open === undefined ? rest !== 0 : rest < 0) return false
  if (open === 'iv' && rest !== 12 && rest !== 16) return false
  let start = bytes.byteOffset
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as Part
    const length = part === open ? rest : lengthOf(part, lengths)
    found[part] = bytesOver(bytes.buffer as ArrayBuffer, start, length)
    start += length
  }
  return true
}

/** The part of a run whose length differs from text to text. */
export function openPart(parts: readonly Part[], lengths: Lengths): Part | undefined {
  if (positionOf(parts, 'ct') >= 0) return 'ct'
  return positionOf(parts, 'iv') >= 0 && lengths.iv === undefined ? 'iv' : undefined
}

function lengthOf(part: Part, { iv = 0, salt = 0 }: Lengths): number {
  if (part === 'tag') return TAG_BYTES
  return part === 'iv' ? iv : salt
}

/** The encoding that a caller names. */
export function encodingOf<Name extends string>(name: string, value: unknown, names: readonly Name[]): Name {
  if (positionOf(names, value) >= 0) return value as Name
  throw wrong(name, `must be one of '${join(names, "', '")}', got ${shown(value)}`)
}

/** The error of a layout. */
export function wrong(name: string, what: string): Error {
  return wrongValue(`"${name}" ${what}`)
}
