// Shared by the tests of rotate: a folder with a database of SQLite whose driver looks like better-sqlite3, a keyset, and drivers of
// servers that fail as they are told.
import { chmodSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { Folder } from './program.js'

const require = createRequire(import.meta.url)

/** What the tests need of SQLite compiled to WebAssembly, for Node 20, which has no node:sqlite. */
interface Database {
  exec(sql: string): void
  run(sql: string, values?: readonly unknown[]): unknown
  all(sql: string, values?: readonly unknown[]): Record<string, unknown>[]
  close(): void
}

/** The methods of better-sqlite3 that rotate calls. A file that another process locks is busy at once. */
const BETTER_SQLITE = `
  const { Database } = require(${JSON.stringify(require.resolve('node-sqlite3-wasm'))})
  const { existsSync } = require('node:fs')
  module.exports = class {
    constructor(path, { fileMustExist, timeout }) {
      if (!fileMustExist || typeof timeout !== 'number') throw new Error('these options are needed')
      this.database = new Database(path)
    }
    exec(sql) { this.database.exec(sql); return this }
    prepare(sql) {
      return {
        all: (...values) => this.database.all(sql, values),
        run: (...values) => this.database.run(sql, values),
        safeIntegers() {},
      }
    }
    close() { this.database.close() }
  }`

/** A driver that connects, and then fails at every statement, with the error in the variable FAKE_ERROR. */
const SERVER = `
  const fail = () => { throw Object.assign(new Error(), JSON.parse(process.env.FAKE_ERROR)) }
  class Client {
    constructor(options) { this.options = options }
    on() {}
    async connect() { if (process.env.FAKE_AT === 'connect') fail() }
    async query() { fail() }
    async execute() { fail() }
    async end() {}
  }
  class Pool {
    constructor(options) { this.options = options }
    totalCount = 0
    on() {}
    query() {}
    async connect() { const client = new Client(this.options); await client.connect(); return Object.assign(client, { release() {} }) }
    getConnection() { return this.connect() }
    async end() {}
  }
  module.exports = { Client, Pool, createPool: options => new Pool(options) }`

/** A folder whose project has these drivers. */
export function project(...drivers: ('better-sqlite3' | 'pg' | 'mysql2')[]): Folder {
  const folder = new Folder()
  for (const name of drivers) {
    mkdirSync(folder.in(`node_modules/${name}`), { recursive: true })
    folder.write(`node_modules/${name}/index.js`, name === 'better-sqlite3' ? BETTER_SQLITE : SERVER)
    if (name === 'mysql2') folder.write(`node_modules/${name}/promise.js`, SERVER)
  }
  return folder
}

/** Keys from the oldest to the newest; the primary one is the second, so that values of all three exist. */
export const IDS = { old: 0x10, primary: 0x20, newer: 0x30 }
const entries = Object.values(IDS).map(id => ({ id, key: Buffer.alloc(32, 0x80 + id) }))

/** A keyring with these keys. */
export function keyringOf(primary: number): Keyring {
  // From the newest to the oldest.
  return new Keyring([...entries].reverse(), { primary })
}

export const COLUMNS = { email: 'text', avatar: 'bytes' } as const

/** A declaration whose rows may have any names. */
interface Table {
  seal(row: object): Record<string, string | null>
  open(row: object): Record<string, unknown>
}

/** The declaration under which the tests' values are sealed. */
export function tableUnder(
  primary: number,
  name = 'users',
  rowKey: string | readonly string[] | false = 'id',
): Table {
  return encryptedColumns(name, { keyring: keyringOf(primary), rowKey, columns: COLUMNS }) as unknown as Table
}

/** Writes the keyset of the primary key. */
export function writeKeys(folder: Folder, primary = IDS.primary): void {
  folder.write('keys', keyringOf(primary).export())
  chmodSync(folder.in('keys'), 0o600)
}

/** Runs `work` with a connection to a file in the folder. */
export function withSqlite<Result>(
  folder: Folder,
  work: (database: Database) => Result,
  name = 'app.db',
): Result {
  const { Database } = require('node-sqlite3-wasm') as { Database: new (path: string) => Database }
  const database = new Database(folder.in(name))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** A database with rows under the key `old`, from the id 1 on. */
export function prepared(count = 25): Folder {
  const folder = project('better-sqlite3')
  writeKeys(folder)
  const users = tableUnder(IDS.old)
  withSqlite(folder, database => {
    database.exec('CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT, avatar TEXT)')
    database.exec('BEGIN')
    for (let id = 1; id <= count; id++) {
      const row = users.seal({ id, email: emailOf(id), avatar: id % 5 === 0 ? null : avatarOf(id) })
      database.run('INSERT INTO users VALUES (?, ?, ?)', [row.id, row.email, row.avatar])
    }
    database.exec('COMMIT')
  })
  return folder
}

export const emailOf = (id: number) => `user${id}@example.org`
/** Bytes that are not UTF-8. */
export const avatarOf = (id: number) => Buffer.of(0xff, id)

export const rowsIn = (folder: Folder) =>
  withSqlite(folder, database => database.all('SELECT * FROM users ORDER BY id'))

/** The command line for such a database, and more words. */
export function rotate(...more: string[]): string[] {
  return [
    'rotate',
    'app.db',
    '--table',
    'users',
    '--id',
    'id',
    '--column',
    'email',
    'avatar:bytes',
    '--keyset',
    'keys',
    ...more,
  ]
}
