// Shares in files, one or one per line; and errors that name a share's file instead of its
// position.
import type { Buffer } from 'node:buffer'
import { codeOf } from '../../cipher/base/builtins.cjs'
import { allocateOffHeap } from '../../cipher/base/views.cjs'
import { SHARE_BYTES, VERSION, xOf } from '../../protocols/shamir/record.cjs'
import { readText } from '../../protocols/shamir/text.cjs'
import { Failure, unusable } from '../frame/failure.cjs'
import { isUtf16, UTF_16, withoutMark } from '../frame/text.cjs'
import type { Input } from '../reading/input.cjs'

/** `text` and `binary` are this package's form; the others are horcrux's. */
export type Form = 'binary' | 'text' | 'horcrux' | 'horcrux-random'

/** A share, and its place. */
export interface Share {
  readonly value: Buffer | string
  readonly where: string
}

/** More than any file of 255 shares, however they are spaced. */
export const SHARE_FILE_BYTES = 2 ** 20
/** Characters of a share of this package, without spaces and hyphens: prefix and 140 of base32. */
const CHARACTERS = 4 + 140
const FIRST_TEXT_BYTE = 0x09

/** All shares of a file. */
export function sharesIn({ name, bytes }: Input): Share[] {
  // The first byte of a binary share is its version, which is no character of any text.
  const [first] = bytes
  if (first !== undefined && first < FIRST_TEXT_BYTE) return [{ value: bytes, where: name }]
  if (isUtf16(bytes)) throw unusable(name, UTF_16)
  const found: { value: string; line: number }[] = []
  const lines = withoutMark(bytes)
    .toString('utf8')
    .split(/\r\n|\r|\n/)
  for (const [i, line] of lines.entries()) {
    const last = found.at(-1)
    if (line.trim() === '') continue
    if (last !== undefined && isUnfinished(last.value) && !beginsShare(line)) last.value += line
    else found.push({ value: line.trim(), line: i + 1 })
  }
  if (found.length === 0) throw unusable(name, 'contains no share')
  return found.map(({ value, line }) => ({
    value,
    where: found.length === 1 ? name : `${name}, line ${line}`,
  }))
}

/** A share that was broken into lines continues in the next one. */
function isUnfinished(text: string): boolean {
  return /^AGS/i.test(text) && !text.includes('|') && text.replace(/[\s-]/g, '').length < CHARACTERS
}

/** A later line may begin with AGS, AGSI or AGSL, but with AGS1 only if 1 was typed for I. */
function beginsShare(line: string): boolean {
  return /^\s*AGS1/i.test(line) || line.includes('|')
}

/** The form of all shares: horcrux's have a `|`. */
export function formOf(shares: readonly Share[]): Form {
  const [first] = shares as [Share]
  const isHorcrux = ({ value }: Share) => typeof value === 'string' && value.includes('|')
  const other = shares.find(share => isHorcrux(share) !== isHorcrux(first))
  if (other !== undefined) {
    const what = `${first.where} and ${other.where} are shares in different formats: one is horcrux's`
    throw new Failure('ERR_INPUT', what, { files: [first.where, other.where] })
  }
  if (typeof first.value !== 'string') return 'binary'
  if (!isHorcrux(first)) return 'text'
  return first.value.indexOf('|') === 64 ? 'horcrux-random' : 'horcrux'
}

/** The number of a share, which the library calls `x`. Undefined if unreadable or in 64 digits. */
function numberOf({ value }: Share): number | undefined {
  if (typeof value !== 'string') {
    const isWhole = value.length === SHARE_BYTES && value[0] === VERSION
    return isWhole ? xOf(value, 0) || undefined : undefined
  }
  if (value.includes('|')) return Number(/^\s*(\d{1,3})\|/.exec(value)?.[1]) || undefined
  const set = allocateOffHeap(SHARE_BYTES)
  try {
    readText(set, 0, value)
    return xOf(set, 0) || undefined
  } catch {
    return undefined
  } finally {
    set.fill(0)
  }
}

/** The place of a share, and its number. */
function described(share: Share | undefined, index: number): string {
  if (share === undefined) return `share ${index + 1}`
  const number = numberOf(share)
  return number === undefined ? share.where : `${share.where} (share number ${number})`
}

/** The beginning of a sentence about two shares with the same number. */
function alike(first: Share | undefined, second: Share | undefined): string {
  const number = first && numberOf(first)
  const what = number === undefined ? 'have the same number' : `are both share number ${number}`
  return `${first?.where} and ${second?.where} ${what}`
}

/**
 * An error of the library in the command's words: files instead of positions, and numbers of shares
 * instead of their `x`.
 */
export function namingFiles(error: unknown, shares: readonly Share[]): unknown {
  const code = codeOf(error)
  if (!(error instanceof Error) || typeof code !== 'string' || error instanceof Failure) return error
  const message = error.message
    .replace(/^"shares" must have at least (\d+) shares, got (\d+)$/, 'at least $1 shares are needed, got $2')
    .replace(/^"shares\[(\d+)\]" has the same x as "shares\[(\d+)\]"/, (_, second, first) =>
      alike(shares[first], shares[second]),
    )
    .replace(/"?shares\[(\d+)\]"?/g, (_, index) => described(shares[Number(index)], Number(index)))
    .replace('"shares" has', 'the shares have')
    .replaceAll('"shares"', 'the shares')
    .replace(/^"x"/, '--at')
    .replace('has x = 0, where the secret lies', 'has the number 0, which no share can have')
    .replace("must be horcrux's text: x from", "must be horcrux's text: a number from")
    .replace(/; horcrux's text is read with format: 'horcrux'$/, '')
  const { indexes } = error as { indexes?: readonly number[] }
  return new Failure(code, message, {
    files: (indexes ?? []).map(index => shares[index]?.where ?? `share ${index + 1}`),
  })
}
