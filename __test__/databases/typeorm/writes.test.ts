// Query builders of TypeORM: what they may write, with stand-ins. Each test is named after a defect.
import { encryptedEntities } from 'hardware-aes-gcm/typeorm'
import { beforeEach, describe, expect, test } from 'vitest'
import { columns, people, personSource, refused } from './person.js'
import { type Column, Metadata, Source } from './source.js'

type Row = Record<string, unknown>
type All = Awaited<ReturnType<typeof personSource>>

let source: All['source']
let person: All['person']
let insert: All['insert']
let update: All['update']

beforeEach(async () => {
  ;({ source, person, insert, update } = await personSource())
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

  test('a column that the database or TypeORM changes is no key', async () => {
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
    for (const name of ['isVersion', 'isUpdateDate', 'isDeleteDate'])
      await expect(broken({ [name]: true })).rejects.toThrow(/must not be in "rowKey"/)
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
