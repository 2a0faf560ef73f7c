// The two sides of the comparison with TypeORM alone (twin.mjs): one database with encrypted columns, one in clear text.
import { compareTwins, holdIndexes } from './twin.mjs'
import { USUAL, WRAPS } from './typeorm-values.mjs'

const SECRETS = ['ada@example.org', 'bob@example.org', 'new@example.org', 'first line', 'London town']
/** The columns that are encrypted: a program may write the same text to others. */
const ENCRYPTED = ['email', 'email_index', 'mass', 'address', 'line']
/** PostgreSQL chooses plans by the sizes of tables: without these, rows would come in another order on one side. */
const PLANS = ['hashjoin', 'mergejoin', 'hashagg', 'indexscan', 'indexonlyscan']
/** Places whose rows have an order. Those of others are compared in any order: each side has a plan of its own. */
const ORDERED = /order|skip|take|limit|raw results/i
const SEALED = /^A[Q-Za-f][\w-]{42,}$/
const INDEX = /^(?=.*[A-Za-z])[\w-]{22}$/

/** Compares; `columns` and `typeorm` are modules of this package, whose faults are to be found. */
export async function twin({ typeorm, options, count, parts, places, kinds }) {
  const declared = tables(parts)
  const name = options.sealed.type
  const sealed = parts.encryptedEntities(source(typeorm, options.sealed, true), declared)
  const clear = source(typeorm, options.clear, false)
  const both = [
    [sealed, true],
    [clear, false],
  ]
  try {
    for (const [one] of both) await one.initialize()
    for (const [one] of both) await fill(one)
    const [ours, theirs] = both.map(([one, isSealed]) => side({ one, isSealed, typeorm, declared }))
    return await compareTwins({
      name: `typeorm ${name}`,
      count,
      places: Object.fromEntries(Object.entries(places).map(withOrder)),
      usual: USUAL,
      wraps: WRAPS,
      secrets: SECRETS,
      isSealed: text => SEALED.test(text) || INDEX.test(text),
      sealed: ours,
      clear: theirs,
      kinds,
    })
  } finally {
    for (const [one] of both) if (one.isInitialized) await one.destroy()
  }
}

/** A place whose result says whether its order counts. */
function withOrder([name, place]) {
  const inOrder = ORDERED.test(name)
  return [name, async (transaction, value) => ({ result: await place(transaction, value), inOrder })]
}

function tables({ BlindIndex, encryptedColumns, Keyring }) {
  const keyring = Keyring.generate()
  const indexKey = BlindIndex.generateKey()
  const columns = { email: { type: 'text', index: 'email_index' }, mass: 'number', address: 'json' }
  return {
    User: encryptedColumns('users', { keyring, indexKey, rowKey: ['tenant', 'id'], columns }),
    Person: encryptedColumns('users', { keyring, rowKey: ['tenant', 'id'], columns: { email: 'text' } }),
    Note: encryptedColumns('notes', { keyring, rowKey: ['user_id', 'id'], columns: { line: 'text' } }),
    Log: encryptedColumns('logs', { keyring, rowKey: false, columns: { line: 'text' } }),
  }
}

function source({ DataSource, EntitySchema }, options, isSealed) {
  const text = { type: 'text', nullable: true }
  const short = { type: 'varchar', length: 90 }
  const index = isSealed ? { emailIndex: { name: 'email_index', ...short, nullable: true } } : {}
  const [weight, address] = isSealed
    ? [text, text]
    : ['float', 'simple-json'].map(type => ({ type, nullable: true }))
  const User = new EntitySchema({
    name: 'User',
    tableName: 'users',
    columns: {
      id: { ...short, primary: true },
      // A list of columns without the key would give it another one.
      tenant: { ...short, default: 'b' },
      name: { ...short, nullable: true },
      age: { type: 'int', default: 1 },
      email: text,
      ...index,
      weight: { ...weight, name: 'mass' },
      address,
      deletedAt: { type: Date, deleteDate: true, nullable: true },
    },
    uniques: [{ columns: ['tenant', 'id'] }, { columns: ['name'] }],
    relations: { notes: { type: 'one-to-many', target: 'Note', inverseSide: 'user', cascade: true } },
  })
  const Note = new EntitySchema({
    name: 'Note',
    tableName: 'notes',
    columns: {
      id: { ...short, primary: true },
      userId: { ...short, name: 'user_id', nullable: true },
      line: text,
    },
    relations: {
      user: {
        type: 'many-to-one',
        target: 'User',
        inverseSide: 'notes',
        joinColumn: { name: 'user_id' },
        onDelete: 'CASCADE',
      },
    },
  })
  const Log = new EntitySchema({
    name: 'Log',
    tableName: 'logs',
    columns: { id: { ...short, primary: true }, line: text },
  })
  const views = ['Person', 'Undeclared'].map(
    name =>
      new EntitySchema({
        name,
        type: 'view',
        expression: 'SELECT id, tenant, email FROM users',
        columns: { id: { ...short, primary: true }, tenant: short, email: text },
      }),
  )
  const extra =
    options.type === 'postgres' ? { options: PLANS.map(plan => `-c enable_${plan}=off`).join(' ') } : {}
  return new DataSource({
    ...options,
    extra,
    synchronize: true,
    dropSchema: true,
    entities: [User, Note, Log, ...views],
  })
}

