// Seals the encrypted fields of new and changed rows, at any depth.
import { define, hasOwn, keys } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { sealRow } from '../../values/columns/seal-row.cjs'
import { indexValue } from './index-fields.cjs'
import type { Model } from './model.cjs'
import { adviceFor, sourcesOf } from './new-keys.cjs'
import { each, isObject, isPlain, mapped, type Names, ownOf, partsOf, unchanged } from './objects.cjs'
import {
  type Around,
  type Known,
  moved,
  NOTHING,
  type Relative,
  relativeOf,
  type Written,
} from './relatives.cjs'
import { namedIn } from './row-key.cjs'
import { refuseAmbiguous, where } from './where.cjs'

/** The values of a new row. */
export function created(model: Model, path: string, given: unknown): unknown {
  return newRow(model, path, given, NOTHING)
}

/** `tell` receives the fields of the row before they are sealed. */
function newRow(
  model: Model,
  path: string,
  given: unknown,
  around: Around,
  tell?: (part: Known) => void,
): unknown {
  if (!model.isConcerned) return given
  const row = fieldsOf(model, path, given)
  const linked = new Map<string, unknown>()
  const made: Names = {}
  const set = (at: string, field: string, value: unknown) => {
    if (linked.has(field) && linked.get(field) !== value) throw twoValues(at, field)
    linked.set(field, value)
  }
  const part = (field: string) => {
    const sources: unknown[] = []
    if (hasOwn(row, field)) sources.push(row[field])
    if (linked.has(field)) sources.push(linked.get(field))
    if (around.has(field)) sources.push(around.get(field)?.())
    const value = sources[0]
    if (sources.some(one => one !== value)) throw twoValues(path, field)
    if (sources.length > 0) return value
    if (!hasOwn(made, field) && model.newKeys.has(field))
      define(made, field, model.newKeys.get(field)?.(), true)
    return ownOf(made, field)
  }
  writeRelations({ model, isNew: true, part, set, setUnknown() {} }, path, row)
  const { declaration } = model
  const key = declaration !== undefined && hasValues(model, row) ? newKeyOf(model, path, part, around) : {}
  tell?.(part)
  const whole = { ...row, ...key, ...made }
  if (declaration === undefined) return whole
  return without(sealRow(declaration, path, whole), key, { ...row, ...made })
}

/** Changed values of the rows that meet a condition. */
export function updated(
  model: Model,
  path: string,
  given: unknown,
  condition: unknown,
  around: Around = NOTHING,
): unknown {
  if (!model.isConcerned) return given
  const row = fieldsOf(model, path, given)
  const { declaration, columns, bound } = model
  let isMoved = false
  const known = (field: string) => namedIn(model, condition, field) ?? around.get(field)?.()
  const part = (field: string) =>
    bound.has(field) || !(isMoved || hasOwn(row, field)) ? known(field) : undefined
  const set = (at: string, field: string, value: unknown) => {
    if (!bound.has(field)) isMoved = true
    else if (value === undefined || value !== known(field)) throw moved(at, model, field)
  }
  for (const field of bound) if (hasOwn(row, field)) set(`${path}.${field}`, field, row[field])
  const setUnknown = () => {
    isMoved = true
  }
  writeRelations({ model, isNew: false, part, set, setUnknown }, path, row)
  if (declaration === undefined) return row
  for (const name of columns.keys())
    if (hasOwn(row, name)) define(row, name, withoutSet(model, name, path, row[name]), true)
  const key: Names = {}
  for (const name of declaration.rowKey) define(key, name, known(name), true)
  if (hasValues(model, row) && declaration.rowKey.some(name => key[name] === undefined))
    throw withoutKey(model, path)
  return without(sealRow(declaration, path, { ...row, ...key }), key, row)
}

/** A copy of values, whose names are fields of the model. */
function fieldsOf(model: Model, path: string, given: unknown): Names {
  return mapped(path, given, (name, at, value) => {
    if (!model.fields.has(name)) throw wrongValue(`"${at}" is not a field of ${model.name}`)
    return indexValue(model, name, at, value)
  })
}

/** Rewrites the relations of a row: first those that set its foreign keys, which others need. */
function writeRelations(written: Written, path: string, row: Names): void {
  const { relations, links } = written.model
  const isOwn = (name: string) => (links.get(name)?.owner ?? 'here') === 'here'
  const names = keys(row).filter(name => relations.has(name))
  for (const name of [...names.filter(isOwn), ...names.filter(one => !isOwn(one))])
    define(row, name, nestedWrites(relativeOf(written, name), `${path}.${name}`, row[name]), true)
}

/** A sealed row without the parts of its key that were not given. */
function without(sealed: Names, key: Names, given: Names): Names {
  const result = {}
  for (const name of keys(sealed))
    if (hasOwn(given, name) || !hasOwn(key, name)) define(result, name, sealed[name], true)
  return result
}

function hasValues({ columns }: Model, row: Names): boolean {
  for (const name of columns.keys()) if (hasOwn(row, name) && row[name] !== null) return true
  return false
}

