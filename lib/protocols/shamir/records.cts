// Shares of this package's form, combined: read into a set, opened, and checked.
import type { Buffer } from 'node:buffer'
import { types } from '../../cipher/base/builtins.cjs'
import { detached, shared, wrongType } from '../../cipher/base/errors.cjs'
import {
  allocateOffHeap,
  byteLength,
  bytesOver,
  copy,
  isAttached,
  isShared,
  kindForBytes,
  wipe,
} from '../../cipher/base/views.cjs'
import { sharesCombine, sharesLeaveOut, sharesLocate, sharesRecover } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { corruptedShares, invalidShare, sharesMismatch } from './errors.cjs'
import { elementAt, numberOf, positionsOf, unflagged } from './lists.cjs'
import { giveProofBack, type Proof, secretIn, takeProof, verifies } from './proof.cjs'
import { LENGTH_AT, OPENED_BYTES, SHARE_BYTES, THRESHOLD_AT } from './record.cjs'
import { reasonFor, recordRefusal } from './refusal.cjs'
import { giveSetBack, takeSet } from './sets.cjs'
import { readText, textOfShare } from './text.cjs'

const { isUint8Array } = types

/** The secret of a caller's shares. */
export function combineRecords(shares: unknown): Buffer<ArrayBuffer> {
  const set = takeSet(numberOf(shares))
  const proof = takeProof()
  try {
    readInto(set.bytes, shares as readonly unknown[])
    open(set.bytes, proof)
    const length = set.bytes[LENGTH_AT] as number
    const secret = allocateOffHeap(length)
    copy(secret, secretIn(proof, length))
    return secret
  } finally {
    giveSetBack(set)
    giveProofBack(proof)
  }
}

/** The share at `x`, in the form of a caller's first share. */
export function recoverRecord(shares: unknown, x: number): Buffer<ArrayBuffer> | string {
  const set = takeSet(numberOf(shares))
  const proof = takeProof()
  const share = allocateOffHeap(SHARE_BYTES)
  let kept = false
  try {
    const asText = readInto(set.bytes, shares as readonly unknown[])
    open(set.bytes, proof)
    const status = sharesRecover(set.bytes, x, share)
    if (!(status >= 0)) throw recordRefusal(status, set.bytes)
    if (asText) return textOfShare(share)
    kept = true
    return share
  } finally {
    giveSetBack(set)
    giveProofBack(proof)
    if (!kept) wipe(share, 0)
  }
}

/** Copies each share into the set, reading it once. Returns whether the first is text. */
function readInto(set: Buffer<ArrayBuffer>, shares: readonly unknown[]): boolean {
  const number = byteLength(set) / SHARE_BYTES
  let asText = false
  for (let i = 0; i < number; i++) {
    const share = elementAt(shares, i)
    if (typeof share === 'string') readText(set, i, share)
    else readBytes(set, i, share)
    if (i === 0) asText = typeof share === 'string'
  }
  return asText
}

function readBytes(set: Uint8Array, i: number, share: unknown): void {
  if (!isUint8Array(share))
    throw wrongType(`"shares[${i}]" must be a Uint8Array or a string, got ${kindForBytes(share)}`)
  const length = byteLength(share)
  if (length === 0 && !isAttached(share)) throw detached(`shares[${i}]`)
  if (isShared(share)) throw shared(`shares[${i}]`)
  if (length !== SHARE_BYTES) throw invalidShare(i, `must be ${SHARE_BYTES} bytes, got length ${length}`)
  copy(set, share, i * SHARE_BYTES)
}

/** Opens a set into `proof`. Throws unless all shares together yield the secret that was split. */
function open(set: Buffer<ArrayBuffer>, proof: Proof): void {
  const status = sharesCombine(set, proof.opened)
  if (status >= 0 && verifies(proof, set)) return
  if (status >= 0 || reasonFor(status) === 'SharesDisagree') throw corruption(set, proof)
  throw recordRefusal(status, set)
}

/** Names the corrupted shares, if they can be located: the others must verify without them. */
function corruption(set: Buffer<ArrayBuffer>, proof: Proof): Error {
  const surplus = byteLength(set) / SHARE_BYTES - (set[THRESHOLD_AT] as number)
  if (surplus === 0) {
    return sharesMismatch(
      '"shares" do not verify: at least one is corrupted. One share more than the threshold would identify it',
    )
  }
  const flags = surplus === 1 ? leftOut(set, proof) : located(set, proof)
  if (flags !== undefined) return corruptedShares(positionsOf(flags))
  return sharesMismatch('"shares" do not verify: too many are corrupted to identify them')
}

/** The one share without which the others verify. */
function leftOut(set: Buffer<ArrayBuffer>, proof: Proof): Uint8Array | undefined {
  const number = byteLength(set) / SHARE_BYTES
  const candidates = allocateOffHeap(number * OPENED_BYTES)
  const flags = allocateOffHeap(number)
  try {
    const status = sharesLeaveOut(set, candidates)
    if (!(status >= 0)) throw refusal(status, [])
    let found = 0
    for (let i = 0; i < number; i++) {
      copy(proof.opened, bytesOver(candidates.buffer, i * OPENED_BYTES, OPENED_BYTES))
      if (!verifies(proof, set)) continue
      flags[i] = 1
      found++
    }
    return found === 1 ? flags : undefined
  } finally {
    wipe(candidates, 0)
  }
}

/** The shares that are off the polynomial of low degree through most shares. */
function located(set: Buffer<ArrayBuffer>, proof: Proof): Uint8Array | undefined {
  const flags = allocateOffHeap(byteLength(set) / SHARE_BYTES)
  const found = sharesLocate(set, flags)
  if (!(found >= 0)) throw refusal(found, [])
  if (found === 0) return undefined
  const rest = unflagged(set, SHARE_BYTES, flags, found)
  try {
    const status = sharesCombine(rest, proof.opened)
    return status >= 0 && verifies(proof, rest) ? flags : undefined
  } finally {
    wipe(rest, 0)
  }
}
