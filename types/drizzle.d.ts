/// <reference types="node" />

/**
 * Encrypted columns in Drizzle ORM, on every database that it supports.
 *
 * @example
 * const encrypted = encryptedTable(columns)
 * const email = customType(encrypted.column('email'))().notNull() // a column of pgTable, mysqlTable or sqliteTable
 * const [row] = opened(await db.select().from(users).where(inArray(users.emailIndex, encrypted.lookup('email', 'ada@example.org'))))
 *
 * @remarks
 * A custom type sees neither the row nor the key of a value, so the program seals a row before Drizzle has it, and opens the result
 * of a query. Between the two, values are opaque objects. The types of columns accept nothing else: in TypeScript a string does not
 * compile, and in JavaScript it throws before a query is sent.
 *
 * This entry imports nothing of Drizzle. It works with `customType` of `drizzle-orm/pg-core`, `/mysql-core` and `/sqlite-core`.
 */

import type { ClearRow, Columns, EncryptedColumns, SealedRow } from './columns.d.ts'

// biome-ignore lint/complexity/noUselessEmptyExport: without it, a declaration file exports every declaration.
export {}

declare const content: unique symbol
declare const indexed: unique symbol

/**
 * A sealed value, which {@link opened} opens: an object that shows its column alone.
 *
 * `JSON.stringify` and `String` throw.
 */
export interface Sealed<Value> {
  /** The type of the value; there is no such property. */
  readonly [content]: Value
}

/**
 * A blind index: an object that shows its column alone.
 *
 * `JSON.stringify` leaves it out of a row.
 */
export interface Index {
  /** Marks the type; there is no such property. */
  readonly [indexed]: true
}

/** The type of a column: what Drizzle's `customType` accepts. */
export interface SealedType<Value> {
  /** The type in SQL. */
  dataType: () => string
  /** Refuses what is not sealed for this column. */
  toDriver: (value: Value extends Index ? Index : Sealed<unknown>) => string
  /** Makes the opaque object. */
  fromDriver: (value: unknown) => Value
}

/** The opened values of each type. */
interface Values {
  text: string
  number: number
  bytes: ReturnType<typeof Buffer.alloc>
  // biome-ignore lint/suspicious/noExplicitAny: the table of Drizzle states the type.
  json: any
}
type TypeOf<Column> = Column extends { readonly type: infer Type } ? Type : Column
type ValueOf<Declared extends Columns, Name extends keyof Declared> = Values[TypeOf<Declared[Name]> &
  keyof Values]

/** The columns that have an index. */
type Indexed<Declared extends Columns> = Parameters<EncryptedColumns<Declared, string>['lookup']>[0]

/** `With` instead of strings. */
type Replaced<Value, With> = Value extends string ? With : Value

/** A row for Drizzle's `values` and `set`: sealed values in declared columns, and the indexes. */
export type SealedValues<Declared extends Columns, Row> = {
  [Name in keyof SealedRow<Declared, Row>]: Name extends keyof Row
    ? Name extends keyof Declared
      ? Replaced<SealedRow<Declared, Row>[Name], Sealed<ValueOf<Declared, Name>>>
      : Row[Name]
    : Replaced<SealedRow<Declared, Row>[Name], Index>
}

/** A result with opened values. */
export type Opened<Result> = unknown extends Result
  ? Result
  : Result extends Sealed<infer Value>
    ? Value
    : Result extends
          | string
          | number
          | bigint
          | boolean
          | symbol
          | null
          | undefined
          | Date
          | Uint8Array
          | Index
      ? Result
      : Result extends object
        ? { [Name in keyof Result]: Opened<Result[Name]> }
        : Result

/** The encrypted columns of one table of Drizzle, made by {@link encryptedTable}. */
export interface EncryptedTable<Declared extends Columns, Key extends string> {
  /**
   * The type of an encrypted column, for Drizzle's `customType`.
   *
   * @example
   * const email = customType(encrypted.column('email'))()
   *
   * @remarks
   * The property of Drizzle's table has the declared name; its column in the database may have another. In TypeScript, state what is
   * sealed: `customType<{ data: Sealed<string> }>(…)`.
   * @param dataType the type in SQL; default: `'text'`
   * @throws `ERR_INVALID_ARG_VALUE` for an undeclared column.
   */
  column<Name extends keyof Declared & string>(
    column: Name,
    dataType?: string,
  ): SealedType<Sealed<ValueOf<Declared, Name>>>

