// Compiles against Drizzle's own types, for each of its dialects. What is marked as an error must not compile. drizzle.mjs compiles it.
import { eq, inArray, relations, sql } from 'drizzle-orm'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { mysqlTable, customType as mysqlType, varchar } from 'drizzle-orm/mysql-core'
import type { MySql2Database } from 'drizzle-orm/mysql2'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { alias, pgTable, text as pgText, customType as pgType } from 'drizzle-orm/pg-core'
import { sqliteTable, text as sqliteText, customType as sqliteType } from 'drizzle-orm/sqlite-core'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedTable, type Index, opened, type Sealed } from 'hardware-aes-gcm/drizzle'
import type { Keyring } from 'hardware-aes-gcm/keyring'

interface Address {
  city: string
}
declare const keyring: Keyring
const columns = encryptedColumns('users', {
  keyring,
  rowKey: 'id',
  columns: { email: { type: 'text', index: 'emailIndex' }, address: 'json', age: 'number', photo: 'bytes' },
})
const encrypted = encryptedTable(columns)
const terms = encrypted.lookup('email', 'ada@example.org')

const users = pgTable('users', {
  id: pgText().primaryKey(),
  email: pgType<{ data: Sealed<string> }>(encrypted.column('email'))().notNull(),
  emailIndex: pgType<{ data: Index }>(encrypted.index('email'))('email_index').notNull().unique(),
  address: pgType<{ data: Sealed<Address> }>(encrypted.column('address'))(),
  age: pgType<{ data: Sealed<number> }>(encrypted.column('age'))(),
  photo: pgType<{ data: Sealed<Buffer> }>(encrypted.column('photo'))(),
  parentId: pgText(),
})
const usersRelations = relations(users, ({ one, many }) => ({
  parent: one(users, { fields: [users.parentId], references: [users.id], relationName: 'family' }),
  children: many(users, { relationName: 'family' }),
}))

export async function postgresql(
  db: NodePgDatabase<{ users: typeof users; usersRelations: typeof usersRelations }>,
) {
  const row = { id: '1', email: 'a', address: { city: 'b' }, age: 7, photo: Buffer.of(1) }
  await db.insert(users).values(encrypted.seal(row))
  await db.insert(users).values(encrypted.seal([row, { ...row, address: null }]))
  const set = encrypted.seal({ id: '1', email: 'a' })
  await db.insert(users).values(set).onConflictDoUpdate({ target: users.id, set })
  const [updated] = opened(
    await db.update(users).set(set).where(inArray(users.emailIndex, terms)).returning(),
  )
  const email: string | undefined = updated?.email
  const photo: Buffer | null | undefined = updated?.photo
  const age: number | null | undefined = updated?.age
  const parent = alias(users, 'parent')
  const joined = opened(await db.select().from(users).leftJoin(parent, eq(users.parentId, parent.id)))
  const city: string | undefined = joined[0]?.parent?.address?.city
  const found = opened(await db.query.users.findFirst({ with: { children: { with: { parent: true } } } }))
  const child: string | undefined = found?.children[0]?.parent?.email
  const wrong = async () => {
    // @ts-expect-error a string is not sealed
    await db.insert(users).values({ id: '1', email: 'a', emailIndex: set.emailIndex })
    // @ts-expect-error a string is no index
    await db.insert(users).values({ id: '1', email: set.email, emailIndex: 'a' })
    // @ts-expect-error a string is not sealed
    await db.update(users).set({ email: 'a' })
    // @ts-expect-error a string is not sealed
    eq(users.email, 'a')
    // @ts-expect-error a string is no index
    inArray(users.emailIndex, ['a'])
    // @ts-expect-error an index is no value
    await db.insert(users).values({ ...set, email: set.emailIndex })
    // @ts-expect-error a value of another type
    encrypted.seal({ id: '1', age: 'a' })
    // @ts-expect-error a row without its key
    encrypted.seal({ email: 'a' })
    // @ts-expect-error an expression
    encrypted.seal({ id: '1', email: sql`a` })
    // @ts-expect-error the type of the column is not stated
    pgType(encrypted.column('email'))
    // @ts-expect-error a string, which a column of this type does not contain
    pgType<{ data: string }>(encrypted.column('email'))
    // @ts-expect-error no such column
    encrypted.column('emial')
    // @ts-expect-error a column without an index
    encrypted.lookup('age', 7)
    // @ts-expect-error a value that was not opened is no string
    const not: string | undefined = (await db.select().from(users))[0]?.email
    return not
  }
  return [email, photo, age, city, child, wrong]
}

const people = mysqlTable('users', {
  id: varchar({ length: 36 }).primaryKey(),
  email: mysqlType<{ data: Sealed<string> }>(encrypted.column('email', 'varchar(400)'))().notNull(),
  emailIndex: mysqlType<{ data: Index }>(encrypted.index('email'))('email_index').notNull(),
})
export async function mysql(db: MySql2Database) {
  const set = encrypted.seal({ id: '1', email: 'a' })
  await db.insert(people).values(set).onDuplicateKeyUpdate({ set })
  for await (const row of await db.select().from(people).iterator()) {
    const email: string = opened(row).email
    if (email === '') return
  }
}

const persons = sqliteTable('users', {
  id: sqliteText().primaryKey(),
  email: sqliteType<{ data: Sealed<string> }>(encrypted.column('email'))(),
  emailIndex: sqliteType<{ data: Index }>(encrypted.index('email'))('email_index'),
})
export async function sqlite(db: LibSQLDatabase): Promise<string | null | undefined> {
  const insert = db.insert(persons).values(encrypted.seal({ id: '1', email: 'a' }))
  await db.batch([insert, db.select().from(persons)])
  return opened(await db.select().from(persons).get())?.email
}
