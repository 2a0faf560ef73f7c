// Renews the values of one row, in memory.
import type { RowKey } from '../../../types/columns.d.ts'
import type {
  RenewedCounts,
  RotationFailure,
  RotationFailureReason,
  RowChange,
  SourceRow,
} from '../../../types/rotation.d.ts'
import { codeOf, define, hasOwn, uncurried } from '../../cipher/base/builtins.cjs'
import { authenticationFailed, unpublished } from '../../cipher/base/diagnostics.cjs'
import { AuthenticationError, nodeError, UnknownLayoutError } from '../../cipher/base/errors.cjs'
import type { Column } from '../../values/columns/column.cjs'
import { openedValue } from '../../values/columns/content.cjs'
import { keysOf } from '../../values/columns/declaration.cjs'
import { newestIndexOf } from '../../values/columns/index-keys.cjs'
import { indexContent } from '../../values/columns/lookup.cjs'
import {
  openedByKeyring,
  openedByReaders,
  type Plaintext,
  valueInParts,
} from '../../values/columns/open-value.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { keyOf } from '../../values/columns/row-key.cjs'
import { isSealed, sealed } from '../../values/columns/seal-row.cjs'
import { looksSealed } from '../../values/columns/sealed.cjs'
import { Keyring } from '../../values/keyring/keyring.cjs'
import type { Plan } from './plan.cjs'

const { prototype } = Keyring
const needsRotation = uncurried(prototype.needsRotation)
const keyIdOf = uncurried(prototype.keyIdOf)

type Kind = keyof RenewedCounts

/** The findings of a batch. */
export interface Findings {
  readonly failures: RotationFailure[]
  readonly renewed: { -readonly [Name in Kind]: number }
  /** Rows whose index is stale. */
  staleIndexes: number
}

/** The plaintext of a stored value, and how it was stored. */
interface Opened {
  readonly plaintext: Plaintext
  readonly kind: Kind
}

/** A value that stays as it is. */
class Left {
  constructor(
    readonly reason: RotationFailureReason,
    readonly error?: unknown,
  ) {}
}

/** Reports the values of a row that cannot be found again. */
export function keylessRow(plan: Plan, row: SourceRow, findings: Findings): void {
  renewRow(plan, row, findings, new Left('no-key'))
}

/** Reports the values of a change that the database undid, and returns how many they are. */
export function keptBy(plan: Plan, { row, now }: RowChange, { failures }: Findings): number {
  const columns = plan.columns.filter(
    ({ name, index }) => hasOwn(now, name) || (index !== undefined && hasOwn(now, index.name)),
  )
  for (const { name } of columns) failures.push(failureOf(plan, row, name, new Left('kept')))
  return columns.length
}

/** The change of a row; undefined if it needs none. `left`: why the row stays as it is. */
export function renewRow(plan: Plan, row: SourceRow, findings: Findings, left?: Left): RowChange | undefined {
  const {
    columns,
    declaration: { keyring },
  } = plan
  // Literals define their members, where an assignment could run a setter of the prototype.
  let old: Row | undefined
  let now: Record<string, string | null> = {}
  let key: readonly RowKey[] | undefined
  let isStale = false
  for (const column of columns) {
    const { name, index } = column
    const value = valueIn(row, name)
    const inParts = valueInParts(column, row as Row)
    const isCurrent =
      typeof value === 'string' && !plan.toClear && !needsRotation(keyring, value, plan.backOptions)
    const isOld =
      inParts !== undefined || (value !== null && !isCurrent && (typeof value === 'string' || !plan.toClear))
    const checksIndex = index !== undefined && index.byKey.length > 1 && !plan.toClear && value !== null
    if (!isOld && !checksIndex) continue
    let isTouched = inParts !== undefined
    try {
      if (left !== undefined) throw left
      key ??= keyOfRow(plan, row)
      const { plaintext, kind } = opened(plan, column, value, inParts, key)
      const stored = isCurrent && kind === 'sealed' ? value : renewed(plan, column, value, plaintext, key)
      let fresh: string | undefined
      if (index !== undefined && !plan.toClear) fresh = freshIndex(column, plaintext)
      if (stored !== value) {
        now = { ...now, [name]: stored }
        isTouched = true
      }
      if (inParts !== undefined) for (const part of column.parts) now = { ...now, [part]: null }
      if (index !== undefined && fresh !== undefined && valueIn(row, index.name) !== fresh) {
        now = { ...now, [index.name]: fresh }
        isStale = true
        isTouched = true
      }
      if (!isTouched) continue
      old = { ...old, [name]: value }
      if (inParts !== undefined) for (const part of column.parts) old = { ...old, [part]: valueIn(row, part) }
      if (isOld) findings.renewed[kind]++
    } catch (error) {
      if (!(error instanceof Left)) throw error
      findings.failures.push(failureOf(plan, row, name, error))
    }
  }
  if (isStale) findings.staleIndexes++
  return old === undefined ? undefined : { row, old, now }
}

