// Values to write: the encrypted fields of new and changed rows are sealed, at any depth.
import { define, hasOwn, keys } from '../base/builtins.cjs'
import { sealRow } from '../columns/seal-row.cjs'
import type { Model } from './models.cjs'
import { each, isObject, mapped, type Names, ownOf, partsOf, refused, unchanged } from './objects.cjs'
import { keyFrom } from './row-key.cjs'
import { refuseAmbiguous, where } from './where.cjs'

/** The values of a new row. */
export function created(model: Model, path: string, given: unknown): unknown {
  if (!model.isConcerned) return given
  const row = fieldsOf(model, path, given)
  const { declaration } = model
  if (declaration === undefined) return row
  if (hasValues(model, row)) addKey(model, path, row)
  return sealRow(declaration, path, row)
}

/** Changed values of the rows that meet a condition. */
export function updated(model: Model, path: string, given: unknown, condition: unknown): unknown {
  if (!model.isConcerned) return given
  const row = fieldsOf(model, path, given)
  const { declaration, columns } = model
  if (declaration === undefined) return row
  for (const name of columns.keys())
    if (hasOwn(row, name)) define(row, name, withoutSet(model, name, path, row[name]), true)
  const key = keyFrom(model, condition)
  for (const name of declaration.rowKey) {
    if (!hasOwn(row, name) || (key !== undefined && key[name] === row[name])) continue
    throw refused(
      `"${path}.${name}" is the row's key, to which its values are bound: copy the row to a new one, and delete it`,
    )
  }
  if (key === undefined && declaration.rowKey.length > 0 && hasValues(model, row))
    throw withoutKey(model, path)
  const sealed = sealRow(declaration, path, { ...row, ...key })
  const result = {}
  for (const name of keys(sealed))
    if (hasOwn(row, name) || !declaration.rowKey.includes(name)) define(result, name, sealed[name], true)
  return result
}

/** A copy of values in which those of relations are rewritten. */
function fieldsOf(model: Model, path: string, given: unknown): Names {
  return mapped(path, given, (name, at, value) => {
    const target = model.relations.get(name)
    if (target !== undefined) return nestedWrites(target, at, value)
    if (!model.fields.has(name)) throw refused(`"${at}" is no field of ${model.name}`)
    return value
  })
}

function hasValues({ columns }: Model, row: Names): boolean {
  for (const name of columns.keys()) if (hasOwn(row, name) && row[name] !== null) return true
  return false
}

function addKey({ name, declaration, newKey }: Model, path: string, row: Names): void {
  for (const part of declaration?.rowKey ?? []) {
    if (hasOwn(row, part)) continue
    if (newKey === undefined) {
      const help = `pass it, or let the second argument of encryptedModels make it: { newKey: { ${name}: crypto.randomUUID } }`
      throw refused(
        `"${path}" has no '${part}', to which its values are bound, and the database would make it too late: ${help}`,
      )
    }
    define(row, part, newKey(), true)
  }
}

/** The value of `{ set: value }`, which Prisma accepts for a value. */
function withoutSet({ columns }: Model, name: string, path: string, value: unknown): unknown {
  if (!isObject(value) || !hasOwn(value, 'set') || keys(value).length > 1) return value
  if (columns.get(name)?.type !== 'json') return value.set
  throw refused(
    `"${path}.${name}" is { set: … }, which may be JSON or Prisma's own form: pass the JSON itself, with another member`,
  )
}

function withoutKey({ name, declaration }: Model, path: string): Error {
  const key = declaration?.rowKey.join("', '")
  return refused(
    `"${path}" has values of encrypted fields, which are sealed for one row of ${name}, and its condition does not name '${key}': read the key first, then update by it`,
  )
}

type Write = (target: Model, path: string, value: unknown) => unknown

const byUnique: Write = (target, path, value) => where(target, path, value, true)
const byUniqueOrFlag: Write = (target, path, value) =>
  typeof value === 'boolean' ? value : byUnique(target, path, value)

/** Prisma's operations on the rows of a relation, and the contents of each. */
const WRITES: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['create', created],
  ['createMany', createdMany],
  ['connectOrCreate', createdOrConnected],
  ['connect', byUnique],
  ['set', byUnique],
  ['disconnect', byUniqueOrFlag],
  ['delete', byUniqueOrFlag],
  ['deleteMany', where],
  ['update', updatedOne],
  ['updateMany', updatedMany],
  ['upsert', upserted],
])

function nestedWrites(target: Model, path: string, given: unknown): unknown {
  if (given === null || !target.isConcerned) return given
  return mapped(path, given, (name, at, value) => {
    const write = WRITES.get(name)
    if (write === undefined) throw refused(`"${at}" is a way to write that encryptedModels does not know`)
    return each(at, value, (one, part) => write(target, one, part))
  })
}

function createdMany(target: Model, path: string, value: unknown): unknown {
  return partsOf(path, value, {
    data: (at, data) => each(at, data, (one, row) => created(target, one, row)),
    skipDuplicates: unchanged,
  })
}

function createdOrConnected(target: Model, path: string, value: unknown): unknown {
  return partsOf(path, value, {
    where: (at, condition) => byUnique(target, at, condition),
    create: (at, row) => created(target, at, row),
  })
}

/** `{ where, data }`, or for a relation to one row the data alone. */
function updatedOne(target: Model, path: string, value: unknown): unknown {
  if (!isObject(value) || !hasOwn(value, 'data')) return updated(target, path, value, undefined)
  refuseAmbiguous(target, path, 'data')
  return updatedBy(target, path, value, byUnique)
}

function updatedMany(target: Model, path: string, value: unknown): unknown {
  return updatedBy(target, path, value, where)
}

function updatedBy(target: Model, path: string, value: unknown, condition: Write): unknown {
  return partsOf(path, value, {
    where: (at, given) => condition(target, at, given),
    data: (at, data) => updated(target, at, data, ownOf(value, 'where')),
  })
}

function upserted(target: Model, path: string, value: unknown): unknown {
  return partsOf(path, value, {
    where: (at, condition) => byUnique(target, at, condition),
    create: (at, row) => created(target, at, row),
    update: (at, data) => updated(target, at, data, ownOf(value, 'where')),
  })
}
