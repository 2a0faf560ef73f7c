/**
 * Encrypted columns in TypeORM: entities are sealed when they are saved, and opened when they are loaded.
 *
 * @example
 * const source = encryptedEntities(new DataSource({ type: 'postgres', url, entities: [User] }), { User: users })
 * await source.initialize()
 *
 * @remarks
 * An entity always contains clear values, and the database always sealed ones. `where: { email: 'ada@example.org' }` asks for the
 * blind index. A value that cannot be sealed is refused before a statement is sent. Raw results and streams of query builders are opened.
 * Rows of `query` are not: use `seal`, `open` and `lookup` of the table, and let the database refuse clear text by its `condition`.
 */

/** A DataSource of TypeORM, 0.3 or 1. */
export interface TypeormSource {
  /** The options, with the type of the database. */
  readonly options: {
    /** The type of the database. */
    readonly type: string
  }
  /** Whether it is connected. */
  readonly isInitialized: boolean
  /** The metadata of its entities. */
  readonly entityMetadatas: readonly object[]
  /** Its subscribers, one of which is added. */
  readonly subscribers: readonly object[]
}

/** An object of `encryptedColumns`. */
export interface Table {
  /** Seals a row. */
  readonly seal: (row: never) => object
  /** Opens a row. */
  readonly open: (row: never) => object
}

/**
 * Encrypts the declared columns of entities, for all that a data source does with them.
 *
 * @example
 * const source = encryptedEntities(new DataSource({ type: 'postgres', url }), { User: users, Note: notes })
 *
 * @remarks
 * Each declared column and each index is a column of the entity, with a type that stores strings, such as `'text'`. Call it before
 * `initialize`, so migrations are encrypted too.
 *
 * - **The key of the row must be known when an entity is saved.** `@PrimaryGeneratedColumn('uuid')` is: the program makes it.
 * - `update` and query builders need that key among the values and in the conditions: `update({ id }, { id, email })`.
 * - A statement that could change a row's key is refused.
 * - A condition is a value, `In`, `Not`, `Equal`, `IsNull`, `And` or `Or`.
 *
 * @param entities the declarations by the names of entities
 * @returns the data source
 * @throws `ERR_INVALID_ARG_TYPE` or `ERR_INVALID_ARG_VALUE` for a mistake in the arguments; by `initialize`, for a wrong entity.
 */
export declare function encryptedEntities<Source extends TypeormSource>(
  source: Source,
  entities: { readonly [name: string]: Table },
): Source
