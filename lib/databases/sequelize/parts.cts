// The parts of Sequelize 6 that the adapter uses, and its view of a model. It imports nothing from
// there.
import type { Declaration } from '../../values/columns/declaration.cjs'

export type Values = Record<string | symbol, unknown>

/** An instance of a model. */
export interface Instance {
  readonly constructor: Model
  readonly dataValues: Record<string, unknown>
  readonly _previousDataValues: Record<string, unknown>
}

export interface Attribute {
  readonly field?: string
  readonly defaultValue?: unknown
  readonly primaryKey?: boolean
  readonly references?: unknown
  readonly onUpdate?: string
  readonly onDelete?: string
  type: { key?: string; toSql?: () => string }
}

export interface Model {
  readonly name: string
  readonly tableName: string
  readonly rawAttributes: Readonly<Record<string, Attribute>>
  readonly uniqueKeys: Readonly<Record<string, { readonly fields: readonly string[] }>>
  readonly _indexes: readonly { readonly unique?: boolean; readonly fields: readonly unknown[] }[]
  refreshAttributes(): void
}

/** The clauses of a query, or of what it includes. */
export interface Clauses {
  where?: unknown
  on?: unknown
  through?: { readonly model?: Model; readonly where?: unknown }
  include?: Include[]
  attributes?: unknown
  order?: unknown
  group?: unknown
  having?: unknown
}

export interface Include extends Clauses {
  readonly model: Model
  readonly as: string
  /** The query or the include around it. */
  parent?: unknown
}

export interface Options extends Clauses {
  raw?: boolean
  plain?: boolean
  model?: Model
  instance?: Instance
  updateOnDuplicate?: string[]
  upsertKeys?: string[]
  conflictFields?: string[]
  fields?: string[]
  returning?: unknown
  ignoreDuplicates?: boolean
  conflictWhere?: unknown
}

export type Table = string | { readonly tableName: string }

type Method = (...values: never[]) => Promise<unknown>

/** The object through which each statement of a model passes. */
export type QueryInterface = Record<string, Method>

export interface Sequelize {
  readonly models: Readonly<Record<string, Model>>
  getDialect(): string
  getQueryInterface(): QueryInterface
}

/**
 * A model with its declared columns: their attributes, and those of the key, by the names of
 * columns.
 */
export interface Encrypted {
  readonly declaration: Declaration
  readonly model: Model
  readonly attributes: ReadonlyMap<string, string>
  /** Columns of the key that contain whole numbers. */
  readonly integers: ReadonlySet<string>
}

/** Finds the encrypted model of a table. */
export type Find = (table: Table | Model | undefined) => Encrypted | undefined
