/// <reference types="node" />

/**
 * Encrypted columns: a table's sealed values declared once, for any database library.
 *
 * @example
 * const users = encryptedColumns('users', { keyring, rowKey: 'id', columns: { email: 'text', address: 'json' } })
 * const stored = users.seal({ id, name: 'Ada', email: 'ada@example.org' }) // email is sealed, name is as it was
 * users.open(stored).email // 'ada@example.org'
 *
 * @remarks
 * A sealed value is a string of a {@link Keyring}, bound by `context(table, column, key)` to its row and column: it opens nowhere
 * else (docs/formats.md, "Columns"). `null`, `undefined` and undeclared properties pass through, unless these contain a sealed
 * value of the keyring.
 *
 * Methods are synchronous, read each property of a row once, and return new objects. A method that throws has no effect. Errors
 * never contain a value of a row.
 */

import type { KeyObject } from 'node:crypto'
import type { AuthenticationError } from '../index.d.ts'
import type { Keyring, TextReader } from './keyring.d.ts'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/**
 * The type of the values of a column.
 *
 * - `'text'`: a string without lone surrogates
 * - `'number'`: a finite number; `-0` keeps its sign. `NaN`, infinities and bigints are refused
 * - `'bytes'`: a Uint8Array, returned as a Buffer
 * - `'json'`: null, booleans, finite numbers, strings, and arrays and plain objects of them. Values that JSON would change are
 *   refused: `NaN`, a bigint, a Date, a Map, an instance of a class. Members that are `undefined` are left out, and so are symbols
 *
 * JSON's `null` is the `NULL` of the database: neither is sealed.
 */
export type ColumnType = 'text' | 'number' | 'bytes' | 'json'

/** A database, for {@link EncryptedColumns.condition}. */
export type Database = 'postgresql' | 'mysql' | 'mariadb' | 'sqlite'

/** The value of the column with a row's key: a whole number is its digits, and the case of a UUID does not count. */
export type RowKey = string | number | bigint | Uint8Array

/** The options of columns of every type. */
interface AnyColumn {
  /**
   * Readers of values from before this declaration, tried in order if the keyring cannot open a value.
   *
   * Default: none. A reader must itself refuse every value that fails authentication. For `'bytes'`, it needs a method
   * `tryOpenBytes`, like the readers of `hardware-aes-gcm/legacy`.
   */
  readonly fallback?: TextReader | readonly TextReader[] | undefined
  /**
   * Other columns that hold parts of old values, such as `['email_iv', 'email_tag']`: at most 8.
   *
   * Default: none. If one of them is not `NULL` and the keyring cannot open the value, the readers receive an object with all of
   * these columns, as for `layoutReader` with an object as layout. `seal` writes `null` to them, and `open` omits them. Needs a
   * `fallback`; select them with the column.
   */
  readonly parts?: readonly string[] | undefined
}

/** The options of a column that can be searched. */
interface IndexedColumn<Value> extends AnyColumn {
  /**
   * The column of the blind index, which {@link EncryptedColumns.lookup} searches.
   *
   * Default: no index. `seal` writes this column, and `open` leaves it out. **Its readers see which rows are equal.**
   */
  readonly index?: string | undefined
  /**
   * Brings values that count as equal into one form, for the index alone.
   *
   * Default: only identical values are equal. After a change, seal all rows again.
   */
  readonly normalizer?: ((value: Value) => Value) | undefined
}

/** A column with options: a plain object. */
export type ColumnOptions =
  | ({ readonly type: 'text' } & IndexedColumn<string>)
  | ({ readonly type: 'number' } & IndexedColumn<number>)
  | ({ readonly type: 'bytes' } & IndexedColumn<Uint8Array>)
  | ({ readonly type: 'json' } & AnyColumn)

/** Columns by their names. */
export type Columns = { readonly [name: string]: ColumnType | ColumnOptions }

