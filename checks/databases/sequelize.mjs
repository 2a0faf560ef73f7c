// Sequelize: random operations of its API against a plain model, in PostgreSQL and MariaDB.
import { createRequire } from 'node:module'
import { encryptedSequelize } from 'hardware-aes-gcm/sequelize'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'
import { runPage } from './pages.mjs'
import { declare, People, refused } from './people.mjs'
import { faultsOf, findFaults, partsOf } from './plants.mjs'
import { OPERATIONS } from './sequelize-operations.mjs'
import { twins } from './sequelize-twin.mjs'
import { startMariadb, startPostgresql } from './servers.mjs'

const PACKAGES = ['sequelize@6.37.8', 'pg@8.23.1', 'mysql2@3.24.6']
const [SAMPLE, WHOLE] = [300, 10_000]
/** Odd statements in a sample, and planted faults. */
const [ODD, FAULTS] = [500, 3]
const ENTRIES = ['columns', 'keyring', 'sequelize']

export async function* prove({ whole }) {
  const count = whole ? WHOLE : SAMPLE
  for (const start of [startPostgresql, startMariadb]) {
    const server = await start()
    try {
      yield await run(server, count)
      yield await compared(server, whole ? WHOLE : ODD, { kinds: whole })
      if (start === startPostgresql) {
        const find = ({ only }, folder) => compared(server, WHOLE, { only, folder })
        yield await findFaults('sequelize', faultsOf('sequelize'), whole ? undefined : FAULTS, find)
      }
      if (start === startPostgresql) yield* runPage('sequelize', { DATABASE_URL: server.url })
    } finally {
      await server.stop()
    }
  }
}

/** Each is found by the check: without it, the check would prove nothing. */
export const plants = {
  'a plaintext in a table': () =>
    found({ fault: ({ db, people }) => db.query(`INSERT INTO logs (line) VALUES ('${people.secret()}')`) }),
  'values that are not bound to their rows': () => found({ tables: declare(false) }),
  'a row that another program changed': () =>
    found({ fault: ({ db }) => db.query("UPDATE users SET name = 'another'") }),
}

async function found(options) {
  const server = await startPostgresql()
  try {
    await run(server, 40, options)
  } catch (error) {
    return error.message.split('\n')[0]
  } finally {
    await server.stop()
  }
  return undefined
}

function compared(server, count, { folder = root, ...options }) {
  return twins({ ...server, library: load(), parts: partsOf(folder, ...ENTRIES), count, ...options })
}

const load = () => createRequire(`${cached(...PACKAGES)}/`)('sequelize')

async function run({ database, url, dump }, count, { tables = declare(), fault } = {}) {
  const library = load()
  const db = new library.Sequelize(url, { logging: false })
  const models = define(db, library.DataTypes)
  encryptedSequelize(db, { User: tables.users, Note: tables.notes, Log: tables.logs })
  try {
    await db.sync({ force: true })
    const people = new People(`sequelize ${database}`)
    const context = { db, ...models, library, people, tables, database }
    const names = Object.keys(OPERATIONS)
    for (let i = 0; i < count; i++) {
      await OPERATIONS[i < names.length ? names[i] : people.pick(names)](context)
      if (i % 100 === 99) await trim(context)
    }
    await fault?.(context)
    people.holdAll(await models.User.findAll({ include: 'notes' }))
    people.refuseIn(await dump())
    await moved(context)
    const what = `${count} operations of Sequelize, 0 differences, none of ${people.written} plaintexts in a dump`
    return `${database}: ${what}, moved values refused`
  } finally {
    await db.close()
  }
}

/** Keeps the tables small, so each operation is fast. */
async function trim({ User, people }) {
  for (const id of [...people.users.keys()].slice(50)) {
    await User.destroy({ where: { id } })
    people.users.delete(id)
  }
}

/** Holds that a value does not open in another row, column or table. */
async function moved({ db, User, Note, people }) {
  const [a, b] = [people.stranger(), people.stranger()].map(one => ({
    ...one,
    email: 'moved',
    address: 'moved',
  }))
  await User.bulkCreate([a, b])
  await Note.create({ id: a.id, line: 'moved' })
  const stored = async (column, id, table = 'users') =>
    (await db.query(`SELECT ${column} AS v FROM ${table} WHERE id = '${id}'`))[0][0].v
  for (const [column, id, value] of [
    ['email', b.id, await stored('email', a.id)],
    ['address', a.id, await stored('email', a.id)],
    ['email', a.id, await stored('line', a.id, 'notes')],
    ['email', b.id, 'clear text'],
  ]) {
    const before = await stored(column, id)
    await db.query(`UPDATE users SET ${column} = '${value}' WHERE id = '${id}'`)
    await refused(User.findByPk(id), /^ERR_AESGCM_/)
    await db.query(`UPDATE users SET ${column} = '${before}' WHERE id = '${id}'`)
  }
}

/** The models; an attribute need not have the name of its column. */
function define(db, { INTEGER, STRING, TEXT, UUID, UUIDV4 }) {
  const id = { type: UUID, primaryKey: true, defaultValue: UUIDV4 }
  const columns = {
    email: TEXT,
    emailIndex: { type: STRING(22), field: 'email_index' },
    address: TEXT,
    weight: TEXT,
    photo: TEXT,
  }
  const options = { timestamps: false }
  const User = db.define(
    'User',
    { id, name: { type: STRING, allowNull: false }, ...columns },
    { ...options, tableName: 'users' },
  )
  const Note = db.define('Note', { id, line: TEXT }, { ...options, tableName: 'notes' })
  const key = { type: INTEGER, primaryKey: true, autoIncrement: true }
  const Log = db.define('Log', { id: key, line: TEXT }, { ...options, tableName: 'logs' })
  User.hasMany(Note, { as: 'notes', foreignKey: 'user_id', onDelete: 'CASCADE' })
  Note.belongsTo(User, { as: 'user', foreignKey: 'user_id' })
  return { User, Note, Log }
}
