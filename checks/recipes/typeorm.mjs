// The recipe for TypeORM, in a project that has TypeORM and SQLite: entities whose columns are sealed in the database.
import assert from 'node:assert/strict'
import { AesGcm } from 'hardware-aes-gcm'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { DataSource, EntitySchema } from 'typeorm'
import { onlySealed, SealedColumns } from './examples/keyring/typeorm.mjs'

const User = new EntitySchema({
  name: 'User',
  tableName: 'users',
  columns: {
    id: { type: 'text', primary: true },
    name: { type: 'text' },
    email: { type: 'text', nullable: true },
  },
  checks: [{ expression: onlySealed('email') }],
})
const source = await new DataSource({ type: 'sqljs', entities: [User], synchronize: true }).initialize()
const keyring = Keyring.generate()
const old = keyring.keys[0].id
source.subscribers.push(new SealedColumns(keyring, { users: ['email'] }))
const users = source.getRepository(User)
const stored = async id => (await source.query('SELECT email FROM users WHERE id = ?', [id]))[0]?.email

const ada = await users.save({ id: 'ada', name: 'Ada', email: 'ada@example.org' })
assert.equal(ada.email, 'ada@example.org', 'the entity keeps its text')
await users.save([
  { id: 'bob', name: 'Bob', email: 'bob@example.org' },
  { id: 'cem', name: 'Cem', email: null },
])
assert.equal(keyring.keyIdOf(await stored('ada')), old)
assert.equal(await stored('cem'), null)
assert.equal((await users.findOneBy({ id: 'ada' })).email, 'ada@example.org')

// A change of the entity, and one that leaves the column as it is.
await users.save({ ...ada, email: 'ada@example.com' })
assert.equal((await users.findOneBy({ id: 'ada' })).email, 'ada@example.com')
const loaded = await users.findOneBy({ id: 'ada' })
loaded.name = 'Countess'
await users.save(loaded)
assert.equal(loaded.email, 'ada@example.com')
assert.equal((await users.findOneBy({ id: 'ada' })).email, 'ada@example.com')
assert.equal(keyring.keyIdOf(await stored('ada')), old)

// A save that fails gives the entity its text back, with and without a transaction, and the next save seals it once.
for (const options of [undefined, { transaction: false }]) {
  const dan = users.create({ id: `dan ${options?.transaction}`, name: null, email: 'dan@example.org' })
  await assert.rejects(users.save(dan, options), /NOT NULL/)
  if (options === undefined) assert.equal(dan.email, 'dan@example.org')
  dan.name = 'Dan'
  await users.save(dan, options)
  assert.equal((await users.findOneBy({ id: dan.id })).email, 'dan@example.org')
  await users.delete(dan.id)
}
await assert.rejects(users.find({ select: { email: true } }), /select it too/)

// A value that was moved to another row does not open, and no way stores clear text.
const [bobs, adas] = [await stored('bob'), await stored('ada')]
await source.query('UPDATE users SET email = ? WHERE id = ?', [adas, 'bob'])
await assert.rejects(users.findOneBy({ id: 'bob' }), { code: 'ERR_AESGCM_AUTHENTICATION_FAILED' })
await source.query('UPDATE users SET email = ? WHERE id = ?', [bobs, 'bob'])
await assert.rejects(users.save({ name: 'Eve', email: 'eve@example.org' }))
await assert.rejects(users.update({ name: 'Bob' }, { email: 'clear@example.org' }))
await assert.rejects(users.createQueryBuilder().update().set({ email: 'clear@example.org' }).execute())
assert.deepEqual([await stored('bob'), await users.count()], [bobs, 3])

// Rotation, beside TypeORM, which saves nothing where a text is the same.
keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
const { textPrefix } = keyring.keys.find(key => key.id === old)
const underOld = () => source.query('SELECT id, email FROM users WHERE substr(email, 1, 6) = ?', [textPrefix])
assert.equal((await underOld()).length, 2)
for (const { id, email } of await underOld()) {
  const renewed = keyring.rotate(email, context('users', 'email', id))
  await source.query('UPDATE users SET email = ? WHERE id = ? AND email = ?', [renewed, id, email])
}
assert.equal((await underOld()).length, 0)
assert.equal((await users.findOneBy({ id: 'bob' })).email, 'bob@example.org')
