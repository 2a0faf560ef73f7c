// A point in horcrux's text, `x|hex` or `hex|hex`, and in the binding's bytes: the elements x and
// y, 32 bytes each. An element's hex digits are those of its bytes.
import type { Buffer } from 'node:buffer'
import { indexOf, unitAt } from '../../cipher/base/builtins.cjs'
import { mustBe } from '../../cipher/base/errors.cjs'
import { withoutMark } from '../../cipher/base/utf8.cjs'
import { allocateOffHeap, bytesOver, wipe } from '../../cipher/base/views.cjs'
import { decodeHex, encodeHex } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { invalidShare } from './errors.cjs'
import { textOf, writeAscii } from './latin.cjs'
import { ELEMENT_BYTES } from './record.cjs'
import { reasonFor } from './refusal.cjs'

export const POINT_BYTES = 2 * ELEMENT_BYTES
/** Where a small number goes in an element: the last byte of its least significant word. */
const SMALL_AT = 7
const DIGITS = 2 * ELEMENT_BYTES

/** Whether a share's x is 64 random hex digits, or a decimal number. */
export type PointForm = 'compact' | 'random'

/** Writes the point of a text to its place in a set, and returns the form of the text. */
export function readPoint(set: Buffer<ArrayBuffer>, i: number, given: unknown): PointForm {
  if (typeof given !== 'string') throw mustBe(`shares[${i}]`, "a string in horcrux's text", given)
  const text = withoutMark(given)
  const bar = indexOf(text, '|')
  const form = bar === DIGITS ? 'random' : 'compact'
  const at = i * POINT_BYTES
  const x = bytesOver(set.buffer, at, ELEMENT_BYTES)
  const y = bytesOver(set.buffer, at + ELEMENT_BYTES, ELEMENT_BYTES)
  const fits = text.length === bar + 1 + DIGITS && readElement(y, text, bar + 1)
  const isPoint = fits && (form === 'random' ? readElement(x, text, 0) : readDecimal(x, text, bar))
  if (!isPoint) {
    throw invalidShare(
      i,
      "must be horcrux's text: x from 1 to 255 or 64 hex digits, a bar, and 64 hex digits",
    )
  }
  return form
}

/** The text of a point. */
export function textOfPoint(point: Uint8Array, form: PointForm): string {
  const memory = point.buffer as ArrayBuffer
  const at = point.byteOffset
  const y = hexOf(bytesOver(memory, at + ELEMENT_BYTES, ELEMENT_BYTES))
  const x = form === 'compact' ? point[SMALL_AT] : hexOf(bytesOver(memory, at, ELEMENT_BYTES))
  return `${x}|${y}`
}

/** The element of an x: a number from 1 to 255, or 64 hex digits. False for others. */
export function readX(x: Uint8Array, value: number | string): boolean {
  if (typeof value === 'string') return value.length === DIGITS && readElement(x, value, 0)
  x[SMALL_AT] = value
  return true
}

/** A number from 1 to 255, whose digits end at `end`. Accepts leading zeros, as horcrux does. */
function readDecimal(x: Uint8Array, text: string, end: number): boolean {
  let number = 0
  for (let i = 0; i < end; i++) {
    const digit = unitAt(text, i) - 0x30
    if (!(digit >= 0 && digit <= 9)) return false
    number = number * 10 + digit
    if (number > 255) return false
  }
  x[SMALL_AT] = number
  return number > 0
}

/** Reads 64 hex digits. */
function readElement(element: Uint8Array, text: string, from: number): boolean {
  const digits = allocateOffHeap(DIGITS)
  try {
    writeAscii(digits, text, from)
    const status = decodeHex(digits, element)
    if (!(status >= 0) && reasonFor(status) !== 'InvalidText') throw refusal(status, [])
    return status >= 0
  } finally {
    wipe(digits, 0)
  }
}

function hexOf(element: Uint8Array): string {
  const digits = allocateOffHeap(DIGITS)
  try {
    const status = encodeHex(element, digits)
    if (!(status >= 0)) throw refusal(status, [])
    return textOf(digits)
  } finally {
    wipe(digits, 0)
  }
}
