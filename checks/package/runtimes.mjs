// Proves that the packed tarballs work on the runtimes of users: checks/run.mjs package [RUNTIME]...
//
// Takes the tarballs of `npm run dist` from artifacts/: reads them, installs them from a registry on localhost into empty folders with
// each package manager, and there runs consumers on every runtime, or those that are named, with nothing on the PATH. Runtimes come
// from npm and stay in the cache folder. For x64 Linux with glibc. checks/package/tools.mjs has users' tools.
import { join } from 'node:path'
import { execPath } from 'node:process'
import { listing } from '../../scripts/dist/contents.mjs'
import { forEachBeside } from '../../scripts/tools.mjs'
import { child } from '../tools/child.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'
import { linked } from './command.mjs'
import { consume } from './consume.mjs'
import { install, MANAGERS } from './install.mjs'
import { plantInPrograms, plantInTarball } from './planted.mjs'
import { serve } from './registry.mjs'
import { packed, step, temporary, untried } from './tarballs.mjs'
import { compileForRuntimes } from './types.mjs'

const ALL = Object.keys(RUNTIMES)

export default {
  about: 'The packed tarballs work on the runtimes of users',
  on: 'x64 Linux',
  operands: [0, ALL.length],
  among: ALL,
  prove: ({ operands }) => prove(temporary(), operands.length > 0 ? operands : ALL),
}

async function prove(folder, names) {
  const tarballs = packed()
  for (const tarball of tarballs) console.log(`${listing(tarball)}\n`)
  step(`contents: ${tarballs.length} tarballs hold what they should${untried(tarballs)}`)
  step(`planted in a tarball and found: ${plantInTarball(tarballs[0], tarballs.slice(1)).join(', ')}`)

  const registry = await serve(tarballs)
  const installed = Object.keys(MANAGERS).map(manager => join(folder, manager.replace(' ', '-')))
  const without = join(folder, 'without-optional')
  try {
    for (const [index, manager] of Object.keys(MANAGERS).entries()) {
      await install(installed[index], manager, registry.url)
      const backend = await child(execPath, ['consumer.mjs', 'brief'], installed[index])
      await linked(execPath, installed[index])
      step(`${manager}: installed, runs on ${backend}, and so does its command`)
    }
    await install(without, Object.keys(MANAGERS)[0], registry.url, '--omit=optional')
  } finally {
    registry.close()
  }

  await plantInPrograms({ installed: installed[0], without })
  step('without the binary a consumer fails, and is seen to')

  const compiled = await compileForRuntimes(installed[0])
  const rows = {}
  // As many at a time as there are CPUs, the last first.
  await forEachBeside(names.toReversed(), async name => {
    const program = await obtain(RUNTIMES[name], folder)
    rows[name] = await consume(RUNTIMES[name], program, { installed: installed[0], compiled, without })
    step(`${rows[name].runtime}: passed`)
  })
  console.log(`\n${markdown(names.map(name => rows[name]))}\n`)
  return [`${tarballs.length} tarballs, ${names.length} runtimes${untried(tarballs)}`]
}

/** A table for the documentation, from objects that have the same keys. */
function markdown(rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  const columns = Object.keys(rows[0])
  return [line(columns), line(columns.map(() => '---')), ...rows.map(row => line(Object.values(row)))].join(
    '\n',
  )
}