/** The key of a new row. */
function newKeyOf(model: Model, path: string, part: Known, around: Around): Names {
  const key = {}
  for (const name of model.declaration?.rowKey ?? []) {
    const value = part(name)
    if (value === undefined) throw withoutPart(model, path, name, around)
    define(key, name, value, true)
  }
  return key
}

function withoutPart(model: Model, path: string, part: string, around: Around): Error {
  const [source] = sourcesOf(model, part)
  const name = source === undefined ? '' : `'${source.reference}'`
  let help = `the database would make it too late: pass it, or let the second argument of encryptedModels make it: ${adviceFor(model)}`
  if (around.has(part))
    help = `the enclosing row does not name its ${name}: add it there, to "data" or to "where"`
  else if (source !== undefined)
    help = `the database would take it from '${source.relation}' too late: pass it, or connect '${source.relation}' by its ${name}`
  return wrongValue(`"${path}" has no '${part}', to which its values are bound, and ${help}`)
}

function twoValues(path: string, field: string): Error {
  return wrongValue(
    `"${path}" gets '${field}' from two places, whose values differ or are not known: name it once`,
  )
}

/** The value of `{ set: value }`, which Prisma accepts for a value. */
function withoutSet({ columns }: Model, name: string, path: string, value: unknown): unknown {
  if (!isPlain(value) || keys(value).length > 1 || ownOf(value, 'set') === undefined) return value
  if (columns.get(name)?.type !== 'json') return value.set
  throw wrongValue(
    `"${path}.${name}" is { set: … }, which may be JSON or Prisma's own form: pass the JSON itself, with another member`,
  )
}

function withoutKey({ name, declaration }: Model, path: string): Error {
  const key = declaration?.rowKey.join("', '")
  return wrongValue(
    `"${path}" has values of encrypted fields, which are sealed for one row of ${name}, and its condition does not name '${key}': read the key first, then update by it`,
  )
}

type Write = (relative: Relative, path: string, value: unknown) => unknown
type Condition = (target: Model, path: string, value: unknown) => unknown

const unique: Condition = (target, path, value) => where(target, path, value, true)
const byUnique: Write = ({ target }, path, value) =>
  typeof value === 'boolean' ? value : unique(target, path, value)
const create: Write = ({ target, aroundNew, related }, path, value) =>
  newRow(target, path, value, aroundNew, part => related(path, part, true))
const connect: Write = (relative, path, value) => {
  const { target, related } = relative
  related(path, field => namedIn(target, value, field), false)
  return byUnique(relative, path, value)
}
/** Prisma's operations on the rows of a relation, and the contents of each. */
const WRITES: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['create', create],
  ['createMany', createMany],
  ['connectOrCreate', connectOrCreate],
  ['connect', connect],
  ['set', byUnique],
  ['disconnect', byUnique],
  ['delete', byUnique],
  ['deleteMany', ({ target }, path, value) => where(target, path, value)],
  ['update', updateOne],
  ['updateMany', (relative, path, value) => updateBy(relative, path, value, where)],
  ['upsert', upsert],
])

function nestedWrites(relative: Relative, path: string, given: unknown): unknown {
  if (given === null || !relative.target.isConcerned) return given
  return mapped(path, given, (name, at, value) => {
    const write = WRITES.get(name)
    if (write === undefined) throw wrongValue(`"${at}" is a write that encryptedModels does not support`)
    if (name === 'set' || name === 'disconnect') relative.unrelated(at, false)
    if (name === 'delete') relative.unrelated(at, true)
    return each(at, value, (one, part) => write(relative, one, part))
  })
}

function createMany(relative: Relative, path: string, value: unknown): unknown {
  return partsOf(path, value, {
    data: (at, data) => each(at, data, (one, row) => create(relative, one, row)),
    skipDuplicates: unchanged,
  })
}

function connectOrCreate(relative: Relative, path: string, value: unknown): unknown {
  return partsOf(path, value, {
    where: (at, condition) => connect(relative, at, condition),
    create: (at, row) => create(relative, at, row),
  })
}

/** `{ where, data }`, or for a relation to one row the data alone. */
function updateOne(relative: Relative, path: string, value: unknown): unknown {
  const { target, aroundOld } = relative
  if (!isObject(value) || !hasOwn(value, 'data')) return updated(target, path, value, undefined, aroundOld)
  refuseAmbiguous(target, path, 'data')
  return updateBy(relative, path, value, unique)
}

function updateBy(
  { target, aroundOld }: Relative,
  path: string,
  value: unknown,
  condition: Condition,
): unknown {
  return partsOf(path, value, {
    where: (at, given) => condition(target, at, given),
    data: (at, data) => updated(target, at, data, ownOf(value, 'where'), aroundOld),
  })
}

function upsert(relative: Relative, path: string, value: unknown): unknown {
  const { target, aroundOld } = relative
  return partsOf(path, value, {
    where: (at, condition) => unique(target, at, condition),
    create: (at, row) => create(relative, at, row),
    update: (at, data) => updated(target, at, data, ownOf(value, 'where'), aroundOld),
  })
}
