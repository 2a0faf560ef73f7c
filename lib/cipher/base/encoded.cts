// Text as bytes, strictly: one text per value. `Buffer.from` skips unknown characters, so many
// texts decode to the same bytes; these functions refuse such texts.
import type { Buffer } from 'node:buffer'
import { buffer, define, floor, indexOf, slice, toLowerCase, uncurried } from './builtins.cjs'
import { wipe } from './views.cjs'

export type TextEncoding = 'hex' | 'base64' | 'base64url'

const { from } = buffer.Buffer
const toText: (bytes: Uint8Array, encoding: TextEncoding, start?: number, end?: number) => string = uncurried(
  buffer.Buffer.prototype.toString as never,
)
const repeat: (text: string, count: number) => string = uncurried(String.prototype.repeat)

/** Base64url without padding of the bytes from `start` to `end`. */
export function base64url(bytes: Buffer, start?: number, end?: number): string {
  return toText(bytes, 'base64url', start, end)
}

/** The text of the bytes from `start` to `end` in an encoding. */
export function textIn(bytes: Uint8Array, encoding: TextEncoding, start: number, end: number): string {
  return toText(bytes, encoding, start, end)
}

/** Hex of the bytes from `start` to `end`, in small letters. */
export function hexOf(bytes: Buffer, start: number, end: number): string {
  return toText(bytes, 'hex', start, end)
}

/** The bytes of a base64url text without padding; undefined for every other text. */
export function fromBase64url(text: string): Buffer | undefined {
  const bytes = from(text, 'base64url')
  return toText(bytes, 'base64url') === text ? bytes : undefined
}

/** How many bytes a base64url text of so many characters has. */
export function bytesOfBase64url(characters: number): number {
  return floor((characters * 3) / 4)
}

/**
 * The bytes of a text in `encoding`, or undefined. Hex digits may be capitals; base64 and base64url
 * may have their padding or omit it. The rest is strict: the alphabet, the length, and spare bits,
 * which are zero.
 */
export function fromEncoded(text: string, encoding: TextEncoding): Buffer | undefined {
  const bytes = from(text, encoding)
  if (isEncoded(text, encoding, bytes)) return bytes
  wipe(bytes, 0)
  return undefined
}

function isEncoded(text: string, encoding: TextEncoding, bytes: Buffer): boolean {
  const canonical = toText(bytes, encoding)
  if (encoding === 'hex') return canonical === toLowerCase(text)
  const padding = (3 - (bytes.length % 3)) % 3
  const bare = encoding === 'base64' ? slice(canonical, 0, canonical.length - padding) : canonical
  return text === bare || text === `${bare}${repeat('=', padding)}`
}

/** The bytes of ASCII text, in memory shared with other Buffers: not for secrets. */
export function ascii(text: string): Buffer {
  return from(text, 'latin1')
}

/** The parts of a text between separators; undefined unless there are as many as `count`. */
export function partsOf(text: string, separator: string, count: number): readonly string[] | undefined {
  const parts: string[] = []
  let start = 0
  for (let i = 1; i < count; i++) {
    const end = indexOf(text, separator, start)
    if (end < 0) return undefined
    define(parts, `${i - 1}`, slice(text, start, end), true)
    start = end + separator.length
  }
  if (indexOf(text, separator, start) >= 0) return undefined
  define(parts, `${count - 1}`, slice(text, start), true)
  return parts
}
