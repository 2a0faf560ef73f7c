// Query builders of TypeORM: what they may ask, write and return, with stand-ins. Each test is named after a defect.
import { once } from 'node:events'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedEntities } from 'hardware-aes-gcm/typeorm'
import { beforeEach, describe, expect, test } from 'vitest'
import { INDEX_KEY, keyring } from '../columns/tables.js'
import type { Builder, InsertBuilder, SelectBuilder, UpdateBuilder } from './builders.js'
import { Column, Metadata, Source } from './source.js'

type Row = Record<string, unknown>

const people = encryptedColumns('people', {
  keyring,
  rowKey: ['tenant', 'id'],
  indexKey: INDEX_KEY,
  columns: { email: { type: 'text', index: 'email_index' }, address: 'json' },
})
const INDEX = people.lookup('email', 'ada@example.org')
const sealed = people.seal({ tenant: 't', id: 'a', email: 'ada@example.org', address: { city: 'x' } }) as Row

const columns = () => [
  new Column('id', { isPrimary: true }),
  new Column('tenant'),
  new Column('name'),
  new Column('email'),
  new Column('emailIndex', { databaseName: 'email_index' }),
  new Column('address'),
]

let source: Source
let person: Metadata
const select = () => source.createQueryBuilder().from(person) as SelectBuilder
const insert = (state: Row) =>
  source.createQueryBuilder().insert().from(person, 'people').with(state) as InsertBuilder
const update = (state: Row) =>
  source.createQueryBuilder().update().from(person, 'people').with(state) as UpdateBuilder

beforeEach(async () => {
  source = encryptedEntities(new Source(() => [new Metadata('Person', 'people', columns())]), {
    Person: people,
  })
  await source.initialize()
  person = source.entityMetadatas[0] as Metadata
})

const refused = (run: () => unknown, message: RegExp) =>
  expect(run).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE', message: expect.stringMatching(message) }),
  )

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
    refused(() => transformer?.to('ada@example.org'), /a term of lookup/)
    expect([INDEX[0], null].map(value => transformer?.to(value))).toEqual([INDEX[0], null])
    expect(transformer?.from(INDEX[0])).toBe(undefined)
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
    await expect(other.loadRawResults()).rejects.toThrow(/"max" of a raw result is a sealed value/)
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

describe('lists of columns', () => {
  const made = (state: Row) => {
    const builder = insert(state)
    builder.createInsertExpression()
    return builder.expressionMap as unknown as Row & { onUpdate: Row }
  }

  test('orUpdate writes the index with its column', () => {
    const onUpdate = { overwrite: ['email'], conflict: ['id', 'tenant'] }
    expect(made({ onUpdate: { ...onUpdate } }).onUpdate.overwrite).toEqual(['email', 'email_index'])
    expect(
      made({ onUpdate: { ...onUpdate, overwrite: ['name'], conflict: ['name'] } }).onUpdate.overwrite,
    ).toEqual(['name'])
    refused(() => made({ onUpdate: { ...onUpdate, overwrite: ['email_index'] } }), /is an index/)
    refused(() => made({ onUpdate: { ...onUpdate, overwrite: [['email']] } }), /strings only/)
    refused(() => made({ onUpdate: { columns: ['email'] } }), /cannot have orUpdate\(\{ columns \}\)/)
    refused(() => made({ onConflict: '("id") DO UPDATE SET x' }), /cannot have onConflict/)
    const where = { overwriteCondition: [{ condition: 'people.email = 1' }] }
    refused(() => made({ onUpdate: { ...onUpdate, ...where } }), /a condition of orUpdate/)
  })

  test('an insert of some columns has the index, and needs the key', () => {
    expect(made({ insertColumns: ['id', 'tenant', 'email'] }).insertColumns).toEqual([
      'id',
      'tenant',
      'email',
      'emailIndex',
    ])
    expect(made({ insertColumns: ['name'] }).insertColumns).toEqual(['name'])
    refused(() => made({ insertColumns: ['id', 'email'] }), /needs "tenant", the key of the row/)
    refused(() => made({ insertFromSelect: {} }), /cannot be filled from a select/)
  })

  test('an upsert that another column than the key decides is refused', () => {
    for (const conflict of [['id'], ['email_index'], 'a constraint', undefined])
      for (const overwrite of [['email'], ['tenant'], ['address']])
        refused(() => made({ onUpdate: { overwrite, conflict } }), /cannot be upserted/)
    expect(() =>
      made({ onUpdate: { overwrite: ['email'], conflict: ['id', 'tenant', 'name'] } }),
    ).not.toThrow()
    source.driver.supportedUpsertTypes = ['on-duplicate-key-update']
    const upsert = () => made({ onUpdate: { overwrite: ['email'], conflict: ['id', 'tenant'] } })
    refused(upsert, /cannot be upserted/)
    person.column('tenant').isPrimary = true
    expect(upsert).not.toThrow()
    person.indices.push({ isUnique: true, columns: [person.column('name')] })
    refused(upsert, /cannot be upserted/)
  })
})

