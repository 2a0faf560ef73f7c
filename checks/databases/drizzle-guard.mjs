// Statements that guarded() refuses, and those that it passes, on the dialects of Drizzle without a database.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cached } from '../tools/cache.mjs'
import { statements } from './drizzle-statements.mjs'
import { PACKAGES } from './drizzle-tables.mjs'

const CORES = {
  postgresql: ['drizzle-orm/pg-core', 'pgTable', 'drizzle-orm/node-postgres'],
  mariadb: ['drizzle-orm/mysql-core', 'mysqlTable', 'drizzle-orm/mysql2'],
  sqlite: ['drizzle-orm/sqlite-core', 'sqliteTable', 'drizzle-orm/libsql'],
}

/** Throws unless every statement of the list of refused ones is refused, and every other one passes. Returns their number. */
export function holdGuard(
  database,
  { encryptedColumns, encryptedTable, guarded, opened, Keyring, BlindIndex },
) {
  const require = createRequire(join(cached(...PACKAGES), 'resolve.cjs'))
  const library = require('drizzle-orm')
  const [core, make, driver] = CORES[database]
  const types = require(core)
  const { customType, varchar = types.text } = types
  const columns = encryptedColumns('users', {
    keyring: Keyring.generate(),
    rowKey: ['tenant', 'id'],
    indexKey: BlindIndex.generateKey(),
    columns: { email: { type: 'text', index: 'emailIndex' }, address: 'json' },
  })
  const encrypted = encryptedTable(columns)
  const key = name => varchar(name, { length: 36 })
  const users = types[make](
    'users',
    {
      tenant: key('tenant_id'),
      id: key('id'),
      name: types.text('name'),
      email: customType(encrypted.column('email'))('email'),
      emailIndex: customType(encrypted.index('email'))('email_index'),
      address: customType(encrypted.column('address'))('address'),
    },
    table => [types.primaryKey({ columns: [table.tenant, table.id] })],
  )
  const posts = types[make]('posts', {
    id: key('id'),
    author: key('author'),
    body: customType(encrypted.column('address'))('body'),
  })
  const { relations } = library
  const one = { fields: [posts.author], references: [users.id] }
  const schema = {
    users,
    posts,
    usersRelations: relations(users, ({ many }) => ({ posts: many(posts) })),
    postsRelations: relations(posts, is => ({ author: is.one(users, one) })),
  }
  const db = guarded(require(driver).drizzle.mock({ schema, mode: 'planetscale' }))
  const given = { library, types, encrypted, opened, users, db, database }
  const { refused, passed } = statements(given)
  let count = 0
  for (const [list, isRefused] of [
    [refused, true],
    [passed, false],
  ])
    for (const [name, statement] of Object.entries(list)) {
      count++
      let error
      try {
        statement().toSQL()
      } catch (thrown) {
        error = thrown
      }
      const isRight = isRefused ? error?.code === 'ERR_INVALID_ARG_VALUE' : error === undefined
      if (!isRight) throw new Error(`${database}: ${name}: ${error ?? 'not refused'}`)
    }
  return count
}
