// A run of a rotation: passes over the table, until the database counts nothing that is left.
import type { ColumnCount, RotationFailure, RotationResult, RowSource } from '../../../types/rotation.d.ts'
import { max, performance, types } from '../../cipher/base/builtins.cjs'
import { again, pauseFor, type Retries, refuseAborted } from './again.cjs'
import { noFindings, oneBatch } from './batch.cjs'
import { countsOf } from './counts.cjs'
import type { Plan } from './plan.cjs'
import type { Findings } from './renew.cjs'

const { isUint8Array } = types
const { setImmediate: turn } = process.getBuiltinModule('node:timers/promises')

/** Passes in a row after which less must be left. Other processes may be busy with it. */
const IDLE_PASSES = 6
/** Milliseconds before the first of them is repeated; the time doubles. */
const IDLE_WAIT = 50

/** The sums of a run. */
interface Totals extends Retries {
  rows: number
  changed: number
  conflicts: number
  pass: number
  /** The failures that were reported, so that a later pass does not repeat them. */
  readonly reported: Set<string>
}

/** Most failures that are remembered. */
const REMEMBERED = 100_000

/** The findings of one pass. */
interface Pass extends Omit<Findings, 'failures'> {
  readonly began: number
  seen: number
  failed: number
  changed: number
  /** Of `failed`, those that only a pass that writes can find. */
  kept: number
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
  const totals: Totals = { rows: 0, changed: 0, conflicts: 0, pass: 0, retries: 0, reported: new Set() }
  if (plan.onProgress !== undefined) totals.rows = rowsIn(await counts(plan, source, totals))
  const renewed = { sealed: 0, fallback: 0, clearText: 0 }
  let least = Number.POSITIVE_INFINITY
  for (let idle = 0; ; ) {
    const pass = await onePass(plan, source, totals, !dryRun)
    for (const kind of kindsOf(renewed)) renewed[kind] += pass.renewed[kind]
    totals.changed += pass.changed
    // Blind indexes cannot be counted, so another pass looks at all of them.
    const proof = checksIndexes && !dryRun ? await onePass(plan, source, totals, false) : pass
    const columns = await counts(plan, source, totals)
    const staleIndexes = checksIndexes || dryRun ? proof.staleIndexes : 0
    const rest = columns.reduce((sum, { rest }) => sum + rest, 0) + staleIndexes
    const history = columns.reduce((sum, { history }) => sum + history, 0)
    const { changed, conflicts, retries } = totals
    const failed = proof === pass ? pass.failed : proof.failed + pass.kept
    const result = { columns, changed, failed, conflicts, retries, staleIndexes, renewed }
    idle = rest < least ? 0 : idle + 1
    least = Math.min(least, rest)
    if (dryRun || rest - history <= failed || idle === IDLE_PASSES)
      return { done: rest === 0 && failed === 0 && !(dryRun && pass.changed > 0), ...result }
    await pauseFor(IDLE_WAIT * 2 ** idle, signal)
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
  const { renewed, staleIndexes } = noFindings()
  const began = performance.now()
  const pass: Pass = { began, seen: 0, failed: 0, changed: 0, kept: 0, renewed, staleIndexes }
  totals.pass++
  for (let after: unknown; ; ) {
    refuseAborted(signal)
    const batch = await again(signal, source, totals, () => oneBatch(plan, source, after, write))
    pass.seen += batch.seen
    pass.changed += batch.changed
    pass.failed += batch.failures.length
    pass.kept += batch.kept
    totals.conflicts += batch.conflicts
    pass.staleIndexes += batch.staleIndexes
    for (const kind of kindsOf(pass.renewed)) pass.renewed[kind] += batch.renewed[kind]
    await report(plan, totals, pass, batch.failures, write || plan.dryRun)
    after = batch.next
    if (after === undefined || after === null) return pass
    if (pause > 0) await pauseFor(pause, signal)
    // A source without asynchronous calls would keep signals and requests waiting.
    else await turn()
  }
}

/** Reports failures and progress. `isFirst`: not those of the pass that only proves the end. */
async function report(
  plan: Plan,
  totals: Totals,
  pass: Pass,
  failures: readonly RotationFailure[],
  isFirst: boolean,
): Promise<void> {
  const { onFailure, onProgress } = plan
  for (const failure of failures) if (isFirst && isNew(totals, failure)) await onFailure?.(failure)
  if (onProgress === undefined) return
  const seconds = (performance.now() - pass.began) / 1000
  const { seen, failed } = pass
  const { rows: total, conflicts, retries, pass: number } = totals
  const rowsPerSecond = seconds > 0 ? seen / seconds : 0
  const secondsLeft = seen > 0 ? max(0, total - seen) * (seconds / seen) : undefined
  const changed = totals.changed + (isFirst ? pass.changed : 0)
  onProgress({ seen, total, changed, failed, conflicts, retries, pass: number, rowsPerSecond, secondsLeft })
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

function kindsOf(renewed: Pass['renewed']): (keyof Pass['renewed'])[] {
  return Object.keys(renewed) as (keyof typeof renewed)[]
}
