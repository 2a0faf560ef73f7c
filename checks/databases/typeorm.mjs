// TypeORM: random operations of its API against a plain model, in PostgreSQL, MariaDB and SQLite.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { encryptedEntities } from 'hardware-aes-gcm/typeorm'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'
import { runPage } from './pages.mjs'
import { declare, People, refused } from './people.mjs'
import { faultsOf, findFaults, partsOf } from './plants.mjs'
import { startMariadb, startPostgresql } from './servers.mjs'
import { OPERATIONS } from './typeorm-operations.mjs'
import { twin } from './typeorm-sides.mjs'
import { PLACES } from './typeorm-twin.mjs'

/** The version that is shown, and the oldest line that works. */
const VERSIONS = ['1.1.1', '0.3.27']
const OTHERS = ['pg@8.23.1', 'mysql2@3.24.6', 'sql.js@1.16.0', 'reflect-metadata@0.2.2']
const SAMPLE = 300
/** Odd statements in a sample, on SQLite; with --whole, on each database and version. */
const ODD = { sample: 1000, whole: 20_000 }
/** Planted faults in a sample; with --whole, all of them. */
const PLANTED = 6
const STARTS = { postgresql: startPostgresql, mariadb: startMariadb }
const TYPES = { postgresql: 'postgres', mariadb: 'mariadb' }
const STORED = { type: 'text', nullable: true }

export async function* prove({ whole }) {
  const faults = faultsOf('typeorm')
  const find = ({ on, only: places }, folder) => {
    const [database, version] = VERSIONS.includes(on) ? [undefined, on] : [on]
    return compared(database, version, ODD.sample, { folder, places })
  }
  // A sample starts no server for them.
  const chosen = whole ? faults : faults.filter(({ on }) => on === undefined || VERSIONS.includes(on))
  yield await findFaults('typeorm', chosen, whole ? undefined : PLANTED, find)
  for (const version of VERSIONS) yield await compared('sqlite', version, whole ? ODD.whole : ODD.sample)
  if (whole)
    for (const database of Object.keys(STARTS))
      for (const version of VERSIONS) yield await compared(database, version, ODD.whole)
  const count = whole ? 10_000 : SAMPLE
  for (const start of [startPostgresql, startMariadb]) {
    const server = await start()
    try {
      for (const version of VERSIONS) yield await run({ ...server, version }, count)
      if (start === startPostgresql) yield* runPage('typeorm', { DATABASE_URL: server.url })
    } finally {
      await server.stop()
    }
  }
  for (const version of VERSIONS) yield await run({ database: 'sqlite', version }, count)
}

/** Each is found by the check: without it, the check would prove nothing. */
export const plants = {
  'a plaintext in a table': () =>
    found({
      fault: ({ source, people }) => source.query(`INSERT INTO logs (line) VALUES ('${people.secret()}')`),
    }),
  'values that are not bound to their rows': () => found({ tables: () => named(declare(false)) }),
  'a row that another program changed': () =>
    found({ fault: ({ source }) => source.query("UPDATE users SET name = 'another'") }),
}

const named = ({ users, notes, logs }) => ({ User: users, Note: notes, Log: logs })

async function found(options) {
  try {
    await run({ database: 'sqlite' }, 40, options)
  } catch (error) {
    return error.message.split('\n')[0]
  }
  return undefined
}

async function run(
  { database, url, dump, version = VERSIONS[0] },
  count,
  { tables = () => named(declare()), fault } = {},
) {
  const typeorm = await load(version)
  const declared = tables()
  const type = TYPES[database] ?? 'sqljs'
  const options = { type, url, synchronize: true, dropSchema: true, entities: entitiesOf(typeorm) }
  const source = encryptedEntities(new typeorm.DataSource(options), declared)
  await source.initialize()
  try {
    const people = new People(`typeorm ${database}`)
    const context = { source, users: source.getRepository('User'), typeorm, people, tables: declared, type }
    const names = Object.keys(OPERATIONS)
    for (let i = 0; i < count; i++) {
      await OPERATIONS[i < names.length ? names[i] : people.pick(names)](context)
      if (i % 100 === 99) await trim(context)
    }
    await fault?.(context)
    people.holdAll(await context.users.find({ relations: { notes: true } }))
    people.refuseIn((await dump?.()) ?? JSON.stringify(await rowsOf(source)))
    await moved(context)
    const what = `${count} operations of TypeORM ${version}, 0 differences, none of ${people.written} plaintexts in a dump`
    return `${database}: ${what}, moved values refused`
  } finally {
    await source.destroy()
  }
}

