// Keys in files: 16 or 32 bytes, or these as text: hex digits, as from `keygen`, or base64, as in a
// keyset's line.
import type { Buffer } from 'node:buffer'
import { buffer as node } from '../../cipher/base/builtins.cjs'
import { looksLike } from '../../cipher/base/key-text.cjs'
import { decodeHex, encodeHex } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { fromBase64 } from '../../values/keyring/keyset/encoding.cjs'
import type { Call } from '../frame/command.cjs'
import { unusable } from '../frame/failure.cjs'
import { isUtf16, UTF_16, withoutMark } from '../frame/text.cjs'
import type { Input } from '../reading/input.cjs'
import { checkDelivery, deliver } from '../writing/deliver.cjs'

const { Buffer: Bytes } = node
const NEWLINE = 0x0a
/** More than any file that holds one key. */
export const KEY_FILE_BYTES = 1024

/** The fewest characters of a key as text: 16 bytes in base64. */
const MIN_CHARACTERS = 22

const NO_PASSWORD = '; a password is not a key: see keygen --passphrase'

/** Advice if content that is no key may be a password: text that no cut-off key can be. */
export function adviceOnPassword(bytes: Buffer): string {
  const digits = trimmed(bytes)
  const look = looksLike(digits)
  if (look === undefined) return ''
  const isCut = digits.length >= MIN_CHARACTERS && (look === 'hex' || look === 'base64')
  return isCut ? '' : NO_PASSWORD
}

/**
 * The key in a file, in its own memory. Wipes the bytes of the file. 32 hex digits are a key of 16
 * bytes: random bytes look so once in 10^34 keys.
 */
export function keyIn({ name, bytes }: Input): Buffer {
  try {
    const key = keyInText(bytes)
    if (key !== undefined) return key
    if (bytes.length === 16 || bytes.length === 32) {
      if (looksLike(bytes) === undefined) return own(bytes)
      const what = `contains ${bytes.length} bytes of text, not a key`
      const digits = `if they are a key, write them as ${bytes.length * 2} hex digits`
      throw unusable(name, `${what}: ${digits}${NO_PASSWORD}`)
    }
    if (isUtf16(bytes)) throw unusable(name, UTF_16)
    if (beginsWith(bytes, 'AGP'))
      throw unusable(name, 'is protected by a passphrase: only encrypt and decrypt accept it')
    const what = 'must contain a key of 16 or 32 bytes, raw, in hex or in base64'
    throw unusable(name, `${what}, got ${bytes.length} bytes${adviceOnPassword(bytes)}`)
  } finally {
    bytes.fill(0)
  }
}

/** The key in a hex, base64 or base64url text, in its own memory; undefined for other texts. */
export function keyInText(text: Buffer): Buffer | undefined {
  const digits = trimmed(text)
  // The number of characters determines the notation, as in a line of a keyset.
  if (digits.length === 32 || digits.length === 64) {
    const key = Bytes.alloc(digits.length / 2)
    return decodeHex(digits, key) >= 0 ? key : undefined
  }
  const key = fromBase64(digits.length, at => digits[at] as number)
  if (key?.length === 16 || key?.length === 32) return key
  key?.fill(0)
  return undefined
}

/** A copy outside Node's pool, so wiping it wipes nothing else. */
function own(bytes: Uint8Array): Buffer {
  const copy = Bytes.alloc(bytes.length)
  copy.set(bytes)
  return copy
}

/**
 * Whether a file begins with an ASCII text, after white space. The bits in `ignored` may differ:
 * 0x20 is the case of letters. Makes no string of a file that may hold a key, because strings
 * cannot be wiped.
 */
export function beginsWith(bytes: Buffer, text: string, ignored = 0): boolean {
  const digits = trimmed(bytes)
  return Bytes.from(text).every((byte, i) => (((digits[i] ?? 0) ^ byte) & ~ignored) === 0)
}

/** Without white space around, and without a byte order mark. */
function trimmed(bytes: Buffer): Buffer {
  const text = withoutMark(bytes)
  let [start, end] = [0, text.length]
  while (isSpace(text[end - 1])) end--
  while (isSpace(text[start])) start++
  return text.subarray(start, end)
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

/** A key as a line of hex digits, in a Buffer, because strings cannot be wiped. */
function hexLine(key: Uint8Array): Buffer {
  const line = Bytes.alloc(2 * key.length + 1, NEWLINE)
  const status = encodeHex(key, line.subarray(0, -1))
  if (!(status >= 0)) throw refusal(status, [])
  return line
}

/** Writes a key as the options `out`, `raw`, `force` and `json` demand, and wipes it. */
export async function deliverKey(call: Call, key: Buffer): Promise<void> {
  const bits = key.length * 8
  try {
    const bytes = call.has('raw') ? own(key) : hexLine(key)
    await deliver(call, {
      bytes,
      facts: { bits },
      shown: () => ({ key: bytes.toString('latin1').trimEnd() }),
    })
  } finally {
    key.fill(0)
  }
}

/** Refuses combinations of options and a name of a file that `deliverKey` cannot serve. */
export function checkKeyDelivery(call: Call): void {
  checkDelivery(call, call.has('raw') ? 'the bytes of a key' : undefined)
}
