// Stand-ins of TypeORM's query builders: the methods that the adapter changes, and the state that they read.
import { Readable } from 'node:stream'
import type { Column, Metadata, Source } from './source.js'

type Row = Record<string, unknown>
type Clauses = readonly { readonly type: string; readonly condition: unknown }[]

export class Builder {
  declare parameterIndex: number
  expressionMap: Row & {
    parameters: Row
    wheres: Clauses
    selects: { selection: string; aliasName?: string }[]
  }

  constructor(readonly dataSource: Source) {
    this.expressionMap = {
      aliases: [],
      selects: [],
      wheres: [],
      parameters: {},
      insertColumns: [],
      selectDistinct: false,
      subQuery: false,
    }
  }

  /** Names the entity and its alias, and selects all. */
  from(metadata: Metadata, name = 'u') {
    const alias = { name, hasMetadata: true, metadata }
    Object.assign(this.expressionMap, { mainAlias: alias, aliases: [alias], selects: [{ selection: name }] })
    return this
  }

  with(state: Row) {
    Object.assign(this.expressionMap, state)
    return this
  }

  insert() {
    return new InsertBuilder(this.dataSource)
  }

  update() {
    return new UpdateBuilder(this.dataSource)
  }

  softDelete() {
    return new SoftDeleteBuilder(this.dataSource)
  }

  escape(name: string) {
    return `"${name}"`
  }

  createParameter(value: unknown) {
    const name = `p${Object.keys(this.expressionMap.parameters).length}`
    this.expressionMap.parameters[name] = value
    return `:${name}`
  }

  createPropertyPath(_: Metadata, entity: Row) {
    return Object.keys(entity)
  }

  createWhereConditionExpression(condition: unknown) {
    return JSON.stringify(condition)
  }

  createWhereClausesExpression(clauses: Clauses) {
    return clauses.map(({ condition }) => condition).join(' AND ')
  }

  createWhereExpression() {
    return this.createWhereClausesExpression(this.expressionMap.wheres)
  }

  getWherePredicateCondition(path: string, value: unknown): unknown {
    return { operator: 'equal', parameters: [path, this.createParameter(value)] }
  }

  getReturningColumns(): Column[] {
    const { returning, mainAlias } = this.expressionMap as {
      returning?: unknown
      mainAlias?: { metadata: Metadata }
    }
    const names = Array.isArray(returning) ? returning : []
    return (mainAlias?.metadata.columns ?? []).filter(({ propertyPath }) => names.includes(propertyPath))
  }

  createReturningExpression() {
    return 'returning'
  }

  createCteExpression() {
    return 'WITH'
  }
}

class SelectBuilder extends Builder {
  rows: Row[] = []
  streamed: Readable | undefined

  buildEscapedEntityColumnSelects(alias: string, { columns }: Metadata) {
    const { selects } = this.expressionMap
    return columns.flatMap(({ databaseName, propertyPath, isSelect }) => {
      const selection = `"${alias}"."${databaseName}"`
      const named = selects.filter(one => one.selection === `${alias}.${propertyPath}`)
      if (named.length > 0)
        return named.map(({ aliasName }) => ({
          selection,
          aliasName: aliasName ?? `${alias}_${databaseName}`,
        }))
      const isWhole = isSelect && selects.some(one => one.selection === alias)
      return isWhole ? [{ selection, aliasName: `${alias}_${databaseName}` }] : []
    })
  }

  createSelectExpression() {
    return 'SELECT'
  }

  createSelectDistinctExpression() {
    return `${this.expressionMap.on ?? ''}`
  }

  createJoinExpression() {
    return `${this.expressionMap.join ?? ''}`
  }

  createGroupByExpression() {
    return `${this.expressionMap.groupBy ?? ''}`
  }

  createHavingExpression() {
    return `${this.expressionMap.having ?? ''}`
  }

  createOrderByExpression() {
    return `${this.expressionMap.orderBy ?? ''}`
  }

  createOrderByCombinedWithSelectExpression() {
    return ['', {}]
  }

  async loadRawResults() {
    return this.rows
  }

  async execute(): Promise<unknown> {
    return this.rows
  }

  async stream() {
    this.streamed = Readable.from(this.rows)
    return this.streamed
  }
}

class WriteBuilder extends Builder {
  async execute() {
    const { valuesSet, fails } = this.expressionMap as unknown as {
      valuesSet: Row
      fails?: (values: Row) => void
    }
    fails?.(valuesSet)
  }
}

class InsertBuilder extends WriteBuilder {
  createInsertExpression() {
    return 'INSERT'
  }
}

class UpdateBuilder extends WriteBuilder {
  createUpdateExpression() {
    return 'UPDATE'
  }

  createOrderByExpression() {
    return `${this.expressionMap.orderBy ?? ''}`
  }
}

class SoftDeleteBuilder extends Builder {
  createOrderByExpression() {
    return `${this.expressionMap.orderBy ?? ''}`
  }
}

export type { InsertBuilder, SelectBuilder, UpdateBuilder }
export const selectFrom = (source: Source) => new SelectBuilder(source)
