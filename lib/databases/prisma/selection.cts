// Rewrites the selection of a query, with its inner conditions. Refuses an order by ciphertexts.
import { define, hasOwn } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import { clearFilter } from './index-fields.cjs'
import type { Model } from './model.cjs'
import { conditionAt, each, isObject, mapped, partsOf, type Rewrite, unchanged } from './objects.cjs'
import { where } from './where.cjs'

/** `select` or `include`. */
export function selection(model: Model, path: string, given: unknown): unknown {
  const copy = mapped(path, given, (name, at, value) => {
    if (typeof value === 'boolean') return value
    // Prisma selects a row for other values, and does not open it.
    if (!isObject(value)) throw wrongValue(`"${at}" must be true, false or an object`)
    if (name === '_count') return partsOf(at, value, { select: (part, one) => selection(model, part, one) })
    const target = model.relations.get(name)
    if (target === undefined) throw wrongValue(`"${at}" must be true or false`)
    return target.isConcerned ? partsOf(at, value, readsOf(target)) : value
  })
  // Prisma refuses a name that it does not know, even with undefined.
  for (const name of Object.keys(given as object))
    if (!hasOwn(copy, name)) define(copy, name, undefined, true)
  return copy
}

/** The arguments of every query that reads rows. */
export function readsOf(model: Model, isUnique = false): Readonly<Record<string, Rewrite>> {
  return {
    where: (path, value) => where(model, path, value, isUnique),
    cursor: (path, value) => where(model, path, value, true),
    orderBy: (path, value) => each(path, value, (one, part) => order(model, one, part)),
    distinct: (path, value) => names(model, path, value, 'distinct rows'),
    select: (path, value) => selection(model, path, value),
    include: (path, value) => selection(model, path, value),
    omit: unchanged,
    skip: unchanged,
    take: unchanged,
  }
}

/** The arguments of `count`, `aggregate` and `groupBy`. */
export function aggregatesOf(model: Model): Readonly<Record<string, Rewrite>> {
  const ofClearFields: Rewrite = (path, value) => names(model, path, value, 'it')
  return {
    ...readsOf(model),
    by: (path, value) => names(model, path, value, 'groups'),
    having: (path, value) => having(model, path, value),
    _count: unchanged,
    _avg: ofClearFields,
    _sum: ofClearFields,
    _min: ofClearFields,
    _max: ofClearFields,
  }
}

function order(model: Model, path: string, given: unknown): unknown {
  return mapped(path, given, (name, at, value) => {
    if (model.columns.has(name)) throw encrypted(at, name, 'its order')
    const target = model.relations.get(name)
    if (target !== undefined) return target.isConcerned ? order(target, at, value) : value
    // Prisma's own: the number of rows, other aggregates, and relevance.
    if (name === '_relevance') {
      if (isObject(value)) names(model, `${at}.fields`, value.fields, 'relevance', model.indexes)
    } else if (name[0] === '_' && name !== '_count' && isObject(value)) names(model, at, value, 'its order')
    return value
  })
}

/** Names of fields: one, a list, or an object with flags; none encrypted or in `indexes`. */
function names(
  model: Model,
  path: string,
  given: unknown,
  what: string,
  indexes: ReadonlyMap<string, string> = new Map(),
): unknown {
  let list: readonly unknown[] = [given]
  if (isList(given)) list = given
  else if (isObject(given)) list = Object.keys(given).filter(name => given[name])
  for (const name of list as readonly string[]) {
    const field = model.columns.has(name) ? name : indexes.get(name)
    if (field !== undefined) throw encrypted(path, field, what)
  }
  return given
}

/** Conditions of groups, which are asked of no encrypted field. */
function having(model: Model, path: string, given: unknown): unknown {
  return each(path, given, (one, conditions) =>
    mapped(one, conditionAt(one, conditions), (name, at, value) => {
      if (model.columns.has(name)) throw encrypted(at, name, 'groups')
      return name === 'AND' || name === 'OR' || name === 'NOT'
        ? having(model, at, value)
        : clearFilter(model, name, at, value)
    }),
  )
}

function encrypted(path: string, name: string, what: string): Error {
  return wrongValue(
    `"${path}" asks the encrypted field '${name}' for ${what}, which its ciphertexts do not have: use its index, or read the rows`,
  )
}
