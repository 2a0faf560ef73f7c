// Generates a client of Prisma for a schema and a database, as JavaScript, in a folder where Prisma is installed.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { cached } from '../tools/cache.mjs'
import { install } from './pages.mjs'
import { DATABASES, PACKAGES } from './prisma-databases.mjs'

/** The variables with which Prisma generates without its engine, which it would download. */
export const WITHOUT_ENGINE = { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' }

/** A generated client: `connect`, which returns a client for the URL of a database, and Prisma. */
export async function clientOf(folder, schema, { provider, module, adapter } = DATABASES.postgresql) {
  mkdirSync(folder, { recursive: true })
  install(folder, cached(...PACKAGES))
  const head = `generator client {
  provider = "prisma-client"
  output   = "./generated"
}
datasource db {
  provider = "${provider}"
}
`
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'schema.prisma'), head + schema)
  const cli = join(folder, 'node_modules/prisma/build/index.js')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'generate', '--schema', 'schema.prisma'],
    { cwd: folder, env: { ...process.env, ...WITHOUT_ENGINE }, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`prisma generate: ${stdout}${stderr}`)
  const [from, to] = [join(folder, 'generated'), join(folder, 'javascript')]
  for (const name of readdirSync(from, { recursive: true }).filter(name => name.endsWith('.ts'))) {
    const file = join(to, name.replace(/ts$/, 'js'))
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, withoutTypes(readFileSync(join(from, name), 'utf8')))
  }
  const { PrismaClient, Prisma } = await import(pathToFileURL(join(to, 'client.js')))
  const adapters = createRequire(join(folder, 'index.cjs'))(module)
  return { Prisma, connect: url => new PrismaClient({ adapter: adapter(adapters, url) }) }
}

function withoutTypes(source) {
  const compilerOptions = { target: 'es2023', module: 'esnext', rewriteRelativeImportExtensions: true }
  return ts.transpileModule(source, { compilerOptions }).outputText
}
