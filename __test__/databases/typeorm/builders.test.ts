// Query builders of TypeORM: what they may ask and return, with stand-ins. Each test is named after a defect.
import { once } from 'node:events'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedEntities } from 'hardware-aes-gcm/typeorm'
import { beforeEach, describe, expect, test } from 'vitest'
import { keyring } from '../../values/columns/tables.js'
import type { Builder, SelectBuilder, UpdateBuilder } from './builders.js'
import { columns, people, personSource, refused } from './person.js'
import { Metadata, Source } from './source.js'

type Row = Record<string, unknown>
type All = Awaited<ReturnType<typeof personSource>>

let source: All['source']
let person: All['person']
let select: All['select']
let insert: All['insert']
let update: All['update']

beforeEach(async () => {
  ;({ source, person, select, insert, update } = await personSource())
})

const INDEX = people.lookup('email', 'ada@example.org')
const sealed = people.seal({ tenant: 't', id: 'a', email: 'ada@example.org', address: { city: 'x' } }) as Row

/** An operator as TypeORM makes it. */
const operator = (type: string, given: unknown): Row => {
  const own = { '@instanceof': Symbol.for('FindOperator'), type, given }
  const isOperator = (value: unknown) => typeof value === 'object' && value !== null && '@instanceof' in value
  return Object.defineProperties(own, {
    child: { get: () => (isOperator(own.given) ? own.given : undefined) },
    value: { get: () => (isOperator(own.given) ? (own.given as Row).value : own.given) },
    transformValue: {
      value({ to }: { to(value: unknown): unknown }) {
        const isList = Array.isArray(own.given) && ['in', 'and', 'or'].includes(type)
        own.given = isList ? (own.given as unknown[]).map(to) : to(own.given)
      },
    },
  })
}

describe('a condition', () => {
  const condition = (value: unknown, builder: Builder = select()) => {
    const transformed = person.column('email').transformer?.to(value)
    return { builder, made: builder.getWherePredicateCondition('u.email', transformed) }
  }

  test('In, Not, Equal, And and Or ask for the index', () => {
    const { builder, made } = condition('ada@example.org')
    expect(made).toEqual({ operator: 'in', parameters: ['u.emailIndex', ':p0'] })
    expect(builder.expressionMap.parameters).toEqual({ p0: INDEX[0] })
    const list = condition(operator('in', ['ada@example.org', null]))
    expect(list.made).toEqual({ operator: 'in', parameters: ['u.emailIndex', ':p0', ':p1'] })
    expect(list.builder.expressionMap.parameters).toEqual({ p0: INDEX[0], p1: null })
    const one = { operator: 'in', parameters: ['u.emailIndex', ':p0'] }
    expect(condition(operator('not', operator('in', ['x']))).made).toEqual({
      operator: 'not',
      condition: one,
    })
    expect(condition(operator('not', 'x')).made).toEqual({ operator: 'not', condition: one })
    expect(condition(operator('equal', 'x')).made).toEqual(one)
    for (const type of ['and', 'or'])
      expect(condition(operator(type, [operator('equal', 'x')])).made).toEqual({
        operator: type,
        parameters: [JSON.stringify(one)],
      })
  })

  test('what the index cannot answer is refused, and what has no value stays', () => {
    for (const type of ['like', 'any', 'moreThan', 'raw'])
      refused(() => condition(operator(type, 'x')), /a condition on an/)
    refused(() => condition(operator('equal', operator('in', ['x']))), /a condition on an/)
    refused(() => condition(operator('in', 'x')), /a condition on an/)
    expect(() => condition(operator('in', [5]))).toThrow(TypeError)
    for (const none of [operator('in', []), operator('isNull', undefined), null, undefined])
      expect(condition(none).made).toMatchObject({ operator: 'equal' })
    const { transformer } = person.column('address')
    refused(() => select().getWherePredicateCondition('u.address', transformer?.to('x')), /no index/)
  })

  test('clear text for an index is refused', () => {
    const { transformer } = person.column('emailIndex')
    refused(() => transformer?.to('ada@example.org'), /must come from lookup/)
    expect([INDEX[0], null].map(value => transformer?.to(value))).toEqual([INDEX[0], null])
    expect(transformer?.from(INDEX[0])).toBe(undefined)
    refused(
      () => transformer?.to(operator('or', [operator('equal', 'ada@example.org')])),
      /must come from lookup/,
    )
  })

  test('in SQL, only a question for NULL may name an encrypted column', () => {
    const where = (condition: string) => () =>
      select()
        .with({ wheres: [{ condition }] })
        .createWhereExpression()
    for (const sql of [
      'u.email = :p',
      '"u"."email" > 1',
      'UPPER(email) = 1',
      '`u`.`email` LIKE 1',
      'people.email IS 1',
      '"public"."people"."email" = :p',
      String.raw`u.name = '\'' OR u.email = '\''`,
    ])
      refused(where(sql), /a condition in SQL names/)
    for (const sql of [
      'u.email IS NULL',
      'u.email is not null',
      'x.email = 1',
      "name = 'email'",
      'u.emails = :email',
      '',
    ])
      expect(where(sql)()).toBe(sql)
  })
})

