// Reads the binding's negative numbers: a reason, and the positions of up to two arguments (src/node/status.rs).

/** The name of the reason for a refusal. */
export function reasonOf(reasons: readonly string[], status: number): string | undefined {
  return reasons[(-status - 1) & 0xff]
}

/** The arguments concerned, counted from the first after the handle; -1 where there is no such argument. */
export function argumentsOf(status: number): { at: number; other: number } {
  const number = -status - 1
  return { at: ((number >> 8) & 0xff) - 1, other: ((number >> 16) & 0xff) - 1 }
}
