// Statements of Sequelize with instances, includes, fields of other names and conflicts, with a stand-in of its query interface.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedSequelize } from 'hardware-aes-gcm/sequelize'
import { beforeEach, describe, expect, test } from 'vitest'
import { keyring, users } from '../../values/columns/tables.js'
import { type Statement, statementsTo } from './stand-in.js'

type Row = Record<string, unknown>

class AnyType {
  readonly key: string = 'ANY'
  readonly options: object = { length: 1 }

  toSql() {
    return 'ANY'
  }

  validate(value: unknown) {
    if (typeof value !== 'string') throw new Error('not a string')
    return true
  }
}
class Text extends AnyType {
  override readonly key = 'TEXT'

  override toSql() {
    return 'MEDIUMTEXT'
  }
}

/** Attributes by their columns: some have another name. */
const NAMES = { id: 'key', email: 'mail', email_index: 'mailIndex' } as Record<string, string>
const COLUMNS = ['id', 'name', 'email', 'age', 'photo', 'address', 'email_index', 'age_index', 'photo_index']

const modelOf = (name: string, tableName: string, columns: readonly string[]) => ({
  name,
  tableName,
  rawAttributes: Object.fromEntries(
    columns.map(field => [NAMES[field] ?? field, { field, type: new Text() as AnyType }]),
  ),
  uniqueKeys: {} as Record<string, object>,
  _indexes: [] as { unique: boolean }[],
  refreshAttributes() {},
})

const pairs = encryptedColumns('pairs', { keyring, rowKey: ['tenant', 'id'], columns: { note: 'text' } })
const given = { id: 'a', email: 'Ada@example.org', age: 36, photo: Buffer.of(1), address: { city: 'x' } }
const stored = users.seal(given) as Row
/** As the attributes of an instance. */
const named = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [NAMES[name] ?? name, value]))
const instanceOf = (row: Row) => ({ dataValues: named(row), _previousDataValues: named(row) })
const clear = named(given)

let sent: unknown[]
let answer: unknown
let statements: Record<string, Statement> & { queryGenerator?: { dialect: string } }
let User: ReturnType<typeof modelOf>
let Pair: ReturnType<typeof modelOf>
const Other = modelOf('Other', 'others', ['id', 'email'])
const source = (change = {}) => ({
  models: { User, Pair, Other },
  getDialect: () => 'postgres',
  getQueryInterface: () => statements,
  ...change,
})
beforeEach(() => {
  User = modelOf('User', 'users', COLUMNS)
  Pair = modelOf('Pair', 'pairs', ['tenant', 'id', 'note'])
  const send: Statement = async (...values) => {
    sent = values
    return typeof answer === 'function' ? answer() : answer
  }
  statements = statementsTo(send)
  answer = undefined
  sent = []
  encryptedSequelize(source() as never, { User: users, Pair: pairs })
})
const run = (name: string, ...values: unknown[]) => (statements[name] as Statement)(...values)
const refused = (promise: Promise<unknown>, message: RegExp) =>
  expect(promise).rejects.toMatchObject({ name: 'TypeError', message: expect.stringMatching(message) })
const [EQ, NE, AND] = ['eq', 'ne', 'and'].map(name => Symbol.for(name)) as [symbol, symbol, symbol]

test('a row with all declared columns is sealed, and one with none needs no key', async () => {
  await run('insert', null, 'users', given)
  expect(users.open(sent[2] as Row)).toEqual(given)
  expect(Object.values(sent[2] as Row)).not.toContain('Ada@example.org')
  await run('insert', null, 'users', { name: 'x' })
  expect(sent[2]).toEqual({ name: 'x' })
})

describe('an instance has its values again', () => {
  const returned = async (write: (instance: ReturnType<typeof instanceOf>) => Promise<unknown>) => {
    const instance = instanceOf(given)
    answer = () => {
      // As RETURNING does.
      Object.assign(instance.dataValues, named(stored))
      Object.assign(instance._previousDataValues, named(stored))
      return [instance, true]
    }
    await write(instance)
    expect(instance).toEqual({ dataValues: clear, _previousDataValues: clear })
  }

  test('after an insert', () => returned(instance => run('insert', instance, 'users', given)))
  test('after an update, whose key is an attribute of another name', async () => {
    await returned(instance => run('update', instance, 'users', { email: given.email }, {}))
    expect(users.open({ id: 'a', ...(sent[2] as Row) })).toEqual({ id: 'a', email: given.email })
  })
  test('after an upsert', () =>
    returned(instance => run('upsert', 'users', given, { email: 1 }, {}, { instance })))
  test('with what it did not have', async () => {
    const instance = instanceOf({ id: 'a' })
    answer = () => void Object.assign(instance.dataValues, named(stored))
    await run('update', instance, 'users', { age: 36 }, {})
    expect(instance.dataValues).toEqual(clear)
  })
  test('unless an upsert returns none', async () => {
    for (const result of [[null, true], undefined, [true]]) {
      answer = result
      await run('upsert', 'users', given, { email: 1 }, {}, {})
      expect(sent[2]).toMatchObject({ email: expect.stringMatching(/^AQ?/), email_index: stored.email_index })
    }
  })
})

