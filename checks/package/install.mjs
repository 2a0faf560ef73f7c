// Installs the package from a registry into an empty folder, with each package manager.
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'
import { child } from '../tools/child.mjs'

const PACKAGE = 'hardware-aes-gcm'
/** The only binary that a package manager may choose here. */
const BINARY = 'linux-x64-gnu'

/** How each is started: npm as it comes with Node 20 and the newest, pnpm with its tree of links. */
export const MANAGERS = {
  'npm 10.8.2': () => [execPath, cached('npm@10.8.2'), 'npm/bin/npm-cli.js', 'install'],
  'npm 11.21.2': () => [execPath, cached('npm@11.21.2'), 'npm/bin/npm-cli.js', 'install'],
  'pnpm 10.34.9': () => [execPath, cached('pnpm@10.34.9'), 'pnpm/bin/pnpm.cjs', 'add'],
}

/** Installs into `folder`, puts the consumers and the conformance suite beside node_modules, and sees that the right binary came with it. */
export async function install(folder, manager, registry, ...options) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true }\n')
  const [command, modules, script, add] = MANAGERS[manager]()
  await child(command, [join(modules, script), add, PACKAGE, `--registry=${registry}`, ...options], folder)
  cpSync(fileURLToPath(new URL('consumers', import.meta.url)), folder, { recursive: true })
  for (const name of ['conformance', 'models'])
    cpSync(join(root, '__test__', name), join(folder, name), { recursive: true })

  const binaries = binariesIn(folder)
  const wanted = options.includes('--omit=optional') ? '' : BINARY
  if (binaries.join() !== wanted)
    throw new Error(`${manager} installed the binaries [${binaries}] where [${wanted}] was due.`)
}

/** The platform packages that lie in node_modules, where npm puts them, or where pnpm does. */
function binariesIn(folder) {
  const npm = join(folder, 'node_modules/@hardware-aes-gcm')
  if (existsSync(npm)) return readdirSync(npm)
  const pnpm = join(folder, 'node_modules/.pnpm/node_modules/@hardware-aes-gcm')
  return existsSync(pnpm) ? readdirSync(pnpm) : []
}
