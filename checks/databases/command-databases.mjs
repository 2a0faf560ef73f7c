// The databases of the command: servers whose URL has a password, and a file of SQLite, each with a client.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cached } from '../tools/cache.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'
import { startMariadb, startPostgresql } from './servers.mjs'

/** The folder of the drivers. */
export const drivers = () => cached('pg@8.23.1', 'mysql2@3.24.6')
const driver = name => createRequire(join(drivers(), 'resolve.cjs'))(name)

/** SQLite for a program without it: statements in lines of JSON. A Node with the module runs it. */
const SQLITE = `
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(process.argv[1], { timeout: 20000 })
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { sql, values } = JSON.parse(line)
    console.log(JSON.stringify(database.prepare(sql).all(...values)))
  })`

/**
 * A database: its `url`, which has a password if it has a server; `node`, the program that can use it; `query`, whose parameters are
 * question marks; and `stop`.
 */
export async function fresh(database, password) {
  if (database === 'sqlite') return await file()
  const server = await (database === 'postgresql' ? startPostgresql() : startMariadb())
  const url = new URL(server.url)
  url.password = password
  const { query, end } = await (database === 'postgresql' ? postgresql(server) : mariadb(server, password))
  const stop = async () => {
    await end()
    await server.stop()
  }
  return { database, url: url.href, node: process.execPath, query, stop }
}

async function postgresql({ url }) {
  const { Client } = driver('pg')
  const client = new Client(url)
  await client.connect()
  const numbered = sql => {
    let n = 0
    return sql.replaceAll('?', () => `$${++n}`)
  }
  return {
    query: async (sql, values = []) => (await client.query(numbered(sql), values)).rows,
    end: () => client.end(),
  }
}

async function mariadb({ url }, password) {
  const client = await driver('mysql2/promise').createConnection(url)
  await client.query('SET PASSWORD = PASSWORD(?)', [password])
  await client.query("SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')")
  return { query: async (sql, values = []) => (await client.query(sql, values))[0], end: () => client.end() }
}

async function file() {
  const folder = mkdtempSync(join(tmpdir(), 'hardware-aes-gcm-sqlite-'))
  const path = join(folder, 'app.db')
  const node = await obtain(RUNTIMES.node24, folder)
  const options = { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, NODE_NO_WARNINGS: '1' } }
  const process_ = spawn(node, ['-e', SQLITE, path], options)
  const answers = createInterface({ input: process_.stdout })[Symbol.asyncIterator]()
  let last = Promise.resolve()
  const query = (sql, values = []) => {
    last = last.then(async () => {
      process_.stdin.write(`${JSON.stringify({ sql, values })}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error('SQLite ended')
      return JSON.parse(value)
    })
    return last
  }
  const stop = () => {
    process_.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  return { database: 'sqlite', url: `sqlite:${path}`, node, query, stop }
}
