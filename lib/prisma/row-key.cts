// The row's key, as a condition names it.
import { define, hasOwn, keys } from '../base/builtins.cjs'
import type { Model } from './models.cjs'
import { isPlain, type Names } from './objects.cjs'

/** The fields of the key and their values, if each row that meets the condition has this key. */
export function keyFrom(model: Model, condition: unknown): Names | undefined {
  if (!isPlain(condition)) return undefined
  const own = partsFrom(model, condition)
  if (own !== undefined) return own
  for (const name of keys(condition)) {
    const value = condition[name]
    // A unique key of several fields, such as `tenant_number`.
    if (model.fields.has(name) || !isPlain(value)) continue
    if (name === 'AND' || name === 'OR' || name === 'NOT') continue
    const parts = partsFrom(model, value)
    if (parts !== undefined) return parts
  }
  return undefined
}

function partsFrom({ declaration }: Model, condition: Names): Names | undefined {
  const rowKey = declaration?.rowKey ?? []
  if (rowKey.length === 0) return undefined
  const key = {}
  for (const name of rowKey) {
    const value = plainValue(hasOwn(condition, name) ? condition[name] : undefined)
    if (value === undefined || value === null) return undefined
    define(key, name, value, true)
  }
  return key
}

/** The value that a filter demands exactly; undefined for all other filters. */
function plainValue(filter: unknown): unknown {
  if (!isPlain(filter)) return filter
  // With `mode`, several values would be equal.
  const names = keys(filter)
  return names.length === 1 && names[0] === 'equals' && !isPlain(filter.equals) ? filter.equals : undefined
}
