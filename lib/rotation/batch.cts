// One batch: rows are read, sealed and written, a part while the database writes the one before it.
import type { RotationFailure, RowChange, RowSource } from '../../types/rotation.d.ts'
import type { Plan } from './plan.cjs'
import { type Findings, renewRow } from './renew.cjs'
import { readBatch, writeBatch } from './source.cjs'

const { setImmediate: turn } = process.getBuiltinModule('node:timers/promises')

/** Rows of a part. A statement for fewer rows takes longer for each. */
const PART = 250

export interface Batch extends Findings {
  readonly next: unknown
  readonly seen: number
  /** Changes that were written. */
  readonly changed: number
  /** Changes that were not, because another program was faster. */
  readonly conflicts: number
}

export function noFindings(): Findings {
  const failures: RotationFailure[] = []
  return { failures, renewed: { sealed: 0, fallback: 0, clearText: 0 }, staleIndexes: 0 }
}

/** Without `write`, nothing is written, and the result has what would be. */
export async function oneBatch(
  plan: Plan,
  source: RowSource,
  after: unknown,
  write: boolean,
): Promise<Batch> {
  const { rows, next, seen } = await readBatch(plan, source, after, write)
  const findings = noFindings()
  const size = write && source.writePart !== undefined ? PART : Math.max(rows.length, 1)
  let [changes, changed] = [0, 0]
  let writing = Promise.resolve(0)
  try {
    for (let from = 0; from === 0 || from < rows.length; from += size) {
      const part: RowChange[] = []
      for (const row of rows.slice(from, from + size)) {
        const change = renewRow(plan, row, findings)
        if (change !== undefined) part.push(change)
      }
      changed += await writing
      changes += part.length
      const isLast = from + size >= rows.length
      if (!write) writing = Promise.resolve(part.length)
      else writing = writeBatch(source, isLast ? 'write' : 'writePart', part)
      // The statement leaves in a turn of the event loop. An error is thrown where it is awaited.
      writing.catch(() => {})
      if (!isLast) await turn()
    }
  } finally {
    // A source ends only when it is idle, even if sealing fails.
    await writing.catch(() => {})
  }
  changed += await writing
  return { ...findings, next, seen, changed, conflicts: changes - changed }
}
