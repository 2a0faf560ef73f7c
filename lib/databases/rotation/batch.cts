// One batch: rows are read, sealed and written.
import type { RotationFailure, RowChange, RowSource, SourceRow, Written } from '../../../types/rotation.d.ts'
import { max } from '../../cipher/base/builtins.cjs'
import type { Plan } from './plan.cjs'
import { type Findings, keptBy, renewRow } from './renew.cjs'
import { readBatch, writeBatch } from './source.cjs'
import { SqlRows } from './sql-rows.cjs'

const { setImmediate: turn } = process.getBuiltinModule('node:timers/promises')

/**
 * A server on another machine writes one part of a batch while the next one is sealed. On two CPUs
 * that it shares with this process, two parts take as long as one, and four take longer.
 */
const PARTS = 2
/** A statement for fewer rows takes longer to send than they take to seal. */
const LEAST_ROWS = 100

export interface Batch extends Findings {
  readonly next: unknown
  readonly seen: number
  /** Changes that were written. */
  readonly changed: number
  /** Changes that were not, because another program was faster. */
  readonly conflicts: number
  /** Failures of changes that the database undid. */
  readonly kept: number
}

type Outcome = { -readonly [Name in 'changed' | 'conflicts' | 'kept']: Batch[Name] }

function noFindings(): Findings {
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
  const { rows, keyless, next, seen } = await readBatch(plan, source, after, write)
  const findings = noFindings()
  for (const row of keyless) renewRow(plan, row, findings, true)
  const outcome = await renewRows(plan, source, rows, findings, write)
  return { ...findings, next, seen, ...outcome }
}

async function renewRows(
  plan: Plan,
  source: RowSource,
  rows: readonly SourceRow[],
  findings: Findings,
  write: boolean,
): Promise<Outcome> {
  const size = write && isInParts(source) ? sizeOfPart(rows.length) : rows.length
  let before: Promise<void> | undefined
  const outcome: Outcome = { changed: 0, conflicts: 0, kept: 0 }
  const add = (changes: readonly RowChange[], written: readonly Written[]) => {
    changes.forEach((change, i) => {
      if (written[i] === true) outcome.changed++
      else if (written[i] !== 'kept') outcome.conflicts++
      else outcome.kept += keptBy(plan, change, findings)
    })
  }
  for (let from = 0; ; from += size) {
    let part: RowChange[]
    try {
      part = changesOf(plan, rows.slice(from, from + size), findings)
    } catch (error) {
      // The source must not end with a statement on its way.
      await before?.catch(() => {})
      throw error
    }
    await before
    if (from + size >= rows.length) {
      add(part, write ? await writeBatch(source, part) : part.map(() => true))
      return outcome
    }
    before = (source as SqlRows).writePart(part).then(written => add(part, written))
    // It may fail before anybody waits for it.
    before.catch(() => {})
    // The statement is sent in this turn.
    await turn()
  }
}

/**
 * Only within a transaction, which a caller who replaced "read" may not have begun. Not if one
 * replaced "write", who would see the last part alone.
 */
function isInParts(source: RowSource): source is SqlRows {
  if (!(source instanceof SqlRows) || source.write !== SqlRows.prototype.write) return false
  return source.hasServer && source.inTransaction
}

function sizeOfPart(rows: number): number {
  return max(Math.ceil(rows / PARTS), LEAST_ROWS)
}

function changesOf(plan: Plan, rows: readonly SourceRow[], findings: Findings): RowChange[] {
  const changes: RowChange[] = []
  for (const row of rows) {
    const change = renewRow(plan, row, findings)
    if (change !== undefined) changes.push(change)
  }
  return changes
}
