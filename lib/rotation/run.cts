// A run of a rotation: passes over the table, until the database counts nothing that is left.
import type {
  ColumnCount,
  RotationFailure,
  RotationResult,
  RowChange,
  RowSource,
} from '../../types/rotation.d.ts'
import { max, performance, types } from '../base/builtins.cjs'
import { abortError } from '../base/errors.cjs'
import { countsOf } from './counts.cjs'
import type { Plan } from './plan.cjs'
import { type Findings, renewRow } from './renew.cjs'
import { readBatch, writeBatch } from './source.cjs'

const { isUint8Array } = types
const { setImmediate: turn, setTimeout: wait } = process.getBuiltinModule('node:timers/promises')

/** Passes in a row after which less must be left. Other processes may be busy with it. */
const IDLE_PASSES = 6
/** Milliseconds before the first of them is repeated; the time doubles. */
const IDLE_WAIT = 50

/** The sums of a run. */
interface Totals {
  rows: number
  changed: number
  conflicts: number
  pass: number
  /** The failures that were reported, so that a later pass does not repeat them. */
  readonly reported: Set<string>
}

/** Most failures that are remembered. */
const REMEMBERED = 100_000

/** What one pass found. */
interface Pass extends Findings {
  readonly began: number
  seen: number
  failed: number
  changed: number
}

export async function run(plan: Plan, source: RowSource): Promise<RotationResult> {
  try {
    return await passes(plan, source)
  } finally {
    await source.end?.()
  }
}

async function passes(plan: Plan, source: RowSource): Promise<RotationResult> {
  const { dryRun, checksIndexes, signal } = plan
  refuseAborted(signal)
  const totals: Totals = {
    rows: rowsIn(await counts(plan, source)),
    changed: 0,
    conflicts: 0,
    pass: 0,
    reported: new Set(),
  }
  const renewed = { sealed: 0, fallback: 0, clearText: 0 }
  let least = Number.POSITIVE_INFINITY
  for (let idle = 0; ; ) {
    const pass = await onePass(plan, source, totals, !dryRun)
    for (const kind of Object.keys(renewed) as (keyof typeof renewed)[]) renewed[kind] += pass.renewed[kind]
    totals.changed += pass.changed
    // Blind indexes cannot be counted, so another pass looks at all of them.
    const proof = checksIndexes && !dryRun ? await onePass(plan, source, totals, false) : pass
    const columns = await counts(plan, source)
    const staleIndexes = checksIndexes || dryRun ? proof.staleIndexes : 0
    const rest = columns.reduce((sum, { rest }) => sum + rest, 0) + staleIndexes
    const { changed, conflicts } = totals
    const result = { columns, changed, failed: proof.failed, conflicts, staleIndexes, renewed }
    idle = rest < least ? 0 : idle + 1
    least = Math.min(least, rest)
    if (dryRun || rest <= proof.failed || idle === IDLE_PASSES)
      return { done: rest === 0 && proof.failed === 0 && !(dryRun && pass.changed > 0), ...result }
    await pauseFor(IDLE_WAIT * 2 ** idle, signal)
  }
}

function counts({ declaration, columns, toClear }: Plan, source: RowSource): Promise<ColumnCount[]> {
  return countsOf(declaration, columns, source, toClear)
}

function rowsIn(counts: readonly ColumnCount[]): number {
  return counts.reduce((most, { keys, notSealed, nulls }) => {
    return max(
      most,
      keys.reduce((sum, { values }) => sum + values, notSealed + nulls),
    )
  }, 0)
}

async function onePass(plan: Plan, source: RowSource, totals: Totals, write: boolean): Promise<Pass> {
  const { pause, signal } = plan
  const pass: Pass = {
    began: performance.now(),
    seen: 0,
    failed: 0,
    changed: 0,
    failures: [],
    renewed: { sealed: 0, fallback: 0, clearText: 0 },
    staleIndexes: 0,
  }
  totals.pass++
  for (let after: unknown; ; ) {
    refuseAborted(signal)
    const batch = await readBatch(plan, source, after, write)
    const changes: RowChange[] = []
    for (const row of batch.rows) {
      const change = renewRow(plan, row, pass)
      if (change !== undefined) changes.push(change)
    }
    const written = write ? await writeBatch(source, changes) : changes.length
    pass.seen += batch.seen
    pass.changed += written
    totals.conflicts += changes.length - written
    await report(plan, totals, pass, write || plan.dryRun)
    after = batch.next
    if (after === undefined || after === null) return pass
    if (pause > 0) await pauseFor(pause, signal)
    // A source without asynchronous calls would keep signals and requests waiting.
    else await turn()
  }
}

/** Reports failures and progress. `isFirst`: not those of the pass that only proves the end. */
async function report(plan: Plan, totals: Totals, pass: Pass, isFirst: boolean): Promise<void> {
  const { onFailure, onProgress } = plan
  pass.failed += pass.failures.length
  for (const failure of pass.failures.splice(0))
    if (isFirst && isNew(totals, failure)) await onFailure?.(failure)
  if (onProgress === undefined) return
  const seconds = (performance.now() - pass.began) / 1000
  const { seen, failed } = pass
  const { rows: total, conflicts } = totals
  const rowsPerSecond = seconds > 0 ? seen / seconds : 0
  const secondsLeft = seen > 0 ? max(0, total - seen) * (seconds / seen) : undefined
  const changed = totals.changed + (isFirst ? pass.changed : 0)
  onProgress({ seen, total, changed, failed, conflicts, pass: totals.pass, rowsPerSecond, secondsLeft })
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal.reason)
}

async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal })
  } catch {
    refuseAborted(signal)
  }
}

/** Whether a failure was not reported yet. */
function isNew({ reported }: Totals, { column, key }: RotationFailure): boolean {
  const parts = Object.values(key).map(part =>
    isUint8Array(part) ? Buffer.from(part).toString('hex') : String(part),
  )
  const name = JSON.stringify([column, ...parts])
  if (reported.has(name)) return false
  if (reported.size < REMEMBERED) reported.add(name)
  return true
}
