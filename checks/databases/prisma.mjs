// Encrypted fields through the API of Prisma 7, on PostgreSQL: the part `prisma` of checks/run.mjs databases.
//
// Random operations run on two databases: through the extension, and through the client alone on tables in clear. Results, failures and
// rows must be equal. Then no plaintext is in a dump of the first database, and values that were moved do not open.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { runPage } from './pages.mjs'
import { proveSearch } from './plaintexts.mjs'
import { clientOf } from './prisma-client.mjs'
import { compare } from './prisma-compare.mjs'
import { faults, planted } from './prisma-plants.mjs'
import { SCHEMA } from './prisma-schema.mjs'
import { proveTypes } from './prisma-types.mjs'
import { startPostgresql } from './servers.mjs'

const [SAMPLE, WHOLE] = [400, 10_000]
/** A planted fault is found within this many operations. */
const MOST = 2000

// Prisma runs the queries of a transaction in a way that pg deprecates.
process.noDeprecation = true

export async function* prove({ whole }) {
  proveSearch()
  const tools = await start()
  yield `Prisma 7.10 on PostgreSQL: ${await compare(tools, partsOf(root), whole ? WHOLE : SAMPLE)}, 0 differences`
  // The page is compiled in every run.
  if (whole) {
    proveTypes(tools.folder)
    yield 'the types of the extended client are those of the fields'
  }
  yield* runPage('prisma', { DATABASE_URL: tools.server.url })
  await tools.server.stop()
}

export const plants = Object.fromEntries(
  faults.map(fault => [
    fault.about,
    async () => {
      const tools = await start()
      try {
        await compare(tools, partsOf(planted(fault, tools.folder)), MOST)
      } catch (error) {
        return error.message.split('\n')[0]
      }
    },
  ]),
)

let started
/** A server and a generated client, for all of this process. */
function start() {
  started ??= (async () => {
    mkdirSync(join(root, 'target'), { recursive: true })
    const folder = mkdtempSync(join(root, 'target/prisma-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const client = await clientOf(folder, SCHEMA)
    return { folder, server: await startPostgresql(), ...client }
  })()
  return started
}

/** The parts of a package in a folder, as a program requires them. */
function partsOf(folder) {
  const require = createRequire(join(folder, 'dist/index.cjs'))
  return Object.assign({}, ...['columns', 'keyring', 'prisma'].map(name => require(`./${name}/index.cjs`)))
}