test('order, groupBy, having, joins, distinct and aggregates of ciphertexts are refused', () => {
  const clauses: [string, (builder: SelectBuilder) => unknown][] = [
    ['orderBy', builder => builder.createOrderByExpression()],
    ['orderBy', builder => builder.createOrderByCombinedWithSelectExpression() && 'u.name'],
    ['groupBy', builder => builder.createGroupByExpression()],
    ['having', builder => builder.createHavingExpression()],
    ['join', builder => builder.createJoinExpression()],
    ['on', builder => builder.createSelectDistinctExpression()],
  ]
  for (const [name, make] of clauses) {
    refused(() => make(select().with({ [name]: 'u.email' }) as SelectBuilder), /encrypted column of "Person"/)
    expect(make(select().with({ [name]: 'u.name' }) as SelectBuilder)).toBe('u.name')
  }
  for (const orderBy of ['u_email', ' ORDER BY 4 DESC'])
    refused(() => (select().with({ orderBy }) as SelectBuilder).createOrderByExpression(), /an order names/)
  for (const write of [
    update({ orderBy: 'email' }),
    source.createQueryBuilder().softDelete().from(person).with({ orderBy: 'email' }),
  ])
    refused(() => (write as UpdateBuilder).createOrderByExpression(), /an order names/)
  const selected =
    (selection: string, more: Row = {}) =>
    () =>
      (select().with({ selects: [{ selection }], ...more }) as SelectBuilder).createSelectExpression()
  refused(selected('MAX(u.email)'), /select the column alone/)
  refused(selected('u.email', { selectDistinct: true }), /distinct must not select/)
  refused(selected('u', { subQuery: true }), /a subquery must not select/)
  const common = (selection: string) => {
    const queryBuilder = select().with({ selects: [{ selection }] })
    return select().with({ commonTableExpressions: [{ queryBuilder }, { queryBuilder: 'SELECT 1' }] })
  }
  refused(() => common('u.email').createCteExpression(), /a common table expression must not select/)
  expect([common('u.name').createCteExpression(), select().createCteExpression()]).toEqual(['WITH', 'WITH'])
  expect(selected('u.email')()).toBe('SELECT')
  expect(selected('u.name', { selectDistinct: true })()).toBe('SELECT')
})

