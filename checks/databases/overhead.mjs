// Prints what each adapter adds to a row, beside the library alone. It runs only if it is named.
//
// A list of rows with two encrypted columns is written and read on PostgreSQL, with the adapter, and without it as the sealed strings.
// Both sides take turns, and the difference of their times is the adapter's.
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedTable, opened } from 'hardware-aes-gcm/drizzle'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { encryptedModels } from 'hardware-aes-gcm/prisma'
import { encryptedSequelize } from 'hardware-aes-gcm/sequelize'
import { encryptedEntities } from 'hardware-aes-gcm/typeorm'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'
import { clientOf } from './prisma-client.mjs'
import { startPostgresql } from './servers.mjs'

const ROWS = 1000
const [ROUNDS, WHOLE] = [10, 40]
const SQL = 'id text PRIMARY KEY, name text NOT NULL, email text NOT NULL, address text NOT NULL'
const columns = { email: 'text', address: 'text' }
const users = encryptedColumns('users', { keyring: Keyring.generate(), rowKey: 'id', columns })

/** For each library, the two sides: how to write rows, read them, and end. `users` is the adapter's table, `plain` the other. */
const LIBRARIES = {
  async prisma(url) {
    mkdirSync(join(root, 'target'), { recursive: true })
    const folder = mkdtempSync(join(root, 'target/overhead-'))
    const fields = 'id String @id\n name String\n email String\n address String'
    const model = (name, table) => `model ${name} {\n ${fields}\n @@map("${table}")\n}\n`
    const { connect } = await clientOf(folder, model('User', 'users') + model('Plain', 'plain'))
    const client = connect(url)
    const { user } = client.$extends(encryptedModels({ User: users }))
    return {
      adapter: { write: data => user.createMany({ data }), read: () => user.findMany() },
      alone: { write: data => client.plain.createMany({ data }), read: () => client.plain.findMany() },
      async end() {
        await client.$disconnect()
        rmSync(folder, { recursive: true })
      },
    }
  },
  drizzle(url) {
    const require = createRequire(
      join(cached('drizzle-orm@0.45.4', 'pg@8.23.1', 'mysql2@3.24.6', '@libsql/client@0.17.0'), 'x.cjs'),
    )
    const { customType, pgTable, text } = require('drizzle-orm/pg-core')
    const encrypted = encryptedTable(users)
    const table = (name, type) =>
      pgTable(name, { id: text().primaryKey(), name: text(), email: type('email'), address: type('address') })
    const own = table('users', name => customType(encrypted.column(name))())
    const plain = table('plain', () => text())
    const pool = new (require('pg').Pool)({ connectionString: url })
    const db = require('drizzle-orm/node-postgres').drizzle(pool)
    return {
      adapter: {
        write: rows => db.insert(own).values(encrypted.seal(rows)),
        read: async () => opened(await db.select().from(own)),
      },
      alone: { write: rows => db.insert(plain).values(rows), read: () => db.select().from(plain) },
      end: () => pool.end(),
    }
  },
  async typeorm(url) {
    const require = createRequire(
      join(
        cached('typeorm@1.1.1', 'pg@8.23.1', 'mysql2@3.24.6', 'sql.js@1.16.0', 'reflect-metadata@0.2.2'),
        'x.cjs',
      ),
    )
    await import(pathToFileURL(require.resolve('reflect-metadata')))
    const { DataSource, EntitySchema } = require('typeorm')
    const text = { type: 'text' }
    const entity = (name, tableName) =>
      new EntitySchema({
        name,
        tableName,
        columns: { id: { ...text, primary: true }, name: text, email: text, address: text },
      })
    const entities = [entity('User', 'users'), entity('Plain', 'plain')]
    const source = encryptedEntities(new DataSource({ type: 'postgres', url, entities }), { User: users })
    await source.initialize()
    const side = repository => ({ write: rows => repository.insert(rows), read: () => repository.find() })
    return {
      adapter: side(source.getRepository('User')),
      alone: side(source.getRepository('Plain')),
      end: () => source.destroy(),
    }
  },
  sequelize(url) {
    const require = createRequire(join(cached('sequelize@6.37.8', 'pg@8.23.1', 'mysql2@3.24.6'), 'x.cjs'))
    const { DataTypes, Sequelize } = require('sequelize')
    const db = new Sequelize(url, { logging: false })
    const { TEXT } = DataTypes
    const attributes = () => ({
      id: { type: TEXT, primaryKey: true },
      name: TEXT,
      email: TEXT,
      address: TEXT,
    })
    const model = (name, tableName) => db.define(name, attributes(), { tableName, timestamps: false })
    const [User, Plain] = [model('User', 'users'), model('Plain', 'plain')]
    encryptedSequelize(db, { User: users })
    const side = one => ({ write: rows => one.bulkCreate(rows), read: () => one.findAll() })
    return { adapter: side(User), alone: side(Plain), end: () => db.close() }
  },
}

