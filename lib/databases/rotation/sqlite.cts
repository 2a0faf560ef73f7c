// The source of rows for SQLite, over `node:sqlite` or `better-sqlite3`.
import type { RowChange, RowSource, SqliteDatabase, SqlRowsOptions } from '../../../types/rotation.d.ts'
import { define, keys as namesOf } from '../../cipher/base/builtins.cjs'
import { quotedName } from '../../values/columns/condition.cjs'
import { keyIn, notATable, type SqlTable, sqlTable, wrongClient } from './sql.cjs'
import { type Rows, SqlRows } from './sql-rows.cjs'
import { isLock } from './temporary.cjs'

type Statement = ReturnType<SqliteDatabase['prepare']> & {
  setReadBigInts?: (on: boolean) => unknown
  safeIntegers?: (on: boolean) => unknown
}

const { isSafeInteger } = Number
/** Where SQLite looks for a table first. */
const ORDER = ['temp', 'main']

export function sqliteRows(database: SqliteDatabase, options: SqlRowsOptions): RowSource {
  if (typeof (database as SqliteDatabase | undefined)?.prepare !== 'function')
    throw wrongClient('database', 'a database of node:sqlite or better-sqlite3', database)
  return new SqliteRows(database, sqlTable('sqlite', options, false))
}

class SqliteRows extends SqlRows {
  readonly hasServer = false
  protected readonly lock = ''
  readonly #database: SqliteDatabase
  readonly #statements = new Map<string, Statement>()
  #isTable = false

  constructor(database: SqliteDatabase, table: SqlTable) {
    super(table)
    this.#database = database
  }

  isTemporary(error: unknown): boolean {
    return isLock(error)
  }

  protected prepare(): void {
    if (this.#isTable) return
    const { path } = this.table
    const [name = '', schema] = [...path].reverse()
    const among = schema === undefined ? '' : `${quotedName(schema, 'sqlite')}.`
    // Versions of SQLite before 3.37 know no such list, and return nothing.
    const found = this.all(`PRAGMA ${among}table_list(${quotedName(name, 'sqlite')})`)
    const [first] = ORDER.flatMap(schema => found.filter(one => one.schema === schema)).concat(found)
    if (first !== undefined && first.type !== 'table')
      throw notATable(this.table, first.type === 'view' ? 'a view' : `a ${first.type} table`)
    this.#isTable = true
  }

  /** Only one process writes at a time, so others wait instead of reading the same rows. */
  protected begin(): void {
    this.#database.exec('BEGIN IMMEDIATE')
    this.inTransaction = true
  }

  protected override async commit(): Promise<void> {
    this.#database.exec('COMMIT')
  }

  protected release(isOpen: boolean): void {
    this.#statements.clear()
    if (!isOpen) return
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
    }
  }

  protected parameter(values: unknown[], value: unknown): string {
    values.push(value)
    return '?'
  }

  protected textOf(column: string): string {
    return this.table.quoted(column)
  }

  protected startOf(column: string): string {
    return `substr(${this.table.quoted(column)}, 1, 7)`
  }

  protected update(changes: readonly RowChange[]): number {
    return changes.reduce((sum, change) => sum + this.#update(change), 0)
  }

  protected stored(changes: readonly RowChange[]): number[] {
    const { key, name } = this.table
    return [...changes.keys()].filter(i => {
      const { row, now } = changes[i] as RowChange
      const set = namesOf(now)
      const values = [...keyIn(this.table, row), ...set.map(column => now[column])]
      return this.all(`SELECT 1 FROM ${name} WHERE ${this.#equal([...key, ...set])}`, values).length > 0
    })
  }

  #equal(columns: readonly string[]): string {
    return columns.map(column => `${this.table.quoted(column)} IS ?`).join(' AND ')
  }

  #update({ row, old, now }: RowChange): number {
    const { key, name, quoted } = this.table
    const [set, compared] = [namesOf(now), namesOf(old)]
    const equal = this.#equal([...key, ...compared])
    const sql = `UPDATE ${name} SET ${set.map(column => `${quoted(column)} = ?`).join(', ')} WHERE ${equal}`
    const values = [
      ...set.map(column => now[column]),
      ...keyIn(this.table, row),
      ...compared.map(column => old[column]),
    ]
    const { changes } = this.#prepared(sql).run(...(values as never[])) as { changes: number | bigint }
    return Number(changes)
  }

  /** Rows, in which whole numbers that JavaScript's numbers cannot hold are bigints. */
  protected all(sql: string, values: readonly unknown[] = []): Rows {
    const statement = this.#prepared(sql)
    statement.setReadBigInts?.(true)
    statement.safeIntegers?.(true)
    return (statement.all(...(values as never[])) as Rows).map(row => {
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
