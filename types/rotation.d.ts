/// <reference types="node" />

/**
 * Moves a table of encrypted columns to the primary key while programs read and write it.
 *
 * @example
 * const source = postgresqlRows(pool, { table: 'users', key: 'id' })
 * const { done, columns } = await rotateColumns(users, source, { onFailure: ({ key, reason }) => console.error(key, reason) })
 * if (done) console.log('no value needs another key')
 *
 * @remarks
 * Rows are read in batches, re-encrypted, and written only if unchanged since they were read. A run that ends early loses nothing,
 * and the next run continues. **Several processes may rotate one table**: they lock the rows of their batches, and skip locked
 * ones. Values that do not open are left unchanged and reported.
 */

import type { Columns, EncryptedColumns } from './columns.d.ts'

/** The columns of one row, by the names of the declaration. */
export type SourceRow = { readonly [column: string]: unknown }

/**
 * Which values of a column are wanted: those other than NULL that begin with one of `only`, or with none of `except`.
 *
 * A prefix has seven characters.
 */
export type ColumnFilter =
  | { readonly column: string; readonly only: readonly string[] }
  | { readonly column: string; readonly except: readonly string[] }

/** What {@link RowSource.read} is asked for. */
export interface ReadRequest {
  /** The `next` of the batch before; undefined for the first batch of a pass. */
  readonly after: unknown
  /** Maximum number of rows to return. */
  readonly limit: number
  /** The needed columns; the source may add the row key. */
  readonly columns: readonly string[]
  /**
   * Rows are wanted if one of the filters holds; without filters, all are.
   *
   * The source may return other rows too.
   */
  readonly filters: readonly ColumnFilter[] | undefined
  /** Whether `write` follows: the source may then lock the rows until that call, and leave out rows locked by others. */
  readonly write: boolean
}

/** What {@link RowSource.read} returns. */
export interface RowBatch {
  /** The rows, in the order of the cursor. */
  readonly rows: readonly SourceRow[]
  /** Where the next batch begins, even after a batch without rows; undefined at the end of the table. */
  readonly next: unknown
  /** Rows that the source cannot find again, since their key is `NULL`: their values are left, and reported. */
  readonly keyless?: readonly SourceRow[] | undefined
  /** The number of rows the source examined, including unwanted ones; by default those that it returned. */
  readonly seen?: number | undefined
}

/** One row to write. */
export interface RowChange {
  /** The row, as the source returned it. */
  readonly row: SourceRow
  /** The columns that must be unchanged since they were read, or the row is not written. */
  readonly old: SourceRow
  /** The columns to write: strings, or null. */
  readonly now: Readonly<Record<string, string | null>>
}

/** What became of a {@link RowChange}. */
export type Written = boolean | 'kept'

/** How many values of a column have one beginning. */
export interface PrefixCount {
  /** The first seven characters of sealed values; `''` for unsealed values, null for `NULL`. */
  readonly prefix: string | null
  /** The number of rows. */
  readonly values: number
  /** Whether they are in the history of a table, which no statement changes: by default false. */
  readonly history?: boolean | undefined
}

/**
 * A table in a database: three functions, which may be asynchronous.
 *
 * {@link postgresqlRows}, {@link mysqlRows} and {@link sqliteRows} make one; write another for any other database.
 */
export interface RowSource {
  /**
   * Reads the next rows.
   *
   * @example
   * const { rows, next } = await source.read({ after: undefined, limit: 100, columns: ['id', 'email'], filters: undefined, write: false })
   */
  read(request: ReadRequest): RowBatch | Promise<RowBatch>
  /**
   * Writes rows by compare-and-swap, and returns for each whether it was written, or `'kept'`.
   *
   * `false` says that another program has changed the row since it was read, and `'kept'` that the database itself keeps the old
   * values, as with a trigger that undoes the update. It is called once after every `read` with `write`, even without changes, and may then release locks. The run waits for it.
   *
   * @example
   * const [isWritten] = await source.write([{ row, old: { email: row.email }, now: { email: sealed } }])
   */
  write(changes: readonly RowChange[]): readonly Written[] | Promise<readonly Written[]>
  /**
   * Counts the values of a column by their beginnings.
   *
   * @example
   * const counts = await source.count('email')
   */
  count(column: string): readonly PrefixCount[] | Promise<readonly PrefixCount[]>
  /**
   * Reports whether the same batch may succeed after an error of one of these functions, such as a deadlock.
   *
   * Optional: without it, every error ends the run. With it, `end` is called, and after a pause the batch is read again.
   *
   * @example
   * const mayTryAgain = source.isTemporary?.(error) ?? false
   */
  isTemporary?(error: unknown): boolean
  /**
   * Releases resources of the source, such as a transaction, which it rolls back: called whenever a run ends, and before a
   * batch is tried again.
   *
   * @example
   * await source.end?.()
   */
  end?(): void | Promise<void>
}

