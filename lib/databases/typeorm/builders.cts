// The query builders of TypeORM, which make every statement of repositories and managers.
import { pipeline, Transform } from 'node:stream'
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { encryptedOf, refuseMention, refuseResultNames } from './clauses.cjs'
import { conditionOf } from './lookup.cjs'
import type { Builder, Condition, DataSource, Encrypted, Entities } from './parts.cjs'
import { openerOf } from './raw.cjs'
import { Sealed } from './values.cjs'
import { completeInsert, refuseMove, refuseOldIndex } from './writes.cjs'

type Method = (this: Builder, ...given: unknown[]) => unknown
type Around = (method: () => unknown, builder: Builder, all: Entities, given: readonly unknown[]) => unknown

const sources = new WeakMap<DataSource, Entities>()
/** Prototypes that were changed: those of each copy of TypeORM, once. */
const changed = new WeakSet<object>()

const CLAUSES = {
  createWhereExpression: 'a condition in SQL',
  createJoinExpression: 'a join',
  createGroupByExpression: 'groupBy',
  createHavingExpression: 'having',
  createOrderByExpression: 'an order',
}

const SELECTED = "select the column alone, as in addSelect('user.email', 'email')"

/** Clauses of a query that may name what it selects. */
const BY_RESULT = ['createGroupByExpression', 'createHavingExpression', 'createOrderByExpression']

/** Changes the builders of one data source only. */
export function overBuilders(source: DataSource, all: Entities): void {
  // Those of an earlier call stay, without those of an earlier initialization.
  const others = [...(sources.get(source) ?? [])].filter(([metadata]) =>
    source.entityMetadatas.includes(metadata),
  )
  sources.set(source, new Map([...others, ...all]))
  const select = source.createQueryBuilder()
  const [insert, update, softDelete] = [
    select.insert(),
    select.update(),
    source.createQueryBuilder().softDelete(),
  ]
  const selects = prototypeOf(source.createQueryBuilder())
  change(prototypeOf(selects), { ...COMMON, ...clausesIn(prototypeOf(selects)) })
  change(selects, { ...SELECT, ...clausesIn(selects) })
  change(prototypeOf(insert), INSERT)
  change(prototypeOf(update), { ...UPDATE, ...clausesIn(prototypeOf(update)) })
  change(prototypeOf(softDelete), clausesIn(prototypeOf(softDelete)))
}

function prototypeOf(value: object): Record<string, Method> {
  return Object.getPrototypeOf(value)
}

function clausesIn(prototype: object): Record<string, Around> {
  const own = Object.entries(CLAUSES).filter(([name]) => Object.hasOwn(prototype, name))
  return Object.fromEntries(
    own.map(([name, what]) => [
      name,
      (method, builder, all) => {
        const clause = method() as string
        refuseMention(builder, all, clause, what)
        if (BY_RESULT.includes(name)) refuseResultNames(builder, all, clause, what)
        return clause
      },
    ]),
  )
}

function change(prototype: Record<string, Method>, arounds: Record<string, Around>): void {
  if (changed.has(prototype)) return
  changed.add(prototype)
  for (const [name, around] of Object.entries(arounds)) {
    const method = prototype[name] as Method
    prototype[name] = function (...given) {
      const all = sources.get((this.dataSource ?? this.connection) as DataSource)
      if (all === undefined) return method.apply(this, given)
      return around(() => method.apply(this, given), this, all, given)
    }
  }
}

const COMMON: Record<string, Around> = {
  getWherePredicateCondition: (method, builder, _, [path, value]) =>
    conditionOf(builder, path as string, value) ?? (method() as Condition),
  createCteExpression(method, builder, all) {
    for (const { queryBuilder } of builder.expressionMap.commonTableExpressions ?? [])
      if (typeof queryBuilder === 'object') refuseSelected(queryBuilder, all, 'a common table expression')
    return method()
  },
  createReturningExpression(method, builder, all) {
    const encrypted = mainOf(builder, all)
    if (encrypted === undefined) return method()
    const columns = encrypted.fields.flatMap(({ own, index }) => [own, index])
    if (builder.getReturningColumns().some(column => columns.includes(column))) throw noReturning(encrypted)
    const { returning } = builder.expressionMap
    if (typeof returning === 'string') {
      if (returning.includes('*')) throw noReturning(encrypted)
      refuseMention(builder, all, returning, 'returning')
    }
    return method()
  },
}

