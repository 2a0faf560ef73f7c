// Wraps the methods through which each statement of a model passes: values are sealed there, after
// all hooks and validations, so no way of the API leads past it, and no instance contains sealed
// values.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { declaredIn, refuseClauses } from './clauses.cjs'
import type { Encrypted, Find, Include, Instance, Model, Options, QueryInterface, Table } from './parts.cjs'
import { clearOf, type Hides, isObject, open, openAll, openRows, sealedUnder } from './results.cjs'
import { openColumns, restore, sealed } from './rows.cjs'
import { conditionFor, type IsDeclared, valueIn } from './where.cjs'

export function wrap(statements: QueryInterface, find: Find, hides: Hides): void {
  const call: Call = (method, ...values) =>
    (method as (...values: unknown[]) => Promise<unknown>).apply(statements, values)
  Object.assign(
    statements,
    writesOfInstances(statements, find, call),
    writesOfRows(statements, find, call),
    sums(statements, find, call),
    reads(statements, find, hides, call),
  )
}

/** Calls a method as it was before it was wrapped. */
type Call = (method: unknown, ...values: unknown[]) => Promise<unknown>

function writesOfInstances(statements: QueryInterface, find: Find, call: Call) {
  const { insert, update, upsert, delete: deleteOne } = statements
  return {
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
      const previous = keyIn(encrypted, instance._previousDataValues)
      refuseOtherKey(encrypted, values, { ...previous, ...(where as Row) })
      const before = { ...instance.dataValues }
      const stored = sealed(encrypted, values, keyIn(encrypted, instance.dataValues))
      // Without a primary key, it is the condition of the last query.
      const result = await call(update, instance, table, stored, condition(find, encrypted, where), ...rest)
      restore(encrypted, instance, before)
      return result
    },
    async delete(instance: Instance, table: Table, where: unknown, ...rest: unknown[]) {
      return call(deleteOne, instance, table, condition(find, find(table), where), ...rest)
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
      const own = { ...options, ...conflictOf(find, encrypted, options) }
      if (conflictFields !== undefined) own.conflictFields = conflictFields
      const before = { ...options.instance?.dataValues }
      const result = await call(upsert, table, stored, values, where, own)
      const [instance] = Array.isArray(result) ? result : []
      if (typeof instance === 'object' && instance !== null) restore(encrypted, instance as Instance, before)
      return result
    },
  }
}

function writesOfRows(statements: QueryInterface, find: Find, call: Call) {
  const { bulkInsert, bulkUpdate, bulkDelete } = statements
  return {
    async bulkInsert(table: Table, records: Row[], options: Options = {}, ...rest: unknown[]) {
      const encrypted = find(table)
      if (encrypted === undefined) return call(bulkInsert, table, records, options, ...rest)
      const own = { ...options, ...conflictOf(find, encrypted, options) }
      if (options.updateOnDuplicate !== undefined) {
        refuseOtherRow(encrypted, options.upsertKeys, statements)
        own.updateOnDuplicate = withIndexes(encrypted, options.updateOnDuplicate)
      }
      if (options.ignoreDuplicates === true || options.updateOnDuplicate !== undefined)
        refuseKeyless(encrypted, options.returning)
      const stored = records.map(record => sealed(encrypted, record))
      const result = await call(bulkInsert, table, stored, own, ...rest)
      if (!Array.isArray(result)) return result
      // Then rows are missing, or keep what they had.
      const isOther = options.ignoreDuplicates === true || options.updateOnDuplicate !== undefined
      if (!isOther) return result.map((row, i) => clearOf(encrypted, row, records[i]))
      for (const row of result) if (isObject(row)) openColumns(encrypted, row as Row)
      return result
    },
    async bulkUpdate(table: Table, values: Row, where: unknown, options: Options, ...rest: unknown[]) {
      const encrypted = find(table)
      const asked = condition(find, encrypted, where)
      if (encrypted === undefined) return call(bulkUpdate, table, values, asked, options, ...rest)
      const key: Row = {}
      for (const name of encrypted.declaration.rowKey) key[name] = valueIn(where, name)
      refuseOtherKey(encrypted, values, key)
      refuseKeyless(encrypted, options?.returning)
      const stored = sealed(encrypted, values, key)
      const result = await call(bulkUpdate, table, stored, asked, options, ...rest)
      return openAll(encrypted, result)
    },
    async bulkDelete(table: Table, where: unknown, ...rest: unknown[]) {
      return call(bulkDelete, table, condition(find, find(table), where), ...rest)
    },
  }
}

function reads({ select, rawSelect }: QueryInterface, find: Find, hides: Hides, call: Call) {
  return {
    async select(model: Model | null, table: Table, options: Options = {}) {
      const of = model ?? table
      refuseClauses(find, options, of)
      const result = await call(select, model, table, conditionsIn(find, options, of))
      const one = options.plain ? [result] : result
      if (Array.isArray(one)) for (const row of one) open(find, row, of, options, hides)
      return result
    },
    async rawSelect(table: Table, options: Options, ...rest: unknown[]) {
      const of = (rest[1] as Model | undefined) ?? table
      refuseClauses(find, options, of)
      const result: unknown = await call(rawSelect, table, conditionsIn(find, options, of), ...rest)
      // The rows of a group have nothing of what is included.
      const { include, ...own } = options
      if (Array.isArray(result)) for (const row of result) open(find, row, of, { ...own, raw: true }, hides)
      else if (hides(result)) throw sealedUnder('a result')
      return result
    },
  }
}

