// The columns that a rotation reads, and the beginnings of the values that need nothing.
import type { ColumnFilter } from '../../../types/rotation.d.ts'
import { positionOf } from '../../cipher/base/builtins.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { keysOf } from '../../values/keyring/methods.cjs'
import { textStartsOf } from '../../values/keyring/prefix.cjs'
import type { Options } from './options.cjs'

export interface Plan extends Options {
  readonly declaration: Declaration
  /** The columns to read. */
  readonly read: readonly string[]
  readonly filters: readonly ColumnFilter[] | undefined
  /** Whether rows are opened for their index alone. */
  readonly checksIndexes: boolean
  /** For needsRotation, which parses options. */
  readonly backOptions: { readonly back: true } | undefined
}

export function planOf(declaration: Declaration, options: Options): Plan {
  const read: string[] = [...declaration.rowKey]
  let checksIndexes = false
  for (const { name, index, parts } of options.columns) {
    read.push(name, ...parts)
    if (index === undefined) continue
    read.push(index.name)
    // The index of a value under the primary key can be that of an older index key.
    if (index.byKey.length > 1 && !options.toClear) checksIndexes = true
  }
  const filters = checksIndexes ? undefined : filtersOf(declaration, options)
  return {
    ...options,
    declaration,
    read: read.filter((name, i) => positionOf(read, name) === i),
    filters,
    checksIndexes,
    backOptions: options.back ? { back: true } : undefined,
  }
}

/** The rows that may need something; undefined for all. */
function filtersOf(
  declaration: Declaration,
  { columns, back, toClear }: Options,
): ColumnFilter[] | undefined {
  const filters: ColumnFilter[] = []
  const starts = startsOf(declaration, back, toClear)
  for (const { name, parts, readers } of columns) {
    if (toClear && readers.length > 0) return undefined
    filters.push(toClear ? { column: name, only: starts } : { column: name, except: starts })
    for (const part of parts) filters.push({ column: part, except: [] })
  }
  return filters
}

/** The beginnings of values under the primary key and, without `back`, newer keys; or under all. */
function startsOf({ keyring }: Declaration, back: boolean, all: boolean): string[] {
  const starts: string[] = []
  let isNewer = false
  for (const { id, primary, prefix } of keysOf(keyring)) {
    isNewer ||= primary
    if (prefix === 'tink' && (primary || all || (isNewer && !back))) starts.push(...textStartsOf(id))
  }
  return starts
}
