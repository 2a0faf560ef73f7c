// docs/guide/prisma.md, whose programs share one database.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { root } from '../../../scripts/tools.mjs'

/** More adapters than the page needs, because the other checks of Prisma have the same folder. */
export { PACKAGES as packages } from '../prisma-databases.mjs'

const [, KEYSET] = /^KEYSET=(\S+)/m.exec(readFileSync(join(root, 'docs/guide/fields.md'), 'utf8'))
const env = { KEYSET, INDEX_KEY: '07'.repeat(32) }

const CONDITIONS = ['email', 'notes'].map(
  field =>
    `ALTER TABLE "User" ADD CHECK (length("${field}") >= 44 AND "${field}" ~ '^A[Q-Za-f][A-Za-z0-9_-]+$');\n`,
)

/** The tables, as a migration of the schema makes them. */
const TABLES = [
  'CREATE TABLE "User" (id text PRIMARY KEY, name text, email text NOT NULL, "emailIndex" text UNIQUE NOT NULL, notes text)',
  'CREATE TABLE "Post" (id text PRIMARY KEY, title text NOT NULL, "authorId" text NOT NULL REFERENCES "User")',
  ...CONDITIONS,
]
const MIGRATION = `
  import { PrismaPg } from '@prisma/adapter-pg'
  import { PrismaClient } from './generated/client.ts'
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) })
  for (const statement of ${JSON.stringify(TABLES)}) await prisma.$executeRawUnsafe(statement)
  await prisma.$disconnect()`

export function prepare({ folder, run }) {
  const engine = { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' }
  run(['node_modules/prisma/build/index.js', 'generate', '--schema', 'schema.prisma'], engine)
  writeFileSync(join(folder, 'migration.ts'), MIGRATION)
  run(['migration.ts'])
}

/** The commands of the page that rotate the keys, with the keys of its programs. */
export function finish({ folder, run }) {
  const keys = join(folder, 'keys.json')
  writeFileSync(keys, Keyring.parse(KEYSET).export())
  const command = (...args) => run([join(root, 'dist/cli/main.cjs'), ...args])
  command('keyset', 'promote', keys, '--id', command('keyset', 'add', keys).trim())
  const columns = ['--table', 'User', '--id', 'id', '--column', 'email', 'notes']
  const said = command('rotate', '--url-env', 'DATABASE_URL', ...columns, '--keyset', keys)
  if (!said.includes('1 rows written') || !said.includes('keyset disable'))
    throw new Error(`docs/guide/prisma.md, rotate said: ${said}`)
}

export const runs = [
  { env, after: '\nawait prisma.$connect(); await prisma.$disconnect()' },
  {
    env,
    prints: `Ada@example.org { likes: [ 'mathematics' ] } 1
[ { title: 'On the engine', author: { email: 'ada@example.com' } } ]
`,
  },
  { env, prints: CONDITIONS.join('') },
  { env, prints: "ada@example.com\n[ { name: 'Ada' } ]\n" },
  {
    env,
    prints: `"args.data" has values of encrypted fields, which are sealed for one row of User, and its condition does not name 'id': read the key first, then update by it
0
`,
  },
]