/** Options of {@link encryptedColumns}: a plain object. */
export interface EncryptedColumnsOptions<Declared extends Columns, Key extends string> {
  /**
   * The keyring, whose primary key seals and must have the prefix `'tink'`.
   *
   * Later changes of the keyring apply at once.
   */
  keyring: Keyring
  /**
   * The column of the row's key, or the columns of a composite one; `false` if the database makes the key.
   *
   * The program must know the key when it seals, so `crypto.randomUUID()` is a good one. **With `false`, a value opens in every row
   * of its column**: anyone who can write to the database can copy one user's value to another.
   */
  rowKey: Key | readonly Key[] | false
  /** The encrypted columns, with a type or options for each. */
  columns: Declared
  /**
   * The key of blind indexes, 32 to 1024 bytes, or at most 8 of them from the newest to the oldest; they are copied.
   *
   * Needed if a column has an `index`. `BlindIndex.generateKey()` makes one: keep it apart from the keyset.
   */
  indexKey?: Uint8Array | KeyObject | readonly (Uint8Array | KeyObject)[] | undefined
  /**
   * Undeclared properties that `open` passes on whatever they contain, such as `['token']`: at most 1000 names.
   *
   * Default: none, so `open` refuses a row with a sealed value of the keyring in any undeclared property. List those that other code
   * opens, and those with text that users write: whoever knows the id of a key can write a text that begins like a sealed value.
   */
  passThrough?: readonly string[] | undefined
}

/** The type in a declaration. */
type TypeOf<Column> = Column extends { readonly type: infer Type } ? Type : Column
/** The values that `seal` accepts in a column. */
type Given<Column> =
  TypeOf<Column> extends 'text'
    ? string
    : TypeOf<Column> extends 'number'
      ? number
      : TypeOf<Column> extends 'bytes'
        ? Uint8Array
        : unknown
/** The values that `open` returns for a column. */
type Returned<Column> = TypeOf<Column> extends 'bytes' ? OwnBuffer : Given<Column>
/** The name of a column's index, if it has one. */
type IndexOf<Column> = Column extends { readonly index: infer Name extends string } ? Name : never
/** The names of a column's other parts, if it has some. */
type PartsOf<Column> = Column extends { readonly parts: readonly (infer Name extends string)[] }
  ? Name
  : never
/** The columns that `open` leaves out. */
type Hidden<Declared extends Columns> = {
  [Name in keyof Declared]: IndexOf<Declared[Name]> | PartsOf<Declared[Name]>
}[keyof Declared]
/** The columns that have an index. */
type Indexed<Declared extends Columns> = {
  [Name in keyof Declared & string]: IndexOf<Declared[Name]> extends never ? never : Name
}[keyof Declared & string]
/** `Full`, or null and undefined where a value may be that. */
type Like<Value, Full> = unknown extends Value ? Full | null : Value extends null | undefined ? Value : Full

/** A row for {@link EncryptedColumns.seal}: its key, and some of the declared columns. */
export type ClearRow<Declared extends Columns, Key extends string> = { readonly [Name in Key]: RowKey } & {
  readonly [Name in keyof Declared]?: Given<Declared[Name]> | null | undefined
}

/** A row as it is stored: strings in declared columns, and the indexes. */
export type SealedRow<Declared extends Columns, Row> = {
  [Name in keyof Row as Exclude<Name, Hidden<Declared>>]: Name extends keyof Declared
    ? Like<Row[Name], string>
    : Row[Name]
} & { [Name in keyof Row & keyof Declared as IndexOf<Declared[Name]>]: Like<Row[Name], string> } & {
  [Name in PartsOf<Declared[keyof Row & keyof Declared]>]: null
}

/** A row as it was before it was sealed. */
export type OpenedRow<Declared extends Columns, Row> = {
  [Name in keyof Row as Exclude<Name, Hidden<Declared>>]: Name extends keyof Declared
    ? Like<Row[Name], Returned<Declared[Name]>>
    : Row[Name]
} & (string extends keyof Row ? { [Name in keyof Declared]: Returned<Declared[Name]> | null } : unknown)

/**
 * The encrypted columns of one table, made by {@link encryptedColumns}.
 *
 * They contain copies of the index keys, which are wiped after the object is collected. `util.inspect` shows names and types.
 */
export interface EncryptedColumns<Declared extends Columns, Key extends string> {
  /**
   * Seals the declared columns of a row, and writes their indexes: the row to insert, or the values to update.
   *
   * A column that the row lacks, or that is `undefined`, is left alone. The row must have its key if there is a value to seal.
   *
   * @example
   * const { email, email_index } = users.seal({ id: row.id, email: 'ada@example.org' })
   *
   * @returns a copy, as `{ ...row }` makes it
   * @throws `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE` or `ERR_OUT_OF_RANGE`, naming the column: for a row without its key, a
   * value of another type, a value that is already sealed for this row, an index without its column, a property that differs from
   * a declared name only in case, `_` or `-`, and a declared column that is a getter of the row's class.
   * @throws `ERR_INVALID_STATE` if the primary key has no prefix `'tink'`; otherwise as `Keyring.sealText`.
   */
  seal<Row extends ClearRow<Declared, Key>>(row: Row): SealedRow<Declared, Row>

