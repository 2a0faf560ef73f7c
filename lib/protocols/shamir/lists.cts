// Lists of shares: callers', and returned ones.
import type { Buffer } from 'node:buffer'
import { toSpliced } from '../../cipher/base/builtins.cjs'
import { mustBe, outOfRange } from '../../cipher/base/errors.cjs'
import { isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { codedIfRevoked } from '../../cipher/base/parse.cjs'
import { allocateOffHeap, bytesOver, copy } from '../../cipher/base/views.cjs'

const Bytes = Uint8Array

/** The largest x of a share whose x is one byte. */
export const MAX_SHARES = 255
const SHARES = { elements: 'shares', least: 1, most: MAX_SHARES }

/** The length of a caller's list. Its elements are read later, with getters and traps between. */
export function numberOf(shares: unknown): number {
  if (isList(shares)) return lengthOfList('shares', shares, SHARES)
  throw mustBe('shares', 'an array', shares)
}

/** One element of a caller's list. */
export function elementAt(shares: readonly unknown[], i: number): unknown {
  try {
    return shares[i]
  } catch (error) {
    throw codedIfRevoked('shares', shares, error)
  }
}

/** The error for fewer shares than the threshold. */
export function tooFew(threshold: number, got: number): Error {
  return outOfRange(`"shares" must have at least ${threshold} shares, got ${got}`)
}

/** The shares of a set whose flag is 0, in their order. */
export function unflagged(
  set: Buffer<ArrayBuffer>,
  shareBytes: number,
  flags: Uint8Array,
  flagged: number,
): Buffer<ArrayBuffer> {
  const rest = allocateOffHeap((flags.length - flagged) * shareBytes)
  for (let i = 0, to = 0; i < flags.length; i++) {
    if (flags[i] !== 0) continue
    copy(rest, bytesOver(set.buffer, i * shareBytes, shareBytes), to)
    to += shareBytes
  }
  return rest
}

/** The positions of nonzero flags, in an array made without code of the caller (pieces.cts). */
export function positionsOf(flags: Uint8Array): readonly number[] {
  const positions = new Bytes(flags.length)
  let number = 0
  for (let i = 0; i < flags.length; i++) if (flags[i] !== 0) positions[number++] = i
  return toSpliced(positions as never as readonly number[], number, flags.length)
}

/** As many elements as a list of shares can have. An array is copied faster than a Uint8Array. */
const places = toSpliced(toSpliced(new Bytes(MAX_SHARES) as never, 0, 0), 0, 0)

/** An array of `length` own elements, so assignments run no setter of Array.prototype. */
export function listOf<Element>(length: number): Element[] {
  return toSpliced(places, length, MAX_SHARES - length) as Element[]
}
