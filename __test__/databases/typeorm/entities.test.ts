// Entities in TypeORM: what is sealed, opened and refused, with a stand-in of its DataSource.
import { inspect } from 'node:util'
import { NotSealedError } from 'hardware-aes-gcm/columns'
import { encryptedEntities } from 'hardware-aes-gcm/typeorm'
import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../values/columns/tables.js'
import { Column, Metadata, Source } from './source.js'

const columns = () => [
  new Column('id', { isPrimary: true }),
  new Column('name'),
  new Column('email'),
  new Column('emailIndex', { databaseName: 'email_index' }),
  new Column('age'),
  new Column('ageIndex', { databaseName: 'age_index' }),
  new Column('photo'),
  new Column('photoIndex', { databaseName: 'photo_index' }),
  new Column('address'),
]
const entity = () => ({ id: 'a', name: 'Ada', email: 'Ada@example.org', age: 36, address: { city: 'x' } })
const INDEX = users.lookup('email', 'ada@example.org')

let source: Source
let user: Metadata
beforeEach(async () => {
  source = encryptedEntities(new Source(() => [new Metadata('User', 'users', columns())]), { User: users })
  await source.initialize()
  user = source.entityMetadatas[0] as Metadata
})

test('an entity is sealed for its row, keeps its values, and is opened', async () => {
  const given = entity()
  const stored = source.write('Insert', user, given)
  expect(given).toEqual(entity())
  expect(stored).toMatchObject({ id: 'a', name: 'Ada', emailIndex: INDEX[0] })
  expect(users.open({ id: 'a', email: stored.email })).toEqual({ id: 'a', email: 'Ada@example.org' })
  expect(await source.load(user, stored)).toEqual(entity())
  await expect(source.load(user, { ...stored, id: 'b' })).rejects.toThrow(
    expect.objectContaining({ code: 'ERR_AESGCM_AUTHENTICATION_FAILED', column: 'email' }),
  )
  await expect(source.load(user, { ...stored, email: 'clear' })).rejects.toThrow(NotSealedError)
})

test('what did not change is not sealed anew, and null stays null', () => {
  const changed = { ...entity(), name: 'Countess', email: null }
  const stored = source.write('Update', user, { id: 'a', email: null }, { databaseEntity: entity() })
  expect(stored).toEqual({ id: 'a', email: null, emailIndex: null })
  const same: Record<string, unknown> = { ...changed, email: 'Ada@example.org' }
  const markers: unknown[] = []
  const between = () => markers.push(same.email, same.address)
  expect(() => source.write('Update', user, same, { databaseEntity: entity(), between })).toThrow(
    /not sealed/,
  )
  expect(markers).toEqual(['Ada@example.org', { city: 'x' }])
})

test('equal bytes, and null for null, are no change; a write without encrypted values passes', () => {
  const photo = Buffer.of(1, 2)
  const given: Record<string, unknown> = { id: 'a', email: null, photo, name: 'x' }
  let during: unknown[] = []
  const between = () => {
    during = [given.email, given.photo]
    given.photo = undefined
  }
  const databaseEntity = { id: 'a', email: null, photo: Buffer.from(photo) }
  const stored = source.write('Update', user, given, { databaseEntity, between })
  expect(during).toEqual([null, photo])
  expect(stored).toEqual({ id: 'a', email: null, emailIndex: null, name: 'x' })
  expect(source.write('Update', user, { id: 'a', name: 'y' })).toEqual({ id: 'a', name: 'y' })
})

test('an index is null where its column is, so a row without a value is saved again', () => {
  const index = user.column('emailIndex')
  const valueIn = (given: object) => index.getEntityValue(given as Record<string, unknown>)
  expect([{ email: null }, { email: null, emailIndex: null }].map(valueIn)).toEqual([null, null])
  expect([{ email: 'x', emailIndex: null }, {}].map(valueIn)).toEqual([undefined, undefined])
})

