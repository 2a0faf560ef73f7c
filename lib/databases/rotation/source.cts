// Calls the caller-supplied functions of a source, and checks what they return.
import type { RowBatch, RowChange, RowSource, SourceRow, Written } from '../../../types/rotation.d.ts'
import { isInteger } from '../../cipher/base/builtins.cjs'
import { wrongType } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { Plan } from './plan.cjs'

const OPTIONAL: readonly string[] = ['isTemporary', 'end']
const ROWS = { elements: 'rows', least: 0, most: 2 ** 32 - 1 }

export function checkSource(source: unknown): RowSource {
  if (typeof source !== 'object' || source === null)
    throw wrongType(`"source" must be an object with read, write and count, got ${kindOf(source)}`)
  for (const name of ['read', 'write', 'count', 'isTemporary', 'end'] as const) {
    const given: unknown = (source as RowSource)[name]
    if (typeof given === 'function' || (given === undefined && OPTIONAL.includes(name))) continue
    throw wrongType(`"source.${name}" must be a function`)
  }
  return source as RowSource
}

export async function readBatch(
  { batchSize, read, filters }: Plan,
  source: RowSource,
  after: unknown,
  write: boolean,
): Promise<RowBatch & { readonly seen: number; readonly keyless: readonly SourceRow[] }> {
  const batch = await source.read({ after, limit: batchSize, columns: read, filters, write })
  if (typeof batch !== 'object' || batch === null) throw wrong('read', `an object, got ${kindOf(batch)}`)
  const { rows, next, seen } = batch
  const list = rowsOf('rows', rows)
  const keyless = batch.keyless === undefined ? [] : rowsOf('keyless', batch.keyless)
  const least = list.length + keyless.length
  return {
    rows: list,
    keyless,
    next,
    seen: isInteger(seen) && (seen as number) >= least ? (seen as number) : least,
  }
}

function rowsOf(name: string, rows: unknown): readonly SourceRow[] {
  const list = listOf('read', `an object with an array "${name}"`, rows) as SourceRow[]
  for (const row of list)
    if (typeof row !== 'object' || row === null)
      throw wrong('read', `${name} that are objects, got ${kindOf(row)}`)
  return list
}

/** What became of each change. */
export async function writeBatch(
  source: RowSource,
  changes: readonly RowChange[],
): Promise<readonly Written[]> {
  const list = listOf('write', 'an array', await source.write(changes))
  if (list.length === changes.length) return list as Written[]
  throw wrong('write', `a boolean or 'kept' for each of ${changes.length} changes, got ${list.length}`)
}

function listOf(name: string, kind: string, list: unknown): readonly unknown[] {
  if (isList(list)) return elementsOf(`source.${name}()`, list, lengthOfList(`source.${name}()`, list, ROWS))
  throw wrong(name, `${kind}, got ${kindOf(list)}`)
}

function wrong(name: string, what: string): Error {
  return wrongType(`"source.${name}" must return ${what}`)
}
