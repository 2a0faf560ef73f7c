// Counts the values of columns by the keys that they name.
import type { ColumnCount, KeyCount, PrefixCount, RowSource } from '../../types/rotation.d.ts'
import { max } from '../base/builtins.cjs'
import { nodeError } from '../base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../base/lists.cjs'
import { count, shown } from '../base/parse.cjs'
import type { Column } from '../columns/column.cjs'
import { type Declaration, keysOf } from '../columns/declaration.cjs'
import { keyIdIn } from './plan.cjs'

const COUNTS = { elements: 'counts', least: 0, most: 2 ** 32 - 1 }
const MOST = 2 ** 53 - 1

/** `toClear`: values under keys are those that are left. */
export async function countsOf(
  declaration: Declaration,
  columns: readonly Column[],
  source: RowSource,
  toClear: boolean,
): Promise<ColumnCount[]> {
  const counts: ColumnCount[] = []
  for (const { name, parts } of columns) {
    const { byId, notSealed, nulls } = tally(await source.count(name))
    // A row has a value in several columns if any of them is not NULL.
    let inParts = 0
    for (const part of parts) {
      const { byId, notSealed } = tally(await source.count(part))
      inParts = max(inParts, notSealed + sum(byId))
    }
    const keys = keyCounts(declaration, byId)
    const left = keys.reduce((left, { primary, values }) => left + (primary && !toClear ? 0 : values), 0)
    const other = max(notSealed, inParts)
    counts.push({ column: name, keys, notSealed: other, nulls, rest: left + (toClear ? inParts : other) })
  }
  return counts
}

interface Tally {
  readonly byId: Map<number, number>
  readonly notSealed: number
  readonly nulls: number
}

function tally(given: readonly PrefixCount[]): Tally {
  if (!isList(given)) throw wrong(`must return an array, got ${shown(given)}`)
  const list = elementsOf('source.count()', given, lengthOfList('source.count()', given, COUNTS))
  const byId = new Map<number, number>()
  let notSealed = 0
  let nulls = 0
  for (const one of list as readonly PrefixCount[]) {
    const { prefix } = one
    const values = count('source.count()[].values', one.values, 0, MOST)
    const id = typeof prefix === 'string' ? keyIdIn(prefix) : undefined
    if (prefix === null) nulls += values
    else if (id === undefined) notSealed += values
    else byId.set(id, (byId.get(id) ?? 0) + values)
  }
  return { byId, notSealed, nulls }
}

function sum(byId: Map<number, number>): number {
  let total = 0
  for (const values of byId.values()) total += values
  return total
}

/** Values by key, in the order of the keyring; those of unknown keys follow. */
function keyCounts({ keyring }: Declaration, byId: Map<number, number>): KeyCount[] {
  const counts: KeyCount[] = []
  for (const { id, primary, prefix, status } of keysOf(keyring)) {
    if (prefix !== 'tink') continue
    counts.push({ keyId: id, primary, known: status === 'enabled', values: byId.get(id) ?? 0 })
    byId.delete(id)
  }
  for (const [keyId, values] of [...byId].sort(([a], [b]) => a - b))
    counts.push({ keyId, primary: false, known: false, values })
  return counts
}

function wrong(what: string): Error {
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `"source.count" ${what}`)
}
