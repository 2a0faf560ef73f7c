// splitKey: this package's form here, horcrux's in points.cts. types/shamir.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { ShareFormat, SplitOptions } from '../../../types/shamir.d.ts'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { shared, wrongLength } from '../../cipher/base/errors.cjs'
import { adviceFor, warnIfText } from '../../cipher/base/key-text.cjs'
import { allocate, copy, isShared, wipe } from '../../cipher/base/views.cjs'
import { fill } from '../../cipher/machine/random.cjs'
import { sharesSplit } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { listOf } from './lists.cjs'
import { readSplit, type SplitSettings } from './options.cjs'
import { splitPoints } from './points.cjs'
import { giveProofBack, seal, secretIn, takeProof } from './proof.cjs'
import { SHARE_BYTES } from './record.cjs'
import { giveSetBack, type ShareSet, takeSet } from './sets.cjs'
import { textOfShare } from './text.cjs'

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
  const list = splitBy(readSplit(options), secret)
  warnIfText(secret)
  return list
}

/** The shares of a secret, with parsed options. */
export function splitBy(settings: SplitSettings, secret: Uint8Array): Shares {
  const length = bytesOfSecret(secret)
  const { format } = settings
  if (format === 'horcrux' || format === 'horcrux-random') {
    if (length !== 32) throw wrongSecret("32 bytes for horcrux's text", secret)
    return splitPoints(settings, secret)
  }
  if (length !== 16 && length !== 32) throw wrongSecret('16 or 32 bytes', secret)
  return splitRecords(settings, secret, length)
}

function wrongSecret(wanted: string, secret: Uint8Array): Error {
  return wrongLength('secret', wanted, secret, adviceFor(secret))
}

function bytesOfSecret(secret: unknown): number {
  const length = lengthOf('secret', secret)
  if (isShared(secret as Uint8Array)) throw shared('secret')
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

/** The shares of a set, each in its own memory, so its `buffer` shows no other share. */
function buffersOf({ shares }: ShareSet): Buffer<ArrayBuffer>[] {
  const list = listOf<Buffer<ArrayBuffer>>(shares.length)
  let made = 0
  try {
    for (; made < shares.length; made++) {
      const share = allocate(SHARE_BYTES)
      copy(share, shares[made] as Uint8Array)
      list[made] = share
    }
    return list
  } finally {
    if (made < shares.length) for (let i = 0; i < made; i++) wipe(list[i] as Uint8Array, 0)
  }
}

function textsOf({ shares }: ShareSet): string[] {
  const list = listOf<string>(shares.length)
  for (let i = 0; i < shares.length; i++) list[i] = textOfShare(shares[i] as Uint8Array)
  return list
}
