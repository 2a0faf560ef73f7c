// The last gate before a statement: a declared column accepts only what was sealed for its row.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { ColumnMetadata, Driver, Encrypted, Field } from './parts.cjs'
import { Sealed } from './values.cjs'

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
    if (value === undefined || value === null) return value
    if (!(value instanceof Sealed)) throw notSealed(field, column)
    value.refuseAnotherKey()
    return value
  }
  driver.escapeQueryWithParameters = function (sql, parameters, ...more) {
    return escapeQueryWithParameters.call(this, sql, textsOf(parameters), ...more)
  }
  guarded.set(driver, columns)
  return columns
}

function notSealed({ column, index }: Field, { propertyPath }: ColumnMetadata): Error {
  const what =
    index?.propertyPath === propertyPath
      ? `"${propertyPath}" is the index of "${column.name}", which sealing writes: leave it out`
      : `"${propertyPath}" was not sealed: its entity must pass the subscriber, so do not turn listeners off`
  return wrongValue(what)
}

/** The parameters with the sealed strings, which are read here. */
function textsOf(parameters: Record<string, unknown> | undefined): Record<string, unknown> {
  const texts: Record<string, unknown> = { ...parameters }
  for (const [name, value] of Object.entries(texts)) if (value instanceof Sealed) texts[name] = value.read()
  return texts
}
