// Builds a standalone server with Next.js and both of its bundlers, and asks the server away from where it was built.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { cached } from '../tools/cache.mjs'
import { child } from '../tools/child.mjs'

const VERSION = '16.4.6'
const BUNDLERS = { Turbopack: [], webpack: ['--webpack'] }

/** Gives the version and the names of the bundlers. `installed` is where our packages lie. */
export async function next(installed, folder) {
  const app = join(folder, 'next')
  const modules = cached(`next@${VERSION}`, 'react@19.2.0', 'react-dom@19.2.0')
  cpSync(join(installed, 'next'), app, { recursive: true })
  // Copied, because Turbopack follows no link out of the app.
  execFileSync('cp', ['-a', modules, app])
  for (const name of ['hardware-aes-gcm', '@hardware-aes-gcm'])
    cpSync(join(installed, 'node_modules', name), join(app, 'node_modules', name), { recursive: true })

  for (const [bundler, flags] of Object.entries(BUNDLERS)) {
    await child(execPath, ['node_modules/next/dist/bin/next', 'build', ...flags], app)
    // Elsewhere: the server must not find what lies beside the app.
    const server = join(folder, `next-${bundler}`)
    mkdirSync(server)
    renameSync(join(app, '.next/standalone'), join(server, 'standalone'))
    const answer = await child(execPath, [join(app, 'request.mjs'), 'standalone/server.js'], server)
    if (!/opened on \w+$/.test(answer)) throw new Error(`${bundler}: the server answered ${answer}.`)
  }
  return `${VERSION} (${Object.keys(BUNDLERS).join(', ')})`
}
