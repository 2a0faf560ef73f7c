// Counts the values of columns by the keys that they name.
import type { ColumnCount, KeyCount, PrefixCount, RowSource } from '../../../types/rotation.d.ts'
import { max } from '../../cipher/base/builtins.cjs'
import { wrongType } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { count, shown } from '../../cipher/base/parse.cjs'
import type { Column } from '../../values/columns/column.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { keysOf } from '../../values/keyring/methods.cjs'
import { prefixInText, prefixOf } from '../../values/keyring/prefix.cjs'

const COUNTS = { elements: 'counts', least: 0, most: 2 ** 32 - 1 }
const MOST = 2 ** 53 - 1
const VERSION_1 = prefixOf(1, 0)

/** `toClear`: values under keys are those that are left. */
export async function countsOf(
  declaration: Declaration,
  columns: readonly Column[],
  source: RowSource,
  toClear: boolean,
): Promise<ColumnCount[]> {
  const counts: ColumnCount[] = []
  for (const { name, parts } of columns) {
    const lists = [await source.count(name)]
    for (const part of parts) lists.push(await source.count(part))
    const now = countOf(declaration, lists, toClear, false)
    const history = countOf(declaration, lists, toClear, true).rest
    counts.push({ column: name, ...now, history, rest: now.rest + history })
  }
  return counts
}

/** `lists`: the counts of the column, and then those of its parts. */
function countOf(
  declaration: Declaration,
  lists: readonly (readonly PrefixCount[])[],
  toClear: boolean,
  ofHistory: boolean,
): Omit<ColumnCount, 'column' | 'history'> {
  const [{ byId, notSealed, nulls }, ...parts] = lists.map(list => tally(list, ofHistory)) as [
    Tally,
    ...Tally[],
  ]
  // A row has a value in several columns if any of them is not NULL.
  const inParts = parts.reduce((most, { byId, notSealed }) => max(most, notSealed + sum(byId)), 0)
  const keys = keyCounts(declaration, byId)
  const left = keys.reduce((left, { primary, values }) => left + (primary && !toClear ? 0 : values), 0)
  const other = max(notSealed, inParts)
  return { keys, notSealed: other, nulls, rest: left + (toClear ? inParts : other) }
}

interface Tally {
  readonly byId: Map<number, number>
  readonly notSealed: number
  readonly nulls: number
}

function tally(given: readonly PrefixCount[], ofHistory: boolean): Tally {
  if (!isList(given)) throw wrong(`must return an array, got ${shown(given)}`)
  const list = elementsOf('source.count()', given, lengthOfList('source.count()', given, COUNTS))
  const byId = new Map<number, number>()
  let notSealed = 0
  let nulls = 0
  for (const one of list as readonly PrefixCount[]) {
    const { prefix, history = false } = one
    if (history !== ofHistory) continue
    const values = count('source.count()[].values', one.values, 0, MOST)
    const id = typeof prefix === 'string' ? keyIdIn(prefix) : undefined
    if (prefix === null) nulls += values
    else if (id === undefined) notSealed += values
    else byId.set(id, (byId.get(id) ?? 0) + values)
  }
  return { byId, notSealed, nulls }
}

/** The id in the beginning of a sealed value; undefined if there is none. */
function keyIdIn(start: string): number | undefined {
  const id = prefixInText(start) - VERSION_1
  return id >= 0 && id < VERSION_1 ? id : undefined
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
  return wrongType(`"source.count" ${what}`)
}
