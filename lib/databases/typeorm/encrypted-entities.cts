// The function encryptedEntities, documented in types/typeorm.d.ts.
import type { Table, TypeormSource } from '../../../types/typeorm.d.ts'
import { mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import type { Column } from '../../values/columns/column.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { declared } from '../../values/columns/encrypted-columns.cjs'
import { overBuilders } from './builders.cjs'
import { guard } from './guard.cjs'
import { OF_INDEX, transformerOf } from './lookup.cjs'
import type { ColumnMetadata, DataSource, Encrypted, EntityMetadata, Field } from './parts.cjs'
import { Subscriber } from './subscriber.cjs'

/** The drivers whose statements the guard reads. */
const DRIVERS = ['postgres', 'mysql', 'mariadb', 'sqlite', 'better-sqlite3', 'sqljs']
/** Types of TypeORM that store a string as it is. */
const TYPES: readonly unknown[] = [
  String,
  'text',
  'varchar',
  'character varying',
  'nvarchar',
  'tinytext',
  'mediumtext',
  'longtext',
]

/** Actions of a foreign key that change it. */
const MOVING = [
  'onUpdate CASCADE',
  'onUpdate SET NULL',
  'onUpdate SET DEFAULT',
  'onDelete SET NULL',
  'onDelete SET DEFAULT',
]

const PARTS = 'seal old values of several columns by rotateColumns first'

export function encryptedEntities<Source extends TypeormSource>(
  source: Source,
  entities: { readonly [name: string]: Table },
): Source {
  const dataSource = dataSourceOf(source)
  const declarations = declarationsOf(entities)
  const { buildMetadatas } = dataSource
  // Each initialization makes new metadata and subscribers, before any statement.
  dataSource.buildMetadatas = async function () {
    await buildMetadatas.call(this)
    install(this, declarations)
  }
  if (dataSource.isInitialized) install(dataSource, declarations)
  return source
}

function dataSourceOf(source: unknown): DataSource {
  const { options, buildMetadatas } = (source ?? {}) as Partial<DataSource>
  if (typeof options !== 'object' || typeof buildMetadatas !== 'function')
    throw mustBe('source', 'a DataSource of TypeORM', source)
  if (!DRIVERS.includes(options.type))
    throw wrongValue(`"source" must have one of the types '${DRIVERS.join("', '")}', got '${options.type}'`)
  return source as DataSource
}

function declarationsOf(entities: unknown): ReadonlyMap<string, Declaration> {
  const declarations = new Map<string, Declaration>()
  for (const [name, table] of Object.entries(entities ?? {})) {
    const declaration = declared(table)
    if (declaration === undefined) throw mustBe(`entities.${name}`, 'what encryptedColumns returns', table)
    declarations.set(name, declaration)
  }
  if (declarations.size > 0) return declarations
  throw wrongValue('"entities" must have an entity with encrypted columns, such as { User: users }')
}

function install(source: DataSource, declarations: ReadonlyMap<string, Declaration>): void {
  const all = new Map<EntityMetadata, Encrypted>()
  for (const [name, declaration] of declarations) {
    const own = source.entityMetadatas.find(metadata => metadata.name === name)
    if (own === undefined) {
      const names = source.entityMetadatas.map(metadata => metadata.name).join("', '")
      throw wrongValue(`"entities.${name}" must be one of '${names}', the entities of the data source`)
    }
    // Another entity may map the same table.
    for (const metadata of source.entityMetadatas)
      if (metadata.tablePath === own.tablePath)
        all.set(metadata, encryptedOf(declaration, metadata, metadata === own))
  }
  for (const encrypted of all.values()) {
    for (const field of encrypted.fields) {
      field.own.transformer = transformerOf(field)
      if (field.index !== undefined) makeIndex(field.own, field.index)
    }
    guard(source.driver, encrypted)
  }
  overBuilders(source, all)
  // The last one: the program's subscribers may change what is sealed.
  source.subscribers.push(new Subscriber(all))
}

/** Finds the columns in the metadata of an entity: all of them, if it is the declared one. */
function encryptedOf(declaration: Declaration, metadata: EntityMetadata, isWhole: boolean): Encrypted {
  const find = (name: string) => metadata.columns.find(({ databaseName }) => databaseName === name)
  const need = (name: string): ColumnMetadata => {
    const column = find(name)
    if (column !== undefined) return column
    throw wrongValue(`"${metadata.name}" must have a column that is '${name}' in the database, as declared`)
  }
  const fields: Field[] = []
  for (const column of declaration.columns) {
    if (column.parts.length > 0)
      throw wrongValue(`"${metadata.name}" has "parts" in its declaration: ${PARTS}`)
    const own = isWhole ? need(column.name) : find(column.name)
    if (own === undefined) continue
    fields.push({ column, own: checked(metadata, own), index: indexOf(metadata, column, need) })
  }
  const keys = fields.length === 0 ? [] : declaration.rowKey.map(need)
  for (const key of keys) {
    refuseMovable(metadata, key)
    if (!key.isGenerated || key.generationStrategy === 'uuid') continue
    const what = `"${metadata.name}.${key.propertyPath}" is made by the database, so it cannot be the "rowKey": use 'uuid', or rowKey: false`
    throw wrongValue(what)
  }
  return { declaration, metadata, fields, keys }
}

/** Refuses a key that TypeORM or the database changes, or that an insert leaves out. */
function refuseMovable({ name }: EntityMetadata, key: ColumnMetadata): void {
  const where = `"${name}.${key.propertyPath}"`
  if (key.isInsert === false) throw wrongValue(`${where} must be inserted, because values are sealed for it`)
  if (key.isVersion || key.isUpdateDate || key.isDeleteDate)
    throw wrongValue(`${where} must not be in "rowKey": TypeORM changes it, and values are sealed for it`)
  const { onUpdate, onDelete } = key.relationMetadata ?? {}
  for (const [option, action] of Object.entries({ onUpdate, onDelete })) {
    if (action === undefined || !MOVING.includes(`${option} ${action}`)) continue
    throw wrongValue(
      `${where} must not have ${option}: '${action}': the database would change the row's key, for which values are sealed`,
    )
  }
}

function indexOf(
  metadata: EntityMetadata,
  { index }: Column,
  need: (name: string) => ColumnMetadata,
): ColumnMetadata | undefined {
  return index === undefined ? undefined : checked(metadata, need(index.name))
}

/** Refuses a column that would store a sealed string in another form, or another value. */
function checked({ name, tableType }: EntityMetadata, column: ColumnMetadata): ColumnMetadata {
  const { propertyPath, type, transformer, isArray, isPrimary, relationMetadata } = column
  const where = `"${name}.${propertyPath}"`
  // The columns of a view have no types.
  if ((!TYPES.includes(type) && tableType !== 'view') || isArray)
    throw wrongValue(
      `${where} must be a column of strings, such as 'text', because it contains sealed strings`,
    )
  if (transformer !== undefined)
    throw wrongValue(`${where} must have no transformer: its declared type converts it`)
  if (column.default !== undefined)
    throw wrongValue(`${where} must have no default: the database would store it as clear text`)
  if (isPrimary || relationMetadata !== undefined)
    throw wrongValue(
      `${where} must not be a primary or foreign key: every sealed value is a different string`,
    )
  return column
}

/** Makes a column the index of another: not loaded, and written when the other one is. */
function makeIndex(own: ColumnMetadata, index: ColumnMetadata): void {
  index.transformer = OF_INDEX
  index.isSelect = false
  index.isInsert = own.isInsert
  index.isUpdate = own.isUpdate
  const { getEntityValue } = index
  // It is null where its column is, and only there: TypeORM sets null where an inserted entity has
  // no value, and compares that with a stored entity, which has no index.
  index.getEntityValue = function (entity, transform) {
    const value = getEntityValue.call(this, entity, transform) ?? undefined
    return value === undefined && own.getEntityValue(entity) === null ? null : value
  }
}
