// Compiles the TypeScript consumers with every compiler a user may have, under both ways to resolve the package.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { cached } from '../tools/cache.mjs'
import { child } from '../tools/child.mjs'

/** The first with `using`, and the last of each line since. */
const COMPILERS = ['5.2.2', '5.9.3', '6.0.3', '7.0.2']
/** The compiler of this repository; the runtimes get its output. */
const COMPILER = '6.0.3'

const OPTIONS = [
  ...['--target', 'es2022', '--types', 'node', '--skipLibCheck', 'false'],
  ...['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
]
const FILES = ['consumer.mts', 'consumer.cts', 'alias/alias.mts']
const LIBRARY = ['--lib', 'es2022,esnext.disposable']
/** The compiler's default, which has lib.dom; lib.dom as many projects have it, whose streams have no iteration; and without it. */
const LIBRARIES = [[], ['--lib', 'es2022,esnext.disposable,dom'], LIBRARY]

/** Compiles the consumers with every compiler and runs what each has made. Gives the compilers' versions. */
export async function compile(folder) {
  copies(folder)
  for (const version of COMPILERS) {
    await emit(folder, version)
    const tsc = compilerOf(folder, version)
    await tsc('--module', 'nodenext', '--moduleResolution', 'nodenext', '--noEmit', ...LIBRARY, ...FILES)
    await tsc('--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit', ...LIBRARY, ...FILES)
    for (const library of LIBRARIES)
      await tsc('--module', 'nodenext', '--outDir', outputOf(version), ...library, 'web-streams.mts')
    for (const file of ['consumer.mjs', 'consumer.cjs', 'alias/alias.mjs', 'web-streams.mjs'])
      await child(execPath, [join(outputOf(version), file)], folder)
  }
  return COMPILERS
}

/** Compiles the consumers for the runtimes. Gives the folder in which they lie. */
export async function compileForRuntimes(folder) {
  copies(folder)
  await emit(folder, COMPILER)
  return outputOf(COMPILER)
}

function compilerOf(folder, version) {
  const modules = cached(`typescript@${version}`, '@types/node@20.19.43')
  const types = ['--typeRoots', join(modules, '@types')]
  return (...args) =>
    child(execPath, [join(modules, 'typescript/bin/tsc'), ...args, ...OPTIONS, ...types], folder)
}

const emit = (folder, version) =>
  compilerOf(folder, version)(
    ...['--module', 'node16', '--moduleResolution', 'node16', '--outDir', outputOf(version)],
    ...[...LIBRARY, ...FILES],
  )

/** Two more copies of the package: one under an alias, and another version below a package that depends on it. */
function copies(folder) {
  const modules = join(folder, 'node_modules')
  const original = join(modules, 'hardware-aes-gcm')
  cpSync(original, join(modules, 'aes-under-another-name'), { recursive: true, dereference: true })
  const other = join(modules, 'needs-another-version')
  const older = join(other, 'node_modules', 'hardware-aes-gcm')
  mkdirSync(join(older, '..'), { recursive: true })
  cpSync(original, older, { recursive: true, dereference: true })
  const manifest = JSON.parse(readFileSync(join(older, 'package.json'), 'utf8'))
  writeFileSync(join(older, 'package.json'), JSON.stringify({ ...manifest, version: '0.0.1' }))
  const source = "import { AesGcm } from 'hardware-aes-gcm'\n"
  writeFileSync(
    join(other, 'package.json'),
    '{ "name": "needs-another-version", "type": "module", "exports": "./index.js" }',
  )
  writeFileSync(
    join(other, 'index.js'),
    `${source}export const older = key => new AesGcm(key, { nonceAt: 'end' })\n`,
  )
  writeFileSync(
    join(other, 'index.d.ts'),
    `${source}export declare function older(key: Uint8Array): AesGcm\n`,
  )
}

const outputOf = version => `compiled-${version}`
