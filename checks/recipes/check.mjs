// Runs the recipes of examples/keyring with parts that npm test does not install: checks/run.mjs recipes
//
// Drizzle over SQLite compiled to WebAssembly, on every line of Node; the rotation over node:sqlite, on the lines that have the
// module. Each program is also run with a recipe that was spoiled on purpose, which must be noticed. Installs packages and versions
// of Node from npm, into the user's cache. Takes a minute after the build.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'
import { child } from '../tools/child.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'

const NODES = ['node20', 'node22', 'node24', 'node26']
/** Lines of Node with node:sqlite. */
const WITH_SQLITE = NODES.slice(1)
/** The packages of a program, and the change of its recipe that it must notice. */
const PROGRAMS = {
  drizzle: {
    packages: ['drizzle-orm@0.45.4', 'sql.js@1.16.0'],
    spoil: ['column.name, id)', 'column.name)'],
  },
}

export default {
  about: 'The recipes of the examples run with the libraries that they are for',
  needs: ['build'],
  async prove() {
    const work = mkdtempSync(join(tmpdir(), 'recipes-'))
    try {
      return await prove(work)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  },
}

async function prove(work) {
  const nodes = new Map()
  for (const name of NODES) nodes.set(name, await obtain(RUNTIMES[name], work))
  for (const [name, { packages, spoil }] of Object.entries(PROGRAMS)) {
    const folder = project(work, name, cached(...packages))
    for (const node of nodes.values()) await child(node, [`${name}.mjs`], folder)
    const recipe = join(folder, 'examples/keyring', `${name}.mjs`)
    const [before, after] = spoil
    const text = readFileSync(recipe, 'utf8')
    if (!text.includes(before)) throw new Error(`${recipe} has no '${before}' to spoil`)
    writeFileSync(recipe, text.replace(before, after))
    await mustFail(() => child(nodes.get('node24'), [`${name}.mjs`], folder), name)
  }
  const folder = project(work, 'rotation')
  for (const name of WITH_SQLITE) await rotate(nodes.get(name), join(folder, name))
  const users = join(folder, 'examples/keyring/users.mjs')
  writeFileSync(users, readFileSync(users, 'utf8').replace('AND email = ?', 'AND email <> ?'))
  await mustFail(() => rotate(nodes.get('node24'), join(folder, 'spoiled')), 'rotation')
  return [
    `${Object.keys(PROGRAMS).join(' and ')} on ${NODES.join(', ')}; the rotation on ${WITH_SQLITE.join(', ')}`,
  ]
}

/** A folder with the examples, as in a user's project: beside a node_modules with this package and those of `modules`. */
function project(work, name, modules) {
  const folder = join(work, name)
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  if (modules !== undefined)
    cpSync(modules, join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/hardware-aes-gcm'))
  if (modules !== undefined) cpSync(new URL(`${name}.mjs`, import.meta.url), join(folder, `${name}.mjs`))
  return folder
}

async function rotate(node, folder) {
  mkdirSync(folder)
  const script = join(folder, '../examples/keyring/rotation.mjs')
  const output = await child(node, ['--disable-warning=ExperimentalWarning', script, folder], folder)
  if (!output.includes('5. count: 0 rows under the old key, 251 under the new one'))
    throw new Error(`the rotation says:\n${output}`)
}

/** Runs what was spoiled on purpose. */
async function mustFail(run, name) {
  try {
    await run()
  } catch {
    return
  }
  throw new Error(`planted: a spoiled recipe of ${name}, and it was not noticed`)
}
