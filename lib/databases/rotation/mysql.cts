// The source of rows for MySQL and MariaDB, over `mysql2/promise`.
import type {
  MysqlConnection,
  MysqlPool,
  RowChange,
  RowSource,
  ServerRowsOptions,
} from '../../../types/rotation.d.ts'
import { changesSql } from './mysql-changes.cjs'
import {
  executed,
  type MysqlColumn,
  mysqlColumns,
  mysqlKind,
  parameter,
  refuseConverted,
} from './mysql-types.cjs'
import { type SqlTable, sqlTable, wrongClient } from './sql.cjs'
import { type Rows, SqlRows } from './sql-rows.cjs'
import { isLock, isLost } from './temporary.cjs'

/** Without it, a column that is too short would take a part of a value, and lose the rest. */
const MODE = 'STRICT_ALL_TABLES'

type Held = MysqlConnection & { release?: () => void; destroy?: () => void }

export function mysqlRows(client: MysqlPool | MysqlConnection, options: ServerRowsOptions): RowSource {
  const table = sqlTable('mysql', options, true)
  const { getConnection, query, execute } = (client ?? {}) as Partial<MysqlPool & MysqlConnection>
  const isConnection = typeof query === 'function' && typeof execute === 'function'
  if (typeof getConnection !== 'function' && !isConnection)
    throw wrongClient('client', 'a pool or a connection of mysql2/promise', client)
  return new MysqlRows(client, table)
}

class MysqlRows extends SqlRows {
  readonly hasServer = true
  protected readonly lock = ' FOR UPDATE SKIP LOCKED'
  readonly #given: MysqlPool | MysqlConnection
  #held: Held | undefined
  /** The statement that restores the session's own limits. */
  #restore = ''
  #columns: Map<string, MysqlColumn> = new Map()
  #isVersioned = false

  constructor(given: MysqlPool | MysqlConnection, table: SqlTable) {
    super(table)
    this.#given = given
  }

  /** A connection of a pool may be lost, so the pool's next one is tried. */
  isTemporary(error: unknown): boolean {
    return isLock(error) || ('getConnection' in this.#given && isLost(error))
  }

  protected async prepare(): Promise<void> {
    const connection = await this.#connection()
    if (this.#columns.size > 0) return
    this.#isVersioned = await mysqlKind(connection, this.table)
    const columns = await mysqlColumns(connection, this.table)
    refuseConverted(this.table, columns)
    this.#columns = columns
  }

  protected async begin(): Promise<void> {
    if (this.#restore === '') await this.#limit()
    // READ COMMITTED releases the locks of rows that do not match, and locks no gaps.
    await this.all('SET TRANSACTION ISOLATION LEVEL READ COMMITTED')
    await this.all('START TRANSACTION')
    this.inTransaction = true
  }

  protected override get history(): string {
    return this.#isVersioned ? ' FOR SYSTEM_TIME ALL' : ''
  }

  /** Without the limits of batches. */
  protected override async allOfCount(sql: string, values: readonly unknown[]): Promise<Rows> {
    if (this.#restore !== '') await this.all(this.#restore)
    this.#restore = ''
    return await this.all(sql, values)
  }

  protected async all(sql: string, values: readonly unknown[] = []): Promise<Rows> {
    const connection = await this.#connection()
    return (
      values.length === 0 ? (await connection.query(sql))[0] : await executed(connection, sql, values)
    ) as Rows
  }

  protected async release(isOpen: boolean): Promise<void> {
    const [held, restore] = [this.#held, this.#restore]
    this.#held = undefined
    this.#restore = ''
    if (held === undefined) return
    try {
      if (isOpen) await held.query('ROLLBACK')
      if (restore !== '') await held.query(restore)
    } catch {
      // The server ends the transaction of a lost connection.
      if (held !== this.#given) held.destroy?.()
      return
    }
    if (held !== this.#given) held.release?.()
  }

  async #connection(): Promise<Held> {
    const given = this.#given
    this.#held ??= 'getConnection' in given ? await given.getConnection() : given
    return this.#held
  }

  /** Sets the limits and the mode of the session. end() restores its own. */
  async #limit(): Promise<void> {
    const { statementTimeout, lockTimeout } = this.table
    const [version] = await this.all('SELECT VERSION() AS version')
    const isMariadb = `${version?.version}`.includes('MariaDB')
    const variable = isMariadb ? 'max_statement_time' : 'max_execution_time'
    const time = isMariadb ? statementTimeout / 1000 : statementTimeout
    const [before] = await this.all(
      `SELECT @@SESSION.${variable} AS t, @@SESSION.innodb_lock_wait_timeout AS l, @@SESSION.sql_mode AS m`,
    )
    // Of whole seconds, the least is one; the most is what MariaDB calls no limit.
    const lock = lockTimeout === 0 ? 100_000_000 : Math.max(1, Math.ceil(lockTimeout / 1000))
    const set = (t: unknown, l: unknown, m: unknown) =>
      `SET SESSION ${variable} = ${Number(t)}, SESSION innodb_lock_wait_timeout = ${Number(l)}, SESSION sql_mode = '${m}'`
    this.#restore = set(before?.t, before?.l, before?.m)
    await this.all(set(time, lock, MODE))
  }

  /** The driver would round large numbers. */
  protected override returned(column: string): string {
    const name = super.returned(column)
    return this.#columns.get(this.table.nameOf(column))?.kind === 'integer' ? `CAST(${name} AS CHAR)` : name
  }

  protected parameter(values: unknown[], value: unknown, column?: string): string {
    // Of a text and a number, MySQL would compare the numbers in front of them.
    values.push(typeof value === 'number' || typeof value === 'bigint' ? `${value}` : value)
    return column === undefined ? '?' : parameter(this.#columns.get(this.table.nameOf(column)))
  }

  protected textOf(column: string): string {
    return this.table.quoted(column)
  }

  protected startOf(column: string): string {
    return `CONVERT(LEFT(${this.table.quoted(column)}, 7) USING utf8mb4) COLLATE utf8mb4_bin`
  }

  /** Not a comparison of tuples, for which no index is used. */
  protected override compare(operator: '>' | '<=', at: readonly unknown[], values: unknown[]): string {
    const { key, quoted } = this.table
    const one = (i: number, sign: string) => {
      const column = key[i] as string
      return `${quoted(column)} ${sign} ${this.parameter(values, at[i], column)}`
    }
    const strict = operator === '>' ? '>' : '<'
    const from = (i: number): string => {
      if (i === key.length - 1) return one(i, operator)
      return `${one(i, `${strict}=`)} AND (${one(i, strict)} OR (${from(i + 1)}))`
    }
    return from(0)
  }

  protected async update(changes: readonly RowChange[]): Promise<number> {
    const { update, json } = changesSql(this.table, this.#columns, changes)
    const result = await executed(await this.#connection(), update, [json])
    return Number((result as { affectedRows?: unknown }).affectedRows)
  }

  protected async stored(changes: readonly RowChange[]): Promise<number[]> {
    const { stored, json } = changesSql(this.table, this.#columns, changes)
    return (await this.all(stored, [json])).map(({ i }) => Number(i))
  }

  protected override nullable(): readonly string[] {
    const { key, nameOf } = this.table
    return key.filter(column => this.#columns.get(nameOf(column))?.isNullable === true)
  }
}
