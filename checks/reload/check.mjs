// Proves that running processes take newer keysets without a failed request: checks/run.mjs reload [--whole]
//
// Four processes of examples/keyring/reload.mjs answer requests for 8 seconds, or 60 with --whole, while their keyset's file changes:
// a key is added, the file is bad, the key is promoted, the file is truncated, the first file comes back, and a key is added and
// promoted in one step. No request may fail. Two spoiled servers must fail: one that takes every file, and one that seals with a new
// key at once.
//
// The recipes of docs/guide/reload.md for Prometheus and OpenTelemetry run as they stand, with the libraries from npm.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { runPage } from '../databases/pages.mjs'
import { run } from './changes.mjs'

/** Another way to get the keyring, instead of that of the example. */
const SPOILED = {
  'a server that takes every file': `
    const { readFileSync } = await import('node:fs')
    const { Keyring } = await import('hardware-aes-gcm/keyring')
    let current = Keyring.parse(readFileSync(file, 'utf8'))
    const read = () => { try { current = Keyring.parse(readFileSync(file, 'utf8')) } catch (error) { current = Keyring.generate() } }
    setInterval(read, Number(interval))
    const keyring = { sealText: (...all) => current.sealText(...all), tryOpenText: (...all) => current.tryOpenText(...all) }`,
  'a server that seals with a new key at once': `
    const { readFileSync } = await import('node:fs')
    const { Keyring } = await import('hardware-aes-gcm/keyring')
    const keyring = Keyring.parse(readFileSync(file, 'utf8'))
    const read = () => { try { keyring.replace(Keyring.parse(readFileSync(file, 'utf8'))) } catch {} }
    // By the clock, or processes that start a quarter apart would read at the same time.
    const start = Number(interval) * (1 + cluster.worker.id / 4) - (Date.now() % Number(interval))
    setTimeout(() => setInterval(read, Number(interval)), start)`,
}

async function planted(code) {
  const example = readFileSync(join(root, 'examples/keyring/reload.mjs'), 'utf8')
  const spoiled = example.replace(/ {2}const \{ keyring \} = await followKeyset\([\s\S]*?\}\)\n/, `${code}\n`)
  if (spoiled === example) throw new Error('examples/keyring/reload.mjs has no place for the fault')
  const folder = join(root, 'target/reload')
  mkdirSync(folder, { recursive: true })
  try {
    const script = join(folder, 'spoiled.mjs')
    writeFileSync(script, spoiled)
    const { requests, failed, why } = await run(3, script, false)
    return failed > 0 ? `${failed} of ${requests} requests failed, the first by ${why}` : undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export default {
  about: 'Running processes take newer keysets, and no request fails',
  needs: ['build'],
  flags: ['whole'],
  plants: Object.fromEntries(Object.entries(SPOILED).map(([name, code]) => [name, () => planted(code)])),
  async *prove({ flags: { whole } }) {
    const { requests, failed, why, seen } = await run(whole ? 60 : 8)
    if (failed > 0) throw new Error(`${failed} of ${requests} requests failed, the first by ${why}`)
    yield `${requests} requests to four processes, none failed`
    for (const { what, milliseconds } of seen) yield `${what}: all know it after ${milliseconds} ms`
    yield* runPage('reload')
  },
}
