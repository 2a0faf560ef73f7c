// The query builders of TypeORM, which make every statement of repositories and managers.
import { pipeline, Transform } from 'node:stream'
import { nodeError } from '../base/errors.cjs'
import type { Row } from '../columns/row.cjs'
import { encryptedOf, refuseMention, refuseResultNames } from './clauses.cjs'
import { conditionOf } from './lookup.cjs'
import type { Builder, Condition, DataSource, Encrypted, SourceOf } from './parts.cjs'
import { openerOf } from './raw.cjs'
import { Sealed } from './values.cjs'
import { completeInsert, refuseMove, refuseOldIndex } from './writes.cjs'

type Method = (this: Builder, ...given: unknown[]) => unknown
type Around = (method: () => unknown, builder: Builder, known: SourceOf, given: readonly unknown[]) => unknown

const sources = new WeakMap<DataSource, SourceOf>()
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

/** Changes the builders of a data source; those of others stay as they were. */
export function overBuilders(source: DataSource, known: SourceOf): void {
  sources.set(source, known)
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
      (method, builder, { all }) => {
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
      const known = sources.get((this.dataSource ?? this.connection) as DataSource)
      if (known === undefined) return method.apply(this, given)
      return around(() => method.apply(this, given), this, known, given)
    }
  }
}

const COMMON: Record<string, Around> = {
  getWherePredicateCondition: (method, builder, _, [path, value]) =>
    conditionOf(builder, path as string, value) ?? (method() as Condition),
  createReturningExpression(method, builder, known) {
    const encrypted = mainOf(builder, known)
    if (encrypted === undefined) return method()
    const columns = encrypted.fields.flatMap(({ own, index }) => [own, index])
    if (builder.getReturningColumns().some(column => columns.includes(column))) throw noReturning(encrypted)
    const { returning } = builder.expressionMap
    if (typeof returning === 'string') {
      if (returning.includes('*')) throw noReturning(encrypted)
      refuseMention(builder, known.all, returning, 'returning')
    }
    return method()
  },
}

const SELECT: Record<string, Around> = {
  createSelectExpression(method, builder, { all }) {
    const { aliases, selects, selectDistinct, subQuery } = builder.expressionMap
    const paths = new Set<string>()
    for (const alias of aliases) {
      const { name } = alias
      const fields = encryptedOf(alias, all)?.fields ?? []
      for (const { own } of fields) {
        const path = `${name}.${own.propertyPath}`
        paths.add(path)
        const isSelected = selects.some(({ selection }) => selection === path || selection === name)
        if (isSelected && (selectDistinct || subQuery))
          throw wrong(
            `${selectDistinct ? 'distinct' : 'a subquery'} must not select "${path}": every sealed value is a different string`,
          )
      }
    }
    for (const { selection } of selects)
      if (!paths.has(selection)) refuseMention(builder, all, selection, 'a selected expression', SELECTED)
    return method()
  },
  createSelectDistinctExpression(method, builder, { all }) {
    const clause = method() as string
    refuseMention(builder, all, clause, 'distinctOn')
    refuseResultNames(builder, all, clause, 'distinctOn')
    return clause
  },
  loadRawResults: opened,
  execute: opened,
  async stream(method, builder, known) {
    const open = openerOf(builder, driverOf(builder), known)
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

async function opened(method: () => unknown, builder: Builder, known: SourceOf): Promise<unknown> {
  const rows = await method()
  if (Array.isArray(rows) && rows.length > 0) openerOf(builder, driverOf(builder), known)(rows)
  return rows
}

const INSERT: Record<string, Around> = {
  createInsertExpression(method, builder, known) {
    const encrypted = mainOf(builder, known)
    if (encrypted === undefined) return method()
    completeInsert(
      builder,
      encrypted,
      driverOf(builder).supportedUpsertTypes?.[0] === 'on-conflict-do-update',
    )
    const { indexPredicate = '', overwriteCondition = [] } = builder.expressionMap.onUpdate ?? {}
    const condition = builder.createWhereClausesExpression(overwriteCondition)
    refuseMention(builder, known.all, `${indexPredicate} ${condition}`, 'a condition of orUpdate')
    return method()
  },
  execute: restored,
}

const UPDATE: Record<string, Around> = {
  createUpdateExpression(method, builder, known) {
    const encrypted = mainOf(builder, known)
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

function mainOf({ expressionMap: { mainAlias } }: Builder, { all }: SourceOf): Encrypted | undefined {
  return mainAlias === undefined ? undefined : encryptedOf(mainAlias, all)
}

function driverOf({ dataSource, connection }: Builder) {
  return ((dataSource ?? connection) as DataSource).driver
}

function noReturning({ metadata }: Encrypted): Error {
  return wrong(
    `returning must not have encrypted columns of "${metadata.name}": name others, and load the entity`,
  )
}

function wrong(what: string): Error {
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
}
