// The function guarded, documented in types/drizzle.d.ts.
//
// All builders of a database and its transactions build SQL with one object, the dialect. Its
// methods have the parts of a statement.
import { isArray } from '../../cipher/base/builtins.cjs'
import { mustBe } from '../../cipher/base/errors.cjs'
import { type Column, columnsOf, fieldsIn, hasOtherUnique, isA, textAt, tokensOf } from './entities.cjs'
import { checkCondition, checkFields, checkGroups, checkOrder } from './expressions.cjs'
import { checkInsert, checkSelected, checkUpdate, checkUpsert, type Values } from './writes.cjs'

type Method = (this: unknown, ...given: unknown[]) => unknown

interface Dialect {
  [method: string]: unknown
  escapeName(name: string): string
  casing: { getColumnCasing(column: Column): string }
}

/** A part of a statement, as Drizzle's builders collect it. */
interface Config {
  readonly table: unknown
  readonly fields?: unknown
  readonly fieldsFlat?: readonly { field: unknown }[]
  readonly where?: unknown
  readonly having?: unknown
  readonly joins?: readonly { on?: unknown }[]
  readonly orderBy?: readonly unknown[]
  readonly groupBy?: readonly unknown[]
  readonly distinct?: boolean | { on: readonly unknown[] }
  readonly setOperators?: readonly { orderBy?: readonly unknown[] }[]
  readonly set?: Values
  readonly values?: readonly Values[] | { _?: { selectedFields?: unknown } }
  readonly select?: unknown
  readonly onConflict?: unknown
  readonly returning?: readonly { field: unknown }[]
  readonly queryConfig?: true | { extras?: unknown }
}

const BUILDERS = ['buildSelectQuery', 'buildUpdateQuery', 'buildInsertQuery', 'buildDeleteQuery'] as const
const CHECKS = { buildSelectQuery: checkSelect, buildUpdateQuery: checkSet, buildDeleteQuery: checkWhere }
/** Their names in the dialects of PostgreSQL, SQLite and MySQL. */
const RELATIONS = [
  'buildRelationalQuery',
  'buildRelationalQueryWithoutPK',
  'buildRelationalQueryWithoutLateralSubqueries',
]

const guardedOnes = new WeakSet<object>()

export function guarded<Database extends object>(db: Database): Database {
  const dialect = dialectOf(db)
  if (guardedOnes.has(dialect)) return db
  guardedOnes.add(dialect)
  /** The values of each `SET` that the dialect has made. */
  const sets = new WeakMap<object, Values>()
  wrap(dialect, 'buildUpdateSet', (build, table, set) => {
    const sql = build(table, set) as object
    sets.set(sql, set as Values)
    return sql
  })
  let isRelational = false
  for (const [name, check] of Object.entries(CHECKS))
    wrap(dialect, name, (build, config) => {
      check(config as Config, isRelational)
      return build(config)
    })
  wrap(dialect, 'buildInsertQuery', (build, config) => {
    checkValues(dialect, config as Config, sets)
    return build(config)
  })
  for (const name of RELATIONS)
    if (typeof dialect[name] === 'function')
      wrap(dialect, name, (build, config) => {
        const outer = isRelational
        isRelational = true
        try {
          return build(withCheckedExtras(config as Config))
        } finally {
          isRelational = outer
        }
      })
  wrap(dialect, 'sqlToQuery', (build, sql, ...rest) => {
    // The statement of $count, which has no builder.
    const [first] = (sql as { queryChunks?: unknown[] }).queryChunks ?? []
    if (/^select count\(\*\) (as count )?from $/.test(textAt(tokensOf(first), 0)))
      checkCondition('$count', sql)
    return build(sql, ...rest)
  })
  return db
}

function dialectOf(db: unknown): Dialect {
  const dialect = (db as { dialect?: Partial<Dialect> } | null | undefined)?.dialect
  const has = (name: string) => typeof dialect?.[name] === 'function'
  if ([...BUILDERS, 'buildUpdateSet', 'sqlToQuery'].every(has)) return dialect as Dialect
  throw mustBe('db', 'a database of Drizzle', db)
}

