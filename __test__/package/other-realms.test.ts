// Every entry point in a realm that has ECMAScript and `process` alone. In jest-environment-jsdom, TextEncoder, structuredClone and
// others are missing, and Uint8Array is not that of Node's realm.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

type Exports = Record<string, unknown>
type Consumer = (entry: unknown, other: unknown) => unknown
const ofNode = createRequire(import.meta.url)

/** Loads files into a new realm, each once; those of dist/ without any global of Node but `process`. */
function realm() {
  const context = createContext({ process })
  const loaded = new Map<string, { exports: unknown }>()
  const load = (file: string): unknown => {
    const found = loaded.get(file)
    if (found !== undefined) return found.exports
    const module = { exports: runInContext('({})', context) as unknown }
    loaded.set(file, module)
    const require = (name: string) => (name.startsWith('.') ? load(join(dirname(file), name)) : ofNode(name))
    const ours = file.startsWith(join(ROOT, 'dist'))
    const globals = ours ? {} : { AbortController, AbortSignal, Buffer, setTimeout }
    const values = { module, exports: module.exports, require, __filename: file, ...globals }
    const source = `(function (${Object.keys(values)}) { ${readFileSync(file, 'utf8')}\n})`
    runInContext(source, context, { filename: file })(...Object.values(values))
    return module.exports
  }
  return load
}

/** The functions in checks/package that use each entry point. */
const CONSUMERS: Record<string, string[]> = {
  '.': ['every-function', 'off-thread'],
  columns: ['columns'],
  keyring: ['keyrings'],
  legacy: ['old-texts'],
  quic: ['packets'],
  rotation: ['rotations'],
  session: ['sessions'],
  shamir: ['shares'],
  siv: ['repeated-nonces'],
  stream: ['streams'],
  xaes: ['long-nonces'],
}

test.each(Object.keys(CONSUMERS))('jsdom has no TextEncoder: "%s" loads and works', async entry => {
  const load = realm()
  const exportsOf = (name: string) => load(join(ROOT, 'dist', name, 'index.cjs')) as object
  const exports = exportsOf(entry)
  // Columns are made with a keyring, and rotated as such; every other entry is used with keys of the main one.
  const others = { columns: ['keyring'], rotation: ['columns', 'keyring'] }[entry] ?? ['.']
  const other =
    others.length === 1 ? exportsOf(others[0] as string) : Object.assign({}, ...others.map(exportsOf))
  for (const name of CONSUMERS[entry] as string[]) {
    const consume = load(join(ROOT, 'checks/package/consumers', `${name}.cjs`)) as Consumer
    await consume(exports, other)
  }
})

test('every entry point of package.json is tried', () => {
  const { exports } = ofNode('../../package.json') as { exports: Exports }
  const entries = Object.keys(exports).filter(name => name !== './package.json')
  expect(Object.keys(CONSUMERS).map(name => (name === '.' ? name : `./${name}`))).toEqual(entries)
})
