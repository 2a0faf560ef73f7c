// The parts of statements that all sources for SQL share: names, keys, and the columns of a batch.
import type { Database } from '../../../types/columns.d.ts'
import type { ColumnFilter, ReadRequest, RowChange, SourceRow } from '../../../types/rotation.d.ts'
import { define, hasOwn, keys as namesOf, positionOf } from '../../cipher/base/builtins.cjs'
import { wrongState, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { count, optionsOf, shown } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { conditionFor, quotedName } from '../../values/columns/condition.cjs'
import { type Condition, conditionsIn } from './where.cjs'

const NAMES = ['table', 'key', 'names', 'where', 'statementTimeout', 'lockTimeout'] as const
const TIMES = { statementTimeout: 30_000, lockTimeout: 2000 }
const TABLE = { elements: 'names', least: 2, most: 2 }
const KEY = { elements: 'columns', least: 1, most: 16 }

/** Rows that a window has for each row of a batch. */
const WINDOW = 16

/** A table in a database. */
export interface SqlTable {
  readonly database: Database
  /** Its name, in quotes. */
  readonly name: string
  /** Its schema and name as they were given. */
  readonly path: readonly string[]
  /** The columns of the key, as rows name them. */
  readonly key: readonly string[]
  /** The condition for its rows; empty for all of them. */
  readonly where: readonly Condition[]
  /** The name of a column in the database. */
  nameOf(column: string): string
  /** The same, in quotes. */
  quoted(column: string): string
  /** Milliseconds. */
  readonly statementTimeout: number
  readonly lockTimeout: number
}

/** `hasTimes`: whether the options have time-outs. */
export function sqlTable(database: Database, given: unknown, hasTimes: boolean): SqlTable {
  const own = optionsOf(given, hasTimes ? NAMES : NAMES.slice(0, 4))
  const path = textsOf('options.table', own('table'), TABLE)
  const names = namesIn(own('names'))
  const nameOf = (column: string) => {
    const name = hasOwn(names, column) ? (names[column] as string) : column
    if (database === 'mysql') refuseMark('column', `${name}${column}`)
    return name
  }
  const key = textsOf('options.key', own('key'), KEY)
  if (database === 'mysql') refuseMark('table', path.join('.'))
  // An explicit undefined is a mistake, which would take in all rows.
  const where = hasOwn(given as object, 'where') ? conditionsIn(own('where')) : []
  const columns = [...key, ...namesOf(names), ...where.map(({ column }) => textOf('options.where', column))]
  for (const column of columns) nameOf(column)
  const time = (name: keyof typeof TIMES) =>
    hasTimes ? count(`options.${name}`, own(name, TIMES[name]), 0, 2 ** 31 - 1) : 0
  return {
    database,
    name: path.map(part => quotedName(part, database)).join('.'),
    path,
    key,
    where,
    nameOf,
    quoted: column => quotedName(nameOf(column), database),
    statementTimeout: time('statementTimeout'),
    lockTimeout: time('lockTimeout'),
  }
}

/** The error for a table whose rows a rotation cannot reach, or not all of them. */
export function notRotated(what: string): Error {
  return wrongState(what)
}

/** The error for a view and the like. */
export function notATable({ name }: SqlTable, kind: string): Error {
  return notRotated(`${name} is ${kind}, which may lack rows that need another key: name the table itself`)
}

/** The error for a client of no driver that the source knows. */
export function wrongClient(argument: string, kind: string, given: unknown): Error {
  return wrongType(`"${argument}" must be ${kind}, got ${kindOf(given)}`)
}

/** A name, or a list of them. */
function textsOf(name: string, given: unknown, range: typeof TABLE): readonly string[] {
  if (!isList(given)) return [textOf(name, given)]
  return elementsOf(name, given, lengthOfList(name, given, range)).map((text, i) =>
    textOf(`${name}[${i}]`, text),
  )
}

/** mysql2 can be told to replace each question mark, even one in quotes. */
function refuseMark(what: string, name: string): void {
  if (!name.includes('?')) return
  throw wrongValue(`a ${what} has a question mark in its name, '${name}'`)
}

function textOf(name: string, text: unknown): string {
  if (typeof text !== 'string')
    throw wrongType(`"${name}" must be the name in the database, got ${kindOf(text)}`)
  // PostgreSQL's driver ends a name at a zero character.
  if (text !== '' && !text.includes('\0')) return text
  throw wrongValue(`"${name}" must be a name that a database accepts, got ${shown(text)}`)
}

function namesIn(given: unknown): Record<string, string> {
  const names: Record<string, string> = {}
  if (given === undefined) return names
  const own = optionsOf(given, namesOf(given as object), 'options.names')
  for (const name of namesOf(given as object))
    define(names, name, textOf(`options.names.${name}`, own(name)), true)
  return names
}

/** Where a source is: the key of the row before, and the last key of a window of rows. */
export interface Cursor {
  readonly after: readonly unknown[] | undefined
  readonly last: readonly unknown[] | undefined
  /** The rows of the window that were not counted yet. */
  readonly left: number
  /** After the last window: how many rows without a key were read. */
  readonly keyless?: number
}

export const START: Cursor = { after: undefined, last: undefined, left: 0 }

export function keyIn({ key }: SqlTable, row: SourceRow): unknown[] {
  return key.map(name => row[name])
}

/** The columns to select: those that are asked for, and the key. */
export function selected({ key }: SqlTable, columns: readonly string[]): string[] {
  return [...key.filter(name => positionOf(columns, name) < 0), ...columns]
}

/** The rows of a window, whose size limits the time of a statement that finds few wanted rows. */
export function windowOf({ limit, filters }: ReadRequest): number {
  return filters === undefined ? limit : limit * WINDOW
}

/** The cursor after a batch, and how many rows were seen. */
export function advanced(table: SqlTable, request: ReadRequest, at: Cursor, rows: readonly SourceRow[]) {
  const isEnd = rows.length < request.limit
  if (isEnd)
    return { rows, seen: Math.max(at.left, rows.length), next: { after: at.last, last: undefined, left: 0 } }
  const after = keyIn(table, rows[rows.length - 1] as SourceRow)
  return { rows, seen: rows.length, next: { after, last: at.last, left: Math.max(0, at.left - rows.length) } }
}

/** The columns that some change of a batch writes, and those that it compares. */
export function columnsOf(changes: readonly RowChange[]): { old: string[]; now: string[] } {
  const old = new Set<string>()
  const now = new Set<string>()
  for (const change of changes) {
    for (const name of namesOf(change.old)) old.add(name)
    for (const name of namesOf(change.now)) now.add(name)
  }
  return { old: [...old], now: [...now] }
}

/** The value to write in a column: that of the change, or the row's own. */
export function nowOf({ now, row }: RowChange, column: string): unknown {
  return hasOwn(now, column) ? now[column] : row[column]
}

/** The beginning of values that are not sealed: the mode EMPTY_STRING_IS_NULL has no ''. */
export const NOT_SEALED = '-'

/**
 * The statement that counts values by their beginnings. `text` is the column as a text. `history`
 * follows the name of a table with a history: its rows are counted once more, together with it.
 * `condition` adds its parameters at each call.
 */
export function countSql(
  table: SqlTable,
  column: string,
  text: string,
  start: string,
  history: string,
  condition: () => string,
): string {
  const name = table.quoted(column)
  const prefix = `CASE WHEN ${name} IS NULL THEN NULL WHEN ${conditionFor(text, table.database)} THEN ${start} ELSE '${NOT_SEALED}' END`
  const counted = (from: string, whole: number) =>
    `SELECT ${prefix} AS prefix, count(*) AS n, ${whole} AS whole FROM ${from} WHERE TRUE${condition()} GROUP BY 1`
  if (history === '') return counted(table.name, 0)
  // One statement, which sees one state of the table.
  return `(${counted(table.name, 0)}) UNION ALL (${counted(`${table.name}${history}`, 1)})`
}

/**
 * The condition for wanted rows; `''` for all. `isIn` says that a column begins with one of some
 * texts.
 */
export function wanted(
  { quoted }: SqlTable,
  filters: readonly ColumnFilter[] | undefined,
  isIn: (column: string, starts: readonly string[]) => string,
): string {
  if (filters === undefined) return ''
  const conditions = filters.map(filter => {
    const name = quoted(filter.column)
    if ('only' in filter)
      return filter.only.length === 0
        ? '1 = 0'
        : `(${name} IS NOT NULL AND ${isIn(filter.column, filter.only)})`
    if (filter.except.length === 0) return `${name} IS NOT NULL`
    // In parentheses: MySQL's mode HIGH_NOT_PRECEDENCE negates the column alone otherwise.
    return `(${name} IS NOT NULL AND NOT (${isIn(filter.column, filter.except)}))`
  })
  return ` AND (${conditions.join(' OR ')})`
}