describe('results', () => {
  test('of instances, with their includes', async () => {
    const own = instanceOf(stored)
    const other = { dataValues: { writer: instanceOf(stored), list: [instanceOf(stored), null] } as Row }
    answer = [own, null]
    await run('select', User, 'users', {})
    expect(own).toEqual({ dataValues: clear, _previousDataValues: clear })
    answer = [other]
    const include = [
      { model: User, as: 'writer' },
      { model: User, as: 'list' },
    ]
    await run('select', Other, 'others', { include })
    expect(other.dataValues).toEqual({
      writer: { dataValues: clear, _previousDataValues: clear },
      list: [{ dataValues: clear, _previousDataValues: clear }, null],
    })
  })

  test('of rows: raw ones, even with a column called dataValues', async () => {
    const row = { ...named(stored), dataValues: 'x' }
    answer = [row]
    await run('select', User, 'users', { raw: true })
    expect(row).toEqual({ ...clear, dataValues: 'x' })
    const others = [{ id: 1, email: 'of another table' }]
    answer = others
    await run('select', Other, 'others', { raw: true, include: [{ model: Other, as: 'x' }] })
    expect(others).toEqual([{ id: 1, email: 'of another table' }])
    answer = others
    await refused(
      run('select', Other, 'others', { raw: true, include: [{ model: User, as: 'x' }] }),
      /"raw" with an include of "Other" is not opened/,
    )
  })

  test('of a bulk insert and of a bulk update', async () => {
    answer = [{ ...stored, id: 'a' }, null]
    expect(await run('bulkInsert', 'users', [given, given])).toEqual([given, null])
    answer = [{ id: 'a', email: stored.email, age: stored.age }, 7]
    expect(await run('bulkInsert', 'users', [{ id: 'a', email: 'x' }])).toEqual([
      { id: 'a', email: 'x', age: null },
      7,
    ])
    const instance = instanceOf(stored)
    answer = [1, [instance, named(stored)]]
    expect(await run('bulkUpdate', 'users', { age: 1 }, { id: 'a' }, {})).toEqual([1, [instance, clear]])
    expect(instance.dataValues).toEqual(clear)
  })
})

describe('the row of a bulk update', () => {
  test.each([
    { id: 'a' },
    { id: ['a'] },
    { id: { [EQ]: 'a' } },
    { [AND]: [{ name: 'x' }, { id: 'a' }] },
    { [AND]: [{ [AND]: [{ id: { [EQ]: 'a' } }] }, { name: 'x' }] },
  ])('is named by a condition: %#', async where => {
    await run('bulkUpdate', 'users', { email: 'x' }, where, {})
    expect(users.open({ id: 'a', ...(sent[1] as { email: string }) }).email).toBe('x')
  })
  test.each([
    undefined,
    {},
    { name: 'a' },
    { id: { [NE]: 'a' } },
    { id: ['a', 'b'] },
    { id: [] },
    { [AND]: { id: 'a' } },
    { [AND]: [{ name: 'a' }] },
  ])('is not, and nothing is sent: %#', async where => {
    await refused(run('bulkUpdate', 'users', { email: 'x' }, where, {}), /without "id"|where/)
    expect(sent).toEqual([])
  })
})

describe('an upsert', () => {
  const upsert = (table: string, row: Row, options = {}) => run('upsert', table, row, row, {}, options)

  test('names the key as the conflict, in any order, and no part of it', async () => {
    const row = { tenant: 't', id: 'a', note: 'x' }
    await upsert('pairs', row)
    expect((sent[4] as { conflictFields: string[] }).conflictFields).toEqual(['tenant', 'id'])
    await upsert('pairs', row, { conflictFields: ['id', 'tenant'] })
    for (const conflictFields of [['id'], ['tenant', 'name'], ['tenant', 'id', 'name']])
      await refused(upsert('pairs', row, { conflictFields }), /cannot be upserted/)
  })

  test.each(['mysql', 'mariadb'])('%s chooses by any unique key, so there may be no other', async dialect => {
    statements.queryGenerator = { dialect }
    await upsert('users', given)
    User._indexes.push({ unique: false })
    await upsert('users', given)
    User._indexes.push({ unique: true })
    await refused(upsert('users', given), /cannot be upserted/)
    User._indexes = []
    User.uniqueKeys.name = {}
    await refused(upsert('users', given), /cannot be upserted/)
  })
})

test('attributes accept values of the declared types, with the type in SQL of the model', () => {
  const type = User.rawAttributes.mail?.type as AnyType
  expect([type instanceof AnyType, type instanceof Text, type.key, type.options]).toEqual([
    true,
    false,
    'ENCRYPTED',
    {},
  ])
  expect([type.toSql(), type.validate(7)]).toEqual(['MEDIUMTEXT', true])
  expect(User.rawAttributes.name?.type).toBeInstanceOf(Text)
})

test('four dialects, and nothing but an instance', () => {
  const build = (change: object) => () => encryptedSequelize(source(change) as never, { User: users })
  for (const dialect of ['postgres', 'mysql', 'mariadb', 'sqlite']) {
    User = modelOf('User', 'users', COLUMNS)
    expect(build({ getDialect: () => dialect })).not.toThrow()
  }
  for (const change of [{ models: undefined }, { getQueryInterface: undefined }, { getDialect: undefined }])
    expect(build(change)).toThrow('"sequelize" must be an instance of Sequelize')
})
