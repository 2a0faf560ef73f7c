// The fields of a row, as a condition names them.
import { hasOwn, keys } from '../../cipher/base/builtins.cjs'
import type { Model } from './model.cjs'
import { isPlain, ownOf } from './objects.cjs'

/** The value that a field has in each row that meets the condition, if it is known. */
export function namedIn({ fields }: Model, condition: unknown, field: string): unknown {
  if (!isPlain(condition)) return undefined
  const own = plainValue(ownOf(condition, field))
  if (own !== undefined && own !== null) return own
  for (const name of keys(condition)) {
    // A unique key of several fields, such as `tenant_number`.
    if (fields.has(name) || name === 'AND' || name === 'OR' || name === 'NOT') continue
    const value = condition[name]
    const part = isPlain(value) && hasOwn(value, field) ? plainValue(value[field]) : undefined
    if (part !== undefined && part !== null) return part
  }
  return undefined
}

/** Whether a condition names the whole key of a row. */
export function hasKey(model: Model, condition: unknown): boolean {
  const rowKey = model.declaration?.rowKey ?? []
  return rowKey.length > 0 && rowKey.every(name => namedIn(model, condition, name) !== undefined)
}

/** The value that a filter demands exactly; undefined for all other filters. */
function plainValue(filter: unknown): unknown {
  if (!isPlain(filter)) return filter
  // With `mode`, several values would be equal.
  const names = keys(filter)
  return names.length === 1 && names[0] === 'equals' && !isPlain(filter.equals) ? filter.equals : undefined
}