/** Keeps the tables small, so each operation is fast. */
async function trim({ users, people }) {
  for (const id of [...people.users.keys()].slice(50)) {
    await users.delete(id)
    people.users.delete(id)
  }
}

async function rowsOf(source) {
  const tables = ['users', 'notes', 'logs'].map(table => source.query(`SELECT * FROM ${table}`))
  return Promise.all(tables)
}

/** Holds that a value does not open in another row, column or table. */
async function moved({ source, users, people }) {
  const [a, b] = [people.stranger(), people.stranger()].map(one => ({
    ...one,
    email: 'moved',
    address: 'moved',
  }))
  await users.insert([a, b])
  await source.getRepository('Note').insert({ id: a.id, line: 'moved' })
  const value = (column, table = 'users') =>
    `(SELECT v FROM (SELECT ${column} AS v FROM ${table} WHERE id = '${a.id}') AS t)`
  for (const [column, from] of [
    ['email', value('email')],
    ['address', value('email')],
    ['email', value('line', 'notes')],
    ['email', "'clear text'"],
  ]) {
    const id = from === value('email') && column === 'address' ? a.id : b.id
    const [before] = await source.query(`SELECT ${column} AS v FROM users WHERE id = '${id}'`)
    await source.query(`UPDATE users SET ${column} = ${from} WHERE id = '${id}'`)
    await refused(users.findOneBy({ id }), /^ERR_AESGCM_/)
    await source.query(`UPDATE users SET ${column} = '${before.v}' WHERE id = '${id}'`)
  }
}

/** The comparison with TypeORM alone, on two servers. */
async function compared(
  database = 'sqlite',
  version = VERSIONS[0],
  count = ODD.sample,
  { folder = root, places = Object.keys(PLACES) } = {},
) {
  const typeorm = await load(version)
  const type = TYPES[database] ?? 'sqljs'
  const servers = []
  try {
    for (let i = 0; i < 2 && database !== 'sqlite'; i++) servers.push(await STARTS[database]())
    const [sealed, clear] = [0, 1].map(i => ({ type, url: servers[i]?.url }))
    const done = await twin({
      typeorm,
      options: { sealed, clear },
      count,
      parts: partsOf(folder, 'columns', 'keyring', 'typeorm'),
      places: Object.fromEntries(places.map(place => [place, PLACES[place]])),
      kinds: count > ODD.sample,
    })
    return `${database}, TypeORM ${version} alone: ${done}, 0 differences`
  } finally {
    for (const server of servers) await server.stop()
  }
}

async function load(version) {
  const require = createRequire(`${cached(`typeorm@${version}`, ...OTHERS)}/`)
  await import(pathToFileURL(require.resolve('reflect-metadata')))
  return require('typeorm')
}

/** The entities; a property need not have the name of its column. */
function entitiesOf({ EntitySchema }) {
  const id = { type: String, length: 36, primary: true }
  const mail = { emailIndex: { name: 'email_index', type: 'varchar', length: 22, nullable: true } }
  const columns = { email: STORED, ...mail, address: STORED, weight: STORED, photo: STORED }
  const notes = { type: 'one-to-many', target: 'Note', inverseSide: 'user', cascade: true }
  const user = { type: 'many-to-one', target: 'User', inverseSide: 'notes', onDelete: 'CASCADE' }
  const name = { type: String }
  const deletedAt = { type: Date, deleteDate: true, nullable: true }
  const key = { type: 'int', primary: true, generated: true }
  const entry = new EntitySchema({ name: 'Entry', columns: { line: { type: 'text' } } })
  return [
    new EntitySchema({
      name: 'User',
      tableName: 'users',
      columns: { id, name, deletedAt, ...columns },
      relations: { notes },
    }),
    new EntitySchema({
      name: 'Note',
      tableName: 'notes',
      columns: { id, line: { type: 'text' } },
      relations: { user },
    }),
    new EntitySchema({
      name: 'Log',
      tableName: 'logs',
      columns: { id: key },
      embeddeds: { entry: { schema: entry, prefix: '' } },
    }),
  ]
}
