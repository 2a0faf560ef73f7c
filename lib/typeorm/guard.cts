// The last gate before a statement: declared columns accept what was sealed for their row, and
// nothing else.
import { nodeError } from '../base/errors.cjs'
import { Lookup, unusedTerms } from './lookup.cjs'
import type { ColumnMetadata, Driver, Encrypted, Field } from './parts.cjs'
import { Sealed, Unopened } from './values.cjs'

/** The columns of a driver that are guarded. */
const guarded = new WeakMap<Driver, WeakMap<ColumnMetadata, Field>>()

export function guard(driver: Driver, { fields }: Encrypted): void {
  const columns = guarded.get(driver) ?? guardDriver(driver)
  for (const field of fields) {
    columns.set(field.own, field)
    if (field.index !== undefined) columns.set(field.index, field)
  }
}

function guardDriver(driver: Driver): WeakMap<ColumnMetadata, Field> {
  const columns = new WeakMap<ColumnMetadata, Field>()
  const { preparePersistentValue, escapeQueryWithParameters } = driver
  driver.preparePersistentValue = function (value, column) {
    const field = columns.get(column)
    if (field === undefined) return preparePersistentValue.call(this, value, column)
    if (value === undefined || value === null || value instanceof Sealed) return value
    throw notSealed(field, column)
  }
  driver.escapeQueryWithParameters = function (sql, parameters, ...more) {
    return escapeQueryWithParameters.call(this, sql, textsOf(this, sql, parameters), ...more)
  }
  guarded.set(driver, columns)
  return columns
}

function notSealed({ column, index }: Field, { propertyPath }: ColumnMetadata): Error {
  const what =
    index?.propertyPath === propertyPath
      ? `"${propertyPath}" is the index of "${column.name}", which sealing writes: leave it out`
      : `"${propertyPath}" was not sealed: its entity must pass the subscriber, so do not turn listeners off`
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
}

/** The parameters with the sealed strings, which are read here. */
function textsOf(
  driver: Driver,
  sql: string,
  parameters: Record<string, unknown> | undefined,
): Record<string, unknown> {
  const texts: Record<string, unknown> = { ...parameters }
  const values: [string, Sealed][] = []
  for (const [name, value] of Object.entries(texts)) {
    if (value instanceof Sealed) values.push([name, value])
    else if (isForeign(value) || (Array.isArray(value) && value.some(isForeign))) throw noCondition()
  }
  if (unusedTerms(sql, texts) !== undefined) throw noCondition()
  for (const [, { encrypted }] of values) refuseOtherRow(driver, sql, encrypted)
  for (const [name, value] of values) texts[name] = value.read()
  return texts
}

function isForeign(value: unknown): boolean {
  return value instanceof Lookup || value instanceof Unopened
}

function noCondition(): Error {
  const what =
    'a condition on an encrypted column must be one value, Not(value), IsNull() or an array of conditions'
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
}

/** Refuses an upsert that could write a value into another row than the one it is sealed for. */
function refuseOtherRow(driver: Driver, sql: string, { keys, metadata }: Encrypted): void {
  if (keys.length === 0 || !/ (?:DO UPDATE|ON DUPLICATE KEY UPDATE) /.test(sql)) return
  const names = keys.map(({ databaseName }) => driver.escape(databaseName))
  if (sql.includes(' ON DUPLICATE KEY UPDATE ')) {
    const others = [...metadata.uniques, ...metadata.indices.filter(({ isUnique }) => isUnique)]
    if (others.length === 0) return
  } else {
    const [, conflict = ''] = / ON CONFLICT \( (.*?) \) .*?DO UPDATE /.exec(sql) ?? []
    const columns = conflict.split(', ')
    if (columns.length === names.length && names.every(name => columns.includes(name))) return
  }
  const what = `"${metadata.name}" cannot be upserted: another unique column than the row's key could choose the row, and values are sealed for the row of their key`
  throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
}
