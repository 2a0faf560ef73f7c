// The parts of TypeORM 0.3 and 1 that the adapter uses without importing it.
import type { Column } from '../../values/columns/column.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'

export type Entity = Record<string, unknown>

export interface ColumnMetadata {
  readonly databaseName: string
  readonly propertyPath: string
  readonly type: unknown
  readonly default: unknown
  readonly isArray: boolean
  readonly isPrimary: boolean
  readonly isGenerated: boolean
  readonly isVersion: boolean
  readonly isUpdateDate: boolean
  readonly isDeleteDate: boolean
  readonly generationStrategy: string | undefined
  readonly relationMetadata: { readonly onUpdate?: string; readonly onDelete?: string } | undefined
  isSelect: boolean
  isInsert: boolean
  isUpdate: boolean
  transformer: unknown
  getEntityValue(entity: Entity, transform?: boolean): unknown
  setEntityValue(entity: Entity, value: unknown): void
}

export interface EntityMetadata {
  readonly name: string
  readonly tableName: string
  readonly tablePath: string
  readonly tableType: string
  readonly primaryColumns: readonly ColumnMetadata[]
  readonly columns: readonly ColumnMetadata[]
  readonly indices: readonly Unique[]
  readonly uniques: readonly Unique[]
  findColumnsWithPropertyPath(path: string): ColumnMetadata[]
}

/** A unique constraint, or an index. */
interface Unique {
  readonly isUnique?: boolean
  readonly columns: readonly ColumnMetadata[]
}

export interface Driver {
  readonly supportedUpsertTypes?: readonly string[]
  escape(name: string): string
  preparePersistentValue(value: unknown, column: ColumnMetadata): unknown
  prepareHydratedValue(value: unknown, column: ColumnMetadata): unknown
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
  createQueryBuilder(): QueryBuilders
}

/** A query builder, and how those of the other statements are made. */
export interface QueryBuilders extends Builder {
  insert(): Builder
  update(): Builder
  softDelete(): Builder
}

/** A query builder. Its source has the first name in version 1, and the second in 0.3. */
export interface Builder {
  readonly dataSource?: DataSource
  readonly connection?: DataSource
  readonly expressionMap: ExpressionMap
  escape(name: string): string
  createOrderByExpression(): string
  createParameter(value: unknown): string
  createPropertyPath(metadata: EntityMetadata, entity: Entity): string[]
  createWhereConditionExpression(condition: Condition): string
  createWhereClausesExpression(clauses: readonly Where[]): string
  getWherePredicateCondition(path: string, value: unknown): Condition
  getReturningColumns(): ColumnMetadata[]
  buildEscapedEntityColumnSelects(
    alias: string,
    metadata: EntityMetadata,
  ): { readonly selection: string; readonly aliasName: string }[]
}

export interface Alias {
  readonly name: string
  readonly hasMetadata: boolean
  readonly metadata: EntityMetadata
}

/** A condition: SQL, or an operator with its parameters. */
export type Condition =
  | string
  | Where[]
  | { readonly operator: string; readonly parameters?: readonly string[]; readonly condition?: Condition }

export interface Where {
  readonly type: string
  readonly condition: Condition
}

/** What a statement consists of. */
interface ExpressionMap {
  readonly mainAlias?: Alias
  readonly aliases: readonly Alias[]
  readonly selects: readonly { readonly selection: string; readonly aliasName?: string }[]
  readonly selectDistinct: boolean
  readonly subQuery: boolean
  readonly commonTableExpressions?: readonly { readonly queryBuilder: string | Builder }[]
  readonly wheres: readonly Where[]
  readonly parameters: Entity
  readonly valuesSet: unknown
  readonly callListeners: boolean
  readonly returning: unknown
  readonly insertFromSelect?: unknown
  readonly onConflict?: string
  readonly onUpdate?: {
    readonly columns?: readonly string[]
    overwrite?: readonly string[]
    readonly conflict?: unknown
    readonly indexPredicate?: string
    readonly overwriteCondition?: readonly Where[]
  }
  insertColumns: readonly string[]
}

/** The entities of a data source that have declared columns. */
export type Entities = ReadonlyMap<EntityMetadata, Encrypted>

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
