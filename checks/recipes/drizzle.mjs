// The recipe for Drizzle, in a project that has Drizzle and SQLite: a column that is sealed, read, rotated and counted.
import assert from 'node:assert/strict'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sql-js'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { AesGcm } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import initSqlJs from 'sql.js'
import { Cells, sealedText } from './examples/keyring/drizzle.mjs'

const { Database } = await initSqlJs()
const db = drizzle(new Database())
db.run(sql`CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT, phone TEXT)`)
const users = sqliteTable('users', { id: text().primaryKey(), email: sealedText(), phone: sealedText() })

const keyring = Keyring.generate()
const cells = new Cells(keyring)
const old = keyring.keys[0].id
for (const id of ['ada', 'bob']) {
  const email = cells.seal(users.email, id, `${id}@example.org`)
  db.insert(users)
    .values({ id, email, phone: cells.seal(users.phone, id, '555') })
    .run()
}

const rowOf = id => db.select().from(users).where(eq(users.id, id)).get()
const ada = rowOf('ada')
assert.equal(cells.open(users.email, 'ada', ada.email), 'ada@example.org')
const forged = { code: 'ERR_AESGCM_AUTHENTICATION_FAILED' }
assert.throws(() => cells.open(users.email, 'bob', ada.email), forged, 'another row')
assert.throws(() => cells.open(users.phone, 'ada', ada.email), forged, 'another column')
for (const clear of ['eve@example.org', '', 'AQAA', 17]) {
  assert.throws(() => db.insert(users).values({ id: 'eve', email: clear }).run(), 'not sealed')
}
assert.equal(rowOf('eve'), undefined)

keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
for (const { id, email } of db.select().from(users).all()) {
  const renewed = cells.seal(users.email, id, cells.open(users.email, id, email))
  db.update(users).set({ email: renewed }).where(eq(users.id, id)).run()
}
const { textPrefix } = keyring.keys.find(key => key.id === old)
const countOf = column =>
  db.select({ rows: sql`count(*)` }).from(users).where(sql`substr(${column}, 1, 6) = ${textPrefix}`).get()
    .rows
assert.deepEqual([countOf(users.email), countOf(users.phone)], [0, 2])
assert.equal(cells.open(users.email, 'bob', rowOf('bob').email), 'bob@example.org')
