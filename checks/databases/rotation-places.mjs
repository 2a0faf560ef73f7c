// The tables of the part rotation in PostgreSQL, MariaDB and SQLite: one interface over three drivers, whose parameters are question marks.
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { mysqlRows, postgresqlRows, sqliteRows } from 'hardware-aes-gcm/rotation'
import { cached } from '../tools/cache.mjs'

const load = async name => {
  const modules = cached('pg@8.23.1', 'mysql2@3.24.6')
  return import(pathToFileURL(createRequire(`${modules}/`).resolve(name)))
}
const TABLE = { table: 'users', key: 'id' }
const TABLES = (text, number) => [
  `CREATE TABLE users (id ${text} PRIMARY KEY, email ${text}, email_index ${text}, address ${text})`,
  `CREATE TABLE journal (n ${number}, id ${text} NOT NULL, email ${text}, address ${text})`,
]

/** Connects: `all` returns rows, `transaction` runs statements in one, `source` reads users, and `pool` does over a pool. */
export async function connect(url) {
  if (url.startsWith('postgres:')) return postgresql(url)
  if (url.startsWith('mysql:')) return mariadb(url)
  return sqlite(url)
}

async function postgresql(url) {
  const { default: pg } = await load('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const all = async (sql, values = []) => {
    let n = 0
    return (
      await client.query(
        sql.replaceAll('?', () => `$${++n}`),
        values,
      )
    ).rows
  }
  return {
    client,
    all,
    transaction: work => inTransaction(all, 'BEGIN', work),
    source: (options = TABLE) => postgresqlRows(client, options),
    pool: async options => {
      const pool = new pg.Pool({ connectionString: url, application_name: 'pool' })
      return { source: postgresqlRows(pool, options), close: () => pool.end() }
    },
    create: () => each(all, TABLES('text', 'bigserial PRIMARY KEY')),
    close: () => client.end(),
  }
}

async function mariadb(url) {
  const { default: mysql } = await load('mysql2/promise')
  const connection = await mysql.createConnection(url)
  const all = async (sql, values = []) => (await connection.query(sql, values))[0]
  return {
    all,
    transaction: work => inTransaction(all, 'START TRANSACTION', work),
    source: (options = TABLE) => mysqlRows(connection, options),
    pool: async options => {
      const pool = mysql.createPool(url)
      return { source: mysqlRows(pool, options), close: () => pool.end() }
    },
    create: () =>
      each(
        all,
        TABLES('VARCHAR(250) CHARACTER SET ascii COLLATE ascii_bin', 'BIGINT AUTO_INCREMENT PRIMARY KEY'),
      ),
    close: () => connection.end(),
  }
}

async function sqlite(path) {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF')
  const all = async (sql, values = []) => database.prepare(sql).all(...values)
  return {
    all,
    transaction: work => inTransaction(all, 'BEGIN IMMEDIATE', work),
    source: (options = TABLE) => sqliteRows(database, options),
    create: () => each(all, ['PRAGMA journal_mode = WAL', ...TABLES('TEXT', 'INTEGER PRIMARY KEY')]),
    close: async () => database.close(),
  }
}

async function inTransaction(all, begin, work) {
  await all(begin)
  try {
    await work()
    await all('COMMIT')
  } catch (error) {
    await all('ROLLBACK')
    throw error
  }
}

async function each(all, statements) {
  for (const sql of statements) await all(sql)
}

/** Inserts rows and their plaintexts. `stored` turns a clear row into the row to store. */
export async function fill({ all, transaction }, count, stored) {
  for (let from = 0; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, (_, i) => clearRow(from + i))
    const [users, journal] = [rows.map(stored), rows]
    await transaction(async () => {
      await all(
        `INSERT INTO users (id, email, email_index, address) VALUES ${users.map(() => '(?, ?, ?, ?)').join()}`,
        users.flatMap(({ id, email, email_index, address }) => [id, email, email_index, address]),
      )
      await all(
        `INSERT INTO journal (id, email, address) VALUES ${journal.map(() => '(?, ?, ?)').join()}`,
        journal.flatMap(({ id, email, address }) => [id, email, JSON.stringify(address)]),
      )
    })
  }
}

const clearRow = n => ({ id: randomUUID(), email: `User${n}@Example.org`, address: { n } })
