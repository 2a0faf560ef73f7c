// Encrypted fields through the API of Prisma 7, on PostgreSQL, MariaDB and SQLite: the part `prisma` of checks/run.mjs databases.
//
// Random operations run on two databases: through the extension, and through the client alone on tables in clear. Results, failures and
// rows must be equal. Then no plaintext is in a dump of the first database, and values that were moved do not open.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { runPage } from './pages.mjs'
import { proveSearch } from './plaintexts.mjs'
import { faultsOf, findFaults, partsOf, planted } from './plants.mjs'
import { clientOf } from './prisma-client.mjs'
import { compare, databaseOf } from './prisma-compare.mjs'
import { DATABASES } from './prisma-databases.mjs'
import { SCHEMA } from './prisma-schema.mjs'
import { SCHEMA as TWIN, twins } from './prisma-twin.mjs'
import { proveTypes } from './prisma-types.mjs'

/** Operations in a sample, on each database. */
const SAMPLES = { postgresql: 400, mariadb: 100, sqlite: 100 }
const WHOLE = 10_000
/** A planted fault is found within this many operations. */
const MOST = 10_000
/** Odd statements in a sample, on SQLite, and with --whole. Each statement leaves a file of libsql open. */
const ODD = { sample: { sqlite: 400 }, whole: { sqlite: 4000, mariadb: 10_000, postgresql: 10_000 } }
/** Faults that are planted in a sample, and the odd statements that must find one. */
const [FAULTS, ENOUGH] = [2, 2500]
/** The entries of the package that a program requires. */
const ENTRIES = ['columns', 'keyring', 'prisma']

// Prisma runs the queries of a transaction in a way that pg deprecates.
process.noDeprecation = true

export async function* prove({ whole }) {
  proveSearch()
  for (const [database, sample] of Object.entries(SAMPLES)) {
    const tools = await start(database)
    const done = await compare(tools, partsOf(root, ...ENTRIES), whole ? WHOLE : sample)
    yield `Prisma 7.10 on ${database}: ${done}, 0 differences`
  }
  for (const [database, count] of Object.entries(whole ? ODD.whole : ODD.sample)) {
    const tools = await startAnew(database, TWIN)
    const done = await twins(tools, partsOf(root, ...ENTRIES), count, { kinds: whole })
    await tools.server.stop()
    yield `Prisma 7.10 on ${database} beside Prisma alone: ${done}`
  }
  const tools = await startAnew('postgresql', TWIN)
  const find = ({ only }, folder) => twins(tools, partsOf(folder, ...ENTRIES), ENOUGH, { only })
  yield await findFaults('prisma', faultsOf('prisma'), whole ? undefined : FAULTS, find)
  await tools.server.stop()
  const { folder, server } = await start('postgresql')
  // The page is compiled in every run.
  if (whole) {
    proveTypes(folder)
    yield 'the types of the extended client are those of the fields'
  }
  yield* runPage('prisma', { DATABASE_URL: server.url })
  for (const tools of started.values()) await (await tools).server.stop()
}

export const plants = Object.fromEntries(
  faultsOf('prisma-operations').map(fault => [
    fault.about,
    async () => {
      const tools = await start('postgresql')
      const parts = partsOf(planted(fault, tools.folder), ...ENTRIES)
      try {
        await compare(tools, parts, MOST)
      } catch (error) {
        return error.message.split('\n')[0]
      }
    },
  ]),
)

const started = new Map()
/** A server and a generated client, for all of this process. */
function start(name) {
  if (!started.has(name)) started.set(name, startAnew(name))
  return started.get(name)
}

async function startAnew(name, schema = SCHEMA) {
  mkdirSync(join(root, 'target'), { recursive: true })
  const folder = mkdtempSync(join(root, 'target/prisma-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const database = DATABASES[name]
  const client = await clientOf(folder, schema, database)
  return { name, folder, database, databaseOf, server: await database.start(), ...client }
}
