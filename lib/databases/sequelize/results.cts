// Opens the results of statements: instances, raw rows and their includes.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { includesOf, selectsAny } from './clauses.cjs'
import type { Clauses, Encrypted, Find, Instance, Model, Options, Table } from './parts.cjs'
import { openAttributes, openColumns, openInstance } from './rows.cjs'

/** Whether a value is a ciphertext, or contains one. */
export type Hides = (value: unknown) => boolean

/** Opens a row or an instance, and what it includes. */
export function open(find: Find, row: unknown, model: Table | Model, options: Options, hides: Hides): void {
  if (!isObject(row)) return
  const encrypted = find(model)
  const { rawAttributes } = (typeof model === 'string' ? {} : model) as Partial<Model>
  const isRaw = options.raw === true || !('dataValues' in row)
  if (isRaw && includesAny(find, options)) {
    const { name } = model as Model
    throw wrongValue(`"raw" with an include of "${name}" is not opened: leave "raw" out`)
  }
  if (encrypted !== undefined) {
    if (rawAttributes === undefined) openColumns(encrypted, row as Row)
    else if (isRaw) openAttributes(encrypted, row as Row, true)
    else openInstance(encrypted, row as Instance)
  }
  const includes = includesOf(options)
  const values = (isRaw ? row : (row as Instance).dataValues) as Row
  // SQL of the program may return ciphertexts under any name.
  if (rawAttributes !== undefined)
    for (const name of Object.keys(values)) {
      const [of] = name.split('.')
      if (
        mayBeSealed(encrypted, rawAttributes, name) ||
        includes.some(one => one.as === of && (!isRaw || find(one.model) === undefined))
      )
        continue
      if (hides(values[name])) throw sealedUnder(name)
    }
  if (isRaw) return
  for (const include of includes) {
    const value = values[include.as]
    for (const one of Array.isArray(value) ? value : [value]) open(find, one, include.model, include, hides)
  }
}

/** Whether an attribute is declared, or of another model, whose values the program may seal. */
function mayBeSealed(
  encrypted: Encrypted | undefined,
  rawAttributes: Model['rawAttributes'],
  name: string,
): boolean {
  if (!Object.hasOwn(rawAttributes, name)) return false
  return encrypted?.declaration.names.knows(rawAttributes[name]?.field ?? name) ?? true
}

/** Whether a query includes encrypted columns or indexes, at any depth. */
function includesAny(find: Find, options: Clauses): boolean {
  return includesOf(options).some(one => selectsAny(find(one.model), one) || includesAny(find, one))
}

/** Opens the rows that a statement returns by the names of columns, in any lists. */
export function openRows(encrypted: Encrypted, result: unknown): void {
  if (Array.isArray(result)) for (const one of result) openRows(encrypted, one)
  else if (isObject(result)) openColumns(encrypted, result as Row)
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Opens the instances or rows in the result of a write. */
export function openAll(encrypted: Encrypted, result: unknown): unknown {
  if (Array.isArray(result)) for (const one of result) openAll(encrypted, one)
  else if (typeof result === 'object' && result !== null) {
    if ('dataValues' in result) openInstance(encrypted, result as Instance)
    else openAttributes(encrypted, result as Row, true)
  }
  return result
}

/** A row that a bulk insert returns, with the values that were given. */
export function clearOf({ declaration }: Encrypted, row: unknown, given: Row | undefined): unknown {
  if (typeof row !== 'object' || row === null || given === undefined) return row
  const clear = { ...row } as Row
  for (const { name } of declaration.columns) if (name in clear) clear[name] = given[name] ?? null
  for (const name of declaration.hidden) delete clear[name]
  return clear
}

export function sealedUnder(name: string): Error {
  return wrongValue(
    `"${name}" of a result is a sealed value: select declared attributes by their names, with the key of the row`,
  )
}
