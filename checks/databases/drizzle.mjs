// Random operations of Drizzle's API on encrypted tables, in PostgreSQL, MariaDB and SQLite, against a plain model.
import { deepStrictEqual } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'
import { holdGuard } from './drizzle-guard.mjs'
import { Operations } from './drizzle-operations.mjs'
import { DATABASES, declared, PACKAGES, prepared } from './drizzle-tables.mjs'
import { twins } from './drizzle-twin.mjs'
import { install, runPage } from './pages.mjs'
import { Plaintexts, proveSearch } from './plaintexts.mjs'
import { faultsOf, findFaults, partsOf } from './plants.mjs'
import { startPostgresql, startSqlite } from './servers.mjs'

/** Odd statements in a sample, in a whole run, and for a fault; planted faults in a sample. */
const [ODD, WHOLE, SOME, FAULTS] = [300, 10_200, 400, 3]
const ENTRIES = ['columns', 'keyring', 'drizzle']
const here = createRequire(import.meta.url)
const adapter = here('hardware-aes-gcm/drizzle')
const [columns, keyrings] = [here('hardware-aes-gcm/columns'), here('hardware-aes-gcm/keyring')]

export async function* prove({ whole }) {
  proveSearch()
  for (const database of DATABASES)
    yield `${database}: ${holdGuard(database, { ...adapter, ...columns, ...keyrings })} statements refused or passed by guarded()`
  for (const database of DATABASES) yield await run(database, whole ? 10_000 : 500)
  for (const start of [startPostgresql, startSqlite])
    yield await compared(start, whole ? WHOLE : ODD, { kinds: whole })
  yield await findFaults('drizzle', faultsOf('drizzle'), whole ? undefined : FAULTS, foundBy)
  yield types()
  yield* runPage('drizzle', {})
}

/** Compares with Drizzle alone. */
async function compared(start, count, { folder = root, ...options } = {}) {
  const server = await start()
  try {
    return await twins({ ...server, parts: partsOf(folder, ...ENTRIES), count, ...options })
  } finally {
    await server.stop()
  }
}

/** Throws what the list of statements finds of a fault, or the comparison at its places, or the model. */
export async function foundBy({ only }, folder) {
  const parts = partsOf(folder, ...ENTRIES)
  for (const database of DATABASES) holdGuard(database, parts)
  for (const start of only.length > 0 ? [startSqlite, startPostgresql] : [])
    await compared(start, SOME, { folder, only })
  await run('sqlite', 200, parts)
}

/** Compiles drizzle-types.mts next to the real packages. */
function types() {
  const folder = mkdtempSync(join(root, 'target/types-'))
  try {
    install(folder, cached(...PACKAGES))
    const file = 'drizzle-types.mts'
    copyFileSync(new URL(file, import.meta.url), join(folder, file))
    const options =
      '--ignoreConfig --target es2023 --module nodenext --types node --noEmit --skipLibCheck --strict --noUncheckedIndexedAccess'
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...options.split(' '), file], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`the types: ${stdout}`)
    return "the types compile with Drizzle's, and refuse what is not sealed"
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs operations; throws if one does anything else than the model, or if the dump has a plaintext. */
async function run(database, count, { rowKey, ...planted } = {}) {
  const parts = { ...columns, ...keyrings, ...adapter, ...planted }
  const tables = await prepared(database, declared(rowKey, parts), parts)
  try {
    const plaintexts = new Plaintexts()
    const operations = new Operations(tables, parts, plaintexts)
    for (let n = 0; n < count; n++) await operations.next(n)
    await operations.compare()
    const found = plaintexts.foundIn(await tables.dump())
    if (found !== undefined) throw new Error(`${database}: the dump has ${found}`)
    await moved(tables, parts)
    return `${database}: ${count} operations without a difference, ${operations.refusals} of them refused; 0 of ${plaintexts.size} plaintexts in the dump`
  } finally {
    await tables.stop()
  }
}

/** A value of another row, column or table must not open. */
async function moved({ db, run, encrypted, users, posts, drizzle: { eq } }, { opened }) {
  const [a, b] = [randomUUID(), randomUUID()]
  const [row, other] = [a, b].map(id => ({ id, email: `${id}@example.org`, address: { id } }))
  await db.insert(users).values(encrypted.users.seal([row, other]))
  await db.insert(posts).values(encrypted.posts.seal({ id: -1, author: a, body: 'a body' }))
  const read = id => db.select().from(users).where(eq(users.id, id))
  const { email, address } = row
  const [found] = opened(await read(a))
  deepStrictEqual({ email: found.email, address: found.address }, { email, address })
  const moves = {
    'another row': [
      `UPDATE users SET email = (SELECT email FROM (SELECT * FROM users) u WHERE id = '${b}') WHERE id = '${a}'`,
      () => read(a),
    ],
    'another column': [`UPDATE users SET email = address WHERE id = '${b}'`, () => read(b)],
    'another table': [
      `UPDATE posts SET body = (SELECT address FROM users WHERE id = '${b}') WHERE id = -1`,
      () => db.select().from(posts).where(eq(posts.id, -1)),
    ],
  }
  for (const [what, [sql, rows]] of Object.entries(moves)) {
    await run(sql)
    const result = await rows()
    let error
    try {
      opened(result)
    } catch (thrown) {
      error = thrown
    }
    if (error?.code !== 'ERR_AESGCM_AUTHENTICATION_FAILED')
      throw new Error(`a value of ${what} opened, or threw ${error}`)
  }
}

/** What the check says of a fault; undefined if it finds none. */
async function fault(planted) {
  try {
    await run('sqlite', 300, planted)
  } catch (error) {
    return error.message.slice(0, 100).split('\n')[0]
  }
  return undefined
}

/** An adapter whose objects of tables have other methods. */
const changed = methods => ({
  encryptedTable(columns) {
    const table = adapter.encryptedTable(columns)
    const same =
      name =>
      (...values) =>
        table[name](...values)
    return {
      column: same('column'),
      index: same('index'),
      seal: same('seal'),
      lookup: same('lookup'),
      ...methods(table),
    }
  },
})

/** Planted faults. */
export const plants = {
  'a type of a column that passes strings on': () =>
    fault(
      changed(table => ({
        column(name) {
          const { dataType, fromDriver, toDriver } = table.column(name)
          return {
            dataType,
            fromDriver,
            toDriver: value => (typeof value === 'string' ? value : toDriver(value)),
          }
        },
      })),
    ),
  'an index that is the value': () =>
    fault(
      changed(table => ({
        index: () => ({ dataType: () => 'text', toDriver: value => value, fromDriver: value => value }),
        seal: rows => {
          const sealed = row => ({
            ...table.seal(row),
            ...(row.email == null ? {} : { emailIndex: row.email }),
          })
          return Array.isArray(rows) ? rows.map(sealed) : sealed(rows)
        },
        lookup: (_, value) => [value],
      })),
    ),
  'values that are not bound to their row': () => fault({ rowKey: false }),
  'rows of relations that are not opened': () =>
    fault({
      opened: result =>
        Array.isArray(result?.[0]?.posts)
          ? result.map(({ posts, ...row }) => ({ ...adapter.opened(row), posts }))
          : adapter.opened(result),
    }),
}
