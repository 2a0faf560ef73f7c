// Keys that look like text: all bytes are printable. Usually such a text should have been decoded,
// or is a password. By the same rule, the library warns and the command refuses; no message shows
// any of it.
import { apply, environmentData, positionOf } from './builtins.cjs'
import { AesGcmError } from './errors.cjs'
import { byteLength } from './views.cjs'

const host = process
const { emitWarning } = host

/** The narrowest class that has all bytes of a key: digits of hex and base64 are printable too. */
type Look = 'hex' | 'base64' | 'printable'

const WARNING = 'AESGCM_KEY_LOOKS_LIKE_TEXT'
/** The lengths of 32-byte and 16-byte keys as text: hex, base64 with padding, without padding. */
const LENGTHS_OF_TEXT = [64, 44, 43, 32, 24, 22]

/**
 * Returns the kind of text that a key looks like: digits of one encoding, or any printable ASCII
 * with white space. `=` and the digits of base64url count as base64. Undefined for other bytes.
 *
 * Odds for random bytes: 32 bytes look like hex at 2^-113, base64 at 2^-62, any text at 2^-44; 16
 * bytes like any text at 2^-22.
 *
 * Always reads every byte, and never branches on a single one. The first branch asks whether all
 * bytes are below 0x80: a random key of 32 bytes continues at odds of 2^-32, one of 16 bytes at
 * 2^-16. So the time reveals less than 2^-11 bits of a key on average. Later branches are on the
 * answer.
 */
export function looksLike(key: Uint8Array): Look | undefined {
  const length = byteLength(key)
  let bits = 0
  for (let i = 0; i < length; i++) bits |= key[i] as number
  if (length === 0 || bits >= 0x80) return undefined
  // Each has all bits set for as long as all bytes are its characters.
  let hex = -1
  let base64 = -1
  let printable = -1
  // White space alone is no text.
  let visible = 0
  for (let i = 0; i < length; i++) {
    const byte = key[i] as number
    const lower = byte | 0x20
    const decimal = within(byte, 0x30, 0x39)
    const marks = within(byte, 0x2b, 0x2b) | within(byte, 0x2d, 0x2d) | within(byte, 0x2f, 0x2f) // + - /
    const others = within(byte, 0x3d, 0x3d) | within(byte, 0x5f, 0x5f) // = _
    const space = within(byte, 0x09, 0x0a) | within(byte, 0x0d, 0x0d) // tab, newline, carriage return
    hex &= decimal | within(lower, 0x61, 0x66)
    base64 &= decimal | within(lower, 0x61, 0x7a) | marks | others
    printable &= space | within(byte, 0x20, 0x7e)
    visible |= within(byte, 0x21, 0x7e)
  }
  if (hex !== 0) return 'hex'
  if (base64 !== 0) return 'base64'
  return (printable & visible) !== 0 ? 'printable' : undefined
}

/** All bits set if `byte` is from `least` to `most`, otherwise 0. */
function within(byte: number, least: number, most: number): number {
  return ((least - 1 - byte) & (byte - 1 - most)) >> 31
}

/** For the error about the length of a key: the advice to decode it, if it looks like text. */
export function adviceFor(key: Uint8Array): string {
  const length = byteLength(key)
  // The length first: the argument may be long.
  if (positionOf(LENGTHS_OF_TEXT, length) < 0) return ''
  const encoding = encodingOf(looksLike(key), length)
  return encoding === undefined
    ? ''
    : `: it looks like text, decode it, as in Buffer.from(text, '${encoding}')`
}

/** The error of a key with a length that no key has. */
export function wrongKeyLength(name: string, wanted: string, key: Uint8Array): Error {
  const what = `"${name}" must be ${wanted}, got length ${byteLength(key)}${adviceFor(key)}`
  return new AesGcmError('ERR_AESGCM_INVALID_KEY_LENGTH', what)
}

/** The encoding of a text that has one of LENGTHS_OF_TEXT. */
function encodingOf(look: Look | undefined, length: number): 'hex' | 'base64' | undefined {
  if (look === undefined || look === 'printable') return undefined
  // Texts of the other lengths are base64, whatever their digits are.
  return length === 64 || length === 32 ? look : 'base64'
}

let warned = false

/**
 * Warns of a key that looks like text, once per process. Threads that began before the warning may
 * each warn once, since they do not see later environment data. Call last: a program may have
 * replaced `process.emitWarning`.
 */
export function warnIfText(key: Uint8Array): void {
  if (warned) return
  try {
    const look = looksLike(key)
    if (look === undefined) return
    warned = true
    if (environmentData.get(WARNING) === true) return
    environmentData.set(WARNING, true)
    const length = byteLength(key)
    const encoding = positionOf(LENGTHS_OF_TEXT, length) < 0 ? undefined : encodingOf(look, length)
    const what = encoding === undefined ? 'printable' : `${encoding} digits`
    const advice =
      encoding === undefined
        ? 'A key must be random: AesGcm.generateKey() makes one, and scrypt of node:crypto derives one from a password'
        : `Buffer.from(text, '${encoding}') decodes such text, but to another key, which cannot decrypt what this key encrypted`
    apply(emitWarning, host, [
      `a key of ${length} bytes looks like text: all of its bytes are ${what}. It is used as it is. ${advice}`,
      'Warning',
      WARNING,
    ])
  } catch {
    // A warning must not make a call fail.
  }
}
