/**
 * Encrypted columns in Sequelize 6: values are sealed in each statement of a model, and opened in each result.
 *
 * @example
 * const db = encryptedSequelize(new Sequelize(url), { User: users })
 *
 * @remarks
 * Instances always contain clear values, and the database always sealed ones. `where: { email: 'ada@example.org' }` asks for the
 * blind index. A declaration has the database's names, whatever the attributes are called. `sequelize.query` is raw SQL: use `seal`,
 * `open` and `lookup` of the table, and let the database refuse clear text by its `condition`.
 */

/** An instance of Sequelize 6. */
export interface SequelizeLike {
  /** The defined models. */
  readonly models: object
  /** The name of the database's dialect. */
  readonly getDialect: () => string
  /** The object that sends statements. */
  readonly getQueryInterface: () => object
}

/** An object of `encryptedColumns`. */
export interface Table {
  /** Seals a row. */
  readonly seal: (row: never) => object
  /** Opens a row. */
  readonly open: (row: never) => object
}

/**
 * Encrypts the declared columns of models, in all that Sequelize does with them.
 *
 * @example
 * const db = encryptedSequelize(sequelize, { User: users, Note: notes })
 *
 * @remarks
 * Call it once, after the models are defined. Each declared column and each index is an attribute with a type of strings, such as
 * `DataTypes.TEXT`.
 *
 * - **The key of the row must be known when a value is sealed**: make it with `DataTypes.UUIDV4`.
 * - `Model.update` must name one row by its key: `where: { id }`. `upsert` must choose by it alone.
 * - A condition is a value, a list, `null`, or `Op.eq`, `Op.ne`, `Op.in` or `Op.notIn`.
 *
 * @param models the declarations by the names of models
 * @returns the instance of Sequelize
 * @throws `ERR_INVALID_ARG_TYPE` or `ERR_INVALID_ARG_VALUE` for a mistake in the arguments or in a model.
 */
export declare function encryptedSequelize<Instance extends SequelizeLike>(
  sequelize: Instance,
  models: { readonly [name: string]: Table },
): Instance
