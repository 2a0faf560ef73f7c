// The models of a Prisma client, and the encrypted columns of each.
//
// Prisma documents no list of models and relations at run time. The property is the one that Prisma
// itself reads for extensions. Without it, or with another shape, there is no extended client.
import { isList } from '../base/lists.cjs'
import type { Column } from '../columns/column.cjs'
import type { Declaration } from '../columns/declaration.cjs'
import { isObject, refused } from './objects.cjs'

export type NewKey = () => unknown

export interface Model {
  readonly name: string
  /** The type of each field, such as 'String'. */
  readonly fields: ReadonlyMap<string, string>
  readonly relations: ReadonlyMap<string, Model>
  readonly declaration: Declaration | undefined
  readonly columns: ReadonlyMap<string, Column>
  readonly newKey: NewKey | undefined
  /** Whether arguments can contain values of encrypted columns, here or behind relations. */
  readonly isConcerned: boolean
}

/** The declaration of a model. */
export interface Declared {
  readonly declaration: Declaration
  readonly newKey: NewKey | undefined
}

/** Types of fields whose values come back from the database as they were. */
const KEY_TYPES = ['String', 'Int', 'BigInt', 'Bytes']

/** Types of fields with parts of old values. */
const PART_TYPES = ['String', 'Bytes']

interface Draft extends Model {
  readonly fields: Map<string, string>
  readonly relations: Map<string, Draft>
  isConcerned: boolean
}

/** All models of a client, by name. */
export function modelsOf(client: unknown, declared: ReadonlyMap<string, Declared>): Map<string, Model> {
  const given = runtimeModels(client)
  const models = new Map<string, Draft>()
  for (const name of Object.keys(given)) models.set(name, draftOf(name, declared.get(name)))
  for (const [name, { declaration }] of declared) {
    const model = models.get(name)
    if (model === undefined) throw refused(`"models" has '${name}', and the schema has no such model`)
    for (const field of fieldsOf(name, given[name])) readField(model, models, field)
    checkFields(model, declaration)
  }
  for (const [name, model] of models)
    if (!declared.has(name)) for (const field of fieldsOf(name, given[name])) readField(model, models, field)
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

function draftOf(name: string, declared: Declared | undefined): Draft {
  const columns = new Map<string, Column>()
  for (const column of declared?.declaration.columns ?? []) columns.set(column.name, column)
  return {
    name,
    fields: new Map(),
    relations: new Map(),
    declaration: declared?.declaration,
    columns,
    newKey: declared?.newKey,
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
      throw refused(`"models.${name}" declares '${field}', and the model has no such field`)
    if (types.includes(type)) return
    throw refused(`"models.${name}" needs '${field}' to be ${types.join(' or ')} in the schema, got ${type}`)
  }
  for (const { name, index, parts } of columns) {
    check(name, ['String'])
    if (index !== undefined) check(index.name, ['String'])
    for (const part of parts) check(part, PART_TYPES)
  }
  for (const part of rowKey) check(part, KEY_TYPES)
}

function unknownShape(where = ''): Error {
  return refused(
    `this client of Prisma does not have its models where those of Prisma 7 have them${where}: encryptedModels does not support its version`,
  )
}
