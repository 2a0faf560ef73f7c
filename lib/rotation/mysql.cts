// The source of rows for MySQL and MariaDB, over `mysql2/promise`.
import type {
  MysqlConnection,
  MysqlPool,
  PrefixCount,
  ReadRequest,
  RowBatch,
  RowChange,
  RowSource,
  ServerRowsOptions,
  SourceRow,
} from '../../types/rotation.d.ts'
import { types } from '../base/builtins.cjs'
import { nodeError } from '../base/errors.cjs'
import { kindOf } from '../base/views.cjs'
import { type Changes, changesSql } from './mysql-changes.cjs'
import { type MysqlColumn, mysqlColumns, parameter } from './mysql-types.cjs'
import {
  advanced,
  type Cursor,
  countSql,
  keyIn,
  type SqlTable,
  START,
  selected,
  sqlTable,
  wanted,
  windowOf,
} from './sql.cjs'

type Held = MysqlConnection & { release?: () => void; destroy?: () => void }
type Rows = Record<string, unknown>[]

const { isUint8Array } = types

export function mysqlRows(client: MysqlPool | MysqlConnection, options: ServerRowsOptions): RowSource {
  const { getConnection, query } = (client ?? {}) as Partial<MysqlPool & MysqlConnection>
  if (typeof getConnection !== 'function' && typeof query !== 'function') {
    const what = `"client" must be a pool or a connection of mysql2/promise, got ${kindOf(client)}`
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
  }
  return new MysqlRows(client, sqlTable('mysql', options, true))
}

class MysqlRows implements RowSource {
  readonly #given: MysqlPool | MysqlConnection
  readonly #table: SqlTable
  #held: Held | undefined
  /** Statement that gives the session its own limits back. */
  #restore = ''
  #inTransaction = false
  #columns: Map<string, MysqlColumn> | undefined

  constructor(given: MysqlPool | MysqlConnection, table: SqlTable) {
    this.#given = given
    this.#table = table
  }