/**
 * Why a value was left as it is.
 *
 * - `'not-sealed'`: it is clear text, or has a layout that no reader of the column reads
 * - `'looks-sealed'`: with `clearText: 'seal'`, it has the form of a sealed value of an unknown key, so it is not sealed again
 * - `'unknown-key'`: it names a key that is missing from the keyring, or disabled
 * - `'authentication-failed'`: it was changed, or is from another row, column or table
 * - `'sealed-twice'`: it opens to a value that is itself sealed for this place
 * - `'wrong-type'`: it is authentic, but has another type than the column
 * - `'no-key'`: the row lacks its key
 * - `'kept'`: the database kept the old value although no other program had changed the row: a trigger or a rule undoes updates
 */
export type RotationFailureReason =
  | 'not-sealed'
  | 'looks-sealed'
  | 'unknown-key'
  | 'authentication-failed'
  | 'sealed-twice'
  | 'wrong-type'
  | 'no-key'
  | 'kept'

/** A value left as it is; no property contains a value of a declared column. */
export interface RotationFailure {
  /** The undeclared columns of the row, such as its key. */
  readonly key: SourceRow
  /** The declared column. */
  readonly column: string
  /** Why. */
  readonly reason: RotationFailureReason
  /** The error of opening, if there was one. */
  readonly error?: unknown
}

/** How far a run is. */
export interface RotationProgress {
  /** Rows that the source examined, in this pass. */
  readonly seen: number
  /** Rows in the table when the run began. */
  readonly total: number
  /** Rows written, in all passes; in a dry run, those that it would write. */
  readonly changed: number
  /** Values left as they are, in this pass. */
  readonly failed: number
  /** Rows that another program changed in between, and that a later pass reads again. */
  readonly conflicts: number
  /** Attempts that a temporary error of the database ended, in all passes. */
  readonly retries: number
  /** The pass, from 1. */
  readonly pass: number
  /** Rows examined per second, in this pass. */
  readonly rowsPerSecond: number
  /** Seconds to the end of this pass; undefined before anything is known. */
  readonly secondsLeft: number | undefined
}

/** The values of a column under one key. */
export interface KeyCount {
  /** The id that the values name. */
  readonly keyId: number
  /** Whether it is the primary key. */
  readonly primary: boolean
  /** Whether the keyring has this key, enabled. */
  readonly known: boolean
  /** The number of values. */
  readonly values: number
}

/** The values of a column, as the database counts them. */
export interface ColumnCount {
  /** The name of the column. */
  readonly column: string
  /** The values by the keys that they name, in the order of the keyring and then by id. */
  readonly keys: readonly KeyCount[]
  /** Unsealed values: clear text and old layouts, and separate columns other than NULL. */
  readonly notSealed: number
  /** Rows in which the column is `NULL`. */
  readonly nulls: number
  /** The values that need another key or a reader and are in the history of a system-versioned table, which no run changes. */
  readonly history: number
  /** The values still to change, `history` included: 0 proves that no other key and no reader is needed. */
  readonly rest: number
}

/** The result of {@link rotateColumns}. */
export interface RotationResult {
  /**
   * Whether nothing is left: the `rest` of every column is 0, and so are `failed` and `staleIndexes`.
   *
   * **Disable an old key only if this is true**, and count again by {@link countColumns} later: a program that still seals with an
   * old key adds to the rest. Always false for a dry run that found something to change.
   */
  readonly done: boolean
  /** The counts after the run. */
  readonly columns: readonly ColumnCount[]
  /** Rows written; in a dry run, those that it would write. */
  readonly changed: number
  /** Values left as they are, in the last pass. */
  readonly failed: number
  /** Rows that another program changed between reading and writing. */
  readonly conflicts: number
  /** Attempts at a batch or a count that a temporary error of the database ended. */
  readonly retries: number
  /** Rows whose blind index differs from that of their value under the newest index key, as the last pass found them. */
  readonly staleIndexes: number
  /** How the renewed values had been stored; in a dry run, those that it would renew. */
  readonly renewed: RenewedCounts
}

