// Renews the values of one row, in memory.
import type { RowKey } from '../../../types/columns.d.ts'
import type { RenewedCounts, RotationFailure, RowChange, SourceRow } from '../../../types/rotation.d.ts'
import { define, hasOwn } from '../../cipher/base/builtins.cjs'
import { wrongType } from '../../cipher/base/errors.cjs'
import type { Column } from '../../values/columns/column.cjs'
import { openedValue } from '../../values/columns/content.cjs'
import { newestIndexOf } from '../../values/columns/lookup.cjs'
import { type Plaintext, valueInParts } from '../../values/columns/open-value.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { keyOf } from '../../values/columns/row-key.cjs'
import { sealed } from '../../values/columns/seal-row.cjs'
import { looksSealed } from '../../values/columns/sealed.cjs'
import { needsRotation } from '../../values/keyring/methods.cjs'
import type { Plan } from './plan.cjs'
import { Left, type Opened, openStored, orLeft, type Stored } from './stored.cjs'

/** The findings of a batch. */
export interface Findings {
  readonly failures: RotationFailure[]
  readonly renewed: { -readonly [Name in keyof RenewedCounts]: number }
  /** Rows whose index is stale. */
  staleIndexes: number
}

/** Reports the values of a change that the database undid, and returns how many they are. */
export function keptBy(plan: Plan, { row, now }: RowChange, { failures }: Findings): number {
  const columns = plan.columns.filter(
    ({ name, index }) => hasOwn(now, name) || (index !== undefined && hasOwn(now, index.name)),
  )
  for (const { name } of columns) failures.push(failureOf(plan, row, name, { reason: 'kept' }))
  return columns.length
}

/** The change of a row; undefined if it needs none. A row without a key stays as it is. */
export function renewRow(
  plan: Plan,
  row: SourceRow,
  findings: Findings,
  isKeyless = false,
): RowChange | undefined {
  let change: Pick<Renewed, 'old' | 'now'> | undefined
  let key: readonly RowKey[] | undefined
  let isStale = false
  for (const column of plan.columns) {
    const candidate = candidateOf(plan, column, row)
    if (candidate === undefined) continue
    try {
      if (isKeyless) throw new Left('no-key')
      key ??= keyOfRow(plan, row)
      const renewed = renewedValue(plan, candidate, row, key)
      if (renewed === undefined) continue
      change = { old: { ...change?.old, ...renewed.old }, now: { ...change?.now, ...renewed.now } }
      isStale ||= renewed.isStale
      if (candidate.isOld) findings.renewed[renewed.kind]++
    } catch (error) {
      if (!(error instanceof Left)) throw error
      findings.failures.push(failureOf(plan, row, column.name, error))
    }
  }
  if (isStale) findings.staleIndexes++
  return change && { row, ...change }
}

/** A value that may need something. */
interface Candidate extends Stored {
  /** Whether it is under the key that it should be under. */
  readonly isCurrent: boolean
  /** Whether it is to be stored anew; otherwise only its index may be stale. */
  readonly isOld: boolean
}

function candidateOf(plan: Plan, column: Column, row: SourceRow): Candidate | undefined {
  const { declaration, toClear, backOptions } = plan
  const value = valueIn(row, column.name)
  const inParts = valueInParts(column, row as Row)
  const isText = typeof value === 'string'
  const isCurrent = isText && !toClear && !needsRotation(declaration.keyring, value, backOptions)
  const isOld = inParts !== undefined || (value !== null && !isCurrent && (isText || !toClear))
  const hasOlderIndexes = !toClear && value !== null && (column.index?.byKey.length ?? 0) > 1
  return isOld || hasOlderIndexes ? { column, value, inParts, isCurrent, isOld } : undefined
}

/** The members of a row before and after its renewal. */
interface Renewed extends Pick<Opened, 'kind'> {
  readonly old: Row
  readonly now: Record<string, string | null>
  /** Whether the index was another one. */
  readonly isStale: boolean
}

/** The renewal of a value; undefined if it needs none. */
function renewedValue(
  plan: Plan,
  candidate: Candidate,
  row: SourceRow,
  key: readonly RowKey[],
): Renewed | undefined {
  const { column, value, inParts, isCurrent } = candidate
  const { name, index, parts } = column
  const { plaintext, kind } = openStored(plan, candidate, key)
  const stored = isCurrent && kind === 'sealed' ? value : toStore(plan, candidate, plaintext, key)
  const fresh = plan.toClear ? undefined : freshIndex(column, plaintext)
  const isStale = index !== undefined && fresh !== undefined && valueIn(row, index.name) !== fresh
  if (stored === value && inParts === undefined && !isStale) return undefined
  // Literals define their members, where an assignment could run a setter of the prototype.
  let old: Row = { [name]: value }
  let now: Renewed['now'] = stored === value ? {} : { [name]: stored as string }
  if (inParts !== undefined)
    for (const part of parts) {
      old = { ...old, [part]: valueIn(row, part) }
      now = { ...now, [part]: null }
    }
  if (isStale) now = { ...now, [index.name]: fresh }
  return { old, now, kind, isStale }
}

function valueIn(row: SourceRow, name: string): unknown {
  const value = hasOwn(row, name) ? row[name] : undefined
  if (value !== undefined) return value
  throw wrongType(`"source.read" returned a row without "${name}", which was asked for`)
}

function keyOfRow({ declaration: { table, rowKey } }: Plan, row: SourceRow): readonly RowKey[] {
  try {
    return keyOf(table, rowKey, 'row', row as Row)
  } catch (error) {
    throw new Left('no-key', error)
  }
}

/** The text to store for a plaintext. */
function toStore(
  { declaration, toClear }: Plan,
  { column, value }: Stored,
  plaintext: Plaintext,
  key: readonly RowKey[],
): string {
  if (!toClear) return orLeft(() => sealed(declaration, column, plaintext, key))
  const text = typeof plaintext === 'string' ? plaintext : plaintext.toString('base64')
  if (text !== value && looksSealed(text)) throw new Left('looks-sealed')
  return text
}

function freshIndex(column: Column, plaintext: Plaintext): string | undefined {
  const { type, name, index } = column
  if (index === undefined) return undefined
  const isText = typeof plaintext === 'string' && type !== 'bytes'
  const value = isText ? openedValue(type, undefined, name, plaintext) : plaintext
  return newestIndexOf(column, index, name, value)
}

function failureOf(
  { declaration: { columns, hidden } }: Plan,
  row: SourceRow,
  column: string,
  { reason, error }: Left,
): RotationFailure {
  const key: Row = {}
  for (const name of Object.keys(row)) {
    if (hidden.includes(name) || columns.some(declared => declared.name === name)) continue
    define(key, name, row[name], true)
  }
  return error === undefined ? { key, column, reason } : { key, column, reason, error }
}