const SELECT: Record<string, Around> = {
  createSelectExpression(method, builder, all) {
    const { selects, selectDistinct, subQuery } = builder.expressionMap
    if (selectDistinct) refuseSelected(builder, all, 'distinct')
    if (subQuery) refuseSelected(builder, all, 'a subquery')
    const paths = new Set(fieldsIn(builder, all).map(({ path }) => path))
    for (const { selection } of selects)
      if (!paths.has(selection)) refuseMention(builder, all, selection, 'a selected expression', SELECTED)
    return method()
  },
  createSelectDistinctExpression(method, builder, all) {
    const clause = method() as string
    refuseMention(builder, all, clause, 'distinctOn')
    refuseResultNames(builder, all, clause, 'distinctOn')
    return clause
  },
  createOrderByCombinedWithSelectExpression(method, builder) {
    // A page of entities with joins has its order in a query around this one.
    builder.createOrderByExpression()
    return method()
  },
  loadRawResults: opened,
  execute: opened,
  async stream(method, builder, all) {
    const open = openerOf(builder, driverOf(builder), all)
    const stream = (await method()) as NodeJS.ReadableStream
    const through = new Transform({
      objectMode: true,
      transform(row: Row, _, done) {
        try {
          open([row])
          done(null, row)
        } catch (error) {
          done(error as Error)
        }
      },
    })
    // The program sees an error at the end that it reads.
    pipeline(stream, through, () => {})
    return through
  },
}

/** The encrypted columns of the entities in a statement. */
function fieldsIn({ expressionMap: { aliases } }: Builder, all: Entities) {
  return aliases.flatMap(alias => {
    const { name } = alias
    const fields = encryptedOf(alias, all)?.fields ?? []
    return fields.map(({ own }) => ({ name, path: `${name}.${own.propertyPath}` }))
  })
}

/** Refuses a query that selects an encrypted column for another use than to return it. */
function refuseSelected(builder: Builder, all: Entities, what: string): void {
  const { selects } = builder.expressionMap
  for (const { name, path } of fieldsIn(builder, all))
    if (selects.some(({ selection }) => selection === path || selection === name))
      throw wrongValue(`${what} must not select "${path}": every sealed value is a different string`)
}

async function opened(method: () => unknown, builder: Builder, all: Entities): Promise<unknown> {
  const rows = await method()
  if (Array.isArray(rows) && rows.length > 0) openerOf(builder, driverOf(builder), all)(rows)
  return rows
}

const INSERT: Record<string, Around> = {
  createInsertExpression(method, builder, all) {
    const encrypted = mainOf(builder, all)
    if (encrypted === undefined) return method()
    completeInsert(
      builder,
      encrypted,
      driverOf(builder).supportedUpsertTypes?.[0] === 'on-conflict-do-update',
    )
    const { indexPredicate = '', overwriteCondition = [] } = builder.expressionMap.onUpdate ?? {}
    const condition = builder.createWhereClausesExpression(overwriteCondition)
    refuseMention(builder, all, `${indexPredicate} ${condition}`, 'a condition of orUpdate')
    return method()
  },
  execute: restored,
}

const UPDATE: Record<string, Around> = {
  createUpdateExpression(method, builder, all) {
    const encrypted = mainOf(builder, all)
    if (encrypted !== undefined) {
      refuseMove(builder, encrypted)
      refuseOldIndex(builder, encrypted)
    }
    return method()
  },
  execute: restored,
}

/** The objects of a program have their values after a statement that failed. */
async function restored(method: () => unknown, { expressionMap: { valuesSet } }: Builder): Promise<unknown> {
  try {
    return await method()
  } catch (error) {
    for (const entity of Array.isArray(valuesSet) ? valuesSet : [valuesSet])
      if (typeof entity === 'object' && entity !== null) Sealed.restoreAll(entity)
    throw error
  }
}

function mainOf({ expressionMap: { mainAlias } }: Builder, all: Entities): Encrypted | undefined {
  return mainAlias === undefined ? undefined : encryptedOf(mainAlias, all)
}

function driverOf({ dataSource, connection }: Builder) {
  return ((dataSource ?? connection) as DataSource).driver
}

function noReturning({ metadata }: Encrypted): Error {
  return wrongValue(
    `returning must not have encrypted columns of "${metadata.name}": name others, and load the entity`,
  )
}
