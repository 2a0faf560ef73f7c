// The recipes of docs/guide/cookies.md, as pasted, in their servers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../scripts/tools.mjs'
import { install } from '../databases/pages.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'
import { modules } from './packages.mjs'

const LINES = 10
const TRIES = 600
const page = () => readFileSync(join(root, 'docs/guide/cookies.md'), 'utf8')

/** Gives a line; `spoil` changes each recipe, as a planted fault. */
export async function serve(folder, line, spoil = code => code) {
  const node = await obtain(RUNTIMES[line], folder)
  install(folder, modules())
  const [, declaration] = /```js\n(\/\/ session\.mjs\n.*?)```/s.exec(page())
  writeFileSync(join(folder, 'session.mjs'), declaration)
  // Those of Next.js have names: checks/package builds its server.
  const recipes = [...page().matchAll(/```javascript\n(?!\/\/ )(.*?)```/gs)].map(([, code]) => code)
  if (recipes.length !== 4) throw new Error(`docs/guide/cookies.md has ${recipes.length} recipes`)
  const asked = []
  for (const [i, code] of recipes.entries()) {
    const lines = code.split('\n').filter(text => !/^import|^$/.test(text))
    if (lines.length > LINES) throw new Error(`recipe ${i + 1} has ${lines.length} lines`)
    writeFileSync(join(folder, `recipe-${i}.mjs`), spoil(code))
    await visits(node, folder, `recipe-${i}.mjs`)
    asked.push(/from '([\w-]+)'|\bHono\b/.exec(code)[1] ?? 'hono')
  }
  return `${line}: the recipes of ${asked.join(', ')} count visits`
}

/** Visits a server three times, as a browser does. */
async function visits(node, folder, file) {
  const port = await freePort()
  const server = spawn(node, [file], {
    cwd: folder,
    env: { PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  server.stderr.on('data', data => (errors += data))
  const ended = once(server, 'exit')
  try {
    let cookie = 'other=1'
    for (let visit = 1; visit <= 3; visit++) {
      const response = await ask(`http://127.0.0.1:${port}/`, cookie, () => server.exitCode !== null)
      const body = await response.json()
      if (body.visits !== visit) throw new Error(`visit ${visit} of ${file} was counted as ${body.visits}`)
      const [line] = response.headers.getSetCookie()
      cookie = `other=1; ${line?.split(';')[0]}`
    }
  } catch (error) {
    throw new Error(`${error.message}\n${errors}`)
  } finally {
    server.kill()
    await ended
  }
}

async function ask(url, cookie, isOver) {
  for (let i = 0; i < TRIES; i++) {
    try {
      return await fetch(url, { headers: { cookie } })
    } catch (error) {
      if (isOver()) throw error
      await sleep(50)
    }
  }
  throw new Error('the server does not answer')
}

async function freePort() {
  const server = createServer()
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise(resolve => server.close(resolve))
  return port
}
