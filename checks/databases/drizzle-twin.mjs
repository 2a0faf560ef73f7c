// Drizzle with odd values at every place of its statements, beside Drizzle alone on tables in clear (twin.mjs).
import { KEYS, placesOf, USUAL, WRAPS } from './drizzle-places.mjs'
import { KINDS, there } from './drizzle-tables.mjs'
import { compareTwins, holdIndexes } from './twin.mjs'

/** The last one's name is the email of the first. */
const USERS = [
  { ...KEYS[0], code: 'a1', name: 'Ada', email: 'ada@example.org', address: 'Analytical Lane 1' },
  { ...KEYS[1], code: 'b1', name: 'Bob', email: 'bob@example.org', address: null },
  { ...KEYS[2], code: 'a2', name: 'Eve', email: null, address: 'Eavesdrop Row 12' },
  { tenant: 'c', id: '4', code: 'c1', name: 'ada@example.org', email: 'ada@example.org', address: null },
]
const NOTES = [
  { id: 1, userId: '1', line: 'a line of Ada' },
  { id: 2, userId: '2', line: 'a line of Bob' },
]

/** `parts` are those of the package. `more` goes to compareTwins. */
export async function twins({ database, url, parts, ...more }) {
  const { encryptedColumns, BlindIndex, Keyring } = parts
  const keyring = Keyring.generate()
  const declared = {
    users: encryptedColumns('twins', {
      keyring,
      rowKey: ['tenant', 'id'],
      indexKey: BlindIndex.generateKey(),
      columns: { email: { type: 'text', index: 'emailIndex' }, address: 'text' },
    }),
    notes: encryptedColumns('twin_notes', { keyring, rowKey: 'id', columns: { line: 'text' } }),
  }
  const sealed = await side({ database, url, prefix: '', declared, parts })
  const clear = await side({ database, url, prefix: 'clear_' })
  try {
    const secrets = ['new@example.org', 'carl@example.org', 'New Lane']
    for (const { email, address } of USERS) secrets.push(email, address)
    for (const { line } of NOTES) secrets.push(line)
    const done = await compareTwins({
      name: `drizzle ${database}`,
      places: placesOf({ database }),
      sealed,
      clear,
      usual: USUAL,
      wraps: WRAPS,
      secrets,
      ...more,
    })
    return `${database}: ${done}`
  } finally {
    await Promise.all([sealed.close(), clear.close()])
  }
}

async function side({ database, url, prefix, declared, parts }) {
  const { core, table, connect, integer } = KINDS[database]
  const require = there()
  const library = require('drizzle-orm')
  const types = require(core)
  const { customType, text, varchar = text } = types
  const encrypted = declared && {
    users: parts.encryptedTable(declared.users),
    notes: parts.encryptedTable(declared.notes),
  }
  const word = (name, length = 36) => varchar(name, { length })
  const value = (of, name) => customType(declared ? encrypted[of].column(name) : CLEAR)(name)
  const users = types[table](
    `${prefix}twins`,
    {
      tenant: word('tenant_id'),
      id: word('id'),
      code: word('code').unique(),
      name: text('name').notNull(),
      email: value('users', 'email'),
      emailIndex: customType(declared ? encrypted.users.index('email') : CLEAR_INDEX)('email_index'),
      address: value('users', 'address'),
    },
    t => [types.primaryKey({ columns: [t.tenant, t.id] })],
  )
  const notes = types[table](`${prefix}twin_notes`, {
    id: types[integer]('id').primaryKey(),
    userId: word('user_id'),
    line: value('notes', 'line'),
  })
  const usersRelations = library.relations(users, ({ many }) => ({ notes: many(notes) }))
  const notesRelations = library.relations(notes, ({ one }) => ({
    user: one(users, { fields: [notes.userId], references: [users.id] }),
  }))
  const connection = await connect(require, { url }, { users, notes, usersRelations, notesRelations })
  const db = declared ? parts.guarded(connection.db) : connection.db
  const columns =
    'tenant_id VARCHAR(36), id VARCHAR(36), code VARCHAR(36) UNIQUE, name TEXT NOT NULL, email TEXT'
  for (const sql of [
    `DROP TABLE IF EXISTS ${prefix}twins`,
    `DROP TABLE IF EXISTS ${prefix}twin_notes`,
    `CREATE TABLE ${prefix}twins (${columns}, email_index TEXT, address TEXT, PRIMARY KEY (tenant_id, id))`,
    `CREATE TABLE ${prefix}twin_notes (id ${integer} PRIMARY KEY, user_id VARCHAR(36), line TEXT)`,
  ])
    await connection.run(sql)
  const seal = (of, rows) => (declared ? encrypted[of].seal(rows) : withIndex(rows))
  await db.insert(users).values(seal('users', USERS))
  await db.insert(notes).values(seal('notes', NOTES))
  const opened = result => (declared ? parts.opened(result) : result)
  const search = users.emailIndex
  let statements = 0
  const own = {
    ...library,
    users,
    notes,
    search,
    direct: db,
    opened,
    seal: rows => seal('users', rows),
    change: (key, values) => {
      if (!declared) return withIndex(values)
      const { tenant, id, ...change } = encrypted.users.seal({ ...key, ...values })
      return change
    },
    unsealed: email => ({ email, emailIndex: declared ? encrypted.users.lookup('email', 'x')[0] : email }),
    term: email => (declared ? encrypted.users.lookup('email', email)[0] : new Stored(email)),
    byEmail: email =>
      declared ? library.inArray(search, encrypted.users.lookup('email', email)) : library.eq(search, email),
    sealedEmail: key =>
      declared
        ? encrypted.users.seal({ ...key, email: 'new@example.org' }).email
        : new Stored('new@example.org'),
    excluded: () => ({ email: library.sql`excluded.email`, emailIndex: library.sql`excluded.email_index` }),
    key: () => ({ tenant: users.tenant, id: users.id }),
    statement: () => `${prefix}statement_${statements++}`,
  }
  return {
    ...own,
    close: () => connection.close(),
    attempt: work =>
      attempt(db, tx => work({ ...own, db: tx, selfJoin: on => selfJoin(own, types, tx, on) })),
    async rows({ db: tx }) {
      const [all, lines] = [opened(await tx.select().from(users)), opened(await tx.select().from(notes))]
      if (declared) {
        const indexes = await tx.select({ index: library.sql.raw('email_index') }).from(users)
        holdIndexes(
          declared.users,
          all.map(({ email }, i) => [email, indexes[i].index]),
        )
      }
      return [comparable(all), comparable(lines)]
    },
    ...(declared && {
      async stored({ db: tx }) {
        const query = of => library.sql.raw(`SELECT * FROM ${of}`)
        const read = async of =>
          database === 'sqlite' ? await tx.all(query(of)) : (await tx.execute(query(of))).rows
        const list = [...(await read('twins')), ...(await read('twin_notes'))]
        // A name is clear text, and so are keys and codes.
        return JSON.stringify(list.map(({ email, address, line }) => [email, address, line]))
      },
    }),
    comparable: result => comparable(result),
  }
}

