// Keys that look like the text of a key: all of their bytes are digits of hex or base64. Errors and the warning tell how to decode
// such a text, and show none of it.
import { apply, environmentData, positionOf } from './builtins.cjs'
import { byteLength } from './views.cjs'

const host = process
const { emitWarning } = host

export type Encoding = 'hex' | 'base64'

const WARNING = 'AESGCM_KEY_LOOKS_LIKE_TEXT'
/** The lengths of keys of 32 and 16 bytes as text: in hex, in base64 with padding and without it. */
const LENGTHS_OF_TEXT = [64, 44, 43, 32, 24, 22]

/**
 * The encoding of which all bytes of a key are digits; `=` and the digits of base64url count as base64.
 *
 * A random key of 32 bytes is taken for hex with odds of (22/256)^32, about 2^-113, and for base64 with odds of (67/256)^32, about
 * 2^-62.
 *
 * Every byte is read in any case, and there is no branch on a single byte. The first branch asks whether all bytes are below 0x80:
 * a random key of 32 bytes goes on from there with odds of 2^-32, so that its time tells 2^-32 bits about it. The other branch is
 * on the answer.
 */
export function encodingOf(key: Uint8Array): Encoding | undefined {
  const length = byteLength(key)
  let bits = 0
  for (let i = 0; i < length; i++) bits |= key[i] as number
  if (length === 0 || bits >= 0x80) return undefined
  // Each has all bits set for as long as all bytes are its digits.
  let hex = -1
  let base64 = -1
  for (let i = 0; i < length; i++) {
    const byte = key[i] as number
    const lower = byte | 0x20
    const decimal = within(byte, 0x30, 0x39)
    const marks = within(byte, 0x2b, 0x2b) | within(byte, 0x2d, 0x2d) | within(byte, 0x2f, 0x2f) // + - /
    const others = within(byte, 0x3d, 0x3d) | within(byte, 0x5f, 0x5f) // = _
    hex &= decimal | within(lower, 0x61, 0x66)
    base64 &= decimal | within(lower, 0x61, 0x7a) | marks | others
  }
  if (hex !== 0) return 'hex'
  return base64 !== 0 ? 'base64' : undefined
}

/** All bits set if `byte` is from `least` to `most`, otherwise 0. */
function within(byte: number, least: number, most: number): number {
  return ((least - 1 - byte) & (byte - 1 - most)) >> 31
}

/** For the error about the length of a key: the advice to decode it, if it looks like text. */
export function adviceFor(key: Uint8Array): string {
  const length = byteLength(key)
  if (positionOf(LENGTHS_OF_TEXT, length) < 0) return ''
  const encoding = encodingOf(key)
  if (encoding === undefined) return ''
  // Texts of the other lengths are base64, whatever their digits are.
  const name = length === 64 || length === 32 ? encoding : 'base64'
  return `: it looks like text, decode it, as in Buffer.from(text, '${name}')`
}

let warned = false

/**
 * Warns that a key of 32 bytes looks like text, once in a process. Threads that began before the warning may each warn once, because
 * they do not see the environment data of later. Call last: a program may have replaced `process.emitWarning`.
 */
export function warnOfText(encoding: Encoding): void {
  if (warned) return
  warned = true
  try {
    if (environmentData.get(WARNING) === true) return
    environmentData.set(WARNING, true)
    const what =
      `a key of 32 bytes looks like text: all of its bytes are ${encoding} digits. It is used as it is. ` +
      `Buffer.from(text, '${encoding}') decodes such a text, and gives another key, which does not open what this key sealed`
    apply(emitWarning, host, [what, 'Warning', WARNING])
  } catch {
    // A warning must not make a call fail.
  }
}
