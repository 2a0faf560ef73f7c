// A binary share of this package's form, and sets of such shares (picture: docs/formats.md). The
// binding reads and writes the same bytes (src/protocol/shamir).

export const SHARE_BYTES = 84
export const VERSION = 1

// Where the fields begin. The header is everything before the shared values.
export const LENGTH_AT = 1
export const THRESHOLD_AT = 2
const X_AT = 3
export const CHECK_AT = 4
const HEADER_BYTES = 20

export const CHECK_BYTES = 16
/** Of the secret's element, which is the secret and then zeros, and of the blind. */
export const ELEMENT_BYTES = 32
/** Of both elements together, as the binding writes them. */
export const OPENED_BYTES = 2 * ELEMENT_BYTES

/** Whether two shares come from one split: equal headers, except for x. Headers are public. */
export function ofOneSplit(set: Uint8Array, i: number, j: number): boolean {
  const a = i * SHARE_BYTES
  const b = j * SHARE_BYTES
  for (let at = 0; at < HEADER_BYTES; at++) {
    if (at !== X_AT && set[a + at] !== set[b + at]) return false
  }
  return true
}

/** The x of a share of a set. */
export function xOf(set: Uint8Array, i: number): number {
  return set[i * SHARE_BYTES + X_AT] as number
}
