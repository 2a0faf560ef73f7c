// Models in Sequelize: what is sealed, opened and refused, with a stand-in of its query interface.
import { NotSealedError } from 'hardware-aes-gcm/columns'
import { encryptedSequelize } from 'hardware-aes-gcm/sequelize'
import { beforeEach, expect, test } from 'vitest'
import { users } from '../../values/columns/tables.js'
import { type Statement, statementsTo } from './stand-in.js'

type Row = Record<string, unknown>

const NAMES = ['id', 'name', 'email', 'age', 'photo', 'address']
const INDEXES = ['email_index', 'age_index', 'photo_index']
const INDEX = users.lookup('email', 'ada@example.org')
const [EQ, IN, NE, LIKE, OR] = ['eq', 'in', 'ne', 'like', 'or'].map(name => Symbol.for(name)) as symbol[]

const model = (change = {}) => ({
  name: 'User',
  tableName: 'users',
  rawAttributes: Object.fromEntries(
    [...NAMES, ...INDEXES].map(name => [name, { type: { key: 'TEXT' }, ...change }]),
  ),
  uniqueKeys: {},
  _indexes: [],
  refreshAttributes() {},
})

let sent: unknown[]
let answer: unknown
let statements: Record<string, Statement>
let User: ReturnType<typeof model>
beforeEach(() => {
  User = model()
  const send: Statement = async (...values) => {
    sent = values
    return answer
  }
  statements = statementsTo(send)
  answer = undefined
  sent = undefined as never
  encryptedSequelize(source(), { User: users })
})
const source = (change = {}) => ({
  models: { User },
  getDialect: () => 'postgres',
  getQueryInterface: () => statements,
  ...change,
})
const run = (name: string, ...values: unknown[]) => (statements[name] as Statement)(...values)
const refused = (promise: Promise<unknown>, message: RegExp) =>
  expect(promise).rejects.toMatchObject({ name: 'TypeError', message: expect.stringMatching(message) })

test('values are sealed in each statement, and what was given stays as it is', async () => {
  const given = { id: 'a', name: 'Ada', email: 'Ada@example.org', address: { city: 'x' } }
  const before = structuredClone(given)
  await run('insert', null, 'users', given)
  const [, , stored] = sent as [unknown, unknown, Row]
  expect(stored).toMatchObject({ id: 'a', name: 'Ada', email_index: INDEX[0] })
  expect(users.open(stored)).toEqual(before)
  await run('bulkInsert', { tableName: 'users' }, [given])
  expect(users.openAll(sent[1] as Row[])).toEqual([before])
  await run('bulkUpdate', 'users', { email: null }, { id: 'a' }, {})
  expect(sent[1]).toEqual({ email: null, email_index: null })
  expect(given).toEqual(before)
})

test('rows and instances are opened; clear text and values of other rows are not', async () => {
  const stored = users.seal({ id: 'a', email: 'Ada@example.org' })
  answer = [{ ...stored }]
  expect(await run('select', User, 'users', { raw: true })).toEqual([{ id: 'a', email: 'Ada@example.org' }])
  const instance = { dataValues: { ...stored }, _previousDataValues: { ...stored } }
  answer = instance
  await run('select', User, 'users', { plain: true })
  expect(instance.dataValues).toEqual({ id: 'a', email: 'Ada@example.org' })
  expect(instance._previousDataValues).toEqual(instance.dataValues)
  answer = [{ ...stored, id: 'b' }]
  await expect(run('select', User, 'users', { raw: true })).rejects.toMatchObject({ column: 'email' })
  answer = [{ id: 'a', email: 'clear' }]
  await expect(run('select', User, 'users', { raw: true })).rejects.toThrow(NotSealedError)
  answer = [{ email: stored.email }]
  await refused(run('select', User, 'users', { raw: true }), /no "id"/)
})

