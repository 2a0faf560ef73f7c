// Compiles prisma-types.mts against a generated client, in its folder.
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'

export function proveTypes(folder) {
  copyFileSync(new URL('prisma-types.mts', import.meta.url), join(folder, 'types.mts'))
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.mts'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the types of an extended client: ${stdout}`)
}
