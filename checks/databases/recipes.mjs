// The recipes of docs/guide/databases.md on real databases, and the conditions by which these refuse what is not sealed.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { forms, isSealed, one, sealed } from '../../__test__/values/columns/forms.mjs'
import { cached } from '../tools/cache.mjs'
import { packages } from './pages/databases.mjs'
import { runPage } from './pages.mjs'
import { startMariadb, startPostgresql } from './servers.mjs'

const here = createRequire(import.meta.url)
const { encryptedColumns } = here('hardware-aes-gcm/columns')
const { Keyring } = here('hardware-aes-gcm/keyring')
const table = encryptedColumns('t', { keyring: Keyring.generate(), rowKey: 'id', columns: { value: 'text' } })

/** The values that MariaDB compares with others in mind, and PostgreSQL. */
const COLLATIONS = {
  postgresql: ['text', 'varchar(9000)', 'text COLLATE "C"', 'text COLLATE "en-x-icu"'],
  mariadb: [
    'TEXT CHARACTER SET ascii COLLATE ascii_bin',
    'VARCHAR(9000) CHARACTER SET ascii COLLATE ascii_bin',
    'TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci',
    'TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci',
    'TEXT CHARACTER SET latin1 COLLATE latin1_swedish_ci',
  ],
}

export async function* prove() {
  const servers = [await startPostgresql(), await startMariadb()]
  try {
    const [{ url: POSTGRES_URL }, { url: MYSQL_URL }] = servers
    for (const server of servers) yield await conditions(server)
    yield* runPage('databases', { POSTGRES_URL, MYSQL_URL })
  } finally {
    for (const server of servers) await server.stop()
  }
}

/** Every form of a value: the database must accept those that are sealed, and no other. */
async function conditions({ database, url }, condition = table.condition('value', database)) {
  const client = await connect(database, url)
  let values = 0
  try {
    for (const type of COLLATIONS[database]) {
      await client.query('DROP TABLE IF EXISTS t')
      await client.query(`CREATE TABLE t (value ${type} CHECK (${condition}))`)
      for (const value of [null, ...sealed, ...forms]) {
        const error = await client.insert(value)
        const isRight = value === null || isSealed(value) ? error === undefined : error !== undefined
        if (!isRight) throw new Error(`${database} ${type}: ${JSON.stringify(value)}: ${error ?? 'accepted'}`)
        values++
      }
      // What it accepted is what it has: a database must not change what it accepts.
      const stored = new Set(await client.values())
      for (const value of stored)
        if (value !== null && !isSealed(value)) throw new Error(`${database} has ${value}`)
      for (const value of [...sealed, one])
        if (!stored.has(value)) throw new Error(`${database} lost ${value}`)
    }
    await client.query('DROP TABLE t')
  } finally {
    await client.end()
  }
  return `${database}: ${values} values judged as looksSealed judges them, in ${COLLATIONS[database].length} types of columns`
}

async function connect(database, url) {
  const require = createRequire(join(cached(...packages), 'resolve.cjs'))
  const isPostgresql = database === 'postgresql'
  const client = isPostgresql
    ? new (require('pg').Client)({ connectionString: url })
    : await require('mysql2/promise').createConnection({ uri: url, charset: 'utf8mb4' })
  if (isPostgresql) await client.connect()
  const sql = `INSERT INTO t VALUES (${isPostgresql ? '$1' : '?'})`
  return {
    query: text => client.query(text),
    end: () => client.end(),
    insert: value => client.query(sql, [value]).then(nothing, error => error.message),
    values: async () => {
      const result = await client.query('SELECT value FROM t')
      return (isPostgresql ? result.rows : result[0]).map(row => row.value)
    },
  }
}

const nothing = () => {}

/** Planted faults: conditions that accept too much. */
export const plants = {
  'a condition that ignores case': () => found("value ~* '^A[Q-Z][A-Z0-9_-]{42,}$'"),
  'a condition without an end': () => found("value ~ '^A[Q-Za-f][A-Za-z0-9_-]{42,}'"),
}

async function found(condition) {
  const server = await startPostgresql()
  try {
    await conditions(server, condition)
    return undefined
  } catch (error) {
    return error.message.slice(0, 90)
  } finally {
    await server.stop()
  }
}
