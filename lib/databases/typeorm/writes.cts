// What a statement writes besides values: the key of a row, and lists of columns.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Builder, ColumnMetadata, Encrypted, Entity, EntityMetadata, Where } from './parts.cjs'

const EQUALITY = String.raw`\s*(?:["\`]?[\w$]+["\`]?\.)?["\`]?([\w$]+)["\`]?\s*=\s*:([\w$]+)\s*`
const EQUALITIES = new RegExp(`^${EQUALITY}(?:\\sAND\\s${EQUALITY})*$`, 'i')

/**
 * Refuses an update that could move a row's key, or write a value into another row than the one it
 * is sealed for: its conditions must name the row.
 */
export function refuseMove(builder: Builder, { keys, metadata }: Encrypted): void {
  const { wheres, parameters } = builder.expressionMap
  const { values, columns } = writtenBy(builder, metadata)
  const named = namedBy(wheres, parameters)
  for (const key of keys) {
    if (!columns.includes(key)) continue
    const value = key.getEntityValue(values)
    const own = named.get(key.propertyPath) ?? named.get(key.databaseName)
    if (own !== undefined && value !== undefined && isOneKey(own, value)) continue
    const { propertyPath } = key
    throw wrongValue(
      `an update of "${metadata.name}" must have the key of its row in its conditions, with the same value, such as { ${propertyPath} }: "${propertyPath}" is the row's key, for which values are sealed, so it cannot change`,
    )
  }
}

/** Refuses a column or its index alone: the subscriber would have written both. */
export function refuseOldIndex(builder: Builder, { fields, metadata }: Encrypted): void {
  const { columns } = writtenBy(builder, metadata)
  for (const { own, index } of fields) {
    if (index === undefined || columns.includes(own) === columns.includes(index)) continue
    throw wrongValue(
      `"${own.propertyPath}" and "${index.propertyPath}" must be written together: give the column its value, and do not turn listeners off`,
    )
  }
}

/** What an update writes, as TypeORM reads it. */
function writtenBy(builder: Builder, metadata: EntityMetadata) {
  const given = builder.expressionMap.valuesSet as Entity
  const values: Entity = {}
  for (const name in given) if (given[name] !== undefined) values[name] = given[name]
  const paths = builder.createPropertyPath(metadata, values)
  return { values, columns: paths.flatMap(path => metadata.findColumnsWithPropertyPath(path)) }
}

function isOneKey(a: unknown, b: unknown): boolean {
  const [left, right] = [a, b].map(value =>
    typeof value === 'number' || typeof value === 'bigint' ? `${value}` : value,
  )
  return typeof left === 'string' && left === right
}

/** The values of columns that conditions require of every matching row. */
function namedBy(wheres: readonly Where[], parameters: Entity): Map<string, unknown> {
  const named = new Map<string, unknown>()
  const read = (clauses: readonly Where[]): void => {
    if (clauses.slice(1).some(({ type }) => type === 'or')) return
    for (const { condition } of clauses) {
      if (typeof condition === 'string') {
        if (!EQUALITIES.test(condition)) continue
        for (const part of condition.split(/\sAND\s/i)) {
          const [, path, name] = new RegExp(`^${EQUALITY}$`).exec(part) ?? []
          named.set(path as string, parameters[name as string])
        }
      } else if (Array.isArray(condition)) read(condition)
      else if (condition.operator === 'brackets') read(condition.condition as Where[])
      else if (condition.operator === 'equal' || condition.operator === 'in') {
        const [path, name, ...more] = condition.parameters as string[]
        if (more.length === 0 && name !== undefined) named.set(path as string, parameters[name.slice(1)])
      }
    }
  }
  read(wheres)
  return named
}

/** Completes the lists of an insert, and refuses what could write into another row. */
export function completeInsert({ expressionMap }: Builder, encrypted: Encrypted, isByTarget: boolean): void {
  const { fields, keys, metadata } = encrypted
  const { insertColumns, insertFromSelect, onConflict, onUpdate } = expressionMap
  const { columns = [], overwrite = [], conflict } = onUpdate ?? {}
  if (![columns, insertColumns, overwrite].every(isOfNames))
    throw wrongValue(`a list of columns of "${metadata.name}" must have strings only`)
  if (insertFromSelect !== undefined && insertFromSelect !== null)
    throw wrongValue(
      `"${metadata.name}" cannot be filled from a select: its values are sealed for other rows`,
    )
  if (/\bUPDATE\b/i.test(onConflict ?? ''))
    throw wrongValue(`"${metadata.name}" cannot have onConflict: use orUpdate(overwrite, conflictTarget)`)
  if (insertColumns.length > 0) {
    const more = missing(encrypted, insertColumns, ({ propertyPath }) => propertyPath)
    expressionMap.insertColumns = [...insertColumns, ...more]
  }
  if (onUpdate === undefined) return
  const written = fields.flatMap(({ own, index }) => (index === undefined ? [own] : [own, index]))
  const touches = (list: readonly string[]) =>
    [...written, ...keys].some(({ databaseName }) => list.includes(databaseName))
  if (touches(columns))
    throw wrongValue(
      `"${metadata.name}" cannot have orUpdate({ columns }): use orUpdate(overwrite, conflictTarget)`,
    )
  if (!Array.isArray(overwrite) || !touches(overwrite)) return
  onUpdate.overwrite = [
    ...overwrite,
    ...missing({ ...encrypted, keys: [] }, overwrite, ({ databaseName }) => databaseName),
  ]
  if (keys.length > 0 && !choosesByKey(conflict, isByTarget, encrypted))
    throw wrongValue(
      `"${metadata.name}" cannot be upserted: another unique column than the row's key could choose the row, and values are sealed for the row of their key`,
    )
}

/** TypeORM makes strings of other elements. Another list than an array has no columns. */
function isOfNames(list: unknown): boolean {
  return !Array.isArray(list) || list.every(name => typeof name === 'string')
}

/** The columns that a list lacks, by the columns that it has. */
function missing(
  { fields, keys, metadata }: Encrypted,
  list: readonly string[],
  nameOf: (column: ColumnMetadata) => string,
): string[] {
  const more: string[] = []
  for (const { own, index } of fields) {
    const has = list.includes(nameOf(own))
    if (index !== undefined && has !== list.includes(nameOf(index))) {
      if (!has)
        throw wrongValue(`"${nameOf(index)}" is an index, which sealing writes: name its column instead`)
      more.push(nameOf(index))
    }
    if (has)
      for (const key of keys)
        if (!list.includes(nameOf(key)))
          throw wrongValue(
            `"${metadata.name}" needs "${nameOf(key)}", the key of the row, in its list of columns`,
          )
  }
  return more
}

/** Whether only the row of the key can be chosen: MySQL chooses by any unique column. */
function choosesByKey(conflict: unknown, isByTarget: boolean, { keys, metadata }: Encrypted): boolean {
  if (isByTarget)
    return Array.isArray(conflict) && keys.every(({ databaseName }) => conflict.includes(databaseName))
  const { primaryColumns, uniques, indices } = metadata
  const unique = [...uniques, ...indices.filter(({ isUnique }) => isUnique)].map(({ columns }) => columns)
  return [primaryColumns, ...unique].every(columns => keys.every(key => columns.includes(key)))
}
