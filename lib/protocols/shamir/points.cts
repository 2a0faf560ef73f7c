// Shares of horcrux's form: points of one polynomial, without a check.
import type { Buffer } from 'node:buffer'
import { mustBe, outOfRange } from '../../cipher/base/errors.cjs'
import { count } from '../../cipher/base/parse.cjs'
import { allocateOffHeap, byteLength, bytesOver, copy, wipe } from '../../cipher/base/views.cjs'
import { pointsCombine, pointsLocate, pointsRecover, pointsSplit } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { subjectOf } from '../../cipher/native/status.cjs'
import { corruptedShares, invalidShare, sharesMismatch } from './errors.cjs'
import { elementAt, listOf, MAX_SHARES, numberOf, positionsOf, tooFew, unflagged } from './lists.cjs'
import type { SplitSettings } from './options.cjs'
import { POINT_BYTES, type PointForm, readPoint, readX, textOfPoint } from './point.cjs'
import { ELEMENT_BYTES } from './record.cjs'
import { duplicate, reasonFor } from './refusal.cjs'

/** The texts of a secret of 32 bytes. */
export function splitPoints({ threshold, shares, format }: SplitSettings, secret: Uint8Array): string[] {
  const form = format === 'horcrux' ? 'compact' : 'random'
  const own = allocateOffHeap(ELEMENT_BYTES)
  const set = allocateOffHeap(shares * POINT_BYTES)
  try {
    copy(own, secret)
    const status = pointsSplit(own, threshold, form === 'random', set)
    if (!(status >= 0)) throw refusal(status, [])
    const list = listOf<string>(shares)
    for (let i = 0; i < shares; i++) {
      list[i] = textOfPoint(bytesOver(set.buffer, i * POINT_BYTES, POINT_BYTES), form)
    }
    return list
  } finally {
    wipe(own, 0)
    wipe(set, 0)
  }
}

/** The secret of a caller's texts. */
export function combinePoints(shares: unknown, threshold: number): Buffer<ArrayBuffer> {
  const set = allocateOffHeap(numberOf(shares) * POINT_BYTES)
  const secret = allocateOffHeap(ELEMENT_BYTES)
  try {
    readInto(set, shares as readonly unknown[])
    // A refused call leaves the secret as it was, zeros.
    const status = pointsCombine(set, threshold, secret)
    if (!(status >= 0)) throw pointRefusal(status, set, threshold)
    return secret
  } finally {
    wipe(set, 0)
  }
}

/** The text at `x`, in the form of a caller's first text. */
export function recoverPoint(shares: unknown, threshold: number, x: unknown): string {
  const set = allocateOffHeap(numberOf(shares) * POINT_BYTES)
  const point = allocateOffHeap(POINT_BYTES)
  try {
    const form = readInto(set, shares as readonly unknown[])
    const status = pointsRecover(set, threshold, elementOf(x, form), point)
    if (!(status >= 0)) throw pointRefusal(status, set, threshold)
    return textOfPoint(point, form)
  } finally {
    wipe(set, 0)
    wipe(point, 0)
  }
}

/** Reads every text into the set, each element once. Returns the form of the first. */
function readInto(set: Buffer<ArrayBuffer>, shares: readonly unknown[]): PointForm {
  const number = byteLength(set) / POINT_BYTES
  const form = readPoint(set, 0, elementAt(shares, 0))
  for (let i = 1; i < number; i++) readPoint(set, i, elementAt(shares, i))
  return form
}

/** The element of the x of a share to recover. It is no secret. */
function elementOf(x: unknown, form: PointForm): Uint8Array {
  const element = allocateOffHeap(ELEMENT_BYTES)
  if (form === 'compact' || typeof x === 'number') {
    readX(element, count('x', x, 1, MAX_SHARES))
    return element
  }
  if (typeof x !== 'string') throw mustBe('x', 'a string of 64 hex digits, or a number', x)
  if (!readX(element, x) || isZero(element)) throw outOfRange('"x" must have 64 hex digits, and not 0 alone')
  return element
}

function isZero(element: Uint8Array): boolean {
  let bits = 0
  for (let i = 0; i < ELEMENT_BYTES; i++) bits |= element[i] as number
  return bits === 0
}

function pointRefusal(status: number, set: Buffer<ArrayBuffer>, threshold: number): Error {
  const { detail } = subjectOf(status)
  switch (reasonFor(status)) {
    case 'InvalidShare':
      return invalidShare(detail, 'has x = 0, where the secret lies')
    case 'DuplicateShare': {
      let first = 0
      while (first < detail && !sameX(set, first, detail)) first++
      return duplicate(first, detail)
    }
    case 'TooFewShares':
      return tooFew(threshold, byteLength(set) / POINT_BYTES)
    case 'SharesDisagree':
      return disagreement(set, threshold)
    default:
      return refusal(status, [])
  }
}

function sameX(set: Uint8Array, i: number, j: number): boolean {
  for (let at = 0; at < ELEMENT_BYTES; at++) {
    if (set[i * POINT_BYTES + at] !== set[j * POINT_BYTES + at]) return false
  }
  return true
}

/** Names the corrupted points, if the others agree without them. */
function disagreement(set: Buffer<ArrayBuffer>, threshold: number): Error {
  const flags = allocateOffHeap(byteLength(set) / POINT_BYTES)
  const found = pointsLocate(set, threshold, flags)
  if (!(found >= 0)) return refusal(found, [])
  if (found > 0) {
    const rest = unflagged(set, POINT_BYTES, flags, found)
    try {
      if (agree(rest, threshold)) return corruptedShares(positionsOf(flags))
    } finally {
      wipe(rest, 0)
    }
  }
  const others = 'at least one is corrupted or of another split, or the threshold is another one'
  return sharesMismatch(`"shares" do not agree: ${others}`)
}

function agree(set: Buffer<ArrayBuffer>, threshold: number): boolean {
  const secret = allocateOffHeap(ELEMENT_BYTES)
  try {
    return pointsCombine(set, threshold, secret) >= 0
  } finally {
    wipe(secret, 0)
  }
}