function sums({ increment, decrement }: QueryInterface, find: Find, call: Call) {
  const sum =
    (method: unknown) =>
    async (model: Model, table: Table, where: unknown, amounts: Row, extra: Row, ...rest: unknown[]) => {
      const encrypted = find(model)
      const names = [amounts, extra].flatMap(change => Object.keys(change ?? {}))
      if (encrypted === undefined) return call(method, model, table, where, amounts, extra, ...rest)
      refuseSum(encrypted, names)
      const { instance, returning } = (rest[0] ?? {}) as Options
      refuseKeyless(encrypted, returning)
      const before = { ...instance?.dataValues }
      const result = await call(
        method,
        model,
        table,
        condition(find, encrypted, where),
        amounts,
        extra,
        ...rest,
      )
      // PostgreSQL returns the whole rows.
      if (instance !== undefined && instance !== null) restore(encrypted, instance, before)
      else openRows(encrypted, result)
      return result
    }
  return { increment: sum(increment), decrement: sum(decrement) }
}

/** Refuses columns that the database cannot compute, and those to which values are bound. */
function refuseSum(encrypted: Encrypted, names: readonly string[]): void {
  const { columns, hidden, rowKey } = encrypted.declaration
  const changed = [...columns.map(({ name }) => name), ...hidden].find(name => names.includes(name))
  if (changed !== undefined)
    throw wrong(encrypted, `cannot have "${changed}" changed by the database, which cannot read it`)
  const moved = rowKey.find(name => names.includes(name))
  if (moved !== undefined)
    throw wrong(encrypted, `cannot have "${moved}" changed, to which its values are bound`)
}

/** The condition of a statement on a table. */
function condition(find: Find, encrypted: Encrypted | undefined, where: unknown): unknown {
  if (encrypted === undefined) return where
  return conditionFor(encrypted.declaration, where, declaredIn(find, {}, encrypted.model))
}

/** A query whose conditions, and those of what it includes, ask for indexes. */
function conditionsIn(
  find: Find,
  options: Options,
  table: Table | Model,
  isDeclared: IsDeclared = declaredIn(find, options, table),
): Options {
  const { where, include, on, through } = options
  const part = (of: Table | Model | undefined, value: unknown) =>
    conditionFor(find(of)?.declaration, value, isDeclared)
  const copy: Options = {
    ...options,
    ...(where === undefined ? {} : { where: part(table, where) }),
    ...(on === undefined ? {} : { on: part(table, on) }),
    ...(through?.where === undefined
      ? {}
      : { through: { ...through, where: part(through.model, through.where) } }),
  }
  // Sequelize makes a list of what it accepts.
  if (Array.isArray(include))
    copy.include = include.map(one => {
      const own = conditionsIn(find, one, one.model, isDeclared) as Include
      // For a limit, Sequelize goes up from an include, and uses the conditions there.
      if (own.parent !== undefined) own.parent = copy
      return own
    })
  return copy
}

function conflictOf(find: Find, encrypted: Encrypted, { conflictWhere }: Options): Options {
  return conflictWhere === undefined ? {} : { conflictWhere: condition(find, encrypted, conflictWhere) }
}

/** The key among the values of an instance. */
function keyIn({ declaration, attributes }: Encrypted, values: Row): Row {
  return Object.fromEntries(declaration.rowKey.map(name => [name, values[attributes.get(name) ?? name]]))
}

/** Refuses to return columns without the key, because the write would come before the error. */
function refuseKeyless(encrypted: Encrypted, returning: unknown): void {
  if (!Array.isArray(returning)) return
  const { declaration, attributes } = encrypted
  const has = (name: string) => returning.includes(name) || returning.includes(attributes.get(name))
  if (!declaration.columns.some(({ name }) => has(name)) || declaration.rowKey.every(has)) return
  throw wrong(encrypted, `needs "${declaration.rowKey.join('", "')}" in "returning", the key of the row`)
}

/** Refuses values that would change the key of a row, to which its other values are bound. */
function refuseOtherKey(encrypted: Encrypted, values: Row, key: Row): void {
  for (const name of encrypted.declaration.rowKey) {
    if (values[name] === undefined || String(values[name]) === String(key[name])) continue
    throw wrong(encrypted, `cannot be updated with another "${name}", to which its values are bound`)
  }
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
  const { uniqueKeys, _indexes, rawAttributes } = encrypted.model
  const primary = Object.entries(rawAttributes).filter(([, attribute]) => attribute.primaryKey === true)
  const isPrimary = primary.every(([name, { field }]) => rowKey.includes(field ?? name))
  const dialect = (queryGenerator as { dialect?: string } | undefined)?.dialect
  const isMysql = dialect === 'mysql' || dialect === 'mariadb'
  const others = [...Object.values(uniqueKeys), ...(_indexes ?? []).filter(({ unique }) => unique)]
  const isKey = conflict?.length === rowKey.length && rowKey.every(name => conflict.includes(name))
  const isOnly =
    others.length === 0 && isPrimary && (primary.length === 0 || primary.length === rowKey.length)
  if (isMysql ? isOnly : isKey) return
  throw wrong(
    encrypted,
    'cannot be upserted: another unique column than the key of the row could choose the row',
  )
}

function wrong({ model }: Encrypted, what: string): Error {
  return wrongValue(`"${model.name}" ${what}`)
}