test('a condition asks for the index, or is refused', async () => {
  const asked = async (where: unknown) => {
    answer = []
    await run('select', User, 'users', { where })
    return (sent[2] as { where: unknown }).where
  }
  const email = ' ADA@example.org'
  for (const value of [email, [email], { [EQ as symbol]: email }, { [IN as symbol]: [email] }])
    expect(await asked({ email: value })).toEqual({ email_index: INDEX })
  expect(await asked({ [OR as symbol]: [{ email }, { name: 'x' }] })).toEqual({
    [OR as symbol]: [{ email_index: INDEX }, { name: 'x' }],
  })
  expect(await asked({ email: { [NE as symbol]: email } })).toEqual({
    email_index: { [Symbol.for('notIn')]: INDEX },
  })
  expect(await asked({ email: null })).toEqual({ email: null })
  await refused(asked({ email: { [LIKE as symbol]: 'a%' } }), /is not supported/)
  await refused(asked({ address: 'x' }), /has no index/)
  await refused(
    asked({ email, email_index: INDEX[0], x: 1 }).then(() => asked({ email_index: INDEX[0], email })),
    /too/,
  )
  await refused(
    asked({ email_index: { [NE as symbol]: 'ada@example.org' } }),
    /put the condition on the column/,
  )
  await refused(asked({ '$notes.email$': 'x' }), /its include/)
})

test('what cannot be sealed is refused', async () => {
  await refused(run('insert', null, 'users', { email: 'x' }), /without "id"/)
  await refused(run('bulkUpdate', 'users', { email: 'x' }, { name: 'x' }, {}), /without "id"/)
  await refused(run('bulkUpdate', 'users', { email: 'x' }, { id: ['a', 'b'] }, {}), /without "id"/)
  await refused(run('bulkUpdate', 'users', { id: 'b', email: 'x' }, { id: 'a' }, {}), /another "id"/)
  await refused(run('insert', null, 'users', { id: 'a', email: { val: "'x'" } }), /must be a string/)
  await refused(run('insert', null, 'users', { id: 'a', email_index: 'x' }), /the index of "email"/)
  await refused(run('increment', User, 'users', {}, { age: 1 }, {}), /changed by the database/)
  const options = { conflictFields: ['email_index'] }
  await refused(run('upsert', 'users', { id: 'a', email: 'x' }, {}, {}, options), /cannot be upserted/)
  expect(sent).toBeUndefined()
})

test('mistakes are found when they are made', () => {
  const build = (given: object, models: Record<string, typeof users>) => () =>
    encryptedSequelize(given as never, models)
  expect(build({}, { User: users })).toThrow('"sequelize" must be an instance of Sequelize')
  expect(build(source({ getDialect: () => 'mssql' }), { User: users })).toThrow(/one of the dialects/)
  expect(build(source(), {})).toThrow(/must have a model/)
  expect(build(source(), { Note: users })).toThrow(/"models.Note" must be one of 'User'/)
  expect(build(source({ models: { User: model({ type: { key: 'JSON' } }) } }), { User: users })).toThrow(
    /type of strings/,
  )
  const key = (change: object) => {
    const { rawAttributes, ...rest } = model()
    return source({
      models: {
        User: { ...rest, rawAttributes: { ...rawAttributes, id: { type: { key: 'TEXT' }, ...change } } },
      },
    })
  }
  for (const actions of [
    { onUpdate: 'CASCADE' },
    { onUpdate: 'set null' },
    { onUpdate: 'RESTRICT', onDelete: 'SET NULL' },
  ])
    expect(build(key({ references: {}, ...actions }), { User: users })).toThrow(
      /the database would change it/,
    )
  build(key({ references: {}, onUpdate: 'RESTRICT', onDelete: 'CASCADE' }), { User: users })()
  build(key({ onUpdate: 'CASCADE' }), { User: users })()
  expect(build(source({ models: { User: { ...model(), rawAttributes: {} } } }), { User: users })).toThrow(
    /an attribute for 'id'/,
  )
})
