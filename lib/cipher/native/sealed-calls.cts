// The short way into native code for sealed values. These calls have arguments for what is new each
// time; key and prefix are on the slate (slate.cts). From the first of their words until native
// code has read them, no function of JavaScript is entered. Of their refusals only the reason
// counts: the call at length says which argument it is.
import type { SealingNumbers, ShortWay } from './binding.cjs'

// Positions in the array. Those between are in slate.cts.
const KEY_LOW = 2
const KEY_HIGH = 3
/** The prefix of the key's values: its lower 32 bits, and the others. */
const PREFIX_LOW = 12
const PREFIX_HIGH = 13
/** The length of a prefix. */
const SKIP = 14

/** The array; undefined before loading, and where there is no short way. */
let words: Int32Array | undefined
let sealInto: ShortWay['sealIntoShortly']
let openInto: ShortWay['openIntoShortly']
let sealText: ShortWay['sealTextShortly']
let openText: ShortWay['openTextShortly']
let openTextOf: ShortWay['openTextAt']
let openBytesOf: ShortWay['openBytesAt']

/** Takes the short way, where there is one. */
export function openSealedCalls(short: ShortWay): void {
  words = short.words
  sealInto = short.sealIntoShortly
  openInto = short.openIntoShortly
  sealText = short.sealTextShortly
  openText = short.openTextShortly
  openTextOf = short.openTextAt
  openBytesOf = short.openBytesAt
}

/** Whether the calls below can do anything. */
export function hasShortWay(): boolean {
  return words !== undefined
}

/** The bytes written. Any other value means that the call at length decides. */
export function sealShortly(
  { low, high, prefixLow, prefixHigh }: SealingNumbers,
  target: unknown,
  plaintext: unknown,
  aad: unknown,
): number {
  const slate = words
  if (slate === undefined) return -1
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[PREFIX_LOW] = prefixLow
  slate[PREFIX_HIGH] = prefixHigh
  return aad === undefined ? sealInto(target, plaintext) : sealInto(target, plaintext, aad)
}

/** The bytes written, or a refusal. Unless it is a forgery, the call at length decides. */
export function openShortly(
  { low, high }: SealingNumbers,
  skip: number,
  target: unknown,
  sealed: unknown,
  aad: unknown,
): number {
  const slate = words
  if (slate === undefined) return -1
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[SKIP] = skip
  return aad === undefined ? openInto(target, sealed) : openInto(target, sealed, aad)
}

/** The sealed text. Any other value means that the call at length decides. */
export function sealTextShortly(
  { low, high, prefixLow, prefixHigh }: SealingNumbers,
  text: unknown,
  aad: unknown,
): string | number {
  const slate = words
  if (slate === undefined || !(aad === undefined || typeof aad === 'string')) return -1
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[PREFIX_LOW] = prefixLow
  slate[PREFIX_HIGH] = prefixHigh
  return aad === undefined ? sealText(text) : sealText(text, aad)
}

/**
 * The text, or a refusal. Unless it is a forgery, the call at length decides. The text of another
 * prefix is refused, but not as a forgery.
 */
export function openTextShortly(
  { low, high, prefixLow, prefixHigh }: SealingNumbers,
  sealed: unknown,
  aad: unknown,
): string | number {
  const slate = words
  if (slate === undefined || !(aad === undefined || typeof aad === 'string')) return -1
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[PREFIX_LOW] = prefixLow
  slate[PREFIX_HIGH] = prefixHigh
  return aad === undefined ? openText(sealed) : openText(sealed, aad)
}

/** As `openTextShortly`, at a place (binding.cts). */
export function openTextAt(
  { low, high, prefixLow, prefixHigh }: SealingNumbers,
  sealed: string,
  head: string,
  rowKey: string | null,
): string | number {
  const slate = words
  if (slate === undefined) return -1
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[PREFIX_LOW] = prefixLow
  slate[PREFIX_HIGH] = prefixHigh
  return rowKey === null ? openTextOf(sealed, head) : openTextOf(sealed, head, rowKey)
}

/** As `openTextAt`, for bytes: the number written to `target`, or a refusal. */
export function openBytesAt(
  { low, high, prefixLow, prefixHigh }: SealingNumbers,
  target: Uint8Array,
  sealed: string,
  head: string,
  rowKey: string | null,
): number {
  const slate = words
  if (slate === undefined) return -1
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[PREFIX_LOW] = prefixLow
  slate[PREFIX_HIGH] = prefixHigh
  return rowKey === null ? openBytesOf(target, sealed, head) : openBytesOf(target, sealed, head, rowKey)
}