export async function* prove({ whole }) {
  const rounds = whole ? WHOLE : ROUNDS
  const server = await startPostgresql()
  const { Client } = createRequire(join(cached('pg@8.23.1', 'mysql2@3.24.6'), 'x.cjs'))('pg')
  const client = new Client({ connectionString: server.url })
  await client.connect()
  try {
    for (const table of ['users', 'plain']) await client.query(`CREATE TABLE ${table} (${SQL})`)
    yield `the library alone: ${alone(rounds)}`
    for (const [name, open] of Object.entries(LIBRARIES)) {
      const library = await open(server.url)
      yield `${name}: ${await measure(library, rounds, () => client.query('TRUNCATE users, plain'))}`
      await library.end()
    }
  } finally {
    await client.end()
    await server.stop()
  }
}

/** Rows in clear, and as they are sealed. */
function people() {
  const clear = Array.from({ length: ROWS }, (_, i) => ({
    id: randomUUID(),
    name: 'Ada',
    email: `ada${i}@example.org`,
    address: `Dorset Street ${i}, London`,
  }))
  return { clear, sealed: clear.map(row => users.seal(row)) }
}

function alone(rounds) {
  const times = { write: [], read: [] }
  for (let i = 0; i < 5 * rounds; i++) {
    const { clear } = people()
    let sealed
    times.write.push(
      timed(() => {
        sealed = clear.map(row => users.seal(row))
      }),
    )
    times.read.push(timed(() => users.openAll(sealed)))
  }
  return shown(name => times[name])
}

function timed(work) {
  const start = performance.now()
  work()
  return performance.now() - start
}

async function measure({ adapter, alone }, rounds, clean) {
  const times = { adapter: { write: [], read: [] }, alone: { write: [], read: [] } }
  for (let i = 0; i < rounds + 3; i++) {
    await clean()
    const { clear, sealed } = people()
    const sides = [
      ['adapter', adapter, clear],
      ['alone', alone, sealed],
    ]
    for (const [side, { write, read }, rows] of i % 2 ? sides : sides.reverse()) {
      const given = rows.map(row => ({ ...row }))
      const start = performance.now()
      await write(given)
      const written = performance.now()
      // Prisma's adapter opens a value when it is read.
      let characters = 0
      for (const row of await read()) characters += row.email.length + row.address.length
      const end = performance.now()
      if (characters === 0) throw new Error(`${side} has read nothing`)
      if (i < 3) continue
      times[side].write.push(written - start)
      times[side].read.push(end - written)
    }
  }
  const sum = name => [times.adapter[name], times.alone[name]]
  return shown(...[name => sum(name)[0], name => sum(name)[1]])
}

/** Microseconds a row: the least and the median, with those of the other side. */
function shown(of, other) {
  const least = list => Math.min(...list)
  const median = list => [...list].sort((a, b) => a - b)[list.length >> 1]
  const micro = n => `${((n * 1000) / ROWS).toFixed(1)}`
  return ['write', 'read']
    .map(name => {
      const [a, b] = [of(name), other?.(name)]
      if (b === undefined) return `${name} ${micro(least(a))} µs a row, median ${micro(median(a))}`
      const added = `${micro(least(a) - least(b))} µs a row more, median ${micro(median(a) - median(b))}`
      return `${name} ${added} (${micro(least(a))} with, ${micro(least(b))} without)`
    })
    .join('; ')
}
