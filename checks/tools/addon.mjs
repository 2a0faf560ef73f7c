// Compiles the addon of an npm package into the user's cache, once for each Node.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cache, settle } from '../../scripts/tools.mjs'
import { cached } from './cache.mjs'

const COMPILER = 'node-gyp@12.4.0'

/** The packages of Debian that this machine lacks for it. */
export function missingCompiler() {
  return ['g++', 'make', 'python3'].filter(name => spawnSync(name, ['--version'], { stdio: 'ignore' }).error)
}

/**
 * The node_modules folder that holds a package, given as NAME@VERSION, with its addon compiled for a Node of runtimes.mjs. The headers are
 * those in the package of a Node, because node-gyp would load them from another host than npm's.
 */
export function compiled(name, { package: node, headers }) {
  const folder = join(cache(), 'addons', `${name}_${node}@${headers}`)
  if (!existsSync(folder)) {
    const part = `${folder}.${process.pid}.part`
    rmSync(part, { recursive: true, force: true })
    mkdirSync(part, { recursive: true })
    cpSync(cached(name), join(part, 'node_modules'), { recursive: true })
    const home = join(cached(`${node}@${headers}`), node)
    const gyp = join(cached(COMPILER), 'node-gyp/bin/node-gyp.js')
    const { status, stderr } = spawnSync(
      join(home, 'bin/node'),
      [gyp, 'rebuild', '--release', `--nodedir=${home}`],
      { cwd: join(part, 'node_modules', name.replace(/@[^@]*$/, '')), encoding: 'utf8', maxBuffer: 2 ** 27 },
    )
    if (status !== 0) throw new Error(`${name} could not be compiled:\n${stderr.slice(-2000)}`)
    settle(part, folder)
  }
  return join(folder, 'node_modules')
}
