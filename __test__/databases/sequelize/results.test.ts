// Results that Sequelize returns beside rows, and conditions that it keeps, with a stand-in of its query interface.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedSequelize } from 'hardware-aes-gcm/sequelize'
import { beforeEach, expect, test } from 'vitest'
import { keyring } from '../../values/columns/tables.js'
import { type Statement, statementsTo } from './stand-in.js'

const indexKey = Buffer.alloc(32, 7)
const people = encryptedColumns('people', {
  keyring,
  rowKey: 'id',
  indexKey,
  columns: { email: { type: 'text', index: 'email_index' } },
})
const given = { id: 1, email: 'ada@example.org' }
const stored = people.seal(given)
const [INDEX] = people.lookup('email', given.email)
const COL = Symbol.for('col')

const modelOf = (name: string) => ({
  name,
  tableName: name,
  rawAttributes: {
    id: { type: { key: 'INTEGER' }, primaryKey: true },
    ...Object.fromEntries(['name', 'email', 'email_index'].map(one => [one, { type: { key: 'TEXT' } }])),
  },
  uniqueKeys: {},
  _indexes: [],
  refreshAttributes() {},
})

let answer: unknown
let sent: unknown[] | undefined
let statements: Record<string, Statement>
let Person: ReturnType<typeof modelOf>
let Other: ReturnType<typeof modelOf>
beforeEach(() => {
  Person = modelOf('people')
  Other = modelOf('others')
  sent = undefined
  answer = []
  statements = statementsTo(async (...values) => {
    sent = values
    return answer
  })
  const source = {
    models: { Person, Other },
    getDialect: () => 'postgres',
    getQueryInterface: () => statements,
  }
  encryptedSequelize(source, { Person: people })
})
const run = (name: string, ...values: unknown[]) => (statements[name] as Statement)(...values)
const refused = (promise: Promise<unknown>, message: RegExp) =>
  expect(promise).rejects.toMatchObject({ name: 'TypeError', message: expect.stringMatching(message) })

test('sequelize-increment-returns-ciphertexts', async () => {
  answer = [[{ ...stored }], 1]
  expect(await run('increment', Person, 'people', { id: 1 }, { visits: 1 }, {}, {})).toEqual([[given], 1])
  const instance = { constructor: Person, dataValues: { ...given }, _previousDataValues: { ...given } }
  Object.assign(instance.dataValues, given)
  await run('increment', Person, 'people', { id: 1 }, { visits: 1 }, {}, { instance })
  expect(instance.dataValues).toEqual(given)
})

test('sequelize-increment-moves-key', async () => {
  await refused(run('increment', Person, 'people', { id: 1 }, { id: 1 }, {}, {}), /"id" changed, to which/)
  expect(sent).toBeUndefined()
})

test('sequelize-parent-condition-in-clear: the includes above another have the conditions on indexes', async () => {
  const above: Record<string, unknown> = { model: Person, as: 'user', where: { email: given.email } }
  const below = { model: Other, as: 'notes', parent: above }
  above.include = [below]
  await run('select', Other, 'others', { include: [above] })
  const { include } = (sent as unknown[])[2] as {
    include: [{ where: unknown; include: [{ parent: unknown }] }]
  }
  expect(include[0].include[0].parent).toBe(include[0])
  expect(include[0].where).toEqual({ email_index: [INDEX] })
})

test('sequelize-last-condition-in-clear: a model without a primary key has that of the last query', async () => {
  await run('delete', null, 'people', { email: given.email }, {})
  expect(sent?.[2]).toEqual({ email_index: [INDEX] })
  const instance = { constructor: Person, dataValues: { ...given }, _previousDataValues: { ...given } }
  await run('update', instance, 'people', { name: 'x' }, { email: given.email }, {})
  expect(sent?.[3]).toEqual({ email_index: [INDEX] })
})

test('sequelize-op-col: a column that is compared with an encrypted one', async () => {
  for (const where of [{ name: { [COL]: 'email' } }, { name: { [Symbol.for('ne')]: { [COL]: 'email' } } }])
    await refused(run('bulkDelete', 'people', where, {}), /inside SQL/)
  expect(sent).toBeUndefined()
})

test('sequelize-literal-returns-ciphertexts: under any name', async () => {
  for (const row of [
    { id: 1, other: stored.email },
    { id: 1, name: stored.email },
    { id: 1, list: [stored.email] },
  ]) {
    answer = [row]
    await refused(run('select', Person, 'people', { raw: true }), /is a sealed value/)
  }
  answer = [{ id: 1, other: stored.email }]
  await refused(run('select', Other, 'others', {}), /is a sealed value/)
  answer = stored.email
  await refused(run('rawSelect', 'people', {}, 'x', Person), /is a sealed value/)
  answer = [{ ...stored, count: 1 }]
  expect(await run('rawSelect', 'people', {}, 'x', Person)).toEqual([{ ...given, count: 1 }])
})

test('sequelize-ignored-duplicates: a row of the result has its own values', async () => {
  answer = [{ ...people.seal({ id: 2, email: 'bob@example.org' }) }]
  const records = [given, { id: 2, email: 'bob@example.org' }]
  expect(await run('bulkInsert', 'people', records, { ignoreDuplicates: true })).toEqual([records[1]])
})

test('sequelize-number-in-other-digits: it is the key of no row', async () => {
  for (const id of [' 1', '01', '1.0', '1abc'])
    await refused(run('bulkUpdate', 'people', { email: 'x' }, { id }, {}), /in this spelling/)
  await run('bulkUpdate', 'people', { email: 'x' }, { id: '1' }, {})
})

test('sequelize-conflict-where-in-clear', async () => {
  const conflictWhere = { email: given.email }
  await run('upsert', 'people', { ...given }, { email: given.email }, {}, { conflictWhere })
  expect(sent?.[4]).toMatchObject({ conflictWhere: { email_index: [INDEX] } })
})
