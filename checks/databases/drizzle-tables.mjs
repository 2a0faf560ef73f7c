// The tables of the check of Drizzle, on each database: users and their posts, with encrypted columns of every type.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cached } from '../tools/cache.mjs'
import { startMariadb, startPostgresql, startSqlite } from './servers.mjs'

export const PACKAGES = ['drizzle-orm@0.45.4', 'pg@8.23.1', 'mysql2@3.24.6', '@libsql/client@0.17.0']
const here = createRequire(import.meta.url)
export const there = () => createRequire(join(cached(...PACKAGES), 'resolve.cjs'))

const OWN = { ...here('hardware-aes-gcm/columns'), ...here('hardware-aes-gcm/keyring') }
export const normalizer = email => email.trim().toLowerCase()

/** The declarations, whose values have the key of their row, unless a fault is planted. */
export function declared(rowKey = 'id', { encryptedColumns, BlindIndex, Keyring } = OWN) {
  const [keyring, indexKey] = [Keyring.generate(), BlindIndex.generateKey()]
  return {
    users: encryptedColumns('users', {
      keyring,
      rowKey,
      indexKey,
      columns: {
        email: { type: 'text', index: 'emailIndex', normalizer },
        address: 'json',
        age: 'number',
        photo: 'bytes',
      },
    }),
    posts: encryptedColumns('posts', { keyring, rowKey, columns: { body: 'text' } }),
  }
}

export const KINDS = {
  postgresql: {
    core: 'drizzle-orm/pg-core',
    table: 'pgTable',
    start: startPostgresql,
    integer: 'integer',
    async connect(require, { url }, schema) {
      const pool = new (require('pg').Pool)({ connectionString: url })
      const db = require('drizzle-orm/node-postgres').drizzle(pool, { schema })
      return { db, run: sql => pool.query(sql), close: () => pool.end() }
    },
  },
  mariadb: {
    core: 'drizzle-orm/mysql-core',
    table: 'mysqlTable',
    start: startMariadb,
    integer: 'int',
    async connect(require, { url }, schema) {
      // Not a pool, of which Drizzle's iterators call a method that mysql2 deprecates.
      const client = await require('mysql2/promise').createConnection(url)
      // Not 'default', whose relations are LATERAL joins, which MariaDB does not have.
      const db = require('drizzle-orm/mysql2').drizzle(client, { schema, mode: 'planetscale' })
      return { db, run: sql => client.query(sql), close: () => client.end() }
    },
  },
  sqlite: {
    core: 'drizzle-orm/sqlite-core',
    table: 'sqliteTable',
    start: startSqlite,
    integer: 'integer',
    async connect(require, { url }, schema) {
      const client = require('@libsql/client').createClient({ url })
      const db = require('drizzle-orm/libsql').drizzle(client, { schema })
      return { db, run: sql => client.execute(sql), close: () => client.close() }
    },
  },
}
export const DATABASES = Object.keys(KINDS)

/** Starts a database with the two tables. `adapter` and `declarations` may have a planted fault. */
export async function prepared(database, declarations, { encryptedTable, guarded }) {
  const { core, table, start, integer, connect } = KINDS[database]
  const require = there()
  const types = require(core)
  const { relations } = require('drizzle-orm')
  const { customType, varchar = types.text } = types
  const encrypted = { users: encryptedTable(declarations.users), posts: encryptedTable(declarations.posts) }
  const type = name => customType(encrypted.users.column(name))
  const users = types[table]('users', {
    id: varchar('id', { length: 36 }).primaryKey(),
    name: types.text('name'),
    email: type('email')('email'),
    emailIndex: customType(encrypted.users.index('email'))('email_index'),
    address: type('address')('address'),
    age: type('age')('age'),
    photo: type('photo')('photo'),
  })
  const posts = types[table]('posts', {
    id: types[integer === 'int' ? 'int' : 'integer']('id').primaryKey(),
    author: varchar('author', { length: 36 }),
    body: customType(encrypted.posts.column('body'))('body'),
  })
  const usersRelations = relations(users, ({ many }) => ({ posts: many(posts) }))
  const postsRelations = relations(posts, ({ one }) => ({
    author: one(users, { fields: [posts.author], references: [users.id] }),
  }))
  const schema = { users, posts, usersRelations, postsRelations }
  const server = await start()
  const connection = await connect(require, server, schema)
  for (const sql of tablesOf(database, declarations, integer)) await connection.run(sql)
  return {
    ...{ ...connection, database, dump: server.dump, declarations, encrypted, users, posts },
    db: guarded(connection.db),
    drizzle: require('drizzle-orm'),
    alias: types.alias,
    async stop() {
      await connection.close()
      await server.stop()
    },
  }
}

/** The tables in SQL. The database refuses clear text, too. */
function tablesOf(database, { users, posts }, integer) {
  const check = (table, name) => `${name} TEXT CHECK (${table.condition(name, database)})`
  const encrypted = ['email', 'address', 'age', 'photo'].map(name => check(users, name))
  return [
    `CREATE TABLE users (id VARCHAR(36) PRIMARY KEY, name TEXT, ${encrypted.join(', ')}, email_index VARCHAR(22))`,
    `CREATE TABLE posts (id ${integer} PRIMARY KEY, author VARCHAR(36), ${check(posts, 'body')})`,
  ]
}