  /**
   * The type of the column for the blind index of `column`, for Drizzle's `customType`.
   *
   * @example
   * const emailIndex = customType(encrypted.index('email'))('email_index').unique()
   *
   * @param dataType the type in SQL; default: `'varchar(22)'`
   * @throws `ERR_INVALID_ARG_VALUE` for a column without an index.
   */
  index<Name extends Indexed<Declared>>(column: Name, dataType?: string): SealedType<Index>

  /**
   * Seals a row, or each row of an array, as `EncryptedColumns.seal` does: what Drizzle's `values` and `set` accept.
   *
   * @example
   * const values = encrypted.seal({ id, email: 'ada@example.org' })
   *
   * @remarks
   * The result has the row's key. Leave it in `set`: an update of another row then violates the primary key, or moves the row.
   * @throws as `EncryptedColumns.seal`, and for expressions in SQL and placeholders in encrypted columns, which cannot be sealed.
   */
  seal<const Given extends ClearRow<Declared, Key> | readonly ClearRow<Declared, Key>[]>(
    row: Given,
  ): Given extends readonly (infer Row)[] ? SealedValues<Declared, Row>[] : SealedValues<Declared, Given>

  /**
   * The blind indexes of a value, under the index key and each older one, for Drizzle's `inArray`.
   *
   * @example
   * const terms = encrypted.lookup('email', 'ada@example.org') // for where(inArray(users.emailIndex, terms))
   *
   * @throws as `EncryptedColumns.lookup`.
   */
  lookup<Name extends Indexed<Declared>>(
    column: Name,
    value: Parameters<EncryptedColumns<Declared, Key>['lookup']>[1] & ValueOf<Declared, Name>,
  ): Index[]
}

/**
 * Makes the column types and functions of a table whose columns are declared.
 *
 * @example
 * const encrypted = encryptedTable(encryptedColumns('users', { keyring, rowKey: 'id', columns: { email: 'text' } }))
 *
 * @throws `ERR_INVALID_ARG_TYPE` unless `columns` is a result of `encryptedColumns`.
 */
export declare function encryptedTable<Declared extends Columns, Key extends string>(
  columns: EncryptedColumns<Declared, Key>,
): EncryptedTable<Declared, Key>

/**
 * Opens the result of a query: every sealed value in it, in its row.
 *
 * @example
 * const rows = opened(await db.select().from(users))
 *
 * @remarks
 * A result is a row, a list of rows, or undefined. Rows may contain others, as those of joins and relations do. Each value opens with
 * the key in its own object, under the declared name. Indexes are left unchanged, and so is the result.
 * @throws as `EncryptedColumns.open`: `ERR_INVALID_ARG_VALUE` for a row without its key, and for a value without its row;
 * `NotSealedError`, `AuthenticationError` and `UnknownKeyError`, with `column`, and `index` in a list.
 */
export declare function opened<Result>(result: Result): Opened<Result>

/**
 * Checks each statement of a database before it is sent, and returns the database.
 *
 * @example
 * const db = guarded(drizzle(pool, { schema }))
 *
 * @remarks
 * It wraps the methods with which Drizzle 0.45 builds SQL, in transactions too. They then refuse, with
 * `ERR_INVALID_ARG_VALUE`:
 *
 * - sealed values for another row than that of their key: an update without the key in its condition, by `eq` alone or in `and`, an
 *   upsert on another unique column, an `insert` from a `select`
 * - a change of the key of such rows; a column without its index
 * - ciphertexts in an order, a group or a function, and in comparisons with anything but sealed values and terms of `lookup`
 *
 * SQL that you write yourself is not checked: `db.execute`, `db.all`, `db.run`, and a `QueryBuilder` of your own.
 * @throws `ERR_INVALID_ARG_TYPE` unless `db` is a database of Drizzle.
 */
export declare function guarded<Database extends object>(db: Database): Database
