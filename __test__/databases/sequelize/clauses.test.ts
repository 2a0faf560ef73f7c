// Conditions that Sequelize refuses, clauses of ciphertexts, and keys of rows, with a stand-in of Sequelize's query interface.
import { encryptedSequelize } from 'hardware-aes-gcm/sequelize'
import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../values/columns/tables.js'
import { type Statement, statementsTo } from './stand-in.js'

const NAMES = ['id', 'name', 'email', 'age', 'photo', 'address', 'email_index', 'age_index', 'photo_index']
const [AND, NOT, OR, EQ, IN, NE, NOT_IN] = ['and', 'not', 'or', 'eq', 'in', 'ne', 'notIn'].map(name =>
  Symbol.for(name),
) as [symbol, symbol, symbol, symbol, symbol, symbol, symbol]
const INDEX = users.lookup('email', 'ada@example.org')

/** As Sequelize's instances for SQL, which have these members. */
class Sql {
  constructor(members: object) {
    Object.assign(this, members)
  }
}
const col = (name: string) => new Sql({ col: name })
const fn = (name: string, ...args: unknown[]) => new Sql({ fn: name, args })

const model = () => ({
  name: 'User',
  tableName: 'users',
  rawAttributes: Object.fromEntries(NAMES.map(name => [name, { type: { key: 'TEXT' } }])),
  uniqueKeys: {},
  _indexes: [],
  refreshAttributes() {},
})

let sent: unknown[] | undefined
let statements: Record<string, Statement>
let User: ReturnType<typeof model>
beforeEach(() => {
  User = model()
  sent = undefined
  statements = statementsTo(async (...values) => {
    sent = values
    return []
  })
  const source = { models: { User }, getDialect: () => 'postgres', getQueryInterface: () => statements }
  encryptedSequelize(source, { User: users })
})
const run = (name: string, ...values: unknown[]) => (statements[name] as Statement)(...values)
const find = (options: object) => run('select', User, 'users', options)
const refused = async (promise: Promise<unknown>, message: RegExp) => {
  await expect(promise).rejects.toMatchObject({ name: 'TypeError', message: expect.stringMatching(message) })
  expect(sent).toBeUndefined()
}

describe('sequelize-undefined-condition: a condition is never dropped', () => {
  const asked = async (where: unknown) => {
    await find({ where })
    return (sent as [unknown, unknown, { where: unknown }])[2].where
  }

  test('undefined goes to Sequelize, which refuses it', async () => {
    for (const where of [
      { email: undefined },
      { [AND]: [{ email: undefined }] },
      { [NOT]: { email: undefined } },
    ])
      expect(await asked(where)).toStrictEqual(where)
    await run('bulkDelete', 'users', { email: undefined })
    expect(sent?.[1]).toStrictEqual({ email: undefined })
    await find({ include: [{ model: User, as: 'user', where: { email: undefined } }] })
    expect(sent?.[2]).toMatchObject({ include: [{ where: { email: undefined } }] })
  })

  test('an operator has what Sequelize accepts for it', async () => {
    for (const value of [{ [EQ]: ['a'] }, { [NE]: ['a'] }, { [IN]: 'a' }, { [NOT_IN]: 'a' }, { [OR]: [] }])
      await refused(asked({ email: value }), /an index supports values/)
    expect(await asked({ email: { [OR]: ['ada@example.org'] } })).toEqual({ email_index: INDEX })
    expect(await asked({ email: { [AND]: ['ada@example.org'] } })).toEqual({ email_index: INDEX })
    expect(await asked({ email: { [NOT]: ['ada@example.org'] } })).toEqual({
      email_index: { [NOT_IN]: INDEX },
    })
    for (const value of [undefined, { [EQ]: undefined }, [undefined]])
      await asked({ email: value }).catch(error => expect(error.message).toMatch(/must be a value/))
  })

  test('what is no plain object is not a condition', async () => {
    for (const value of [
      col('email'),
      fn('lower', col('users.email')),
      new Sql({ attribute: col('email'), logic: 'x' }),
    ])
      for (const where of [value, { [AND]: [value] }, { name: value }])
        await refused(asked(where), /inside SQL/)
    await refused(asked({ 'email.part': 'x' }), /no parts/)
    await refused(asked({ 'email::text': 'x' }), /no parts/)
    const literal = new Sql({ val: 'email IS NULL' })
    expect(await asked(literal)).toBe(literal)
  })
})

describe('sequelize-having: a clause of ciphertexts is refused', () => {
  test.each([
    ['having', { having: { email: 'x' } }],
    ['having', { having: { [OR]: [{ name: 'x' }, { email: { [NE]: 'x' } }] } }],
    ['having', { having: new Sql({ attribute: fn('max', col('email')), logic: 'x' }) }],
    ['group', { group: 'email' }],
    ['group', { group: ['name', col('email')] }],
    ['order', { order: 'email' }],
    ['order', { order: ['name', ['email', 'DESC']] }],
    ['order', { order: [[fn('lower', col('email')), 'DESC']] }],
    [
      'order',
      {
        include: [
          { model: { ...model(), tableName: 'users' }, as: 'user', order: [['user', 'email', 'ASC']] },
        ],
      },
    ],
    ['attributes', { attributes: [['email', 'mail']] }],
    ['attributes', { attributes: [fn('max', col('email'))] }],
  ])('%s of %o', async (clause, options) => {
    await refused(find(options), new RegExp(`"${clause}" has the encrypted 'email'`))
    await refused(
      run('rawSelect', 'users', options, 'x', User),
      new RegExp(`"${clause}" has the encrypted 'email'`),
    )
  })

  test('what the database can do is sent as it is', async () => {
    const options = {
      attributes: ['email', ['email', 'email'], [fn('COUNT', col('email')), 'emails'], ['name', 'other']],
      group: ['email_index', 'name'],
      having: { name: 'x' },
      order: [['name', 'DESC'], 'id', new Sql({ val: 'email' })],
    }
    await find(options)
    expect(sent?.[2]).toEqual(options)
    for (const include of [null, undefined, false]) await find({ include })
  })

  test('SQL among the values of a write', async () => {
    await refused(
      run('bulkUpdate', 'users', { name: col('email') }, { id: 'a' }, {}),
      /"values" has the encrypted 'email'/,
    )
    await refused(run('insert', null, 'users', { id: 'a', name: fn('lower', col('email')) }), /"values" has/)
    await run(
      'bulkUpdate',
      'users',
      { name: col('id'), list: ['email'], data: { email: 'x' } },
      { id: 'a' },
      {},
    )
  })
})

test('an instance that was changed is not saved under another key', async () => {
  const instance = { dataValues: { id: 'b', email: 'x' }, _previousDataValues: { id: 'a', email: 'x' } }
  await refused(run('update', instance, 'users', { id: 'b' }, { id: 'a' }), /another "id"/)
  await refused(run('update', instance, 'users', { id: 'b', email: 'y' }, {}), /another "id"/)
})

test('conditions of joins and of tables between are those on indexes', async () => {
  const include = {
    model: User,
    as: 'user',
    on: { email: 'ada@example.org' },
    through: { model: User, where: { email: 'ada@example.org' } },
  }
  await find({ include: [include] })
  expect(sent?.[2]).toMatchObject({
    include: [{ on: { email_index: INDEX }, through: { where: { email_index: INDEX } } }],
  })
})