async function fill(one) {
  const user = (id, name, email, rest = {}) => ({ id, tenant: 'a', name, email, ...rest })
  await one
    .getRepository('User')
    .insert([
      user('1', 'Ada', 'ada@example.org', { weight: 36.5, address: { city: 'London town' } }),
      user('2', 'Bob', 'bob@example.org', { weight: 0, tenant: 'a' }),
      user('3', null, null, { weight: null, address: null }),
      user('4', 'Al', 'ada@example.org', { tenant: 'b', address: { city: '' } }),
      user('5', 'ada@example.org', null),
      user('6', 'Carl', 'carl@example.org', { weight: 1 }),
      ...['d', 'e', 'f', 'g', '2'].map((name, i) =>
        user(`row ${i}`, name, `row${9 - i}@example.org`, { weight: 9 - i }),
      ),
    ])
  await one.getRepository('Log').insert(['1', '2'].map(id => ({ id, line: 'first line' })))
  await one.getRepository('User').softDelete({ id: '4' })
  await one.getRepository('Note').insert([
    { id: 'n1', userId: '1', line: 'first line' },
    { id: 'n2', userId: '1', line: 'second line' },
    { id: 'n3', userId: '2', line: null },
  ])
}

function side({ one, isSealed, typeorm, declared }) {
  const all = async manager => [
    await manager.query('SELECT * FROM users ORDER BY id'),
    await manager.query('SELECT * FROM notes ORDER BY id'),
    await manager.query('SELECT * FROM logs ORDER BY id'),
  ]
  return {
    typeorm,
    async attempt(work) {
      const runner = one.createQueryRunner()
      try {
        await runner.startTransaction()
        const { manager } = runner
        await work({
          manager,
          users: manager.getRepository('User'),
          notes: manager.getRepository('Note'),
          logs: manager.getRepository('Log'),
          people: manager.getRepository('Person'),
          undeclared: manager.getRepository('Undeclared'),
        })
      } finally {
        while (runner.isTransactionActive) await runner.rollbackTransaction()
        await runner.release()
      }
    },
    async rows({ manager }) {
      const [users, notes, logs] = await all(manager)
      if (!isSealed)
        return plain({ users: users.map(row => ({ ...row, address: parsed(row.address) })), notes, logs })
      const opened = declared.User.openAll(users)
      holdIndexes(
        declared.User,
        opened.map(({ email }, i) => [email, users[i].email_index]),
      )
      return plain({ users: opened, notes: declared.Note.openAll(notes), logs: declared.Log.openAll(logs) })
    },
    ...(isSealed ? { stored: async ({ manager }) => JSON.stringify(await all(manager), storedOnly) } : {}),
    comparable({ result, inOrder }) {
      const rows = plain(result, !isSealed)
      return inOrder ? rows : unordered(rows)
    },
  }
}

/** Without indexes, which the clear side lacks, and without what differs by time. */
function plain(value, isRaw = false, seen = new Set()) {
  if (value instanceof Date) return 'a date'
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value
  if (typeof value === 'bigint') return `${value}n`
  if (Object.is(value, -0)) return 0
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) return 'a date'
  if (typeof value !== 'object' || value === null) return value
  // TypeORM changes the operators of a program.
  if ('@instanceof' in value) return 'an operator'
  if (seen.has(value)) return 'again'
  seen.add(value)
  if (Array.isArray(value)) return value.map(one => plain(one, isRaw, seen))
  const entries = membersOf(value)
    .filter(([name, one]) => one !== undefined && !/email_?index$/i.test(name))
    .map(([name, one]) => [name, plain(isRaw && /_address$/.test(name) ? parsed(one) : one, isRaw, seen)])
  seen.delete(value)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same with all lists in one order. */
function unordered(value) {
  if (Array.isArray(value)) {
    const list = value.map(unordered)
    return list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unordered(one)]))
}

/** A result may contain what the program gave. */
function membersOf(value) {
  try {
    return Object.entries(value)
  } catch (error) {
    return [['failing', error.message]]
  }
}

/** For JSON.stringify: rows without columns in clear text. */
function storedOnly(name, value) {
  return typeof value === 'string' && !ENCRYPTED.includes(name) ? undefined : value
}

/** Raw results have values on the sealed side, and JSON in clear. */
function parsed(value) {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
