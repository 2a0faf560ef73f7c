// The models of a Prisma client, and the encrypted columns of each.
//
// Prisma documents no list of models and relations at run time. The property is the one that Prisma
// itself reads for extensions. Without it, or with another shape, there is no extended client.
import { wrongValue } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import type { Column } from '../../values/columns/column.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { bind, linkOf, type RelationNames, refuseLost } from './links.cjs'
import type { Link, Model, NewKey, NewKeys } from './model.cjs'
import { newKeysOf } from './new-keys.cjs'
import { isObject } from './objects.cjs'
import { schemaOf } from './schema-text.cjs'

/** The declaration of a model. */
export interface Declared {
  readonly declaration: Declaration
  readonly newKey: NewKey | NewKeys | undefined
}

/** Types of fields whose values come back from the database as they were. */
const KEY_TYPES = ['String', 'Int', 'BigInt', 'Bytes']

/** Types of fields with parts of old values. */
const PART_TYPES = ['String', 'Bytes']

interface Draft extends Model {
  readonly fields: Map<string, string>
  readonly relations: Map<string, Draft>
  readonly links: Map<string, Link>
  readonly bound: Set<string>
  newKeys: NewKeys
  unique: ReadonlySet<string>
  isConcerned: boolean
}

/** All models of a client, by name. */
export function modelsOf(client: unknown, declared: ReadonlyMap<string, Declared>): Map<string, Model> {
  const given = runtimeModels(client)
  const models = new Map<string, Draft>()
  for (const name of Object.keys(given)) models.set(name, draftOf(name, declared.get(name)))
  for (const [name, { declaration }] of declared) {
    const model = models.get(name)
    if (model === undefined) throw wrongValue(`"models" has '${name}', which is not a model of the schema`)
    for (const field of fieldsOf(name, given[name])) readField(model, models, field)
    checkFields(model, declaration)
  }
  for (const [name, model] of models)
    if (!declared.has(name)) for (const field of fieldsOf(name, given[name])) readField(model, models, field)
  link(client, models, declared, given)
  // Once for each step along relations.
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false
    for (const model of models.values()) {
      if (model.isConcerned || ![...model.relations.values()].some(other => other.isConcerned)) continue
      model.isConcerned = true
      isGrowing = true
    }
  }
  return models
}

/** Adds foreign keys, what may not change because of them, and functions for new keys. */
function link(
  client: unknown,
  models: ReadonlyMap<string, Draft>,
  declared: ReadonlyMap<string, Declared>,
  given: Record<string, unknown>,
): void {
  const schema = schemaOf(client)
  const names: RelationNames = new Map(
    [...models.values()].map(model => {
      const fields = fieldsOf(model.name, given[model.name])
      return [model, new Map(fields.map(field => [field.name as string, field.relationName]))]
    }),
  )
  for (const model of models.values())
    for (const relation of model.relations.keys()) {
      const link = linkOf(model, relation, names, schema)
      if (link !== undefined) model.links.set(relation, link)
    }
  bind(models.values())
  for (const model of models.values()) {
    const text = schema?.get(model.name)
    if (text !== undefined) model.unique = text.unique
    refuseLost(model, text)
    model.newKeys = newKeysOf(model, declared.get(model.name)?.newKey)
  }
}

function draftOf(name: string, declared: Declared | undefined): Draft {
  const columns = new Map<string, Column>()
  const indexes = new Map<string, string>()
  for (const column of declared?.declaration.columns ?? []) {
    columns.set(column.name, column)
    if (column.index !== undefined) indexes.set(column.index.name, column.name)
  }
  return {
    name,
    fields: new Map(),
    relations: new Map(),
    links: new Map(),
    bound: new Set(),
    unique: new Set(),
    declaration: declared?.declaration,
    columns,
    indexes,
    newKeys: new Map(),
    isConcerned: declared !== undefined,
  }
}

/** `_runtimeDataModel.models` of a client. */
function runtimeModels(client: unknown): Record<string, unknown> {
  const model = (client as { _runtimeDataModel?: unknown })._runtimeDataModel
  if (isObject(model) && isObject(model.models) && Object.keys(model.models).length > 0) return model.models
  throw unknownShape()
}

function fieldsOf(name: string, model: unknown): readonly Record<string, unknown>[] {
  const fields = isObject(model) ? model.fields : undefined
  if (isList(fields) && fields.length > 0 && fields.every(isField)) return fields as Record<string, unknown>[]
  throw unknownShape(` (model ${name})`)
}

function isField(field: unknown): boolean {
  if (!isObject(field)) return false
  return [field.name, field.kind, field.type].every(part => typeof part === 'string' && part !== '')
}

function readField(model: Draft, models: ReadonlyMap<string, Draft>, field: Record<string, unknown>): void {
  const [name, type] = [field.name as string, field.type as string]
  model.fields.set(name, type)
  // An object that is no model is a composite type of MongoDB.
  const other = field.kind === 'object' ? models.get(type) : undefined
  if (other !== undefined) model.relations.set(name, other)
}

/** Finds mistakes in a declaration by the schema. */
function checkFields({ name, fields }: Model, { columns, rowKey }: Declaration): void {
  const check = (field: string, types: readonly string[]) => {
    const type = fields.get(field)
    if (type === undefined)
      throw wrongValue(`"models.${name}" declares '${field}', which is not a field of the model`)
    if (types.includes(type)) return
    throw wrongValue(
      `"models.${name}" needs '${field}' to be ${types.join(' or ')} in the schema, got ${type}`,
    )
  }
  for (const { name, index, parts } of columns) {
    check(name, ['String'])
    if (index !== undefined) check(index.name, ['String'])
    for (const part of parts) check(part, PART_TYPES)
  }
  for (const part of rowKey) check(part, KEY_TYPES)
}

function unknownShape(where = ''): Error {
  return wrongValue(
    `this Prisma client does not store its models as Prisma 7 does${where}: encryptedModels does not support its version`,
  )
}