describe('what was not sealed is refused', () => {
  const refused = (run: () => unknown, message: RegExp) =>
    expect(run).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: expect.stringMatching(/^ERR_INVALID_ARG_(TYPE|VALUE)$/),
        message: expect.stringMatching(message),
      }),
    )

  test('with listeners off', () => {
    refused(() => source.write('Insert', user, entity(), { listeners: false }), /"email" was not sealed/)
    refused(() => source.write('Insert', user, { id: 'a', emailIndex: 'x' }), /the index of "email"/)
    const none = { id: 'a', email: null, emailIndex: null }
    expect(source.write('Update', user, none, { listeners: false })).toEqual(none)
  })

  test('without the key of the row', () => {
    refused(() => source.write('Insert', user, { email: 'x' }), /without "id".*make it before you save/)
    refused(() => source.write('Update', user, { email: 'x' }), /without "id".*add the key to the values/)
  })

  test('a value of another type, such as SQL', () => {
    refused(() => source.write('Update', user, { id: 'a', email: () => 'x' }), /must be a string/)
    refused(() => source.write('Update', user, { id: 'a', address: new Date() }), /Date/)
  })
})

describe('a write that fails', () => {
  const failing = () => {
    throw new Error('of another listener')
  }

  test('the entity has its values after the transaction is rolled back', () => {
    const given = entity()
    expect(() => source.write('Insert', user, given, { between: failing })).toThrow('of another listener')
    source.rollback()
    expect(given).toEqual(entity())
  })

  test('without a transaction, the next write restores it, for the row that it then is of', async () => {
    const given = entity()
    expect(() => source.write('Insert', user, given, { between: failing })).toThrow('of another listener')
    expect(inspect(given)).not.toContain('example.org')
    given.id = 'b'
    const stored = source.write('Insert', user, given)
    expect(given).toEqual({ ...entity(), id: 'b' })
    expect(await source.load(user, stored)).toEqual({ ...entity(), id: 'b' })
  })

  test('what the program sets meanwhile stays', () => {
    for (const value of ['new', null]) {
      const given: Record<string, unknown> = entity()
      const between = () => {
        given.email = value
      }
      const write = () => source.write('Insert', user, given, { between })
      if (value === null) write()
      else expect(write).toThrow(/not sealed/)
      source.rollback()
      expect(given).toEqual({ ...entity(), email: value })
    }
  })

  test('all entities of a connection are restored when one cannot be sealed', () => {
    const given = entity()
    const next = () => source.write('Insert', user, { email: 'without a key' })
    expect(() => source.write('Insert', user, given, { between: next })).toThrow(/without "id"/)
    expect(given).toEqual(entity())
  })
})

test('an object in two writes at once is sealed once', async () => {
  const given = entity()
  let inner: Record<string, unknown> = {}
  const between = () => {
    inner = source.write('Insert', user, given, { between: () => {} })
  }
  expect(() => source.write('Insert', user, given, { between })).toThrow(/not sealed/)
  expect(given).toEqual(entity())
  expect(await source.load(user, inner)).toEqual(entity())
})

test('an object in two writes whose statements follow has one value, until both have read it', () => {
  const given: Record<string, unknown> = entity()
  const event = { entity: given, metadata: user, queryRunner: source.queryRunner }
  const [subscriber] = source.subscribers
  subscriber?.beforeInsert(event)
  const { email: sealed, emailIndex: index } = given
  subscriber?.beforeInsert(event)
  expect([given.email, given.emailIndex]).toEqual([sealed, index])
  const send = () =>
    source.driver.escapeQueryWithParameters('INSERT', { a: given.email, b: given.emailIndex })[1]
  const [email, emailIndex] = send()
  expect(given.email).toBe(sealed)
  expect(send()).toEqual([email, emailIndex])
  expect(given.email).toBe('Ada@example.org')
  expect(emailIndex).toBe(INDEX[0])
  expect(users.open({ id: 'a', email }).email).toBe('Ada@example.org')
})

