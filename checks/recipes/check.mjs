// Runs the rotation of examples/keyring over node:sqlite, on the lines of Node that have the module: checks/run.mjs recipes
//
// It is also run with a program that was spoiled on purpose, which must be noticed. Installs versions of Node from npm, into the user's
// cache. Takes a few seconds after the build.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { child } from '../tools/child.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'

/** Lines of Node with node:sqlite. */
const NODES = ['node22', 'node24', 'node26']

export default {
  about: 'The rotation of the examples runs while servers write',
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
  // As in a user's project: beside a node_modules with this package.
  const folder = join(work, 'rotation')
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/hardware-aes-gcm'))
  for (const [name, node] of nodes) await rotate(node, join(folder, name))
  const script = join(folder, 'examples/keyring/rotation.mjs')
  const source = readFileSync(script, 'utf8')
  writeFileSync(
    script,
    source.replace('rotateColumns(second, source)', 'rotateColumns(second, source, { dryRun: true })'),
  )
  await mustFail(() => rotate(nodes.get('node24'), join(folder, 'spoiled')))
  return [`the rotation on ${NODES.join(', ')}`]
}

async function rotate(node, folder) {
  mkdirSync(folder)
  const script = join(folder, '../examples/keyring/rotation.mjs')
  const output = await child(node, ['--disable-warning=ExperimentalWarning', script, folder], folder)
  if (!output.includes('5. count: 0 rows under the old key, 251 under the new one'))
    throw new Error(`the rotation says:\n${output}`)
}

/** Runs what was spoiled on purpose. */
async function mustFail(run) {
  try {
    await run()
  } catch {
    return
  }
  throw new Error('planted: a spoiled rotation, and it was not noticed')
}
