// A stand-in of TypeORM's DataSource: metadata, a driver, and writes and loads as TypeORM broadcasts them. checks/databases has the real one.
import { selectFrom } from './builders.js'

type Entity = Record<string, unknown>

interface Listener {
  beforeInsert(event: object): void
  beforeUpdate(event: object): void
  afterInsert(event: object): void
  afterUpdate(event: object): void
  afterTransactionRollback(event: object): void
}

export class Column {
  transformer: { to(value: unknown): unknown; from(value: unknown): unknown } | undefined
  propertyPath: string
  databaseName: string
  default: unknown
  isArray = false
  isPrimary = false
  isGenerated = false
  isVersion = false
  isUpdateDate = false
  isDeleteDate = false
  isSelect = true
  isInsert = true
  isUpdate = true
  generationStrategy: string | undefined
  relationMetadata: { onUpdate?: string; onDelete?: string } | undefined
  type: unknown = 'text'

  constructor(propertyPath: string, options: Partial<Column> = {}) {
    this.propertyPath = propertyPath
    this.databaseName = propertyPath
    Object.assign(this, options)
  }

  getEntityValue(entity: Entity, transform = false) {
    const value = entity[this.propertyPath]
    return transform && this.transformer !== undefined ? this.transformer.to(value) : value
  }

  setEntityValue(entity: Entity, value: unknown) {
    entity[this.propertyPath] = value
  }
}

export class Metadata {
  indices: { isUnique: boolean; columns: Column[] }[] = []
  uniques: { columns: Column[] }[] = []
  readonly tableName: string
  tableType = 'regular'

  constructor(
    readonly name: string,
    readonly tablePath: string,
    readonly columns: Column[],
  ) {
    this.tableName = tablePath
  }

  get primaryColumns() {
    return this.columns.filter(({ isPrimary }) => isPrimary)
  }

  findColumnsWithPropertyPath(path: string) {
    return this.columns.filter(({ propertyPath }) => propertyPath === path)
  }

  column(path: string) {
    return this.columns.find(({ propertyPath }) => propertyPath === path) as Column
  }
}

export class Source {
  isInitialized = false
  entityMetadatas: Metadata[] = []
  subscribers: Listener[] = []
  readonly queryRunner = {}
  /** The values of the last statement. */
  sent: unknown[] | undefined
  readonly driver = {
    escape: (name: string) => `"${name}"`,
    supportedUpsertTypes: ['on-conflict-do-update'],
    preparePersistentValue: (value: unknown, _: Column) => value,
    prepareHydratedValue: (value: unknown, _: Column) => value,
    escapeQueryWithParameters: (sql: string, parameters: Record<string, unknown>): [string, unknown[]] => [
      sql,
      Object.values(parameters),
    ],
  }

  constructor(
    readonly metadata: () => Metadata[],
    readonly options = { type: 'sqljs' },
  ) {}

  async buildMetadatas() {
    this.entityMetadatas = this.metadata()
    this.subscribers = []
  }

  createQueryBuilder() {
    return selectFrom(this)
  }

  async initialize() {
    this.isInitialized = true
    await this.buildMetadatas()
    return this
  }

  #all(method: keyof Listener, event: object) {
    for (const listener of this.subscribers) (listener[method] as (event: object) => void)(event)
  }

  /** Writes an entity as query builders do: `sql` is the statement. */
  write(method: 'Insert' | 'Update', metadata: Metadata, entity: Entity, options: Options = {}) {
    const { databaseEntity, listeners = true, sql = method } = options
    const event = { entity, databaseEntity, metadata, queryRunner: this.queryRunner }
    if (listeners) this.#all(`before${method}`, event)
    options.between?.()
    const values: Record<string, unknown> = {}
    for (const column of metadata.columns) {
      const value = column.getEntityValue(entity)
      if (value !== undefined) values[column.propertyPath] = this.driver.preparePersistentValue(value, column)
    }
    const names = Object.keys(values)
    const [, list] = this.driver.escapeQueryWithParameters(sql, values)
    if (listeners) this.#all(`after${method}`, event)
    return Object.fromEntries(names.map((name, i) => [name, list[i]]))
  }

  rollback() {
    this.#all('afterTransactionRollback', { queryRunner: this.queryRunner })
  }

  /** Loads a row, given by property. */
  async load(metadata: Metadata, row: Entity) {
    const builder = this.createQueryBuilder().from(metadata) as ReturnType<typeof selectFrom>
    const names = metadata.columns.map(column => [column, `u_${column.databaseName}`] as const)
    builder.rows = [Object.fromEntries(names.map(([{ propertyPath }, name]) => [name, row[propertyPath]]))]
    const [raw] = (await builder.loadRawResults()) as [Entity]
    const entity: Entity = {}
    for (const [column, name] of names) {
      const value = raw[name]
      column.setEntityValue(entity, column.transformer === undefined ? value : column.transformer.from(value))
    }
    return entity
  }
}

interface Options {
  databaseEntity?: Entity
  listeners?: boolean
  sql?: string
  between?: () => void
}
