// The text of shares: AGS1, and base32 with a checksum, in groups of five (docs/formats.md).
import type { Buffer } from 'node:buffer'
import { crypto, unitAt } from '../../cipher/base/builtins.cjs'
import { hashOf } from '../../cipher/base/digests.cjs'
import { withoutMark } from '../../cipher/base/utf8.cjs'
import { allocateOffHeap, bytesOver, copy, wipe } from '../../cipher/base/views.cjs'
import { decodeBase32, encodeBase32 } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { invalidShare } from './errors.cjs'
import { textOf } from './latin.cjs'
import { SHARE_BYTES, VERSION } from './record.cjs'
import { reasonFor } from './refusal.cjs'

const { timingSafeEqual } = crypto

/** `AGS`, in front of the version as a digit. */
const MAGIC = [0x41, 0x47, 0x53] as const
const VERSION_DIGIT = 0x30 + VERSION
/** I and L, read and typed for version 1. They stand for no other version, which are digits. */
const LIKE_VERSION = [0x49, 0x4c] as const
const PREFIX = `AGS${VERSION}`
const HYPHEN = 0x2d
const GROUP = 5

const CHECKSUM_BYTES = 4
/** The share without its version, which is in the prefix, and the checksum. */
const BODY_BYTES = SHARE_BYTES - 1 + CHECKSUM_BYTES
const BODY_CHARACTERS = 140
const CHARACTERS = PREFIX.length + BODY_CHARACTERS
const TEXT_CHARACTERS = PREFIX.length + BODY_CHARACTERS + BODY_CHARACTERS / GROUP
/** Longer texts are refused unread. */
const MAX_CHARACTERS = 1024

/** The text of a binary share. */
export function textOfShare(share: Uint8Array): string {
  const work = allocateOffHeap(BODY_BYTES + BODY_CHARACTERS)
  const text = allocateOffHeap(TEXT_CHARACTERS)
  try {
    const body = bytesOver(work.buffer, 0, BODY_BYTES)
    const characters = bytesOver(work.buffer, BODY_BYTES, BODY_CHARACTERS)
    copy(body, bytesOver(share.buffer as ArrayBuffer, share.byteOffset + 1, SHARE_BYTES - 1))
    writeChecksum(body, share)
    const status = encodeBase32(body, characters)
    if (!(status >= 0)) throw refusal(status, [])
    for (let i = 0; i < PREFIX.length; i++) text[i] = unitAt(PREFIX, i)
    for (let i = 0, to = PREFIX.length; i < BODY_CHARACTERS; i++) {
      if (i % GROUP === 0) text[to++] = HYPHEN
      text[to++] = characters[i] as number
    }
    return textOf(text)
  } finally {
    wipe(work, 0)
    wipe(text, 0)
  }
}

/** Writes the binary share of a text to its place in a set. */
export function readText(set: Buffer<ArrayBuffer>, i: number, given: string): void {
  const text = withoutMark(given)
  if (text.length > MAX_CHARACTERS) throw wrongNumber(i, `more than ${MAX_CHARACTERS} characters`)
  const work = allocateOffHeap(CHARACTERS + BODY_BYTES)
  try {
    const found = writeCharacters(work, text)
    checkPrefix(work, i)
    if (found !== CHARACTERS) throw wrongNumber(i, `${found - PREFIX.length}`)
    const body = bytesOver(work.buffer, CHARACTERS, BODY_BYTES)
    const status = decodeBase32(bytesOver(work.buffer, PREFIX.length, BODY_CHARACTERS), body)
    if (!(status >= 0)) throw reasonFor(status) === 'InvalidText' ? mistyped(i) : refusal(status, [])
    const share = bytesOver(set.buffer, i * SHARE_BYTES, SHARE_BYTES)
    share[0] = VERSION
    copy(share, bytesOver(work.buffer, CHARACTERS, SHARE_BYTES - 1), 1)
    const given = bytesOver(work.buffer, CHARACTERS + SHARE_BYTES - 1, CHECKSUM_BYTES)
    const computed = bytesOver(work.buffer, 0, CHECKSUM_BYTES)
    writeChecksum(computed, share)
    if (!timingSafeEqual(given, computed)) throw mistyped(i)
  } finally {
    wipe(work, 0)
  }
}

/**
 * Writes a text's characters other than white space and hyphens, in upper case, up to `CHARACTERS`,
 * and returns how many there are. Non-ASCII becomes 0. After the prefix, 0, 1 and 8 become O, I and
 * B. There is no branch on a character of base32.
 */
function writeCharacters(work: Uint8Array, text: string): number {
  let found = 0
  for (let at = 0; at < text.length; at++) {
    const code = unitAt(text, at)
    if (code === HYPHEN || code === 0x20 || (code >= 0x09 && code <= 0x0d)) continue
    // The mask is all ones for a to z, whose codes are those of A to Z with the bit 0x20.
    const lower = ((0x60 - code) & (code - 0x7b)) >> 31
    const capital = code < 0x80 ? code ^ (lower & 0x20) : 0
    if (found < CHARACTERS) work[found] = found < PREFIX.length ? capital : letterOf(capital)
    found++
  }
  return found
}

/** The letter for a digit that base32 omits because it looks like this letter. */
function letterOf(code: number): number {
  return code + (same(code, 0x30) & 0x1f) + (same(code, 0x31) & 0x18) + (same(code, 0x38) & 0x0a)
}

/** All ones for equal characters, otherwise 0. */
function same(code: number, other: number): number {
  return ((code ^ other) - 1) >> 31
}

function checkPrefix(work: Uint8Array, i: number): void {
  if (work[0] !== MAGIC[0] || work[1] !== MAGIC[1] || work[2] !== MAGIC[2]) {
    const other = "horcrux's text is read with format: 'horcrux'"
    throw invalidShare(i, `must begin with ${PREFIX}, as the text of a share does; ${other}`)
  }
  if (work[3] !== VERSION_DIGIT && work[3] !== LIKE_VERSION[0] && work[3] !== LIKE_VERSION[1]) {
    throw invalidShare(i, `has an unknown version, where ${PREFIX} is known`)
  }
}

function writeChecksum(end: Uint8Array, share: Uint8Array): void {
  const sum = hashOf('sha256', share)
  for (let i = 0; i < CHECKSUM_BYTES; i++) end[end.length - CHECKSUM_BYTES + i] = sum[i] as number
  wipe(sum, 0)
}

function wrongNumber(i: number, got: string): Error {
  const wanted = `${BODY_CHARACTERS} characters after ${PREFIX}, without hyphens and spaces`
  return invalidShare(i, `must have ${wanted}, got ${got}`)
}

function mistyped(i: number): Error {
  return invalidShare(
    i,
    'is mistyped: its checksum does not match, or it has a character that base32 does not have',
  )
}
