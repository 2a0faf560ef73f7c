// splitKey: this package's form here, horcrux's in points.cts. types/shamir.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { ShareFormat, SplitOptions } from '../../types/shamir.d.ts'
import { types } from '../builtins.cjs'
import { detached, notBytes, shared, wrongLength } from '../errors.cjs'
import { sharesSplit } from '../native/calls.cjs'
import { refusal } from '../native/refusal.cjs'
import { fill } from '../random.cjs'
import { allocate, byteLength, copy, isShared, isThere } from '../views.cjs'
import { listOf } from './lists.cjs'
import { readSplit, type SplitSettings } from './options.cjs'
import { splitPoints } from './points.cjs'
import { giveProofBack, seal, secretIn, takeProof } from './proof.cjs'
import { SHARE_BYTES } from './record.cjs'
import { giveSetBack, type ShareSet, takeSet } from './sets.cjs'
import { textOfShare } from './text.cjs'

const { isUint8Array } = types

type Shares = Buffer<ArrayBuffer>[] | string[]

export function splitKey(
  secret: Uint8Array,
  options: SplitOptions & { format?: 'binary' | undefined },
): Buffer<ArrayBuffer>[]
export function splitKey(
  secret: Uint8Array,
  options: SplitOptions & { format: Exclude<ShareFormat, 'binary'> },
): string[]
export function splitKey(secret: Uint8Array, options: SplitOptions): Shares
export function splitKey(secret: Uint8Array, options: SplitOptions): Shares {
  return splitBy(readSplit(options), secret)
}

/** The shares of a secret, by options that were parsed. */
export function splitBy(settings: SplitSettings, secret: Uint8Array): Shares {
  const length = lengthOf(secret)
  const { format } = settings
  if (format === 'horcrux' || format === 'horcrux-random') {
    if (length !== 32) throw wrongLength('secret', "32 bytes for horcrux's text", secret)
    return splitPoints(settings, secret)
  }
  if (length !== 16 && length !== 32) throw wrongLength('secret', '16 or 32 bytes', secret)
  return splitRecords(settings, secret, length)
}

function lengthOf(secret: unknown): number {
  if (!isUint8Array(secret)) throw notBytes('secret', secret)
  const length = byteLength(secret)
  if (length === 0 && !isThere(secret)) throw detached('secret')
  if (isShared(secret)) throw shared('secret')
  return length
}

function splitRecords(
  { threshold, shares, format }: SplitSettings,
  secret: Uint8Array,
  length: number,
): Shares {
  const proof = takeProof()
  const set = takeSet(shares)
  try {
    const own = secretIn(proof, length)
    copy(own, secret)
    fill(proof.blind)
    seal(proof, threshold, length)
    const status = sharesSplit(own, proof.blind, proof.check, threshold, set.bytes)
    if (!(status >= 0)) throw refusal(status, [])
    return format === 'text' ? textsOf(set) : buffersOf(set)
  } finally {
    giveProofBack(proof)
    giveSetBack(set)
  }
}

/** The shares of a set, each in memory of its own, so that its `buffer` shows no other share. */
function buffersOf({ shares }: ShareSet): Buffer<ArrayBuffer>[] {
  const list = listOf<Buffer<ArrayBuffer>>(shares.length)
  for (let i = 0; i < shares.length; i++) {
    const share = allocate(SHARE_BYTES)
    copy(share, shares[i] as Uint8Array)
    list[i] = share
  }
  return list
}

function textsOf({ shares }: ShareSet): string[] {
  const list = listOf<string>(shares.length)
  for (let i = 0; i < shares.length; i++) list[i] = textOfShare(shares[i] as Uint8Array)
  return list
}
