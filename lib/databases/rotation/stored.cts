// Opens a stored value of any kind, or reports why it cannot be opened.
import type { RowKey } from '../../../types/columns.d.ts'
import type { RenewedCounts, RotationFailureReason } from '../../../types/rotation.d.ts'
import { codeOf } from '../../cipher/base/builtins.cjs'
import { authenticationFailed, unpublished } from '../../cipher/base/diagnostics.cjs'
import { AuthenticationError, UnknownLayoutError } from '../../cipher/base/errors.cjs'
import type { Column } from '../../values/columns/column.cjs'
import { openedValue } from '../../values/columns/content.cjs'
import { openedByAny, type Plaintext } from '../../values/columns/open-value.cjs'
import { isSealed, looksSealed } from '../../values/columns/sealed.cjs'
import { keyIdOf, keysOf } from '../../values/keyring/methods.cjs'
import type { Plan } from './plan.cjs'

/** A value that stays as it is. */
export class Left {
  constructor(
    readonly reason: RotationFailureReason,
    readonly error?: unknown,
  ) {}
}

/** A value of a row, and the object of its parts if it has some in other columns. */
export interface Stored {
  readonly column: Column
  readonly value: unknown
  readonly inParts: object | undefined
}

/** The plaintext of a stored value, and how it was stored. */
export interface Opened {
  readonly plaintext: Plaintext
  readonly kind: keyof RenewedCounts
}

/** Throws a `Left` for a value that stays as it is. */
export function openStored(plan: Plan, stored: Stored, key: readonly RowKey[]): Opened {
  const { keyring } = plan.declaration
  const { column, value, inParts } = stored
  const known = orLeft(() => openedByAny(keyring, column, value, inParts, key))
  const opened = known ?? { plaintext: clearText(plan, stored, key), kind: 'clearText' as const }
  const { plaintext } = opened
  if (typeof plaintext === 'string' && plaintext !== value) {
    checkContent(column, plaintext)
    if (isSealed(keyring, plaintext, column.place.of(key))) throw new Left('sealed-twice')
  }
  return opened
}

/**
 * An authentic value with other contents than the column's is left; every other error ends the run.
 */
export function orLeft<Result>(call: () => Result): Result {
  try {
    return call()
  } catch (error) {
    throw codeOf(error) === 'ERR_INVALID_ARG_VALUE' ? new Left('wrong-type', error) : error
  }
}

function checkContent({ type, name }: Column, text: string): void {
  if (type !== 'bytes') orLeft(() => openedValue(type, undefined, name, text))
}

/** A value that neither a key nor a reader opens, if it is declared to be clear text. */
function clearText(
  { declaration, sealClear, toClear }: Plan,
  stored: Stored,
  key: readonly RowKey[],
): string {
  const { column, value, inParts } = stored
  if (looksSealed(value) && inParts === undefined) {
    if (isOfKnownKey(declaration.keyring, value)) throw unauthentic()
    throw new Left(sealClear ? 'looks-sealed' : 'unknown-key')
  }
  if (isRecognized(column, inParts ?? value, key)) throw unauthentic()
  if (inParts !== undefined) throw new Left('not-sealed')
  // The value is in clear already.
  if (toClear) return value as string
  if (!sealClear || column.type === 'bytes') throw new Left('not-sealed')
  return textOf(column, value)
}

function isOfKnownKey(keyring: Plan['declaration']['keyring'], value: string): boolean {
  const id = keyIdOf(keyring, value)
  return keysOf(keyring).some(known => known.id === id && known.status === 'enabled')
}

/** The text to seal for a value in clear. */
function textOf(column: Column, value: unknown): string {
  if (column.type === 'number' && typeof value === 'number') return `${value}`
  if (typeof value !== 'string') throw new Left('wrong-type')
  checkContent(column, value)
  return value
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

function unauthentic(): Left {
  authenticationFailed()
  return new Left('authentication-failed')
}
