// One batch: rows are read, sealed and written.
import type { RotationFailure, RowChange, RowSource } from '../../types/rotation.d.ts'
import type { Plan } from './plan.cjs'
import { type Findings, renewRow } from './renew.cjs'
import { readBatch, writeBatch } from './source.cjs'

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
  const changes: RowChange[] = []
  for (const row of rows) {
    const change = renewRow(plan, row, findings)
    if (change !== undefined) changes.push(change)
  }
  const changed = write ? await writeBatch(source, changes) : changes.length
  return { ...findings, next, seen, changed, conflicts: changes.length - changed }
}
