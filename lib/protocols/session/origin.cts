// Marks the hellos of this process's initiators for its responders ("Selfie": Drucker and Gueron,
// 2019).
//
// An attacker who joins two connections of one host joins the host with itself: both ends have the
// secret. So the last bytes of an initiator's random are a MAC of the others. A MAC needs no list
// of hellos, which another thread would not have.
import { crypto, environmentData, types } from '../../cipher/base/builtins.cjs'
import { part } from '../../cipher/base/bytes.cjs'
import { hashOf } from '../../cipher/base/digests.cjs'
import { allocateOffHeap, byteLength, copy } from '../../cipher/base/views.cjs'

const { randomFillSync, timingSafeEqual } = crypto
const { isUint8Array } = types

const MARK_BYTES = 8
const KEY_BYTES = 32
const NAME = 'hardware-aes-gcm:session-origin'

/**
 * The key of the MAC: one for all copies of this package in a thread, and for threads started from
 * now on. It is no secret of a session. Its memory is not shared, so no other code changes it
 * later.
 */
const key = ((): Uint8Array => {
  const key = allocateOffHeap(KEY_BYTES)
  const known = environmentData.get(NAME)
  if (isUint8Array(known) && byteLength(known) === KEY_BYTES) copy(key, known)
  else {
    randomFillSync(key)
    environmentData.set(NAME, key)
  }
  return key
})()

/** Marks random bytes as those of an initiator of this process. To others they stay random. */
export function mark(random: Uint8Array): void {
  copy(random, markOf(random), random.length - MARK_BYTES)
}

/** Whether an initiator of this process made these bytes. Errs for one in 2^64. */
export function isMarked(random: Uint8Array): boolean {
  return timingSafeEqual(markOf(random), part(random, random.length - MARK_BYTES, MARK_BYTES))
}

/** This hash of key and data is a MAC: data have one length, and most of it stays unknown. */
function markOf(random: Uint8Array): Uint8Array {
  const unmarked = part(random, 0, random.length - MARK_BYTES)
  return part(hashOf('sha256', key, unmarked), 0, MARK_BYTES)
}