/** The opaque values of the clear side. */
class Stored {
  constructor(text) {
    Object.defineProperty(this, 'text', { value: text })
  }
}

/** For PostgreSQL, NUL cannot be in a text. A ciphertext keeps it. */
const CLEAR = {
  dataType: () => 'text',
  toDriver(value) {
    const given = value instanceof Stored ? value.text : value
    return typeof given === 'string' ? given.replaceAll('\0', String.raw`\0`) : given
  },
}
const CLEAR_INDEX = { ...CLEAR, fromDriver: text => new Stored(text) }

/** A row with opaque values, and with the index of its email. */
function withIndex(rows) {
  if (Array.isArray(rows)) return rows.map(withIndex)
  if (typeof rows !== 'object' || rows === null) return rows
  const row = { ...rows }
  if (Object.hasOwn(row, 'email')) row.emailIndex = row.email
  for (const name of ['email', 'emailIndex', 'address'])
    if (typeof row[name] === 'string') row[name] = new Stored(row[name])
  return row
}

const ROLLBACK = new Error('rolled back')

async function attempt(db, work) {
  try {
    await db.transaction(async tx => {
      await work(tx)
      throw ROLLBACK
    })
  } catch (error) {
    if (error !== ROLLBACK) throw error
  }
}

function selfJoin({ users, and, eq, or }, types, tx, on) {
  const other = types.alias(users, 'other')
  return tx
    .select({ one: { tenant: users.tenant, id: users.id, email: users.email }, id: other.id })
    .from(users)
    .innerJoin(other, and(eq(users.tenant, other.tenant), or(eq(users.id, other.id), on)))
}

/** A result as plain data, without indexes and in one order. */
function comparable(result, depth = 0) {
  // An odd value may contain itself.
  if (depth > 9) return undefined
  if (typeof result === 'string') return result.replaceAll('\0', String.raw`\0`)
  if (Array.isArray(result)) {
    const text = value => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one))
    return result.map(one => comparable(one, depth + 1)).sort((a, b) => (text(a) < text(b) ? -1 : 1))
  }
  if (typeof result === 'symbol' || typeof result === 'function' || result instanceof Date)
    return String(result)
  if (typeof result !== 'object' || result === null) return result
  if (result.constructor?.name === 'Stored') return 'an index'
  if (result.constructor !== Object) return `an instance of ${result.constructor?.name}`
  return Object.fromEntries(
    Object.entries(result)
      .filter(([name]) => name !== 'emailIndex')
      .map(([name, value]) => [name.replace(/^clear_/, ''), comparable(value, depth + 1)]),
  )
}