function valueIn(row: SourceRow, name: string): unknown {
  const value = hasOwn(row, name) ? row[name] : undefined
  if (value !== undefined) return value
  const what = `"source.read" returned a row without "${name}", which was asked for`
  throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
}

function keyOfRow({ declaration: { table, rowKey } }: Plan, row: SourceRow): readonly RowKey[] {
  try {
    return keyOf(table, rowKey, 'row', row as Row)
  } catch (error) {
    throw new Left('no-key', error)
  }
}

function opened(
  plan: Plan,
  column: Column,
  value: unknown,
  inParts: object | undefined,
  key: readonly RowKey[],
): Opened {
  const { keyring } = plan.declaration
  const { name, place, type } = column
  const found = openedByAny(keyring, column, value, inParts, key) ?? {
    plaintext: clearText(plan, column, value, inParts, key),
    kind: 'clearText' as const,
  }
  const { plaintext } = found
  if (typeof plaintext === 'string' && plaintext !== value) {
    if (type !== 'bytes') checkContent(type, name, plaintext)
    if (isSealed(keyring, plaintext, place.of(key))) throw new Left('sealed-twice')
  }
  return found
}

/** As the keyring or a reader opens it; undefined if neither does. */
function openedByAny(
  keyring: Keyring,
  column: Column,
  value: unknown,
  inParts: object | undefined,
  key: readonly RowKey[],
): Opened | undefined {
  try {
    const own = typeof value === 'string' ? openedByKeyring(keyring, column, value, key) : null
    if (own !== null) return { plaintext: own, kind: 'sealed' }
    const given = inParts ?? value
    if (typeof given !== 'string' && inParts === undefined) return undefined
    const read = openedByReaders(column, given as object, key)
    return read === null ? undefined : { plaintext: read, kind: 'fallback' }
  } catch (error) {
    throw leftOf(error)
  }
}

function checkContent(type: 'text' | 'number' | 'json', name: string, text: string): void {
  try {
    openedValue(type, undefined, name, text)
  } catch (error) {
    throw leftOf(error)
  }
}

/** The value to store. */
function renewed(
  { declaration, toClear }: Plan,
  column: Column,
  value: unknown,
  plaintext: Plaintext,
  key: readonly RowKey[],
): string {
  if (toClear) {
    const text = typeof plaintext === 'string' ? plaintext : plaintext.toString('base64')
    if (text !== value && looksSealed(text)) throw new Left('looks-sealed')
    return text
  }
  try {
    return sealed(declaration, column, plaintext, key)
  } catch (error) {
    throw leftOf(error)
  }
}

/** A value that neither a key nor a reader opens, if it is declared to be clear text. */
function clearText(
  { declaration: { keyring }, sealClear, toClear }: Plan,
  column: Column,
  value: unknown,
  inParts: object | undefined,
  key: readonly RowKey[],
): string {
  const isKnown = (id: number | null) =>
    keysOf(keyring).some(known => known.id === id && known.status === 'enabled')
  if (looksSealed(value) && inParts === undefined) {
    if (isKnown(keyIdOf(keyring, value))) throw unauthentic()
    throw new Left(sealClear ? 'looks-sealed' : 'unknown-key')
  }
  if (isRecognized(column, inParts ?? value, key)) throw unauthentic()
  if (inParts !== undefined) throw new Left('not-sealed')
  // Nothing is left to do for it.
  if (toClear) return value as string
  if (!sealClear || column.type === 'bytes') throw new Left('not-sealed')
  if (typeof value === 'string') {
    checkContent(column.type, column.name, value)
    return value
  }
  if (column.type === 'number' && typeof value === 'number') return `${value}`
  throw new Left('wrong-type')
}

/** Whether a reader recognizes the layout of a value, which it did not open. */
function isRecognized({ readers, place }: Column, value: unknown, key: readonly RowKey[]): boolean {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return false
  for (const reader of readers) {
    const { open } = reader as { open?: (sealed: unknown, aad: Uint8Array) => unknown }
    if (typeof open !== 'function') continue
    try {
      unpublished(() => open.call(reader, value, place.own(key)))
      return true
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error
      if (!(error instanceof UnknownLayoutError)) return true
    }
  }
  return false
}

function freshIndex(column: Column, plaintext: Plaintext): string {
  const { type, name, index } = column
  const value =
    typeof plaintext === 'string' && type !== 'bytes'
      ? openedValue(type, undefined, name, plaintext)
      : plaintext
  return newestIndexOf(index as NonNullable<typeof index>, indexContent(column, name, value))
}

/**
 * An authentic value with other contents than the column's is left; every other error ends the run.
 */
function leftOf(error: unknown): unknown {
  return codeOf(error) === 'ERR_INVALID_ARG_VALUE' ? new Left('wrong-type', error) : error
}

function unauthentic(): Left {
  authenticationFailed()
  return new Left('authentication-failed')
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
