// Builds a standalone server with Next.js and both of its bundlers, and asks the server away from where it was built, on each line of
// Node. The recipes of docs/guide/cookies.md for a route handler and a proxy are in it as they stand there.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { root } from '../../scripts/tools.mjs'
import { cached } from '../tools/cache.mjs'
import { child } from '../tools/child.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'

const VERSION = '16.4.6'
const BUNDLERS = { Turbopack: [], webpack: ['--webpack'] }
const NODES = ['node22', 'node24', 'node26']

/** Gives the version and the names of the bundlers. `installed` is where our packages lie. */
export async function next(installed, folder) {
  const app = join(folder, 'next')
  const modules = cached(`next@${VERSION}`, 'react@19.2.0', 'react-dom@19.2.0')
  cpSync(join(installed, 'next'), app, { recursive: true })
  // Copied, because Turbopack follows no link out of the app.
  execFileSync('cp', ['-a', modules, app])
  for (const name of ['hardware-aes-gcm', '@hardware-aes-gcm'])
    cpSync(join(installed, 'node_modules', name), join(app, 'node_modules', name), { recursive: true })
  paste(app)
  const programs = [execPath, ...(await Promise.all(NODES.map(name => obtain(RUNTIMES[name], folder))))]

  for (const [bundler, flags] of Object.entries(BUNDLERS)) {
    await child(execPath, ['node_modules/next/dist/bin/next', 'build', ...flags], app)
    // Elsewhere: the server must not find what lies beside the app.
    const server = join(folder, `next-${bundler}`)
    mkdirSync(server)
    renameSync(join(app, '.next/standalone'), join(server, 'standalone'))
    for (const program of programs) {
      const answer = await child(program, [join(app, 'request.mjs'), 'standalone/server.js'], server)
      if (!/opened on \w+$/.test(answer)) throw new Error(`${bundler}: the server answered ${answer}.`)
    }
  }
  return `${VERSION} (${Object.keys(BUNDLERS).join(', ')})`
}

/** Writes the guide's declaration of a session, a route handler and a proxy. */
function paste(app) {
  const page = readFileSync(join(root, 'docs/guide/cookies.md'), 'utf8')
  const blocks = [
    ...page.matchAll(/```(?:js|javascript)\n(\/\/ (session\.mjs|app\/[\w./]+|proxy\.js)\n.*?)```/gs),
  ]
  if (blocks.length !== 3) throw new Error(`docs/guide/cookies.md has ${blocks.length} blocks for Next.js`)
  for (const [, code, name] of blocks) {
    mkdirSync(dirname(join(app, name)), { recursive: true })
    // As the comment in this line says.
    writeFileSync(
      join(app, name),
      code.replace('Keyring.generate()', 'Keyring.parse(process.env.SESSION_KEYSET)'),
    )
  }
  // The build evaluates the module.
  writeFileSync(join(app, '.env'), `SESSION_KEYSET=1:${'a5'.repeat(32)}\n`)
}