/** How values had been stored. */
export interface RenewedCounts {
  /** Sealed, under another key. */
  readonly sealed: number
  /** In a layout that a reader of the column reads. */
  readonly fallback: number
  /** In clear. */
  readonly clearText: number
}

/** Options of {@link rotateColumns}: a plain object. */
export interface RotateColumnsOptions {
  /** The declared columns to rotate; by default all. */
  columns?: readonly string[] | undefined
  /**
   * `'seal'` seals clear text; by default `'refuse'`, which reports it.
   *
   * **An attacker who can write to the table can write clear text**, so use this once, in a migration. A value with the form of a
   * sealed one is never sealed again, and one that a reader recognises but does not open is not clear text. Readers then need the
   * method `open`, like those of `hardware-aes-gcm/legacy`.
   */
  clearText?: 'refuse' | 'seal' | undefined
  /** Also moves values of newer keys to the primary key, as `back` of `Keyring.rotate` does: by default false. */
  back?: boolean | undefined
  /** `'clear'` stores the plaintexts instead, for a program that stops using this package: by default `'primary'`. */
  to?: 'primary' | 'clear' | undefined
  /** Must be `'store values in clear text'` for `to: 'clear'`, which is refused without it. */
  confirm?: 'store values in clear text' | undefined
  /** Opens everything and counts, and writes nothing: by default false. */
  dryRun?: boolean | undefined
  /** Rows of a batch, which are locked meanwhile, 1 to 100 000: by default 1000. */
  batchSize?: number | undefined
  /** Milliseconds to wait after each batch: by default 0. */
  pause?: number | undefined
  /** Ends the run between two batches: the promise rejects with an `AbortError`, whose `cause` is the reason. */
  signal?: AbortSignal | undefined
  /** Called after each batch. */
  onProgress?: ((progress: RotationProgress) => void) | undefined
  /**
   * Called for each value left as it is; a promise is awaited.
   *
   * Values after the first 100 000 may be reported by each pass.
   */
  onFailure?: ((failure: RotationFailure) => void | Promise<void>) | undefined
}

/**
 * Moves the values of a table to the primary key, and their blind indexes to the newest index key.
 *
 * @example
 * const { done } = await rotateColumns(users, postgresqlRows(pool, { table: 'users', key: 'id' }))
 *
 * @remarks
 * Values may be under any key of the keyring, or in a format that a reader of their column reads, even in separate columns, which
 * become NULL. After a pass over the table, it counts; if another program wrote or locked values meanwhile, it reads again. While
 * the declaration has several index keys, every row is opened.
 *
 * After a deadlock, a lock time-out or, with a pool, a lost connection, a batch is read again, up to five times. Other errors end the run.
 * @returns a promise, which rejects for an error of the source: the changes of earlier batches stay
 * @throws `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE` or `ERR_OUT_OF_RANGE`, by the promise.
 */
export declare function rotateColumns<Declared extends Columns, Key extends string>(
  table: EncryptedColumns<Declared, Key>,
  source: RowSource,
  options?: RotateColumnsOptions,
): Promise<RotationResult>

/**
 * Counts the values of a table by the keys that they name, without opening them.
 *
 * @example
 * const columns = await countColumns(users, source)
 * const rest = columns.reduce((sum, { rest }) => sum + rest, 0)
 *
 * @remarks
 * A beginning is not authenticated. Blind indexes are not counted.
 */
export declare function countColumns<Declared extends Columns, Key extends string>(
  table: EncryptedColumns<Declared, Key>,
  source: RowSource,
): Promise<ColumnCount[]>

/** A value of {@link SqlRowsOptions.where}; a number must be an integer below 2^53. */
export type RowValue = string | number | bigint | Uint8Array

/** What the sources for SQL have in common. */
export interface SqlRowsOptions {
  /** The table's name in the database, or its schema and its name: the library quotes them. */
  table: string | readonly [schema: string, table: string]
  /**
   * The column that identifies rows, or the columns of a composite key: unique, not NULL, and with an index.
   *
   * Rows in which it is NULL are left, and reported as `'no-key'`.
   */
  key: string | readonly string[]
  /** Database column names that differ from the declared names. */
  names?: Readonly<Record<string, string>> | undefined
  /**
   * Selects rows by column values: `{ tenant: 'a' }`, or an array of allowed values.
   *
   * For a table whose rows are under several keyrings. **All other rows are neither read nor counted, so `done` says nothing of them.**
   * By default, all rows; an explicit `undefined` is refused.
   */
  where?: Readonly<Record<string, RowValue | readonly RowValue[]>>
}

