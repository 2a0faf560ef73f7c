// The function encryptedSequelize, documented in types/sequelize.d.ts.
import type { Table as Declared, SequelizeLike } from '../../../types/sequelize.d.ts'
import { wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { declared } from '../../values/columns/encrypted-columns.cjs'
import { hidesSealed } from '../../values/columns/undeclared.cjs'
import type { Attribute, Encrypted, Model, Sequelize, Table } from './parts.cjs'
import { wrap } from './statements.cjs'

const DIALECTS = ['postgres', 'mysql', 'mariadb', 'sqlite']
/** Actions of a foreign key that change it. */
const [MOVING, SETTING] = [/^(?:cascade|set )/i, /^set /i]
/** Types that store a string as it is. */
const TYPES = ['STRING', 'TEXT', 'CHAR', 'CITEXT']
/** Types of whole numbers, which databases also find by other spellings of their digits. */
const INTEGERS = ['INTEGER', 'BIGINT', 'SMALLINT', 'MEDIUMINT', 'TINYINT']

export function encryptedSequelize<Instance extends SequelizeLike>(
  sequelize: Instance,
  models: { readonly [name: string]: Declared },
): Instance {
  const own = sequelizeOf(sequelize)
  const byTable = new Map<string, Encrypted>()
  for (const [name, table] of Object.entries(models ?? {})) {
    const declaration = declared(table)
    if (declaration === undefined)
      throw wrongType(`"models.${name}" must be what encryptedColumns returns, got ${kindOf(table)}`)
    const model = own.models[name]
    if (model === undefined)
      throw wrongValue(
        `"models.${name}" must be one of '${Object.keys(own.models).join("', '")}': define it before`,
      )
    if (byTable.has(model.tableName))
      throw wrongValue(`"models" has the table '${model.tableName}' twice: declare one model of it`)
    byTable.set(model.tableName, encryptedOf(declaration, model))
  }
  if (byTable.size === 0)
    throw wrongValue('"models" must have a model with encrypted columns, such as { User: users }')
  const find = (table: Table | Model | undefined) =>
    byTable.get(typeof table === 'string' ? table : (table?.tableName ?? ''))
  const keyrings = new Set([...byTable.values()].map(({ declaration }) => declaration.keyring))
  wrap(own.getQueryInterface(), find, value => [...keyrings].some(keyring => hidesSealed(keyring, value)))
  return sequelize
}

function sequelizeOf(sequelize: unknown): Sequelize {
  const { models, getQueryInterface, getDialect } = (sequelize ?? {}) as Partial<Sequelize>
  if (
    typeof models !== 'object' ||
    typeof getQueryInterface !== 'function' ||
    typeof getDialect !== 'function'
  )
    throw wrongType(`"sequelize" must be an instance of Sequelize, got ${kindOf(sequelize)}`)
  const dialect = (sequelize as Sequelize).getDialect()
  if (!DIALECTS.includes(dialect))
    throw wrongValue(`"sequelize" must have one of the dialects '${DIALECTS.join("', '")}', got '${dialect}'`)
  return sequelize as Sequelize
}

/** Finds the attributes of the declared columns, and lets them accept the values of their types. */
function encryptedOf(declaration: Declaration, model: Model): Encrypted {
  const attributes = new Map<string, string>()
  const find = (column: string): Attribute => {
    const found = Object.entries(model.rawAttributes).find(([name, { field }]) => (field ?? name) === column)
    if (found === undefined)
      throw wrongValue(`"${model.name}" must have an attribute for '${column}', the column that is declared`)
    attributes.set(column, found[0])
    return found[1]
  }
  const integers = new Set<string>()
  for (const name of declaration.rowKey) {
    const attribute = find(name)
    refuseMovable(model, name, attribute)
    if (INTEGERS.includes(attribute.type.key ?? '')) integers.add(name)
  }
  for (const { name, index } of declaration.columns) {
    const attribute = checked(model, name, find(name))
    if (index !== undefined) checked(model, index.name, find(index.name))
    attribute.type = anyValue(attribute.type)
  }
  model.refreshAttributes()
  return { declaration, model, attributes, integers }
}

/** Refuses a foreign key in the row's key that the database changes with what it refers to. */
function refuseMovable({ name }: Model, column: string, attribute: Attribute): void {
  if (attribute.references === undefined) return
  const { onUpdate = '', onDelete = '' } = attribute
  if (!MOVING.test(onUpdate) && !SETTING.test(onDelete)) return
  const what = `"${name}" has '${column}' in its "rowKey", and the database would change it`
  throw wrongValue(
    `${what}: declare the association with onUpdate: 'RESTRICT' and onDelete: 'CASCADE' or 'RESTRICT'`,
  )
}

/** Refuses an attribute that would store a sealed string in another form, or another value. */
function checked({ name }: Model, column: string, attribute: Attribute): Attribute {
  const where = `the attribute of "${name}" for '${column}'`
  if (!TYPES.includes(attribute.type.key ?? ''))
    throw wrongValue(
      `${where} must have a type of strings, such as DataTypes.TEXT, because it contains sealed strings`,
    )
  if (attribute.primaryKey === true)
    throw wrongValue(`${where} must not be a primary key: every sealed value is a different string`)
  return attribute
}

/**
 * The type in SQL, without Sequelize's conversions and checks of strings: values are of the
 * declared type.
 */
function anyValue(type: Attribute['type']): Attribute['type'] {
  // The class of all types.
  let base: object = type
  for (;;) {
    const next: object | null = Object.getPrototypeOf(base)
    if (next === null || Object.getPrototypeOf(next) === null) break
    base = next
  }
  const sql = type.toSql?.() ?? 'TEXT'
  const any: Attribute['type'] = Object.create(base)
  return Object.assign(any, { key: 'ENCRYPTED', toSql: () => sql, validate: () => true, options: {} })
}
