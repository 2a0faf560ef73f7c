// Wraps the methods through which each statement of a model passes: values are sealed there, after
// all hooks and validations, so no way of the API leads past it, and no instance contains sealed
// values.
import { nodeError } from '../base/errors.cjs'
import type { Row } from '../columns/row.cjs'
import { includesOf, refuseClauses } from './clauses.cjs'
import type { Encrypted, Include, Instance, Model, Options, QueryInterface, Table } from './parts.cjs'
import { openAttributes, openInstance, restore, sealed } from './rows.cjs'
import { conditionFor, valueIn } from './where.cjs'

type Find = (table: Table | Model | undefined) => Encrypted | undefined

export function wrap(statements: QueryInterface, find: Find, isDeclared: (column: string) => boolean): void {
  const { insert, bulkInsert, update, bulkUpdate, upsert, select, rawSelect, bulkDelete } = statements
  const { increment, decrement } = statements
  const call = (method: unknown, ...values: unknown[]) =>
    (method as (...values: unknown[]) => Promise<unknown>).apply(statements, values)
  const condition = (encrypted: Encrypted | undefined, where: unknown) =>
    conditionFor(encrypted?.declaration, where, isDeclared)
  const conditions = (options: Options, model: Model | undefined): Options => {
    const { where, include, on, through } = options
    // Sequelize makes a list of what it accepts.
    const includes = includesOf(options).map(one => ({ ...one, ...(conditions(one, one.model) as Include) }))
    return {
      ...options,
      ...(where === undefined ? {} : { where: condition(find(model), where) }),
      ...(on === undefined ? {} : { on: condition(find(model), on) }),
      ...(through?.where === undefined
        ? {}
        : { through: { ...through, where: condition(find(through.model), through.where) } }),
      ...(include === undefined ? {} : { include: Array.isArray(include) ? includes : include }),
    }
  }

  const methods = {
    async insert(instance: Instance | null, table: Table, values: Row, ...rest: unknown[]) {
      const encrypted = find(table)
      if (encrypted === undefined) return call(insert, instance, table, values, ...rest)
      const before = { ...instance?.dataValues }
      const result = await call(insert, instance, table, sealed(encrypted, values), ...rest)
      if (instance !== null && instance !== undefined) restore(encrypted, instance, before)
      return result
    },
    async update(instance: Instance, table: Table, values: Row, where: unknown, ...rest: unknown[]) {
      const encrypted = find(table)
      if (encrypted === undefined) return call(update, instance, table, values, where, ...rest)
      refuseOtherKey(encrypted, values, { ...previousKey(encrypted, instance), ...(where as Row) })
      const before = { ...instance.dataValues }
      const stored = sealed(encrypted, values, keyOf(encrypted, instance))
      const result = await call(update, instance, table, stored, where, ...rest)
      restore(encrypted, instance, before)
      return result
    },
    async bulkInsert(table: Table, records: Row[], options: Options = {}, ...rest: unknown[]) {
      const encrypted = find(table)
      if (encrypted === undefined) return call(bulkInsert, table, records, options, ...rest)
      const own = { ...options }
      if (options.updateOnDuplicate !== undefined) {
        refuseOtherRow(encrypted, options.upsertKeys, statements)
        own.updateOnDuplicate = withIndexes(encrypted, options.updateOnDuplicate)
      }
      const stored = records.map(record => sealed(encrypted, record))
      const result = await call(bulkInsert, table, stored, own, ...rest)
      return Array.isArray(result) ? result.map((row, i) => clearOf(encrypted, row, records[i])) : result
    },
    async bulkUpdate(table: Table, values: Row, where: unknown, options: Options, ...rest: unknown[]) {
      const encrypted = find(table)
      const asked = condition(encrypted, where)
      if (encrypted === undefined) return call(bulkUpdate, table, values, asked, options, ...rest)
      const key: Row = {}
      for (const name of encrypted.declaration.rowKey) key[name] = valueIn(where, name)
      refuseOtherKey(encrypted, values, key)
      const stored = sealed(encrypted, values, key)
      const result = await call(bulkUpdate, table, stored, asked, options, ...rest)
      return openAll(encrypted, result)
    },
    async upsert(table: Table, inserted: Row, updated: Row, where: unknown, options: Options) {
      const encrypted = find(table)
      if (encrypted === undefined) return call(upsert, table, inserted, updated, where, options)
      const { rowKey } = encrypted.declaration
      // Sequelize chooses another unique column if no conflict is named.
      const conflictFields = options.conflictFields ?? (rowKey.length === 0 ? undefined : [...rowKey])
      refuseOtherRow(encrypted, conflictFields, statements)
      const stored = sealed(encrypted, inserted)
      const names = withIndexes(encrypted, Object.keys(updated))
      const values = Object.fromEntries(
        names.map(name => [name, name in stored ? stored[name] : updated[name]]),
      )
      const own = conflictFields === undefined ? options : { ...options, conflictFields }
      const before = { ...options.instance?.dataValues }
      const result = await call(upsert, table, stored, values, where, own)
      const [instance] = Array.isArray(result) ? result : []
      if (typeof instance === 'object' && instance !== null) restore(encrypted, instance as Instance, before)
      return result
    },
    async select(model: Model, table: Table, options: Options) {
      refuseClauses(find, options, model)
      const result = await call(select, model, table, conditions(options, model))
      const one = options.plain ? [result] : result
      if (Array.isArray(one)) for (const row of one) open(find, row, model, options)
      return result
    },
    async rawSelect(table: Table, options: Options, ...rest: unknown[]) {
      const model = rest[1] as Model | undefined
      refuseClauses(find, options, model)
      return call(rawSelect, table, conditions(options, model), ...rest)
    },
    async bulkDelete(table: Table, where: unknown, ...rest: unknown[]) {
      return call(bulkDelete, table, condition(find(table), where), ...rest)
    },
    increment: arithmetic(increment),
    decrement: arithmetic(decrement),
  }
  Object.assign(statements, methods)

  function arithmetic(method: unknown) {
    return async (
      model: Model,
      table: Table,
      where: unknown,
      amounts: Row,
      extra: Row,
      ...rest: unknown[]
    ) => {
      const encrypted = find(model)
      const names = [amounts, extra].flatMap(change => Object.keys(change ?? {}))
      const { columns = [], hidden = [] } = encrypted?.declaration ?? {}
      const changed = [...columns.map(({ name }) => name), ...hidden].find(name => names.includes(name))
      if (encrypted !== undefined && changed !== undefined)
        throw wrong(encrypted, `cannot have "${changed}" changed by the database, which cannot read it`)
      return call(method, model, table, condition(encrypted, where), amounts, extra, ...rest)
    }
  }
}

