// Keys as base64 or hex in texts, strictly. No branch is on the value of a single character.
import type { Buffer } from 'node:buffer'
import { buffer, floor, uncurried, unitAt } from '../../../cipher/base/builtins.cjs'
import { allocateOffHeap, wipe } from '../../../cipher/base/views.cjs'
import { invalidKeyset } from './errors.cjs'

/** The unit of a text at a position; NaN outside of it. */
const textOf: (bytes: Uint8Array, encoding: 'base64') => string = uncurried(
  buffer.Buffer.prototype.toString as never,
)

const EQUALS = 0x3d

export function encodeBase64(bytes: Uint8Array): string {
  return textOf(bytes, 'base64')
}

/** The bytes of a text as `fromBase64` reads it. The caller wipes the bytes. */
export function decodeBase64(place: string, text: string): Buffer<ArrayBuffer> {
  const bytes = fromBase64(text.length, at => unitAt(text, at))
  if (bytes !== undefined) return bytes
  const what = 'must be base64 or base64url, with its whole padding or without any'
  throw invalidKeyset(place, what)
}

/**
 * The bytes of base64 or base64url, not mixed, with whole padding or none; undefined for anything
 * else. Bits after the last byte must be 0. `codeAt` returns the code of each of `length`
 * characters. The caller wipes the bytes.
 */
export function fromBase64(length: number, codeAt: (at: number) => number): Buffer<ArrayBuffer> | undefined {
  let digits = length
  if (length % 4 === 0) {
    // An equals sign before another character stays among the digits, and is refused as none.
    if (codeAt(length - 1) === EQUALS) digits--
    if (codeAt(length - 2) === EQUALS) digits--
  }
  if (digits % 4 === 1) return undefined
  const bytes = allocateOffHeap(floor((digits * 3) / 4))
  // Branch-free flags: all ones while all are digits; all ones once + / (or - _) was seen.
  let isDigits = -1
  let isStandard = 0
  let isUrl = 0
  let bits = 0
  for (let i = 0, to = 0; i < digits; i++) {
    const code = codeAt(i)
    const standard = within(code, 0x2b, 0x2b) | within(code, 0x2f, 0x2f) // + /
    const url = within(code, 0x2d, 0x2d) | within(code, 0x5f, 0x5f) // - _
    const upper = within(code, 0x41, 0x5a)
    const lower = within(code, 0x61, 0x7a)
    const decimal = within(code, 0x30, 0x39)
    const last = within(code, 0x2f, 0x2f) | within(code, 0x5f, 0x5f)
    isDigits &= standard | url | upper | lower | decimal
    isStandard |= standard
    isUrl |= url
    const digit =
      (upper & (code - 0x41)) |
      (lower & (code - 0x47)) |
      (decimal & (code + 4)) |
      ((standard | url) & (62 | (last & 1)))
    bits = ((bits << 6) | digit) & 0xff_ffff
    const rest = i & 3
    if (rest > 0) bytes[to++] = bits >>> (6 - 2 * rest)
  }
  const left = digits % 4 === 0 ? 0 : bits & ((1 << (digits % 4 === 2 ? 4 : 2)) - 1)
  if (isDigits !== 0 && (isStandard & isUrl) === 0 && left === 0) return bytes
  wipe(bytes, 0)
  return undefined
}

/** The bytes of a text in hex, of an even length. The caller wipes the bytes. */
export function decodeHex(place: string, text: string): Buffer<ArrayBuffer> {
  const bytes = allocateOffHeap(text.length / 2)
  let isDigits = -1
  for (let i = 0; i < text.length; i++) {
    const code = unitAt(text, i)
    const decimal = within(code, 0x30, 0x39)
    const upper = within(code, 0x41, 0x46)
    const lower = within(code, 0x61, 0x66)
    isDigits &= decimal | upper | lower
    const digit = (decimal & (code - 0x30)) | (upper & (code - 0x37)) | (lower & (code - 0x57))
    bytes[i >> 1] = ((bytes[i >> 1] as number) << 4) | digit
  }
  if (isDigits !== 0) return bytes
  wipe(bytes, 0)
  throw invalidKeyset(place, 'must be hex')
}

/** All bits set if `code` is from `least` to `most`, otherwise 0. */
function within(code: number, least: number, most: number): number {
  return ((least - 1 - code) & (code - 1 - most)) >> 31
}
