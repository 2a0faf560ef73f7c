// One column of a declaration.
import type { ColumnType } from '../../../types/columns.d.ts'
import type { TextReader } from '../../../types/keyring.d.ts'
import { define, freeze, join, positionOf } from '../../cipher/base/builtins.cjs'
import { wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { codedIfRevoked, optionsOf, shown } from '../../cipher/base/parse.cjs'
import { wellFormed } from '../../cipher/base/utf8.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { readersAmong } from '../keyring/fallback.cjs'
import { type ColumnIndex, columnIndexOf, type IndexKeys } from './index-keys.cjs'
import { Place } from './place.cjs'

export interface Column {
  readonly name: string
  /** Where it was declared, for errors. */
  readonly argument: string
  readonly type: ColumnType
  readonly index: ColumnIndex | undefined
  /** Readers of older values. */
  readonly readers: readonly TextReader[]
  /** The readers as the option of `openText`; undefined without readers. */
  readonly fallback: { readonly fallback: readonly TextReader[] } | undefined
  /** Other columns with parts of older values. */
  readonly parts: readonly string[]
  readonly place: Place
  /** The `head` of the place, unless readers may have to read a value. */
  readonly head: string | undefined
}

const TYPES: readonly ColumnType[] = ['text', 'number', 'bytes', 'json']
const NAMES = ['type', 'index', 'normalizer', 'fallback', 'parts'] as const
const PARTS = { elements: 'columns', least: 1, most: 8 }

/** `keyParts` is the number of columns of the row's key. */
export function parseColumn(
  table: string,
  name: string,
  given: unknown,
  keyParts: number,
  keys: IndexKeys,
): Column {
  const argument = `options.columns.${name}`
  const isShort = typeof given === 'string'
  const own = isShort ? undefined : optionsOf(given, NAMES, argument)
  const type = typeOf(isShort ? argument : `${argument}.type`, own === undefined ? given : own('type'))
  const index = own === undefined ? undefined : indexOf(table, name, argument, type, own, keys)
  const readers = own === undefined ? [] : readersOf(argument, type, own)
  const parts = own === undefined ? [] : partsOf(argument, own, readers.length > 0)
  const place = new Place(table, name, keyParts)
  return {
    name,
    argument,
    type,
    index,
    readers,
    fallback: readers.length === 0 ? undefined : freeze({ fallback: readers }),
    parts,
    place,
    head: readers.length === 0 ? place.head : undefined,
  }
}

type Own = (name: (typeof NAMES)[number]) => unknown

function typeOf(argument: string, given: unknown): ColumnType {
  const type = TYPES[positionOf(TYPES, given)]
  if (type !== undefined) return type
  throw wrongValue(`"${argument}" must be one of '${join(TYPES, "', '")}', got ${shown(given)}`)
}

function indexOf(
  table: string,
  column: string,
  argument: string,
  type: ColumnType,
  own: Own,
  keys: IndexKeys,
): ColumnIndex | undefined {
  const name = own('index')
  const normalizer = own('normalizer')
  if (name === undefined) {
    if (normalizer === undefined) return undefined
    throw wrongValue(`"${argument}.normalizer" is for an index, and the column has none: add "index"`)
  }
  if (typeof name !== 'string')
    throw wrongType(`"${argument}.index" must be the name of the column for the index, got ${kindOf(name)}`)
  if (name === '') throw wrongValue(`"${argument}.index" must not be empty`)
  if (type === 'json') {
    const what =
      'needs another type, because equal JSON has several texts: put the part to search for in a column'
    throw wrongValue(`"${argument}.index" ${what}`)
  }
  // The purpose is `table.column`, whose last full stop must be the one between them.
  if (hasFullStop(column)) throw wrongValue(`"${argument}.index" needs a column whose name has no full stop`)
  wellFormed(`${argument}.index`, name)
  return columnIndexOf(argument, `${table}.${column}`, name, normalizer, keys)
}

function hasFullStop(name: string): boolean {
  for (let i = 0; i < name.length; i++) if (name[i] === '.') return true
  return false
}

function readersOf(argument: string, type: ColumnType, own: Own): readonly TextReader[] {
  const readers = readersAmong(own, `${argument}.fallback`) as readonly TextReader[]
  if (type === 'bytes') for (let i = 0; i < readers.length; i++) refuseTextReader(argument, readers[i])
  // A list without the prototype's setters, which the keyring reads at each call.
  const list: TextReader[] = []
  for (let i = 0; i < readers.length; i++) define(list, `${i}`, readers[i], true)
  return freeze(list)
}

function partsOf(argument: string, own: Own, hasReaders: boolean): readonly string[] {
  const given = own('parts')
  if (given === undefined) return []
  const name = `${argument}.parts`
  if (!isList(given)) {
    const what = `must be an array of the names of columns, got ${kindOf(given)}`
    throw wrongType(`"${name}" ${what}`)
  }
  if (!hasReaders)
    throw wrongValue(`"${name}" are for old values, and the column has no reader: add "fallback"`)
  const parts = elementsOf(name, given, lengthOfList(name, given, PARTS))
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]
    if (typeof part !== 'string')
      throw wrongType(`"${name}[${i}]" must be the name of a column, got ${kindOf(part)}`)
    if (part === '') throw wrongValue(`"${name}[${i}]" must not be empty`)
    wellFormed(`${name}[${i}]`, part)
  }
  return freeze(parts as string[])
}

function refuseTextReader(argument: string, reader: unknown): void {
  try {
    if (typeof (reader as { tryOpenBytes?: unknown }).tryOpenBytes === 'function') return
  } catch (error) {
    throw codedIfRevoked(`${argument}.fallback`, reader, error)
  }
  throw wrongType(`"${argument}.fallback" must have a method tryOpenBytes, because the column contains bytes`)
}