describe('mistakes', () => {
  const mistake = async (change: (all: Column[]) => unknown, message: RegExp) => {
    const all = columns()
    change(all)
    const other = encryptedEntities(new Source(() => [new Metadata('User', 'users', all)]), { User: users })
    await expect(other.initialize()).rejects.toThrow(message)
  }

  test('in the arguments', async () => {
    const build = (given: unknown, entities: unknown) => () =>
      encryptedEntities(given as Source, entities as Record<string, never>)
    expect(build({}, { User: users })).toThrow('"source" must be a DataSource of TypeORM')
    expect(build(null, { User: users })).toThrow('"source" must be a DataSource of TypeORM')
    expect(build(new Source(() => [], { type: 'oracle' }), { User: users })).toThrow(/one of the types/)
    expect(build(new Source(() => []), {})).toThrow(/must have an entity/)
    expect(build(new Source(() => []), { User: {} })).toThrow(
      /"entities.User" must be what encryptedColumns returns/,
    )
    const none = encryptedEntities(new Source(() => []), { User: users })
    await expect(none.initialize()).rejects.toThrow(/"entities.User" must be one of/)
  })

  test('in the columns', async () => {
    await mistake(all => all.splice(2, 1), /must have a column that is 'email' in the database/)
    await mistake(all => all.splice(3, 1), /must have a column that is 'email_index'/)
    const email = (change: Partial<Column>) => (all: Column[]) => Object.assign(all[2] as Column, change)
    await mistake(email({ type: 'jsonb' }), /must be a column of strings/)
    await mistake(email({ isArray: true }), /must be a column of strings/)
    await mistake(email({ default: "'x'" }), /must have no default/)
    await mistake(email({ isPrimary: true }), /not be a primary or foreign key/)
    await mistake(email({ transformer: { to: String, from: String } }), /must have no transformer/)
    const counted = { isGenerated: true, generationStrategy: 'increment' }
    await mistake(all => Object.assign(all[0] as Column, counted), /made by the database/)
  })
})

test('a key that TypeORM would make is made before the seal', async () => {
  const generated = { isGenerated: true, generationStrategy: 'uuid' }
  const all = () =>
    columns().map(column => (column.propertyPath === 'id' ? Object.assign(column, generated) : column))
  const other = encryptedEntities(new Source(() => [new Metadata('User', 'users', all())]), { User: users })
  await other.initialize()
  const [metadata] = other.entityMetadatas as [Metadata]
  const { id: _, ...given } = entity()
  const stored = other.write('Insert', metadata, given)
  expect(await other.load(metadata, stored)).toEqual({ ...given, id: stored.id })
})

test('a second call for other entities does not end the first one', async () => {
  const both = new Source(() => ['User', 'Login'].map(name => new Metadata(name, name, columns())))
  await encryptedEntities(encryptedEntities(both, { User: users }), { Login: users }).initialize()
  for (const metadata of both.entityMetadatas)
    expect(await both.load(metadata, both.write('Insert', metadata, entity()))).toEqual(entity())
})

test('an entity of the same table is encrypted too, and a later initialization keeps all', async () => {
  const metadata = () => [
    new Metadata('User', 'users', columns()),
    new Metadata('Login', 'users', columns().slice(0, 4)),
    new Metadata('Note', 'notes', columns()),
  ]
  const other = encryptedEntities(new Source(metadata), { User: users })
  for (let i = 0; i < 2; i++) {
    await other.initialize()
    const [, login, note] = other.entityMetadatas as [Metadata, Metadata, Metadata]
    expect(other.write('Insert', login, { id: 'a', email: 'x' }).email).toMatch(/^A[Q-Za-f]/)
    expect(other.write('Insert', note, { id: 'a', email: 'x' }).email).toBe('x')
  }
})
