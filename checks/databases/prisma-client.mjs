// Generates a client of Prisma for a schema, as JavaScript, in a folder where Prisma is installed.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { cached } from '../tools/cache.mjs'
import { install } from './pages.mjs'

export const PACKAGES = ['prisma@7.10.0', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.0']

/** The variables with which Prisma generates without its engine, which it would download. */
export const WITHOUT_ENGINE = { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' }

/** A folder with a generated client: PrismaClient, Prisma and PrismaPg. */
export async function clientOf(folder, schema) {
  install(folder, cached(...PACKAGES))
  const head = `generator client {
  provider = "prisma-client"
  output   = "./generated"
}
datasource db {
  provider = "postgresql"
}
`
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'schema.prisma'), head + schema)
  const cli = join(folder, 'node_modules/prisma/build/index.js')
  const env = { ...process.env, ...WITHOUT_ENGINE }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'generate', '--schema', 'schema.prisma'],
    {
      cwd: folder,
      env,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(`prisma generate: ${stdout}${stderr}`)
  const [from, to] = [join(folder, 'generated'), join(folder, 'javascript')]
  for (const name of readdirSync(from, { recursive: true }).filter(name => name.endsWith('.ts'))) {
    const file = join(to, name.replace(/ts$/, 'js'))
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, withoutTypes(readFileSync(join(from, name), 'utf8')))
  }
  const { PrismaClient, Prisma } = await import(pathToFileURL(join(to, 'client.js')))
  const { PrismaPg } = await import(
    pathToFileURL(join(folder, 'node_modules/@prisma/adapter-pg/dist/index.mjs'))
  )
  return { PrismaClient, Prisma, PrismaPg }
}

function withoutTypes(source) {
  const compilerOptions = { target: 'es2023', module: 'esnext', rewriteRelativeImportExtensions: true }
  return ts.transpileModule(source, { compilerOptions }).outputText
}
