// Reads the binding's negative numbers: a reason, and the positions of up to two arguments (src/node/status.rs).

/** The name of the reason for a refusal. */
export function reasonOf(reasons: readonly string[], status: number): string | undefined {
  return reasons[(-status - 1) & 0xff]
}

/** The positions of the arguments concerned, among those of the raw function. */
export function argumentsOf(status: number): { at: number; other: number } {
  const number = -status - 1
  return { at: (number >> 8) & 0xff, other: (number >> 16) & 0xff }
}