  /**
   * Opens the declared columns of a row, and leaves out their indexes: `open(seal(row))` equals `row`.
   *
   * @example
   * const user = users.open(row)
   *
   * @throws {@link NotSealedError} for an unsealed value, such as clear text, which is never returned.
   * @throws `AuthenticationError` or `UnknownKeyError`, with `column`, for every other value that does not open, such as one of
   * another row.
   * @throws `ERR_INVALID_ARG_VALUE` for an authentic value of another type, and for a sealed value in an undeclared property: one of
   * a column that the query renamed, or nested, as in `{ users: { id, email } }`. The option `passThrough` lists exceptions.
   * @throws otherwise as {@link seal}.
   */
  open<Row extends object>(row: Row): OpenedRow<Declared, Row>

  /**
   * As {@link open}, but returns null for a row with an unsealed value, or with one that fails authentication.
   *
   * @example
   * const user = users.tryOpen(row) ?? placeholder
   *
   * @throws every other error of {@link open}.
   */
  tryOpen<Row extends object>(row: Row): OpenedRow<Declared, Row> | null

  /**
   * Opens the rows of a query: all of them, or it throws.
   *
   * @example
   * const all = users.openAll(rows)
   *
   * @throws as {@link open}, for the first row that does not open; `index` is its position.
   */
  openAll<Row extends object>(rows: readonly Row[]): OpenedRow<Declared, Row>[]

  /**
   * The blind indexes of a value, under the index key and each older one: `WHERE email_index IN (…)`.
   *
   * @example
   * const [index] = users.lookup('email', 'Ada@example.org')
   *
   * @remarks
   * The value is normalized like those of the column. **An index is not authenticated**: anyone who can write to the database can
   * copy it to another row, so compare the opened value where that matters, as at a login.
   * @throws `ERR_INVALID_ARG_VALUE` for a column without an index; `ERR_INVALID_ARG_TYPE` for a value of another type, and for null,
   * which has no index.
   */
  lookup<Name extends Indexed<Declared>>(column: Name, value: Given<Declared[Name]>): string[]

  /**
   * A SQL condition that only sealed values meet, so that the database refuses clear text.
   *
   * `NULL` passes, as it does in every `CHECK`. Names are quoted.
   *
   * @example
   * const sql = `ALTER TABLE users ADD CHECK (${users.condition('email', 'postgresql')})`
   *
   * @throws `ERR_INVALID_ARG_VALUE` for an undeclared column, and for another database.
   */
  condition(column: keyof Declared & string, database: Database): string

  /**
   * The number of characters (all ASCII) that a column needs for values of up to `bytes` bytes, under any type of key.
   *
   * @example
   * const sql = `ALTER TABLE users ADD email VARCHAR(${users.length('email', 254)})`
   *
   * @param bytes the length of the longest text or JSON in UTF-8, where a character of a string has up to 3; not needed for
   * `'number'`
   * @throws `ERR_INVALID_ARG_VALUE` for an undeclared column; `ERR_OUT_OF_RANGE`.
   */
  length(column: keyof Declared & string, bytes?: number): number
}

/**
 * The error for an unsealed value: clear text, or a value of another program.
 *
 * This is visible without a key, so the error reveals nothing. **It does not prove that a value is clear text**: an attacker who
 * can write values can write an unsealed one.
 */
export declare class NotSealedError extends AuthenticationError {
  /** Makes the error for this column. */
  constructor(column: string)
  /** The name of the column. */
  readonly column: string
}

/**
 * Declares the encrypted columns of a table.
 *
 * @example
 * const email = { type: 'text', index: 'email_index', normalizer: (text: string) => text.trim().toLowerCase() } as const
 * const users = encryptedColumns('users', { keyring, rowKey: 'id', indexKey, columns: { email, address: 'json' } })
 *
 * @remarks
 * Use the names that rows have. **The names are part of every value**: after a column is renamed, its values open only under
 * the old name.
 * @throws `ERR_INVALID_ARG_TYPE` or `ERR_INVALID_ARG_VALUE` for a mistake in the declaration: an option or type that does not
 * exist, no `rowKey`, a name used twice, an index without `indexKey`.
 */
export declare function encryptedColumns<const Declared extends Columns, const Key extends string = never>(
  table: string,
  options: EncryptedColumnsOptions<Declared, Key>,
): EncryptedColumns<Declared, Key>