describe('a key that moves', () => {
  const equal = (path: string, name: string) => ({
    type: 'and',
    condition: { operator: 'equal', parameters: [path, `:${name}`] },
  })
  const run =
    (valuesSet: Row, wheres: unknown, parameters: Row = { i: 'a', t: 't' }) =>
    () =>
      update({ valuesSet, wheres, parameters }).createUpdateExpression()
  const both = [{ type: 'simple', condition: [equal('id', 'i'), equal('tenant', 't')] }]

  test('an update names the row whose key it writes', () => {
    expect(run({ id: 'a', tenant: 't', name: 'x' }, both)()).toBe('UPDATE')
    expect(run({ name: 'x' }, [])()).toBe('UPDATE')
    for (const values of [{ tenant: 'u' }, { id: 'b' }, Object.create({ id: 'b' }), { id: () => 'x' }])
      refused(run(values, both), /it cannot change/)
    refused(run({ id: 'a', tenant: 't' }, [equal('id', 'i')]), /have the key of its row/)
    expect(run({ id: 1n }, both, { i: 1, t: 't' })()).toBe('UPDATE')
  })

  test('only conditions that hold in every row name it', () => {
    const named = (wheres: unknown) => run({ id: 'a', tenant: 't' }, wheres)
    const sql = (condition: string, type = 'and') => ({ type, condition })
    for (const wheres of [
      [sql('id = :i AND "people"."tenant" = :t')],
      [sql('id = :i'), sql('tenant = :t')],
      [{ type: 'simple', condition: { operator: 'brackets', condition: both } }],
      [{ type: 'simple', condition: { operator: 'in', parameters: ['id', ':i'] } }, equal('tenant', 't')],
    ])
      expect(named(wheres)()).toBe('UPDATE')
    for (const wheres of [
      [...both, sql('name = :n', 'or')],
      [sql('id = :i AND tenant = :t OR name = :n')],
      [{ type: 'simple', condition: { operator: 'not', condition: both } }],
      [
        { type: 'simple', condition: { operator: 'in', parameters: ['id', ':i', ':j'] } },
        equal('tenant', 't'),
      ],
    ])
      refused(named(wheres), /have the key of its row/)
  })

  test('NULL without listeners takes the index along', () => {
    refused(run({ email: null }, []), /must be written together/)
    refused(run({ emailIndex: null }, []), /must be written together/)
    expect(run({ email: null, emailIndex: null }, [])()).toBe('UPDATE')
  })

  test('a foreign key that the database changes is no key', async () => {
    const broken = async (change: Partial<Column>) => {
      const all = () =>
        columns().map(one => (one.propertyPath === 'tenant' ? Object.assign(one, change) : one))
      const other = encryptedEntities(new Source(() => [new Metadata('Person', 'people', all())]), {
        Person: people,
      })
      await other.initialize()
    }
    for (const action of ['CASCADE', 'SET NULL', 'SET DEFAULT'])
      await expect(broken({ relationMetadata: { onUpdate: action } })).rejects.toThrow(
        /must not have onUpdate/,
      )
    await expect(broken({ relationMetadata: { onDelete: 'SET NULL' } })).rejects.toThrow(
      /must not have onDelete/,
    )
    await expect(broken({ isInsert: false })).rejects.toThrow(/must be inserted/)
    await broken({ relationMetadata: { onDelete: 'CASCADE', onUpdate: 'NO ACTION' } })
  })

  test('a listener that changes the key after the seal is refused', () => {
    const given: Row = { id: 'a', tenant: 't', email: 'x' }
    const between = () => {
      given.tenant = 'u'
    }
    expect(() => source.write('Insert', person, given, { between })).toThrow(/changed after it was sealed/)
  })
})

test('a statement that fails leaves the values as they were, and another source is left alone', async () => {
  const values: Row = { id: 'a', tenant: 't', email: 'x' }
  const fails = (entity: Row) => {
    const event = { entity, metadata: person, queryRunner: {} }
    source.subscribers[0]?.beforeInsert(event)
    expect(entity.email).not.toBe('x')
    throw new Error('of the database')
  }
  for (const builder of [
    insert({ valuesSet: [values], fails: ([one]: Row[]) => fails(one as Row) }),
    update({ valuesSet: values, fails }),
  ])
    await expect(builder.execute()).rejects.toThrow('of the database')
  expect(values).toMatchObject({ id: 'a', tenant: 't', email: 'x' })
  const other = new Source(() => [new Metadata('Person', 'people', columns())])
  await other.initialize()
  const builder = other
    .createQueryBuilder()
    .from(other.entityMetadatas[0] as Metadata)
    .with({ wheres: [{ condition: 'u.email = 1' }] })
  expect(builder.createWhereExpression()).toBe('u.email = 1')
})