function wrap(
  dialect: Dialect,
  name: string,
  by: (build: (...given: unknown[]) => unknown, ...given: unknown[]) => unknown,
): void {
  const method = dialect[name] as Method
  dialect[name] = function (this: unknown, ...given: unknown[]): unknown {
    return by((...own) => method.apply(this, own), ...given)
  }
}

/** Drizzle makes the fields of a relational query, but for its extras. */
function checkSelect(config: Config, isRelational: boolean): void {
  const { fields, fieldsFlat, distinct, groupBy, having, setOperators } = config
  if (!isRelational) checkFields('select', fieldsFlat?.map(({ field }) => field) ?? fields)
  checkWhere(config)
  checkCondition('having', having)
  checkGroups('groupBy', groupBy)
  if (typeof distinct === 'object') checkGroups('distinctOn', distinct.on)
  for (const { orderBy } of setOperators ?? []) checkOrder('orderBy', orderBy)
}

function checkWhere({ where, joins, orderBy, returning }: Config): void {
  checkCondition('where', where)
  for (const { on } of joins ?? []) checkCondition('on', on)
  checkOrder('orderBy', orderBy)
  checkFields(
    'returning',
    returning?.map(({ field }) => field),
  )
}

function checkSet(config: Config): void {
  checkUpdate(config.table, config.set ?? {}, config.where)
  checkWhere(config)
}

function checkValues(dialect: Dialect, config: Config, sets: WeakMap<object, Values>): void {
  const { table, values, select } = config
  checkWhere(config)
  if (select || !isArray(values)) {
    checkSelected(table, fieldsIn((values as { _?: { selectedFields?: unknown } })?._?.selectedFields))
    return
  }
  checkInsert(table, values)
  const conflicts = isArray(config.onConflict) ? config.onConflict : [config.onConflict]
  for (const conflict of conflicts) {
    if (!isA(conflict, 'SQL')) continue
    const chunks = (conflict as { queryChunks: unknown[] }).queryChunks
    const at = chunks.findIndex(chunk => sets.has(chunk as object))
    if (at < 0) continue
    const isKey = (rowKey: readonly string[]) => isKeyTarget(dialect, table, rowKey, chunks.slice(0, at))
    checkUpsert(table, values, sets.get(chunks[at] as object) as Values, isKey)
    for (const chunk of chunks.slice(at + 1)) checkCondition('onConflict', chunk)
  }
}

/**
 * Whether an upsert meets a row by its key alone. In MySQL, every unique column meets one, and the
 * statement names none.
 */
function isKeyTarget(
  { escapeName, casing }: Dialect,
  table: unknown,
  rowKey: readonly string[],
  chunks: readonly unknown[],
): boolean {
  const columns = columnsOf(table)
  if (rowKey.some(name => columns[name] === undefined)) return false
  const quoted = (column: Column) => escapeName(casing.getColumnCasing(column))
  const tokens: unknown[] = []
  for (const chunk of chunks) tokensOf(chunk, tokens)
  let text = ''
  for (const [i, token] of tokens.entries())
    text += isA(token, 'Column') ? quoted(token as Column) : textAt(tokens, i)
  if (text === 'update ') return !hasOtherUnique(table, rowKey)
  const target = /^(?: on conflict )?\(([^)]*)\)/.exec(text)?.[1]?.split(/, ?/) ?? []
  const wanted = rowKey.map(name => quoted(columns[name] as Column))
  return target.length === wanted.length && wanted.every(name => target.includes(name))
}

/** The options of a relational query, whose extras are checked when Drizzle asks for them. */
function withCheckedExtras(config: Config): Config {
  const { queryConfig } = config
  if (typeof queryConfig !== 'object' || queryConfig?.extras === undefined) return config
  const { extras } = queryConfig
  const checked = (fields: unknown) => {
    checkFields('extras', fields)
    return fields
  }
  const own =
    typeof extras === 'function' ? (...given: unknown[]) => checked(extras(...given)) : checked(extras)
  return { ...config, queryConfig: { ...queryConfig, extras: own } }
}
