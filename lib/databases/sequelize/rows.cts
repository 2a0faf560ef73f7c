// Seals the values of a statement, and opens its results.
import { define } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { openRow } from '../../values/columns/open-row.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { sealRow } from '../../values/columns/seal-row.cjs'
import { looksSealed } from '../../values/columns/sealed.cjs'
import { refuseValues } from './clauses.cjs'
import type { Encrypted, Instance } from './parts.cjs'

const NONE: ReadonlyMap<string, string> = new Map()
/** A whole number as a database returns it. */
const DIGITS = /^(?:0|-?[1-9]\d*)$/

/**
 * A copy of values, by the names of columns, with the declared ones sealed. `key` has the row's key
 * if the values do not.
 */
export function sealed(encrypted: Encrypted, values: Row, key: Row = {}): Row {
  const { declaration, model, integers } = encrypted
  const { columns, hidden, rowKey } = declaration
  refuseValues(encrypted, values)
  const isTouched = columns.some(({ name }) => values[name] !== undefined)
  // An instance that was loaded has neither index nor parts.
  const row: Row = { ...values }
  for (const name of hidden) if (row[name] === undefined || row[name] === null) delete row[name]
  if (!isTouched && hidden.every(name => row[name] === undefined)) return { ...values }
  const isSealing = columns.some(({ name }) => values[name] !== undefined && values[name] !== null)
  for (const name of rowKey) {
    if (row[name] === undefined) define(row, name, key[name], true)
    if (!isSealing) continue
    const part = row[name]
    if (part === undefined || part === null) {
      const help = 'make it before you save, or name one row by it in "where"'
      throw wrongValue(`"${model.name}" cannot be sealed without "${name}", the key of the row: ${help}`)
    }
    // Databases take ' 1' and '01' for 1, which is another key.
    if (typeof part === 'string' && integers.has(name) && !DIGITS.test(part))
      throw wrongValue(
        `"${model.name}" cannot be sealed for "${name}" in this spelling: pass a number, or its digits`,
      )
  }
  const stored = sealRow(declaration, model.name, row)
  for (const name of rowKey) if (!Object.hasOwn(values, name)) delete stored[name]
  return stored
}

/** Opens the attributes of an object, which is a raw row or the values of an instance. */
export function openAttributes(
  { declaration, model, attributes }: Encrypted,
  values: Row,
  isRaw: boolean,
): void {
  const row: Row = {}
  let isEmpty = true
  for (const { name } of declaration.columns) {
    const value = values[attributes.get(name) ?? name]
    if (value === undefined) continue
    define(row, name, value, true)
    isEmpty &&= value === null
  }
  for (const name of declaration.hidden) {
    const attribute = attributes.get(name) ?? name
    const value = values[attribute]
    if (value === undefined) continue
    define(row, name, value, true)
    isEmpty &&= value === null
    delete values[attribute]
  }
  if (isEmpty) return
  for (const name of declaration.rowKey) define(row, name, values[attributes.get(name) ?? name], true)
  const opened = openRow(declaration, isRaw ? 'row' : model.name, row)
  for (const { name } of declaration.columns)
    if (row[name] !== undefined) values[attributes.get(name) ?? name] = opened[name]
}

/** Opens a row with the names of columns, as statements return it without a model. */
export function openColumns(encrypted: Encrypted, row: Row): void {
  openAttributes({ ...encrypted, attributes: NONE }, row, true)
}

export function openInstance(encrypted: Encrypted, { dataValues, _previousDataValues }: Instance): void {
  openAttributes(encrypted, dataValues, false)
  const { declaration, attributes } = encrypted
  for (const { name } of declaration.columns) {
    const attribute = attributes.get(name) ?? name
    if (dataValues[attribute] !== undefined) _previousDataValues[attribute] = dataValues[attribute]
  }
  for (const name of declaration.hidden) delete _previousDataValues[attributes.get(name) ?? name]
}

/**
 * Gives an instance its values again, which a statement that returns its row has replaced, and
 * opens those that it did not have.
 */
export function restore(encrypted: Encrypted, instance: Instance, before: Row): void {
  const { declaration, attributes } = encrypted
  const { dataValues, _previousDataValues } = instance
  const returned: Row = { ...dataValues }
  for (const { name } of declaration.columns) {
    const attribute = attributes.get(name) ?? name
    if (before[attribute] !== undefined) returned[attribute] = undefined
  }
  openAttributes(encrypted, returned, false)
  for (const { name } of declaration.columns) {
    const attribute = attributes.get(name) ?? name
    const value = before[attribute] === undefined ? returned[attribute] : before[attribute]
    if (value !== undefined || Object.hasOwn(dataValues, attribute)) dataValues[attribute] = value
    if (looksSealed(_previousDataValues[attribute])) _previousDataValues[attribute] = value
  }
  for (const name of declaration.hidden) {
    delete dataValues[attributes.get(name) ?? name]
    delete _previousDataValues[attributes.get(name) ?? name]
  }
}
