// Prisma with odd values at every place of its statements, beside Prisma alone on tables in clear (twin.mjs).
import { USUAL, WRAPS } from './prisma-odd.mjs'
import { PLACES } from './prisma-places.mjs'
import { inQuotesOf } from './prisma-schema.mjs'
import { compareTwins, holdIndexes } from './twin.mjs'

export const SCHEMA = `
model Tenant {
  id       String    @id
  slug     String    @unique
  patients Patient[]
  setting  Setting?
}
model Patient {
  tenantId   String
  id         String
  name       String
  email      String? @unique
  emailIndex String? @unique
  notes      String?
  tenant     Tenant  @relation(fields: [tenantId], references: [id])
  @@id([tenantId, id])
}
model Setting {
  tenantId String  @id
  note     String?
  tenant   Tenant  @relation(fields: [tenantId], references: [id], onDelete: Cascade)
}
model Log {
  id   Int     @id
  line String?
}
`

function tables({ provider, types: { text, key } }) {
  const tenant = 'REFERENCES "Tenant" (id) ON UPDATE CASCADE'
  return [
    `CREATE TABLE "Tenant" (id ${key} PRIMARY KEY, slug ${key} NOT NULL UNIQUE)`,
    `CREATE TABLE "Patient" ("tenantId" ${key} NOT NULL ${tenant}, id ${key} NOT NULL, name ${text} NOT NULL,
       email ${key} UNIQUE, "emailIndex" ${key} UNIQUE, notes ${text}, PRIMARY KEY ("tenantId", id))`,
    `CREATE TABLE "Setting" ("tenantId" ${key} PRIMARY KEY ${tenant} ON DELETE CASCADE, note ${text})`,
    `CREATE TABLE "Log" (id int PRIMARY KEY, line ${text})`,
  ].map(statement => inQuotesOf(provider, statement))
}

const TENANTS = ['a', 'b', 'c'].map(id => ({ id, slug: `s-${id}` }))
/** The last one's name is an email. */
const PATIENTS = [
  { tenantId: 'a', id: 'p1', name: 'Ada', email: 'ada@example.org', notes: 'notes of Ada' },
  { tenantId: 'b', id: 'p2', name: 'Bob', email: 'bob@example.org', notes: null },
  { tenantId: 'a', id: 'p3', name: 'Eve', email: null, notes: 'notes of Eve' },
  { tenantId: 'b', id: 'p1', name: 'Ada', email: 'ada@example.net', notes: null },
  { tenantId: 'c', id: 'p4', name: 'carl@example.org', email: 'carl@example.org', notes: null },
]
const SETTINGS = [
  { tenantId: 'a', note: 'a note of a' },
  { tenantId: 'c', note: null },
]
const LOGS = [1, 2].map(id => ({ id, line: `line ${id}` }))
const MODELS = ['tenant', 'patient', 'setting', 'log']
const SECRETS = [
  ...PATIENTS.flatMap(({ email, notes }) => [email, notes]),
  ...['a note of a', 'note of new', 'new note', 'new@example.org'],
]

/** `tools` are those of prisma.mjs, of this schema; `parts` are those of the package. `more` goes to compareTwins. */
export async function twins(tools, parts, count, more = {}) {
  const { encryptedColumns, encryptedModels, BlindIndex, Keyring } = parts
  const keyring = Keyring.generate()
  const indexKey = BlindIndex.generateKey()
  const email = { type: 'text', index: 'emailIndex' }
  const options = { keyring, rowKey: ['tenantId', 'id'], indexKey, columns: { email, notes: 'text' } }
  const Patient = encryptedColumns('Patient', options)
  const declared = {
    Patient,
    Setting: encryptedColumns('Setting', { keyring, rowKey: 'tenantId', columns: { note: 'text' } }),
    Log: encryptedColumns('Log', { keyring, rowKey: false, columns: { line: 'text' } }),
  }
  const sealed = await side(tools, encryptedModels(declared), Patient)
  const clear = await side(tools)
  const places = Object.entries(PLACES).filter(
    ([name]) => tools.database.canReturn || !name.includes('AndReturn'),
  )
  try {
    return await compareTwins({
      name: `prisma ${tools.name}`,
      count,
      places: Object.fromEntries(places.map(([name, place]) => [name, atomic(place)])),
      sealed,
      clear,
      usual: USUAL,
      wraps: WRAPS,
      secrets: SECRETS,
      ...more,
    })
  } finally {
    await Promise.all([sealed.end(), clear.end()])
  }
}

/** A statement that fails leaves nothing behind, as without the transaction around it. */
function atomic(place) {
  return async (own, value) => {
    await own.$executeRawUnsafe('SAVEPOINT odd')
    try {
      return await place(own, value)
    } catch (error) {
      await own.$executeRawUnsafe('ROLLBACK TO SAVEPOINT odd')
      throw error
    }
  }
}

let made = 0

async function side({ server, connect, database, Prisma, databaseOf }, extension, patients) {
  const url = await databaseOf({ server, connect, database }, `app_twin${++made}`, tables(database))
  const raw = connect(url)
  const client = extension === undefined ? raw : raw.$extends(extension)
  await client.tenant.createMany({ data: TENANTS })
  // In clear, the address stands for its index.
  const index = ({ email }) => (extension === undefined ? { emailIndex: email } : {})
  await client.patient.createMany({ data: PATIENTS.map(row => ({ ...row, ...index(row) })) })
  await client.setting.createMany({ data: SETTINGS })
  await client.log.createMany({ data: LOGS })
  const undone = new Error('undone')
  const from = name => inQuotesOf(database.provider, `SELECT * FROM "${name}"`)
  return {
    client,
    Prisma,
    comparable,
    end: () => raw.$disconnect(),
    async attempt(work) {
      const transaction = async own => {
        await work(own)
        throw undone
      }
      await client.$transaction(transaction, { timeout: 60_000, maxWait: 60_000 }).catch(error => {
        // A database ends a transaction at the first failure.
        if (error !== undone && error.code === undefined) throw error
      })
    },
    async rows(own) {
      const rows = []
      for (const model of MODELS) rows.push(comparable(await own[model].findMany()))
      if (patients !== undefined) {
        const sealed = await own.$queryRawUnsafe(from('Patient'))
        holdIndexes(
          patients,
          sealed.map(row => [patients.open(row).email, row.emailIndex]),
        )
      }
      return rows
    },
    ...(patients === undefined
      ? {}
      : {
          async stored(own) {
            const rows = []
            for (const name of ['Patient', 'Setting', 'Log']) rows.push(await own.$queryRawUnsafe(from(name)))
            // These are clear text, and a statement may set them to an email.
            const isClear = name => ['name', 'id', 'tenantId'].includes(name)
            return JSON.stringify(rows, (name, value) => (isClear(name) ? 0 : value))
          },
        }),
  }
}

/** A result as plain data in one order, without indexes. */
function comparable(value) {
  if (Array.isArray(value)) {
    const list = value.map(comparable)
    return list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => name !== 'emailIndex')
  return Object.fromEntries(entries.map(([name, one]) => [name, comparable(one)]))
}
