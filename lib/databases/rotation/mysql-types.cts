// Facts about a table of MySQL or MariaDB that shape a statement: its kind and column types.
import type { MysqlConnection } from '../../../types/rotation.d.ts'
import { notATable, notRotated, type SqlTable } from './sql.cjs'

export interface MysqlColumn {
  readonly kind: 'integer' | 'binary' | 'text' | 'other'
  readonly type: string
  /** The type of an integer. */
  readonly unsigned: boolean
  /** Character set and collation of a text. */
  readonly collation: string
  readonly isNullable: boolean
}

const VERSIONED = 'SYSTEM VERSIONED'
const INTEGERS = ['tinyint', 'smallint', 'mediumint', 'int', 'bigint']
const WHOLE = /^-?\d{1,20}$/
const BINARIES = ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob']

/** Refuses what is no such table. Returns whether the table keeps the history of its rows. */
export async function mysqlKind(connection: MysqlConnection, table: SqlTable): Promise<boolean> {
  const { where, values } = schemaOf(table)
  const sql = `SELECT TABLE_TYPE AS kind, ENGINE AS engine FROM information_schema.TABLES WHERE ${where}`
  const rows = (await executed(connection, sql, values)) as Record<string, unknown>[]
  for (const { kind, engine } of rows) {
    if (typeof kind !== 'string') continue
    if (kind !== 'BASE TABLE' && kind !== VERSIONED) throw notATable(table, `a ${kind}`.toLowerCase())
    // Without transactions and locks of rows, two runs would write one row.
    if (engine !== 'InnoDB')
      throw notRotated(`${table.name} has the engine ${engine}, and a rotation needs InnoDB`)
  }
  return rows.some(({ kind }) => kind === VERSIONED)
}

export async function mysqlColumns(
  connection: MysqlConnection,
  table: SqlTable,
): Promise<Map<string, MysqlColumn>> {
  const { where, values } = schemaOf(table)
  const sql = `SELECT COLUMN_NAME AS name, DATA_TYPE AS type, COLUMN_TYPE AS full, CHARACTER_SET_NAME AS cs, COLLATION_NAME AS co,
    IS_NULLABLE AS nullable
    FROM information_schema.COLUMNS WHERE ${where}`
  const rows = (await executed(connection, sql, values)) as Record<string, unknown>[]
  return new Map(rows.map(row => [String(row.name), columnOf(row)]))
}

/** The condition for rows about a table in a view of information_schema. */
export function schemaOf({ path }: SqlTable): { where: string; values: readonly string[] } {
  const [first = '', second] = path
  if (second === undefined) return { where: 'TABLE_NAME = ? AND TABLE_SCHEMA = DATABASE()', values: [first] }
  return { where: 'TABLE_NAME = ? AND TABLE_SCHEMA = ?', values: [second, first] }
}

/**
 * Runs a prepared statement: values never become a part of its text. The driver would escape them
 * by backslashes, which are plain characters to a session in the mode NO_BACKSLASH_ESCAPES.
 */
export async function executed(
  connection: MysqlConnection,
  sql: string,
  values: readonly unknown[],
): Promise<unknown> {
  return (await connection.execute(sql, values as unknown[]))[0]
}

function columnOf({ type, full, cs, co, nullable }: Record<string, unknown>): MysqlColumn {
  const name = String(type).toLowerCase()
  const unsigned = String(full).includes('unsigned')
  const collation = typeof cs === 'string' ? `CHARACTER SET ${cs} COLLATE ${co}` : ''
  const isNullable = nullable === 'YES'
  if (INTEGERS.includes(name)) return { kind: 'integer', type: name, unsigned, collation: '', isNullable }
  if (BINARIES.includes(name)) return { kind: 'binary', type: name, unsigned, collation: '', isNullable }
  return { kind: collation === '' ? 'other' : 'text', type: name, unsigned, collation, isNullable }
}

/**
 * Refuses conditions whose value MySQL would convert: a word is 0 for it if the column is a number,
 * so it would select the rows of another one.
 */
export function refuseConverted({ name, nameOf, where }: SqlTable, columns: Map<string, MysqlColumn>): void {
  for (const { column, values } of where) {
    const { kind, type, unsigned } = columns.get(nameOf(column)) ?? {}
    if (kind === undefined || kind === 'text' || kind === 'binary' || type === 'uuid') continue
    const [least, most] = unsigned ? [0n, 2n ** 64n] : [-(2n ** 63n), 2n ** 63n]
    const isIn = (value: unknown) =>
      WHOLE.test(`${value}`) && BigInt(`${value}`) >= least && BigInt(`${value}`) < most
    if (kind === 'integer' && values.every(isIn)) continue
    const what = kind === 'integer' ? 'its condition needs whole numbers' : 'no condition can have it'
    throw notRotated(`the column '${nameOf(column)}' of ${name} is of the type ${type}: ${what}`)
  }
}

/**
 * A parameter for a comparison with a column. Compared as texts, large integers would be rounded.
 */
export function parameter(column: MysqlColumn | undefined): string {
  if (column?.kind !== 'integer') return '?'
  return `CAST(? AS ${column.unsigned ? 'UNSIGNED' : 'SIGNED'})`
}
