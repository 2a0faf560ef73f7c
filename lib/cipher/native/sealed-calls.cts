// The short way into native code for sealed values. These calls have arguments for what is new each
// time; key and prefix are on the slate (slate.cts). From the first of their words until native
// code has read them, no function of JavaScript is entered. Of their refusals only the reason
// counts: the call at length says which argument it is.
import type { SealingNumbers, ShortWay } from './binding.cjs'

// Positions in the array. The others are in slate.cts.
const KEY_LOW = 2
const KEY_HIGH = 3
/** The prefix of the key's values: its lower 32 bits, and the others. */
const PREFIX_LOW = 4
const PREFIX_HIGH = 5

/** Undefined before loading, and where there is no short way. */
let words: Int32Array | undefined
let sealInto: ShortWay['sealIntoShortly']
let openInto: ShortWay['openIntoShortly']
let sealText: ShortWay['sealTextShortly']
let openText: ShortWay['openTextShortly']
let openBytes: ShortWay['openBytesShortly']

/** Takes the short way, where there is one. */
export function openSealedCalls(short: ShortWay): void {
  words = short.words
  sealInto = short.sealIntoShortly
  openInto = short.openIntoShortly
  sealText = short.sealTextShortly
  openText = short.openTextShortly
  openBytes = short.openBytesShortly
}

/** Whether the calls below can do anything. */
export function hasShortWay(): boolean {
  return words !== undefined
}

/** Names the key and the prefix of the next call, which follows at once; false if there is none. */
function name({ low, high, prefixLow, prefixHigh }: SealingNumbers): boolean {
  const slate = words
  if (slate === undefined) return false
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[PREFIX_LOW] = prefixLow
  slate[PREFIX_HIGH] = prefixHigh
  return true
}

/** The bytes written. Any other value means that the call at length decides. */
export function sealShortly(
  numbers: SealingNumbers,
  target: unknown,
  plaintext: unknown,
  aad: unknown,
): number {
  if (!name(numbers)) return -1
  return aad === undefined ? sealInto(target, plaintext) : sealInto(target, plaintext, aad)
}

/** The bytes written, or a refusal. Unless it is a forgery, the call at length decides. */
export function openShortly(numbers: SealingNumbers, target: unknown, sealed: unknown, aad: unknown): number {
  if (!name(numbers)) return -1
  return aad === undefined ? openInto(target, sealed) : openInto(target, sealed, aad)
}

/** The sealed text. Any other value means that the call at length decides. */
export function sealTextShortly(numbers: SealingNumbers, text: unknown, aad: unknown): string | number {
  if (!(aad === undefined || typeof aad === 'string') || !name(numbers)) return -1
  return aad === undefined ? sealText(text) : sealText(text, aad)
}

/**
 * The text, or a refusal. Unless it is a forgery, the call at length decides. The text of another
 * prefix is refused, but not as a forgery.
 */
export function openTextShortly(numbers: SealingNumbers, sealed: unknown, aad: unknown): string | number {
  if (!(aad === undefined || typeof aad === 'string') || !name(numbers)) return -1
  return aad === undefined ? openText(sealed) : openText(sealed, aad)
}

/** As `openTextShortly`, at a place (binding.cts). */
export function openTextAt(
  numbers: SealingNumbers,
  sealed: string,
  head: string,
  rowKey: string | null,
): string | number {
  if (!name(numbers)) return -1
  return rowKey === null ? openText(sealed, head) : openText(sealed, head, rowKey)
}

/** As `openTextAt`, for bytes: the number written to `target`, or a refusal. */
export function openBytesAt(
  numbers: SealingNumbers,
  target: Uint8Array,
  sealed: string,
  head: string,
  rowKey: string | null,
): number {
  if (!name(numbers)) return -1
  return rowKey === null ? openBytes(target, sealed, head) : openBytes(target, sealed, head, rowKey)
}
