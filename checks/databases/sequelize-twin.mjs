// Sequelize with odd values at every place of its statements, beside Sequelize alone on tables in clear (twin.mjs).
import { keyOf, placesOf, USUAL, WRAPS } from './sequelize-places.mjs'
import { compareTwins, holdIndexes } from './twin.mjs'

/** The last one's name is its email, which is that of the first one. */
const USERS = [
  {
    id: keyOf(1),
    tenant: 'a',
    code: 'a1',
    name: 'Ada',
    email: 'ada@example.org',
    address: 'Analytical Lane 1',
  },
  { id: keyOf(2), tenant: 'b', code: 'b1', name: 'Bob', email: 'bob@example.org', address: null },
  { id: keyOf(3), tenant: 'a', code: 'a2', name: 'Eve', email: null, address: 'Eavesdrop Row 12' },
  { id: keyOf(4), tenant: 'c', code: 'c1', name: 'ada@example.org', email: 'ada@example.org', address: null },
  ...[6, 7, 8, 9].map(n => ({
    id: keyOf(n),
    tenant: 'd',
    code: `d${n}`,
    name: `${n}`,
    email: `${9 - n}th@example.org`,
    address: null,
  })),
].map(user => ({ ...user, visits: 0 }))
const NOTES = [
  { id: keyOf('a'), line: 'a line of Ada', user_id: USERS[0].id },
  { id: keyOf('b'), line: 'a line of Bob', user_id: USERS[1].id },
  ...USERS.slice(4).map(({ id, name }) => ({ id, line: `a line of ${name}`, user_id: id })),
]

/** `parts` are those of the package: encryptedSequelize, encryptedColumns, BlindIndex and Keyring. `more` goes to compareTwins. */
export async function twins({ database, url, library, parts, ...more }) {
  const { encryptedColumns, encryptedSequelize, BlindIndex, Keyring } = parts
  const keyring = Keyring.generate()
  const declared = {
    User: encryptedColumns('twins', {
      keyring,
      rowKey: ['tenant', 'id'],
      indexKey: BlindIndex.generateKey(),
      columns: { email: { type: 'text', index: 'email_index' }, address: 'text' },
    }),
    Note: encryptedColumns('twin_notes', { keyring, rowKey: ['user_id', 'id'], columns: { line: 'text' } }),
    Count: encryptedColumns('twin_counts', { keyring, rowKey: 'id', columns: { secret: 'text' } }),
  }
  const sealed = await side({ url, library, prefix: '', declared, encryptedSequelize })
  const clear = await side({ url, library, prefix: 'clear_' })
  try {
    const places = Object.entries(placesOf(library)).map(([name, run]) => [
      name,
      ({ models, t }, v) => run(models, t, v),
    ])
    const done = await compareTwins({
      name: `sequelize ${database}`,
      places: Object.fromEntries(places),
      sealed,
      clear,
      usual: USUAL,
      wraps: WRAPS,
      secrets: [
        ...USERS.flatMap(({ email, address }) => [email, address]),
        ...NOTES.map(({ line }) => line),
        ...['new@example.org', 'carl@example.org', 'a number of Ada'],
      ],
      ...more,
    })
    return `${database}: ${done}`
  } finally {
    await Promise.all([sealed.db.close(), clear.db.close()])
  }
}

async function side({ url, library, prefix, declared, encryptedSequelize }) {
  const { Sequelize, DataTypes } = library
  const db = new Sequelize(url, { logging: false, pool: { max: 2 } })
  const { TEXT, STRING, CHAR, INTEGER } = DataTypes
  const text = declared === undefined ? STRING : TEXT
  const timestamps = { timestamps: false }
  const User = db.define(
    'User',
    {
      id: { type: CHAR(36), primaryKey: true },
      tenant: { type: STRING(10), primaryKey: true },
      code: { type: STRING(10), unique: true },
      name: { type: STRING(50), allowNull: false },
      email: text,
      ...(declared === undefined ? {} : { emailIndex: { type: STRING(22), field: 'email_index' } }),
      address: text,
      visits: INTEGER,
    },
    { ...timestamps, tableName: `${prefix}twins` },
  )
  const Note = db.define(
    'Note',
    { id: { type: CHAR(36), primaryKey: true }, line: text },
    { ...timestamps, tableName: `${prefix}twin_notes` },
  )
  const Count = db.define(
    'Count',
    { id: { type: INTEGER, primaryKey: true }, secret: text },
    { ...timestamps, tableName: `${prefix}twin_counts` },
  )
  Note.belongsTo(User, { as: 'user', foreignKey: 'user_id', constraints: false })
  User.hasMany(Note, { as: 'notes', foreignKey: 'user_id', constraints: false })
  if (declared !== undefined) encryptedSequelize(db, declared)
  const models = { User, Note, Count }
  await db.sync({ force: true })
  await User.bulkCreate(USERS)
  await Note.bulkCreate(NOTES)
  await Count.create({ id: 5, secret: 'a number of Ada' })
  const plain = rows =>
    rows
      .map(row => row.get({ plain: true }))
      .map(comparable)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    db,
    library,
    async attempt(work) {
      const t = await db.transaction()
      try {
        await work({ models, t })
      } finally {
        await t.rollback().catch(() => {})
      }
    },
    async rows({ t }) {
      const users = await User.findAll({ transaction: t })
      if (declared !== undefined) {
        const [sealed] = await db.query(`SELECT * FROM ${User.tableName}`, { transaction: t })
        holdIndexes(
          declared.User,
          sealed.map(row => [declared.User.open(row).email, row.email_index]),
        )
      }
      const others = [await Note.findAll({ transaction: t }), await Count.findAll({ transaction: t })]
      return [users, ...others].map(plain)
    },
    ...(declared === undefined
      ? {}
      : {
          async stored({ t }) {
            const texts = ['twins', 'twin_notes', 'twin_counts'].map(table =>
              db.query(`SELECT * FROM ${table}`, { transaction: t }),
            )
            // A name is clear text, and a statement may set it to what another column has.
            return JSON.stringify(
              (await Promise.all(texts)).map(([rows]) => rows.map(({ name, ...row }) => row)),
            )
          },
        }),
    comparable,
  }
}

/** A result as plain data, in one order. */
function comparable(result) {
  // For PostgreSQL, Sequelize writes NUL as a backslash and a zero. A ciphertext keeps it.
  if (typeof result === 'string') return result.replaceAll('\0', String.raw`\0`)
  if (Array.isArray(result)) {
    const list = result.map(comparable)
    return list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof result?.get === 'function') return comparable(result.get({ plain: true }))
  if (typeof result === 'symbol' || result instanceof Date) return String(result)
  if (typeof result !== 'object' || result === null) return result
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, comparable(value)]))
}
