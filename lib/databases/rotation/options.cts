// Parses the options of a rotation.
import type { RotateColumnsOptions, RotationFailure, RotationProgress } from '../../../types/rotation.d.ts'
import { signalOf } from '../../cipher/aead/abort.cjs'
import { positionOf } from '../../cipher/base/builtins.cjs'
import { nodeError, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { count, optionsOf, shown } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { Column } from '../../values/columns/column.cjs'
import { columnOf, type Declaration } from '../../values/columns/declaration.cjs'

export interface Options {
  readonly columns: readonly Column[]
  /** Whether values in clear are sealed. */
  readonly sealClear: boolean
  readonly back: boolean
  /** Whether values are stored in clear. */
  readonly toClear: boolean
  readonly dryRun: boolean
  readonly batchSize: number
  readonly pause: number
  readonly signal: AbortSignal | undefined
  readonly onProgress: ((progress: RotationProgress) => void) | undefined
  readonly onFailure: ((failure: RotationFailure) => void | Promise<void>) | undefined
}

const NAMES = [
  'columns',
  'clearText',
  'back',
  'to',
  'confirm',
  'dryRun',
  'batchSize',
  'pause',
  'signal',
  'onProgress',
  'onFailure',
] as const satisfies (keyof RotateColumnsOptions)[]
const CONFIRM = 'store values in clear text'
const COLUMNS = { elements: 'columns', least: 1, most: 1000 }
/** The longest time of a timer. */
const MAX_PAUSE = 2 ** 31 - 1

type Own = (name: (typeof NAMES)[number], fallback?: unknown) => unknown

export function parseOptions(declaration: Declaration, given: unknown): Options {
  const own: Own = given === undefined ? (_, fallback) => fallback : optionsOf(given, NAMES)
  const columns = columnsOf(declaration, own('columns'))
  const toClear = oneOf('to', own('to', 'primary'), ['primary', 'clear']) === 'clear'
  const confirm = own('confirm')
  if (toClear && confirm !== CONFIRM)
    throw wrongValue(
      `"options.to" is 'clear', which ends the encryption of the table: it needs confirm: '${CONFIRM}'`,
    )
  if (!toClear && confirm !== undefined) throw wrongValue(`"options.confirm" is for to: 'clear'`)
  const sealClear = oneOf('clearText', own('clearText', 'refuse'), ['refuse', 'seal']) === 'seal'
  if (toClear && sealClear) throw wrongValue(`"options.clearText" cannot be 'seal' with to: 'clear'`)
  if (sealClear) for (let i = 0; i < columns.length; i++) refuseReaders(columns[i] as Column)
  return {
    columns,
    sealClear,
    back: flag('back', own('back', false)),
    toClear,
    dryRun: flag('dryRun', own('dryRun', false)),
    batchSize: count('options.batchSize', own('batchSize', 1000), 1, 100_000),
    pause: count('options.pause', own('pause', 0), 0, MAX_PAUSE),
    signal: signalOf({ signal: own('signal') })?.signal,
    onProgress: callback('onProgress', own('onProgress')) as Options['onProgress'],
    onFailure: callback('onFailure', own('onFailure')) as Options['onFailure'],
  }
}

function columnsOf(declaration: Declaration, given: unknown): readonly Column[] {
  if (given === undefined) return declaration.columns
  if (!isList(given)) throw wrongType('columns', `an array of the names of columns, got ${kindOf(given)}`)
  const names = elementsOf('options.columns', given, lengthOfList('options.columns', given, COLUMNS))
  const columns: Column[] = []
  for (let i = 0; i < names.length; i++) {
    const column = columnOf(declaration, names[i])
    if (positionOf(columns, column) >= 0) throw wrongValue(`"options.columns" has ${shown(names[i])} twice`)
    columns.push(column)
  }
  return columns
}

/**
 * Refuses readers that cannot tell another layout from a value that does not open: the latter would
 * be sealed as if it were clear text.
 */
function refuseReaders({ name, readers }: Column): void {
  for (let i = 0; i < readers.length; i++) {
    if (typeof (readers[i] as { open?: unknown }).open === 'function') continue
    throw wrongValue(
      `"options.clearText" is 'seal', and a reader of "${name}" has no method open, which distinguishes clear text from values that fail authentication`,
    )
  }
}

function oneOf(name: string, value: unknown, values: readonly string[]): string {
  if (positionOf(values, value) >= 0) return value as string
  throw wrongValue(`"options.${name}" must be '${values[0]}' or '${values[1]}', got ${shown(value)}`)
}

function flag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw wrongType(name, `a boolean, got ${kindOf(value)}`)
}

function callback(name: string, value: unknown): unknown {
  if (value === undefined || typeof value === 'function') return value
  throw wrongType(name, `a function, got ${kindOf(value)}`)
}

function wrongType(name: string, what: string): Error {
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `"options.${name}" must be ${what}`)
}
