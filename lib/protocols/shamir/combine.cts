// combineKey and recoverShare, documented in types/shamir.d.ts: each for this package's form
// (records.cts) or horcrux's (points.cts).
import type { Buffer } from 'node:buffer'
import type { CombineOptions } from '../../../types/shamir.d.ts'
import { count } from '../../cipher/base/parse.cjs'
import { MAX_SHARES } from './lists.cjs'
import { type PointThreshold, readCombine } from './options.cjs'
import { combinePoints, recoverPoint } from './points.cjs'
import { combineRecords, recoverRecord } from './records.cjs'

export function combineKey(
  shares: readonly (Uint8Array | string)[],
  options?: CombineOptions,
): Buffer<ArrayBuffer> {
  return combineBy(readCombine(options), shares)
}

/** The secret of shares, with parsed options. */
export function combineBy(threshold: PointThreshold, shares: unknown): Buffer<ArrayBuffer> {
  return threshold === undefined ? combineRecords(shares) : combinePoints(shares, threshold)
}

export function recoverShare(
  shares: readonly Uint8Array[],
  x: number,
  options?: CombineOptions,
): Buffer<ArrayBuffer>
export function recoverShare(shares: readonly string[], x: number | string, options?: CombineOptions): string
export function recoverShare(
  shares: readonly (Uint8Array | string)[],
  x: number | string,
  options?: CombineOptions,
): Buffer<ArrayBuffer> | string
export function recoverShare(
  shares: readonly (Uint8Array | string)[],
  x: number | string,
  options?: CombineOptions,
): Buffer<ArrayBuffer> | string {
  const threshold = readCombine(options)
  if (threshold !== undefined) return recoverPoint(shares, threshold, x)
  return recoverRecord(shares, count('x', x, 1, MAX_SHARES))
}
