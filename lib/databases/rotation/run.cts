// A rotation run: passes over the table until the database counts no value that is left.
import type { ColumnCount, RotationFailure, RotationResult, RowSource } from '../../../types/rotation.d.ts'
import { max, performance, types } from '../../cipher/base/builtins.cjs'
import { again, pauseFor, type Retries, refuseAborted } from './again.cjs'
import { type Batch, oneBatch } from './batch.cjs'
import { countsOf } from './counts.cjs'
import type { Plan } from './plan.cjs'
import type { Findings } from './renew.cjs'

const { isUint8Array } = types
const { setImmediate: turn } = process.getBuiltinModule('node:timers/promises')

/** Passes in a row after which less must be left. Other processes may be busy with it. */
const IDLE_PASSES = 6
/** Milliseconds before the first of them is repeated; the time doubles. */
const IDLE_WAIT = 50

/** The sums of a run. Those of its changes leave out the pass that only proves the end. */
interface Totals extends Retries {
  rows: number
  changed: number
  conflicts: number
  pass: number
  readonly renewed: Findings['renewed']
  /** The failures that were reported, so that a later pass does not repeat them. */
  readonly reported: Set<string>
}

/** Most failures that are remembered. */
const REMEMBERED = 100_000

/** The findings of one pass. */
interface Pass {
  readonly began: number
  seen: number
  failed: number
  /** Of `failed`, those that only a pass that writes can find. */
  kept: number
  staleIndexes: number
}

export async function run(plan: Plan, source: RowSource): Promise<RotationResult> {
  try {
    return await passes(plan, source)
  } finally {
    await source.end?.()
  }
}

async function passes(plan: Plan, source: RowSource): Promise<RotationResult> {
  const { dryRun, signal } = plan
  refuseAborted(signal)
  const renewed = { sealed: 0, fallback: 0, clearText: 0 }
  const reported = new Set<string>()
  const totals: Totals = { rows: 0, changed: 0, conflicts: 0, pass: 0, retries: 0, renewed, reported }
  if (plan.onProgress !== undefined) totals.rows = rowsIn(await counts(plan, source, totals))
  let least = Number.POSITIVE_INFINITY
  for (let idle = 0; ; ) {
    const { columns, failed, staleIndexes } = await passAndCount(plan, source, totals)
    const rest = columns.reduce((sum, { rest }) => sum + rest, 0) + staleIndexes
    const history = columns.reduce((sum, { history }) => sum + history, 0)
    idle = rest < least ? 0 : idle + 1
    least = Math.min(least, rest)
    if (dryRun || rest - history <= failed || idle === IDLE_PASSES) {
      const { changed, conflicts, retries } = totals
      const done = rest === 0 && failed === 0 && !(dryRun && changed > 0)
      return { done, columns, changed, failed, conflicts, retries, staleIndexes, renewed }
    }
    await pauseFor(IDLE_WAIT * 2 ** idle, signal)
  }
}

/** A pass, and what is left after it. */
async function passAndCount(
  plan: Plan,
  source: RowSource,
  totals: Totals,
): Promise<Pick<RotationResult, 'columns' | 'failed' | 'staleIndexes'>> {
  const { dryRun, checksIndexes } = plan
  const pass = await onePass(plan, source, totals, !dryRun)
  // Blind indexes cannot be counted, so another pass looks at all of them.
  const isProved = checksIndexes && !dryRun
  const proof = isProved ? await onePass(plan, source, totals, false) : pass
  const columns = await counts(plan, source, totals)
  return {
    columns,
    failed: isProved ? proof.failed + pass.kept : pass.failed,
    staleIndexes: checksIndexes || dryRun ? proof.staleIndexes : 0,
  }
}

function counts(plan: Plan, source: RowSource, totals: Totals): Promise<ColumnCount[]> {
  const { declaration, columns, toClear } = plan
  return again(plan.signal, source, totals, () => countsOf(declaration, columns, source, toClear))
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
  const pass: Pass = { began: performance.now(), seen: 0, failed: 0, kept: 0, staleIndexes: 0 }
  totals.pass++
  for (let after: unknown; ; ) {
    refuseAborted(signal)
    const batch = await again(signal, source, totals, () => oneBatch(plan, source, after, write))
    pass.seen += batch.seen
    pass.failed += batch.failures.length
    pass.kept += batch.kept
    pass.staleIndexes += batch.staleIndexes
    totals.conflicts += batch.conflicts
    if (write || plan.dryRun) await add(plan, totals, batch)
    reportProgress(plan, totals, pass)
    after = batch.next
    if (after === undefined || after === null) return pass
    if (pause > 0) await pauseFor(pause, signal)
    // A source without asynchronous calls would keep signals and requests waiting.
    else await turn()
  }
}

/** Adds the changes of a batch, and reports its failures. */
async function add(
  { onFailure }: Plan,
  totals: Totals,
  { changed, renewed, failures }: Batch,
): Promise<void> {
  totals.changed += changed
  for (const kind of Object.keys(renewed) as (keyof typeof renewed)[]) totals.renewed[kind] += renewed[kind]
  for (const failure of failures) if (isNew(totals, failure)) await onFailure?.(failure)
}

function reportProgress({ onProgress }: Plan, totals: Totals, { began, seen, failed }: Pass): void {
  if (onProgress === undefined) return
  const seconds = (performance.now() - began) / 1000
  const { rows: total, changed, conflicts, retries, pass } = totals
  const rowsPerSecond = seconds > 0 ? seen / seconds : 0
  const secondsLeft = seen > 0 ? max(0, total - seen) * (seconds / seen) : undefined
  onProgress({ seen, total, changed, failed, conflicts, retries, pass, rowsPerSecond, secondsLeft })
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
