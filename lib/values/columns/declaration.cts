// A declaration of encrypted columns, parsed: a mistake in it is found here, before any row.
import { define, freeze, keys as namesOf } from '../../cipher/base/builtins.cjs'
import { outOfRange, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { optionsOf, shown } from '../../cipher/base/parse.cjs'
import { wellFormed } from '../../cipher/base/utf8.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { Keyring } from '../keyring/keyring.cjs'
import { keyringOf, keysOf } from '../keyring/methods.cjs'
import { type Column, parseColumn } from './column.cjs'
import { type IndexKeys, indexKeysOf } from './index-keys.cjs'
import { Names } from './names.cjs'

/** The parsed declaration of a table. */
export interface Declaration {
  readonly table: string
  readonly keyring: Keyring
  /** The columns of the row's key; none if values are not bound to a row. */
  readonly rowKey: readonly string[]
  readonly columns: readonly Column[]
  /** The columns that rows have in the database alone: blind indexes, and parts of old values. */
  readonly hidden: readonly string[]
  /** Whether parts are among them. */
  readonly hasParts: boolean
  readonly names: Names
}

const NAMES = ['keyring', 'rowKey', 'columns', 'indexKey', 'passThrough'] as const
const PARTS = { elements: 'columns', least: 1, most: 16 }
const PASSED = { elements: 'names', least: 0, most: 1000 }
const MAX_COLUMNS = 1000

export function declarationOf(table: unknown, options: unknown): Declaration {
  const name = nameOf('table', table)
  const own = optionsOf(options, NAMES)
  const keyring = prefixedKeyringOf(own('keyring'))
  const rowKey = rowKeyOf(own('rowKey'))
  const given = own('columns')
  const keys = indexKeysOf('options.indexKey', own('indexKey'))
  const columns = columnsOf(name, given, rowKey, keys)
  const names = new Names(neededOf(columns, rowKey))
  const hidden: string[] = []
  let hasIndex = false
  let hasParts = false
  for (let i = 0; i < columns.length; i++) {
    const { argument, name, index, parts } = columns[i] as Column
    names.add(argument, name)
    if (index !== undefined) hide(`${argument}.index`, index.name)
    hasIndex ||= index !== undefined
    hasParts ||= parts.length > 0
    for (let j = 0; j < parts.length; j++) hide(`${argument}.parts[${j}]`, parts[j] as string)
  }
  for (let i = 0; i < rowKey.length; i++) names.refuseTaken('options.rowKey', rowKey[i] as string)
  const passed = namesIn('options.passThrough', own('passThrough', []))
  for (let i = 0; i < passed.length; i++) names.pass(`options.passThrough[${i}]`, passed[i] as string)
  if (keys.given && !hasIndex)
    throw wrongValue('"options.indexKey" is the key of indexes, and no column has an "index"')
  return { table: name, keyring, rowKey, columns, hidden, hasParts, names }

  function hide(argument: string, name: string): void {
    names.add(argument, name)
    define(hidden, `${hidden.length}`, name, true)
  }
}

/** The names of all columns of a whole row. */
function neededOf(columns: readonly Column[], rowKey: readonly string[]): readonly string[] {
  const needed: string[] = []
  for (let i = 0; i < columns.length; i++)
    define(needed, `${needed.length}`, (columns[i] as Column).name, true)
  for (let i = 0; i < rowKey.length; i++) define(needed, `${needed.length}`, rowKey[i], true)
  return needed
}

/** The declared column of a name. */
export function columnOf({ columns }: Declaration, name: unknown): Column {
  let list = ''
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as Column
    if (column.name === name) return column
    list += `${i > 0 ? "', '" : ''}${column.name}`
  }
  throw wrongValue(`"column" must be one of '${list}', got ${shown(name)}`)
}

/** The facts that inspection shows. */
export function factsOf({ table, rowKey, columns }: Declaration): object {
  const types = {}
  for (let i = 0; i < columns.length; i++) {
    const { name, type } = columns[i] as Column
    define(types, name, type, true)
  }
  return { table, rowKey: rowKey.length === 0 ? false : rowKey, columns: types }
}

/** A name: not empty, and with one form in UTF-8, since it is a part of every value. */
function nameOf(argument: string, name: unknown): string {
  if (typeof name !== 'string') throw wrongType(`"${argument}" must be a string, got ${kindOf(name)}`)
  if (name === '') throw wrongValue(`"${argument}" must not be empty`)
  return wellFormed(argument, name)
}

/** A keyring whose values begin like sealed ones. */
function prefixedKeyringOf(given: unknown): Keyring {
  const keyring = keyringOf(given)
  const list = keysOf(keyring)
  for (let i = 0; i < list.length; i++) {
    const { primary, prefix } = list[i] as Keyring['keys'][number]
    if (primary && prefix !== 'tink')
      throw wrongValue(
        `"options.keyring" has a primary key with the prefix '${prefix}': its values do not begin like sealed ones, so promote a key with the prefix 'tink'`,
      )
  }
  return keyring
}

function rowKeyOf(rowKey: unknown): readonly string[] {
  if (rowKey === false) return []
  if (rowKey === undefined)
    throw wrongValue(
      `"options.rowKey" is missing: the column with the row's key, such as 'id', or false if the database makes the key, which binds values to no row`,
    )
  if (!isList(rowKey)) return freeze([nameOf('options.rowKey', rowKey)])
  const parts = elementsOf('options.rowKey', rowKey, lengthOfList('options.rowKey', rowKey, PARTS))
  for (let i = 0; i < parts.length; i++) {
    nameOf(`options.rowKey[${i}]`, parts[i])
    for (let j = 0; j < i; j++)
      if (parts[i] === parts[j]) throw wrongValue(`"options.rowKey" has ${shown(parts[i])} twice`)
  }
  return freeze(parts as string[])
}

/** Names of properties, in a list. */
function namesIn(argument: string, given: unknown): readonly string[] {
  if (!isList(given))
    throw wrongType(`"${argument}" must be an array of the names of properties, got ${kindOf(given)}`)
  const list = elementsOf(argument, given, lengthOfList(argument, given, PASSED))
  for (let i = 0; i < list.length; i++) nameOf(`${argument}[${i}]`, list[i])
  return list as readonly string[]
}

function columnsOf(
  table: string,
  given: unknown,
  rowKey: readonly string[],
  keys: IndexKeys,
): readonly Column[] {
  if (typeof given !== 'object' || given === null || isList(given))
    throw wrongType(`"options.columns" must be an object, such as { email: 'text' }, got ${kindOf(given)}`)
  const names = namesOf(given)
  if (names.length === 0 || names.length > MAX_COLUMNS)
    throw outOfRange(`"options.columns" must have 1 to ${MAX_COLUMNS} columns, got ${names.length}`)
  // Own properties alone, of a plain object.
  const own = optionsOf(given, names, 'options.columns')
  const columns: Column[] = []
  for (let i = 0; i < names.length; i++) {
    const name = nameOf('options.columns', names[i])
    const column = parseColumn(table, name, own(name), rowKey.length, keys)
    define(columns, `${i}`, column, true)
  }
  return columns
}