  async read(request: ReadRequest): Promise<RowBatch> {
    const connection = await this.#connection()
    if (request.write && !this.#inTransaction) {
      if (this.#restore === '') await this.#limit(connection)
      // READ COMMITTED gives back the locks of rows that are not wanted, and locks no gaps.
      await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED')
      await connection.query('START TRANSACTION')
      this.#inTransaction = true
    }
    const at = await this.#window(connection, request)
    if (at === undefined) return { rows: [], next: undefined }
    const rows = await this.#rows(connection, request, at)
    return advanced(this.#table, request, at, rows)
  }

  async write(changes: readonly RowChange[]): Promise<readonly boolean[]> {
    const connection = await this.#connection()
    const written = new Array<boolean>(changes.length).fill(false)
    if (changes.length > 0) {
      const sql = changesSql(this.#table, await this.#types(connection), changes)
      const [result] = await connection.query(sql.update, [sql.json])
      const isAll = (result as { affectedRows?: unknown }).affectedRows === changes.length
      if (isAll) written.fill(true)
      else for (const i of await this.#writtenAmong(connection, sql)) written[i] = true
    }
    if (this.#inTransaction) await connection.query('COMMIT')
    this.#inTransaction = false
    return written
  }

  async count(column: string): Promise<readonly PrefixCount[]> {
    const connection = await this.#connection()
    const name = this.#table.quoted(column)
    const start = `CONVERT(LEFT(${name}, 7) USING utf8mb4) COLLATE utf8mb4_bin`
    const [rows] = await connection.query(countSql(this.#table, column, name, start))
    return (rows as Rows).map(({ prefix, n }) => ({ prefix: textOf(prefix), values: Number(n) }))
  }

  async end(): Promise<void> {
    const held = this.#held
    const [isOpen, restore] = [this.#inTransaction, this.#restore]
    this.#held = undefined
    this.#inTransaction = false
    this.#restore = ''
    if (held === undefined) return
    try {
      if (isOpen) await held.query('ROLLBACK')
      if (restore !== '') await held.query(restore)
      if (this.#given !== held) held.release?.()
    } catch {
      // The connection is lost, and the server ends its transaction.
      if (this.#given !== held) held.destroy?.()
    }
  }

  async #connection(): Promise<Held> {
    const given = this.#given
    this.#held ??= 'getConnection' in given ? await given.getConnection() : given
    return this.#held
  }

  /** Sets the limits of the session, which end() gives back. */
  async #limit(connection: MysqlConnection): Promise<void> {
    const { statementTimeout, lockTimeout } = this.#table
    const [[version]] = (await connection.query('SELECT VERSION() AS version')) as [Rows, unknown]
    const isMariadb = `${version?.version}`.includes('MariaDB')
    const variable = isMariadb ? 'max_statement_time' : 'max_execution_time'
    const time = isMariadb ? statementTimeout / 1000 : statementTimeout
    const [[before]] = (await connection.query(
      `SELECT @@SESSION.${variable} AS t, @@SESSION.innodb_lock_wait_timeout AS l`,
    )) as [Rows, unknown]
    // Of whole seconds, the least is one; the most is what MariaDB calls no limit.
    const lock = lockTimeout === 0 ? 100_000_000 : Math.max(1, Math.ceil(lockTimeout / 1000))
    const set = (t: unknown, l: unknown) =>
      `SET SESSION ${variable} = ${Number(t)}, SESSION innodb_lock_wait_timeout = ${Number(l)}`
    this.#restore = set(before?.t, before?.l)
    await connection.query(set(time, lock))
  }

  /** The cursor with a window of rows; undefined at the end of the table. */
  async #window(connection: MysqlConnection, request: ReadRequest): Promise<Cursor | undefined> {
    const at = (request.after ?? START) as Cursor
    if (at.last !== undefined) return at
    const types = await this.#types(connection)
    const { key, name, quoted } = this.#table
    const values: unknown[] = []
    const names = key.map(quoted).join(', ')
    const where = this.#compare(types, '>', at.after, values)
    const inner = `SELECT ${names} FROM ${name} WHERE TRUE${where} ORDER BY ${names} LIMIT ${windowOf(request)}`
    const order = key.map(column => `w.${quoted(column)} DESC`).join(', ')
    const sql = `SELECT ${this.#list(types, key, 'w')}, count(*) OVER () AS \`n of the window\` FROM (${inner}) AS w ORDER BY ${order} LIMIT 1`
    const [[row]] = (await connection.query(sql, values)) as [Rows, unknown]
    if (row === undefined) return undefined
    return { after: at.after, last: keyIn(this.#table, row), left: Number(row['n of the window']) }
  }

  async #rows(connection: MysqlConnection, request: ReadRequest, at: Cursor): Promise<SourceRow[]> {
    const types = await this.#types(connection)
    const { key, name, quoted } = this.#table
    const values: unknown[] = []
    const after = this.#compare(types, '>', at.after, values)
    const last = this.#compare(types, '<=', at.last, values)
    const filter = wanted(this.#table, request.filters, (column, starts) => {
      values.push(...starts)
      const start = `CONVERT(LEFT(${quoted(column)}, 7) USING utf8mb4) COLLATE utf8mb4_bin`
      return `${start} IN (${starts.map(() => '?').join(', ')})`
    })
    const list = this.#list(types, selected(this.#table, request.columns), 'u')
    const order = key.map(column => `u.${quoted(column)}`).join(', ')
    const lock = request.write ? ' FOR UPDATE SKIP LOCKED' : ''
    const sql = `SELECT ${list} FROM ${name} AS u WHERE TRUE${after}${last}${filter} ORDER BY ${order} LIMIT ${request.limit}${lock}`
    return (await connection.query(sql, values))[0] as Rows
  }

  /** Columns by the names of rows. */
  #list(types: Map<string, MysqlColumn>, columns: readonly string[], table: string): string {
    const { nameOf, quoted } = this.#table
    const list = columns.map(name => {
      const column = `${table}.${quoted(name)}`
      // The driver would round large numbers.
      const value = types.get(nameOf(name))?.kind === 'integer' ? `CAST(${column} AS CHAR)` : column
      return `${value} AS \`${name.replaceAll('`', '``')}\``
    })
    return list.join(', ')
  }

  /** The comparison of the key with that of a row. Not of tuples, for which no index is used. */
  #compare(
    types: Map<string, MysqlColumn>,
    operator: '>' | '<=',
    at: Cursor['after'],
    values: unknown[],
  ): string {
    if (at === undefined) return ''
    const { key, nameOf, quoted } = this.#table
    const one = (i: number, sign: string) => {
      values.push(at[i])
      return `${quoted(key[i] as string)} ${sign} ${parameter(types.get(nameOf(key[i] as string)))}`
    }
    const strict = operator === '>' ? '>' : '<'
    const from = (i: number): string => {
      if (i === key.length - 1) return one(i, operator)
      return `${one(i, `${strict}=`)} AND (${one(i, strict)} OR (${from(i + 1)}))`
    }
    return ` AND ${from(0)}`
  }

  /** Which changes are in the table: after an update that did not write all. */
  async #writtenAmong(connection: MysqlConnection, { written, json }: Changes): Promise<number[]> {
    const [rows] = await connection.query(written, [json])
    return (rows as Rows).map(({ i }) => Number(i))
  }

  async #types(connection: MysqlConnection): Promise<Map<string, MysqlColumn>> {
    this.#columns ??= await mysqlColumns(connection, this.#table)
    return this.#columns
  }
}

function textOf(value: unknown): string | null {
  if (value === null) return null
  return isUint8Array(value) ? Buffer.from(value).toString('latin1') : `${value}`
}