/** Opens a row or an instance, and what it includes. */
function open(find: Find, row: unknown, model: Model, options: Options): void {
  if (typeof row !== 'object' || row === null) return
  const encrypted = find(model)
  const isRaw = options.raw === true || !('dataValues' in row)
  if (isRaw && includesOf(options).some(one => find(one.model) !== undefined)) {
    const what = `"raw" with an include of "${model.name}" is not opened: leave "raw" out`
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
  }
  if (encrypted !== undefined) {
    if (isRaw) openAttributes(encrypted, row as Row, true)
    else openInstance(encrypted, row as Instance)
  }
  if (isRaw) return
  for (const include of includesOf(options)) {
    const value = (row as Instance).dataValues[include.as]
    for (const one of Array.isArray(value) ? value : [value]) open(find, one, include.model, include)
  }
}

/** Opens the instances or rows in the result of a write. */
function openAll(encrypted: Encrypted, result: unknown): unknown {
  if (Array.isArray(result)) for (const one of result) openAll(encrypted, one)
  else if (typeof result === 'object' && result !== null) {
    if ('dataValues' in result) openInstance(encrypted, result as Instance)
    else openAttributes(encrypted, result as Row, true)
  }
  return result
}

/** A row that a bulk insert returns, with the values that were given. */
function clearOf({ declaration }: Encrypted, row: unknown, given: Row | undefined): unknown {
  if (typeof row !== 'object' || row === null || given === undefined) return row
  const clear = { ...row } as Row
  for (const { name } of declaration.columns) if (name in clear) clear[name] = given[name] ?? null
  for (const name of declaration.hidden) delete clear[name]
  return clear
}

function keyOf({ declaration, attributes }: Encrypted, { dataValues }: Instance): Row {
  const parts = declaration.rowKey.map(name => [name, dataValues[attributes.get(name) ?? name]])
  return Object.fromEntries(parts)
}

/** Refuses values that would change the key of a row, to which its other values are bound. */
function refuseOtherKey(encrypted: Encrypted, values: Row, key: Row): void {
  for (const name of encrypted.declaration.rowKey) {
    if (values[name] === undefined || String(values[name]) === String(key[name])) continue
    throw wrong(encrypted, `cannot be updated with another "${name}", to which its values are bound`)
  }
}

/** The key that an instance had when it was read. */
function previousKey({ declaration, attributes }: Encrypted, { _previousDataValues }: Instance): Row {
  const parts = declaration.rowKey.map(name => [name, _previousDataValues[attributes.get(name) ?? name]])
  return Object.fromEntries(parts)
}

/** Adds the indexes of columns that a conflict overwrites. */
function withIndexes({ declaration }: Encrypted, names: readonly string[]): string[] {
  const all = new Set(names)
  for (const { name, index } of declaration.columns)
    if (index !== undefined && all.has(name)) all.add(index.name)
  return [...all]
}

/** Refuses a write that could reach another row than the one it is sealed for. */
function refuseOtherRow(
  encrypted: Encrypted,
  conflict: readonly string[] | undefined,
  { queryGenerator }: { queryGenerator?: unknown },
): void {
  const { rowKey } = encrypted.declaration
  if (rowKey.length === 0) return
  const { uniqueKeys, _indexes } = encrypted.model
  const dialect = (queryGenerator as { dialect?: string } | undefined)?.dialect
  const isMysql = dialect === 'mysql' || dialect === 'mariadb'
  const others = [...Object.values(uniqueKeys), ...(_indexes ?? []).filter(({ unique }) => unique)]
  const isKey = conflict?.length === rowKey.length && rowKey.every(name => conflict.includes(name))
  if (isMysql ? others.length === 0 : isKey) return
  throw wrong(
    encrypted,
    'cannot be upserted: another unique column than the key of the row could choose the row',
  )
}

function wrong({ model }: Encrypted, what: string): Error {
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `"${model.name}" ${what}`)
}
