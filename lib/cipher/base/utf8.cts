// Strict UTF-8 in both directions: a replaced character would make two texts equal.
import { rethrowOverflow, slice, types, uncurried, unitAt, util } from './builtins.cjs'
import { copied, lengthOf } from './bytes.cjs'
import { notTextOrBytes, surrogate } from './errors.cjs'

const { isUint8Array } = types

const encoder = new util.TextEncoder()
const decoder = new util.TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encode: (encoder: object, text: string) => Uint8Array = uncurried(
  util.TextEncoder.prototype.encode as never,
)
const decode: (decoder: object, bytes: Uint8Array) => string = uncurried(
  util.TextDecoder.prototype.decode as never,
)
/** Whether a text has no surrogate without its partner. TypeScript's ES2022 lacks this method. */
export const isWellFormed: (text: string) => boolean = uncurried(
  (String.prototype as never as { isWellFormed: (this: string) => boolean }).isWellFormed,
)

/** A caller's text. Throws unless it is well-formed. */
export function wellFormed(name: string, text: string): string {
  if (isWellFormed(text)) return text
  throw surrogate(name)
}

/** The bytes of well-formed text. */
export function bytesOfText(text: string): Uint8Array {
  return encode(encoder, text)
}

/** The bytes of a caller's text, or a copy of a caller's bytes. */
export function bytesOfTextOrBytes(name: string, value: unknown): Uint8Array {
  if (typeof value === 'string') return bytesOfText(wellFormed(name, value))
  if (isUint8Array(value)) return copied(value, lengthOf(name, value))
  throw notTextOrBytes(name, value)
}

/** The text of bytes; undefined if they are not UTF-8. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return decode(decoder, bytes)
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}

/** A text without the byte order mark with which editors on Windows begin a file. */
export function withoutMark(text: string): string {
  return unitAt(text, 0) === 0xfeff ? slice(text, 1) : text
}
