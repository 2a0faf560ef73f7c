// The source of rows for SQLite, over `node:sqlite` or `better-sqlite3`.
import type {
  PrefixCount,
  ReadRequest,
  RowBatch,
  RowChange,
  RowSource,
  SourceRow,
  SqliteDatabase,
  SqlRowsOptions,
} from '../../types/rotation.d.ts'
import { define, keys as namesOf } from '../base/builtins.cjs'
import { nodeError } from '../base/errors.cjs'
import { kindOf } from '../base/views.cjs'
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

type Statement = ReturnType<SqliteDatabase['prepare']> & {
  setReadBigInts?: (on: boolean) => unknown
  safeIntegers?: (on: boolean) => unknown
}

const { isSafeInteger } = Number

export function sqliteRows(database: SqliteDatabase, options: SqlRowsOptions): RowSource {
  if (typeof (database as SqliteDatabase | undefined)?.prepare !== 'function') {
    const what = `"database" must be a database of node:sqlite or better-sqlite3, got ${kindOf(database)}`
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
  }
  return new SqliteRows(database, sqlTable('sqlite', options, false))
}

class SqliteRows implements RowSource {
  readonly #database: SqliteDatabase
  readonly #table: SqlTable
  readonly #statements = new Map<string, Statement>()
  #inTransaction = false

  constructor(database: SqliteDatabase, table: SqlTable) {
    this.#database = database
    this.#table = table
  }

  read(request: ReadRequest): RowBatch {
    // Only one process writes at a time, so others wait instead of reading the same rows.
    if (request.write && !this.#inTransaction) {
      this.#database.exec('BEGIN IMMEDIATE')
      this.#inTransaction = true
    }
    const at = this.#window(request)
    if (at === undefined) return { rows: [], next: undefined }
    return advanced(this.#table, request, at, this.#rows(request, at))
  }

  write(changes: readonly RowChange[]): readonly boolean[] {
    const written = changes.map(change => this.#written(change))
    if (this.#inTransaction) this.#database.exec('COMMIT')
    this.#inTransaction = false
    return written
  }

  count(column: string): readonly PrefixCount[] {
    const name = this.#table.quoted(column)
    const rows = this.#all(countSql(this.#table, column, name, `substr(${name}, 1, 7)`), [])
    return rows.map(({ prefix, n }) => ({ prefix: prefix as string | null, values: Number(n) }))
  }

  end(): void {
    this.#statements.clear()
    if (!this.#inTransaction) return
    this.#inTransaction = false
    this.#database.exec('ROLLBACK')
  }

  #written({ row, old, now }: RowChange): boolean {
    const { key, name, quoted } = this.#table
    const [set, compared] = [namesOf(now), namesOf(old)]
    const equal = [...key, ...compared].map(column => `${quoted(column)} IS ?`).join(' AND ')
    const sql = `UPDATE ${name} SET ${set.map(column => `${quoted(column)} = ?`).join(', ')} WHERE ${equal}`
    const values = [
      ...set.map(column => now[column]),
      ...keyIn(this.#table, row),
      ...compared.map(column => old[column]),
    ]
    const { changes } = this.#prepared(sql).run(...(values as never[])) as { changes: number | bigint }
    return Number(changes) === 1
  }

  /** The cursor with a window of rows; undefined at the end of the table. */
  #window(request: ReadRequest): Cursor | undefined {
    const at = (request.after ?? START) as Cursor
    if (at.last !== undefined) return at
    const { key, name, quoted } = this.#table
    const names = key.map(quoted).join(', ')
    const inner = `SELECT ${names} FROM ${name} WHERE TRUE${this.#compare('>', at.after)} ORDER BY ${names} LIMIT ${windowOf(request)}`
    const order = key.map(column => `${quoted(column)} DESC`).join(', ')
    const sql = `SELECT ${this.#list(key)}, count(*) OVER () AS \`n of the window\` FROM (${inner}) ORDER BY ${order} LIMIT 1`
    const row = this.#all(sql, at.after ?? [])[0]
    if (row === undefined) return undefined
    return { after: at.after, last: keyIn(this.#table, row), left: Number(row['n of the window']) }
  }

  #rows(request: ReadRequest, at: Cursor): SourceRow[] {
    const { key, name, quoted } = this.#table
    const values = [...(at.after ?? []), ...(at.last ?? [])]
    const filter = wanted(this.#table, request.filters, (column, starts) => {
      values.push(...starts)
      return `substr(${quoted(column)}, 1, 7) IN (${starts.map(() => '?').join(', ')})`
    })
    const where = `TRUE${this.#compare('>', at.after)}${this.#compare('<=', at.last)}${filter}`
    const list = this.#list(selected(this.#table, request.columns))
    const order = key.map(quoted).join(', ')
    return this.#all(
      `SELECT ${list} FROM ${name} WHERE ${where} ORDER BY ${order} LIMIT ${request.limit}`,
      values,
    )
  }

  /** Columns by the names of rows. */
  #list(columns: readonly string[]): string {
    return columns.map(name => `${this.#table.quoted(name)} AS \`${name.replaceAll('`', '``')}\``).join(', ')
  }

  #compare(operator: string, at: Cursor['after']): string {
    if (at === undefined) return ''
    const { key, quoted } = this.#table
    return ` AND (${key.map(quoted).join(', ')}) ${operator} (${at.map(() => '?').join(', ')})`
  }

  /** Rows, in which whole numbers that JavaScript's numbers cannot hold are bigints. */
  #all(sql: string, values: readonly unknown[]): SourceRow[] {
    const statement = this.#prepared(sql)
    statement.setReadBigInts?.(true)
    statement.safeIntegers?.(true)
    return (statement.all(...(values as never[])) as SourceRow[]).map(row => {
      const copy: Record<string, unknown> = {}
      for (const name of namesOf(row)) {
        const value = row[name]
        const isShort = typeof value === 'bigint' && isSafeInteger(Number(value))
        define(copy, name, isShort ? Number(value) : value, true)
      }
      return copy
    })
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
