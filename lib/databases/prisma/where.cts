// Conditions: an encrypted field is compared by its blind index, except with NULL.
import { define, hasOwn, keys } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { Column } from '../../values/columns/column.cjs'
import { indexesOf } from '../../values/columns/lookup.cjs'
import { clearFilter } from './index-fields.cjs'
import type { Model } from './model.cjs'
import { conditionAt, each, isPlain, mapped, type Names, ownOf } from './objects.cjs'
import { hasKey } from './row-key.cjs'

const CONNECTIVES = ['AND', 'OR', 'NOT']
const RELATION_FILTERS = ['some', 'every', 'none', 'is', 'isNot']

/** A field and what it must meet. */
type Condition = readonly [field: string, filter: unknown]

/** Rewrites a condition. One that names a single row has plain values in unique fields. */
export function where(model: Model, path: string, given: unknown, isUnique = false): unknown {
  if (given === undefined || given === null || !model.isConcerned) return given
  const conditions = conditionAt(path, given)
  const result: Names = {}
  const further: Names[] = []
  for (const name of keys(conditions)) {
    const value = conditions[name]
    const at = `${path}.${name}`
    const column = model.columns.get(name)
    // Prisma ignores undefined, or refuses it with strictUndefinedChecks.
    if (value === undefined) define(result, name, undefined, true)
    else if (column === undefined) define(result, name, otherCondition(model, name, at, value), true)
    else addConditions(column, at, value)
  }
  if (further.length > 0) {
    const own = ownOf(result, 'AND') ?? []
    define(result, 'AND', [...(isList(own) ? own : [own]), ...further], true)
  }
  return result

  function addConditions(column: Column, at: string, value: unknown): void {
    const unique = isUnique ? uniqueIndex(model, conditions, column, at, value) : undefined
    if (unique !== undefined) return void define(result, indexOf(column), unique, true)
    for (const [field, filter] of conditionsOf(column, at, value)) {
      const isTaken = (field !== column.name && hasOwn(conditions, field)) || hasOwn(result, field)
      const one: Names = isUnique || isTaken ? {} : result
      define(one, field, filter, true)
      if (one !== result) further.push(one)
    }
  }
}

/** The index that names a single row; undefined for a filter, which the row's key goes with. */
function uniqueIndex(
  model: Model,
  conditions: Names,
  column: Column,
  at: string,
  value: unknown,
): string | undefined {
  if (value === null || isPlain(value)) {
    if (!model.unique.has(column.name)) return undefined
    throw wrongValue(`"${at}" must be a value, because the field is unique`)
  }
  const [index, ...others] = indexesAt(column, at, value)
  if (others.length === 0 && !hasOwn(conditions, indexOf(column))) return index
  if (hasKey(model, conditions)) return undefined
  throw severalIndexes(at)
}

/** The condition of a field that is not encrypted, or of several. */
function otherCondition(model: Model, name: string, at: string, value: unknown): unknown {
  if (CONNECTIVES.includes(name)) return each(at, value, (path, one) => where(model, path, one))
  const target = model.relations.get(name)
  if (target !== undefined) return relationFilter(target, at, value)
  if (model.fields.has(name)) return clearFilter(model, name, at, value)
  // A unique key of several fields, under a name that the runtime does not list.
  const parts = isPlain(value) ? keys(value) : []
  if (parts.length < 2 || !parts.every(part => model.fields.has(part) && !model.relations.has(part)))
    throw wrongValue(`"${at}" is neither a field nor a unique key of ${model.name}`)
  for (const part of parts) {
    clearFilter(model, part, `${at}.${part}`, ownOf(value, part))
    if (!model.columns.has(part)) continue
    throw wrongValue(
      `"${at}" has the encrypted field '${part}', whose values differ at each write: name its index in @@unique`,
    )
  }
  return value
}

function relationFilter(target: Model, path: string, value: unknown): unknown {
  if (value === null || !target.isConcerned) return value
  const names = keys(conditionAt(path, value)).filter(name => RELATION_FILTERS.includes(name))
  if (names.length === 0) return where(target, path, value)
  for (const name of names) refuseAmbiguous(target, path, name)
  return mapped(path, value, (name, at, one) => {
    if (!names.includes(name))
      throw wrongValue(`"${at}" stands next to '${names[0]}': Prisma has no such filter`)
    return where(target, at, one)
  })
}

/** Refuses a name that means a field of the model or a form of Prisma's. */
export function refuseAmbiguous(target: Model, path: string, name: string): void {
  if (!target.fields.has(name)) return
  throw wrongValue(
    `"${path}" is ambiguous, because ${target.name} has a field '${name}': use its own operations`,
  )
}

/** The conditions that replace one on an encrypted field; all must hold. */
function conditionsOf(column: Column, path: string, value: unknown): Condition[] {
  if (value === null) return [[column.name, null]]
  if (!isPlain(value)) return [[indexOf(column), { in: indexesAt(column, path, value) }]]
  const list: Condition[] = []
  for (const operator of keys(value)) {
    const operand = value[operator]
    if (operand === undefined) list.push([column.name, { [operator]: undefined }])
    else list.push(...operatorOf(column, operator, `${path}.${operator}`, operand))
  }
  return list
}

function operatorOf(column: Column, operator: string, path: string, operand: unknown): Condition[] {
  switch (operator) {
    case 'equals':
      if (operand === null) return [[column.name, { equals: null }]]
      return [[indexOf(column), { in: indexesAt(column, path, operand) }]]
    case 'in':
    case 'notIn': {
      if (!isList(operand)) throw wrongValue(`"${path}" must be an array, got ${kindOf(operand)}`)
      const indexes = operand.flatMap((one, i) => indexesAt(column, `${path}[${i}]`, one))
      return [[indexOf(column), { [operator]: indexes }]]
    }
    case 'not': {
      if (operand === null) return [[column.name, { not: null }]]
      if (!isPlain(operand)) return [[indexOf(column), { notIn: indexesAt(column, path, operand) }]]
      if (hasOwn(operand, 'not'))
        throw wrongValue(`"${path}" has a not, which Prisma does not invert: use equals or in`)
      const conditions = conditionsOf(column, path, operand)
      if (conditions.length !== 1)
        throw wrongValue(
          `"${path}" must have one filter, got ${conditions.length}: write each in NOT: [{ … }, …]`,
        )
      return conditions.map(([field, filter]) => [field, { not: filter }])
    }
    case 'mode':
      // Passed on, since MySQL has no modes, and Prisma refuses them there.
      if (operand === 'default') return [[column.name, { mode: operand }]]
      throw wrongValue(`"${path}" must be 'default': a normalizer decides which values are equal`)
    default:
      throw wrongValue(
        `"${path}" is not supported for an encrypted field, only equals, in, notIn and not: read the rows and compare opened values`,
      )
  }
}

function indexOf({ index }: Column): string {
  // Without an index, indexesAt has thrown.
  return index?.name ?? ''
}

function indexesAt(column: Column, path: string, value: unknown): string[] {
  const { index, name, type } = column
  if (index === undefined) {
    const help =
      type === 'json'
        ? 'store the part to search for in its own field'
        : `declare one: { index: '${name}Index' }`
    throw wrongValue(
      `"${path}" cannot be searched, because the encrypted field '${name}' has no index: ${help}`,
    )
  }
  if (value === null) throw wrongValue(`"${path}" must be a value, got null: ask { ${name}: null } in OR`)
  return indexesOf(column, index, path, value)
}

function severalIndexes(path: string): Error {
  return wrongValue(
    `"${path}" has several indexes, one for each index key, and a unique field has one value: use findFirst, or the row's key`,
  )
}
