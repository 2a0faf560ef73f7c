// Reads the binding's negative numbers: a reason, and what it is about (src/node/status.rs).
//
// Other numbers of functions that write a result are its length. Callers allocate the result after
// they have read lengths, and no code of a program runs from there to the call. So a result of
// another length than allocated is a fault of this package: an internal error, not a result.
import { floor } from '../base/builtins.cjs'

/** The number of the one reason that lib/ finds, because Node-API has no question for it. */
const IMMUTABLE = 0xff

/** The refusal of the argument at `at`, which would be written but is immutable. */
export function immutableAt(at: number): number {
  return -(1 + IMMUTABLE + (at << 8))
}

/** The name of the reason for a refusal; undefined for a status that is none. */
export function reasonOf(reasons: readonly string[], status: number): string | undefined {
  if (status >= 0) return undefined
  const reason = (-status - 1) & 0xff
  return reason === IMMUTABLE ? 'Immutable' : reasons[reason]
}

/**
 * The position of the argument in the raw function, and a detail: the position of the argument that
 * it overlaps, or the index of its element or frame.
 */
export function subjectOf(status: number): { at: number; detail: number } {
  const number = -status - 1
  // An index has 32 bits, so only the lower fields fit into an integer of 32 bits.
  return { at: (number >> 8) & 0xff, detail: floor(number / 2 ** 16) }
}
