// Turns refusals of shares by the binding into errors (others: cipher/native/refusal.cts).
import { join } from '../../cipher/base/builtins.cjs'
import { byteLength } from '../../cipher/base/views.cjs'
import { load } from '../../cipher/native/binary.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { reasonOf, subjectOf } from '../../cipher/native/status.cjs'
import { invalidShare, sharesMismatch } from './errors.cjs'
import { positionsOf, tooFew } from './lists.cjs'
import { LENGTH_AT, ofOneSplit, SHARE_BYTES, THRESHOLD_AT, VERSION, xOf } from './record.cjs'

const Bytes = Uint8Array

/** The reason for a refusal. */
export function reasonFor(status: number): string | undefined {
  return reasonOf(load().reasons, status)
}

/** The error for a set of this package's form that the binding refused. */
export function recordRefusal(status: number, set: Uint8Array): Error {
  const { detail } = subjectOf(status)
  const number = byteLength(set) / SHARE_BYTES
  switch (reasonFor(status)) {
    case 'InvalidShare':
      return invalidShare(detail, faultOf(set, detail * SHARE_BYTES))
    case 'DuplicateShare': {
      let first = 0
      while (xOf(set, first) !== xOf(set, detail)) first++
      return duplicate(first, detail)
    }
    case 'MixedShares':
      return mixed(set, number)
    case 'TooFewShares':
      return tooFew(set[THRESHOLD_AT] as number, number)
    default:
      return refusal(status, [])
  }
}

export function duplicate(first: number, second: number): Error {
  return invalidShare(second, `has the same x as "shares[${first}]": give each share once`)
}

/** The first fault in the header of the share at `at`. */
function faultOf(set: Uint8Array, at: number): string {
  const version = set[at]
  const length = set[at + LENGTH_AT]
  const threshold = set[at + THRESHOLD_AT]
  if (version !== VERSION) return `has the unknown version ${version}, where ${VERSION} is known`
  if (length !== 16 && length !== 32) return `must be of a secret of 16 or 32 bytes, got length ${length}`
  return threshold === 0 ? 'has the threshold 0' : 'has x = 0, where the secret lies'
}

/** Shares of different splits. Names those outside the largest group, if it is unique. */
function mixed(set: Uint8Array, number: number): Error {
  const what = '"shares" must come from one split'
  let best = 0
  let member = 0
  let unique = false
  for (let i = 0; i < number; i++) {
    const size = sizeOfGroup(set, number, i)
    if (size < best || (size === best && ofOneSplit(set, i, member))) continue
    unique = size > best
    if (!unique) continue
    best = size
    member = i
  }
  if (!unique) return sharesMismatch(what)
  const outside = new Bytes(number)
  for (let i = 0; i < number; i++) outside[i] = ofOneSplit(set, i, member) ? 0 : 1
  const positions = positionsOf(outside)
  const names = join(positions as never, '], shares[')
  return sharesMismatch(`${what}: most belong together, without shares[${names}]`, positions)
}

function sizeOfGroup(set: Uint8Array, number: number, i: number): number {
  let size = 0
  for (let j = 0; j < number; j++) if (ofOneSplit(set, i, j)) size++
  return size
}
