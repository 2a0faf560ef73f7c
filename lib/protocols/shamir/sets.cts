// Memory for the shares of one call, in sequence. Sets of few shares are kept for the next call,
// because allocating takes longer than their arithmetic.
import type { Buffer } from 'node:buffer'
import { allocateOffHeap, bytesOver, wipe } from '../../cipher/base/views.cjs'
import { listOf } from './lists.cjs'
import { SHARE_BYTES } from './record.cjs'

/** Most shares of a set to keep. */
const FEW = 16

/** Sets that no call uses, whose bytes are zeros, by their number of shares. */
const spare: (ShareSet | undefined)[] = [...Array(FEW + 1)].map(() => undefined)

/** Shares off V8's heap, which the owner of the set wipes. */
export interface ShareSet {
  /** All shares. */
  readonly bytes: Buffer<ArrayBuffer>
  /** Each share. */
  readonly shares: readonly Uint8Array[]
}

/** Lends a set of zeros, which the caller returns. */
export function takeSet(number: number): ShareSet {
  const kept = number <= FEW ? spare[number] : undefined
  if (kept === undefined) return newSet(number)
  spare[number] = undefined
  return kept
}

/** Wipes a set. */
export function giveSetBack(set: ShareSet): void {
  wipe(set.bytes, 0)
  const number = set.shares.length
  if (number <= FEW) spare[number] = set
}

function newSet(number: number): ShareSet {
  const bytes = allocateOffHeap(number * SHARE_BYTES)
  const shares = listOf<Uint8Array>(number)
  for (let i = 0; i < number; i++) shares[i] = bytesOver(bytes.buffer, i * SHARE_BYTES, SHARE_BYTES)
  return { bytes, shares }
}