describe('raw results', () => {
  const raw = () => ({
    u_id: 'a',
    u_tenant: 't',
    u_email: sealed.email,
    u_address: sealed.address,
    u_name: null,
  })

  test('are opened for entities, joins and programs', async () => {
    for (const load of ['loadRawResults', 'execute'] as const) {
      const builder = select()
      builder.rows = [raw(), { ...raw(), u_email: null, u_address: null }]
      expect(await builder[load]()).toEqual([
        { ...raw(), u_email: 'ada@example.org', u_address: { city: 'x' } },
        { ...raw(), u_email: null, u_address: null },
      ])
    }
  })

  test('have the names that a program gives', async () => {
    const selects = ['id', 'tenant', 'email'].map(name => ({
      selection: `u.${name}`,
      aliasName: `its ${name}`,
    }))
    const builder = select().with({ selects }) as SelectBuilder
    builder.rows = [{ 'its id': 'a', 'its tenant': 't', 'its email': sealed.email }]
    expect(await builder.loadRawResults()).toEqual([
      { 'its id': 'a', 'its tenant': 't', 'its email': 'ada@example.org' },
    ])
  })

  test('of another name, and without the key, are refused', async () => {
    const other = select()
    other.rows = [{ ...raw(), max: sealed.email }]
    await expect(other.loadRawResults()).rejects.toThrow(/"max" of a result is a sealed value/)
    const foreign = select()
    foreign.rows = [{ max: `AQ${'A'.repeat(60)}` }]
    expect(await foreign.loadRawResults()).toEqual([{ max: `AQ${'A'.repeat(60)}` }])
    const keyless = select().with({ selects: [{ selection: 'u.email' }] }) as SelectBuilder
    keyless.rows = [{ u_email: sealed.email }]
    await expect(keyless.loadRawResults()).rejects.toThrow(/has no "tenant"/)
    const tables = select().with({ aliases: [{ name: 'x', hasMetadata: false }] }) as SelectBuilder
    tables.rows = [{ email: sealed.email }]
    await expect(tables.loadRawResults()).rejects.toThrow(/is a sealed value/)
  })

  test('of a view, and of a column that is not declared, are refused unless told', async () => {
    const loaded = async (passThrough: string[], tableType: string, isDeclared: boolean) => {
      const declared = encryptedColumns('people', {
        keyring,
        rowKey: ['tenant', 'id'],
        columns: { address: 'json' },
        passThrough,
      })
      const other = new Source(() => ['Person', 'View'].map(name => new Metadata(name, name, columns())))
      await encryptedEntities(other, isDeclared ? { Person: declared } : { View: declared }).initialize()
      const [metadata] = other.entityMetadatas as [Metadata]
      metadata.tableType = tableType
      const builder = other.createQueryBuilder().from(metadata) as SelectBuilder
      builder.rows = [{ u_email: sealed.email }]
      return (await builder.loadRawResults())[0]?.u_email
    }
    await expect(loaded([], 'regular', true)).rejects.toThrow(/list it in "passThrough"/)
    expect(await loaded(['email'], 'regular', true)).toBe(sealed.email)
    await expect(loaded([], 'view', false)).rejects.toThrow(/declare its entity/)
    expect(await loaded([], 'regular', false)).toBe(sealed.email)
  })

  test('of a stream are opened', async () => {
    const builder = select()
    builder.rows = [raw()]
    for await (const row of await builder.stream()) expect(row.u_email).toBe('ada@example.org')
    builder.rows = [{ u_email: sealed.email }]
    const [error] = await once(await builder.stream(), 'error')
    expect(error.message).toMatch(/has no "tenant"/)
  })

  test('of a stream that a program leaves are no longer read', async () => {
    const builder = select()
    builder.rows = [raw(), raw()]
    for await (const row of await builder.stream()) {
      expect(row.u_id).toBe('a')
      break
    }
    expect(builder.streamed?.destroyed).toBe(true)
  })

  test('returning encrypted columns is refused', () => {
    for (const returning of ['*', 'id, email', ['id', 'email'], ['emailIndex']])
      refused(() => insert({ returning }).createReturningExpression(), /returning/)
    expect(insert({ returning: ['id'] }).createReturningExpression()).toBe('returning')
    expect(new Source(() => []).createQueryBuilder().createReturningExpression()).toBe('returning')
  })
})