/** Options of {@link postgresqlRows} and {@link mysqlRows}: a plain object. */
export interface ServerRowsOptions extends SqlRowsOptions {
  /**
   * Time limit for a statement of a batch, in milliseconds; 0 for no limit, by default 30 000.
   *
   * MySQL limits `SELECT` alone. A count has no limit but the connection's own: it reads the whole table, and locks no row. It waits for a lock of the table for
   * `lockTimeout` in PostgreSQL.
   */
  statementTimeout?: number | undefined
  /** Time limit for waiting on a lock, in milliseconds; 0 for no limit, by default 2000. */
  lockTimeout?: number | undefined
}

/** What {@link postgresqlRows} needs of a `Client` of `pg`. */
interface PgClient {
  /** Runs a statement. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ rows: Record<string, unknown>[]; rowCount?: number | null }>
}

/** What {@link postgresqlRows} needs of a `Pool` of `pg`. */
interface PgPool {
  /** Returns a client, which belongs to the caller until it is released. */
  connect(): Promise<PgClient & { release(destroy?: boolean): void }>
  /** Distinguishes a pool from a client. */
  readonly totalCount: number
}

/**
 * Makes a source of a table in PostgreSQL, from a `Pool` or a connected `Client` of `pg`.
 *
 * @example
 * const source = postgresqlRows(new Pool({ connectionString }), { table: ['app', 'users'], key: 'id' })
 *
 * @remarks
 * A batch is one transaction: `SELECT … FOR UPDATE SKIP LOCKED`, then one `UPDATE`. It never waits for the lock of a row.
 * Refused by `ERR_INVALID_STATE` are views, foreign tables, and row-level security that applies to the account.
 */
export declare function postgresqlRows(client: PgPool | PgClient, options: ServerRowsOptions): RowSource

/** What {@link mysqlRows} needs of a connection of `mysql2/promise`. */
interface MysqlConnection {
  /** Runs a statement without values. */
  query(sql: string): Promise<[unknown, unknown]>
  /** Prepares a statement, and runs it with values. */
  execute(sql: string, values: unknown[]): Promise<[unknown, unknown]>
}

/** What {@link mysqlRows} needs of a pool of `mysql2/promise`. */
interface MysqlPool {
  /** Returns a connection, which belongs to the caller until it is released. */
  getConnection(): Promise<MysqlConnection & { release(): void; destroy(): void }>
}

/**
 * Makes a source of a table in MySQL 8 or MariaDB 10.6 or later, from a pool or a connection of `mysql2/promise`.
 *
 * @example
 * const source = mysqlRows(createPool(url), { table: 'users', key: 'id' })
 *
 * @remarks
 * As {@link postgresqlRows}, at the isolation level `READ COMMITTED`, which locks no gaps. Refused are views, and engines other than InnoDB. Only MariaDB 10.11 was run.
 * Values are parameters of prepared statements. During batches the session has the mode `STRICT_ALL_TABLES`, so no column cuts a value.
 */
export declare function mysqlRows(client: MysqlPool | MysqlConnection, options: ServerRowsOptions): RowSource

/** What {@link sqliteRows} needs of a database of `node:sqlite` or `better-sqlite3`. */
interface SqliteDatabase {
  /** Runs statements. */
  exec(sql: string): unknown
  /** Prepares a statement. */
  prepare(sql: string): {
    /** Returns all rows. */
    all(...values: never[]): unknown[]
    /** Runs it, and returns an object whose `changes` is the number of changed rows. */
    run(...values: never[]): unknown
  }
}

/**
 * Makes a source of a table in SQLite, from a database of `node:sqlite` or `better-sqlite3`.
 *
 * @example
 * const source = sqliteRows(new DatabaseSync('app.db', { timeout: 2000 }), { table: 'users', key: 'id' })
 *
 * @remarks
 * Views and virtual tables are refused. A batch is one transaction, which other writers wait for. Set a time-out for the connection, so it waits for them too. Run only
 * one at a time in a process: calls block, so a second run would wait for the first in vain.
 */
export declare function sqliteRows(database: SqliteDatabase, options: SqlRowsOptions): RowSource
