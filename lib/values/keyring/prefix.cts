// The prefix of a sealed value, read without opening it: the version and the id of its key,
// `version(1) ‖ id(4, big-endian)`. As a number, the version is its highest byte.
import { define, floor, unitAt } from '../../cipher/base/builtins.cjs'
import { byteLength } from '../../cipher/base/views.cjs'

/** Bytes of a prefix. */
export const PREFIX_BYTES = 5
/** Tells the raw functions to write no prefix. Too large to be a prefix, so it equals none. */
export const NO_PREFIX = 2 ** 40
/** The number of a value too short for a prefix, or not base64url. */
const MALFORMED = -1
/** Of a prefix that `markIn` finds in no pair. */
export const NO_MARK = -1

/** The value of each character of base64url by its code, 64 for other characters. */
const VALUES = new Uint8Array(128).fill(64)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i

/** The prefix of a version and an id. */
export function prefixOf(version: 0 | 1, id: number): number {
  return version * 2 ** 32 + id
}

/** A sealed value's prefix, in a string by its first seven characters. -1 if there is none. */
export function prefixIn(sealed: string | Uint8Array): number {
  return typeof sealed === 'string' ? prefixInText(sealed) : prefixInBytes(sealed)
}

export function prefixInBytes(sealed: Uint8Array): number {
  if (byteLength(sealed) < PREFIX_BYTES) return MALFORMED
  const id =
    (byteAt(sealed, 1) << 24) | (byteAt(sealed, 2) << 16) | (byteAt(sealed, 3) << 8) | byteAt(sealed, 4)
  return byteAt(sealed, 0) * 2 ** 32 + (id >>> 0)
}

// An element of a Uint8Array, which no property can replace.
function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number
}

/** `pair` is the text's pair, for a caller that has read it. */
export function prefixInText(sealed: string, pair: number = pairIn(sealed)): number {
  // 30 bits of the first five characters, and ten of the pair.
  let bits = 0
  let wrong = pair | (pair >> 8)
  for (let i = 0; i < 5; i++) {
    const value = valueAt(sealed, i)
    wrong |= value
    bits = (bits << 6) | (value & 63)
  }
  return (wrong & 64) === 0 ? bits * 2 ** 10 + (((pair >> 8) << 4) | ((pair & 63) >> 2)) : MALFORMED
}

/** The values of the last two characters that have bits of the id, a byte each. */
export function pairIn(text: string): number {
  return (valueAt(text, 5) << 8) | valueAt(text, 6)
}

/** The mark of a text with this pair. Texts of several prefixes have it, and others. */
export function markIn(pair: number): number {
  return pair >> 2
}

/** The mark of the texts of a prefix, from the ten lowest bits of the id. */
export function markOf(prefix: number): number {
  return prefix < NO_PREFIX ? ((prefix & 0x3f0) << 2) | (prefix & 15) : NO_MARK
}

/** 64 if the character is missing, or not in the alphabet. */
function valueAt(text: string, at: number): number {
  return VALUES[unitAt(text, at)] ?? 64
}

/** Whether a character is a digit of base64url. */
export function isDigit(code: number): boolean {
  return digitOf(code) < 64
}

/** The value of a character of base64url; 64 for other characters. */
export function digitOf(code: number): number {
  return VALUES[code] ?? 64
}

/** The first byte in base64url, from two characters. Meaningless outside the alphabet. */
export function firstByteOf(one: number, two: number): number {
  return (digitOf(one) << 2) | (digitOf(two) >> 4)
}

/** The first six characters of every text with this prefix: version and 28 bits of the id. */
export function textPrefixOf(prefix: number): string {
  let text = ''
  for (let place = 34; place >= 4; place -= 6) text += ALPHABET[floor(prefix / 2 ** place) % 64]
  return text
}

/**
 * The beginnings of seven characters that texts of version 1 with this id have, and no others: the
 * last one has four bits of the id and two of the nonce.
 */
export function textStartsOf(id: number): readonly string[] {
  const starts: string[] = []
  const prefix = prefixOf(1, id)
  const text = textPrefixOf(prefix)
  for (let nonce = 0; nonce < 4; nonce++)
    define(starts, `${nonce}`, text + ALPHABET[(prefix % 16) * 4 + nonce], true)
  return starts
}
