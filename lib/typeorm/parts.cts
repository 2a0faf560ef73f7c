// The parts of TypeORM 0.3 and 1 that the adapter uses, and its view of an entity. It imports
// nothing from there.
import type { Column } from '../columns/column.cjs'
import type { Declaration } from '../columns/declaration.cjs'

export type Entity = Record<string, unknown>

export interface ColumnMetadata {
  readonly databaseName: string
  readonly propertyPath: string
  readonly type: unknown
  readonly default: unknown
  readonly isArray: boolean
  readonly isPrimary: boolean
  readonly isGenerated: boolean
  readonly generationStrategy: string | undefined
  readonly relationMetadata: object | undefined
  transformer: unknown
  getEntityValue(entity: Entity, transform?: boolean): unknown
  setEntityValue(entity: Entity, value: unknown): void
}

export interface EntityMetadata {
  readonly name: string
  readonly tablePath: string
  readonly columns: readonly ColumnMetadata[]
  readonly indices: readonly Unique[]
  readonly uniques: readonly Unique[]
}

/** A unique constraint, or an index. */
interface Unique {
  readonly isUnique?: boolean
  readonly columns: readonly ColumnMetadata[]
}

export interface Driver {
  escape(name: string): string
  preparePersistentValue(value: unknown, column: ColumnMetadata): unknown
  escapeQueryWithParameters(
    sql: string,
    parameters: Record<string, unknown>,
    ...more: unknown[]
  ): [string, unknown[]]
}

export interface DataSource {
  readonly isInitialized: boolean
  readonly options: { readonly type: string }
  readonly driver: Driver
  readonly entityMetadatas: readonly EntityMetadata[]
  readonly subscribers: object[]
  buildMetadatas(): Promise<void>
}

/** An event that TypeORM passes to subscribers. */
export interface WriteEvent {
  readonly entity: Entity | undefined
  readonly databaseEntity?: Entity | undefined
  readonly metadata: EntityMetadata
  readonly queryRunner: object
}

/** A declared column, and what TypeORM knows about it. */
export interface Field {
  readonly column: Column
  readonly own: ColumnMetadata
  readonly index: ColumnMetadata | undefined
}

/** The entity with the declared columns. */
export interface Encrypted {
  readonly declaration: Declaration
  readonly metadata: EntityMetadata
  readonly fields: readonly Field[]
  readonly keys: readonly ColumnMetadata[]
}
