// Every entry point in a realm that has ECMAScript and `process` alone. In jest-environment-jsdom, TextEncoder, structuredClone and
// others are missing, and Uint8Array is not that of Node's realm.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

type Exports = Record<string, unknown>
type Consumer = (entry: unknown, ...others: unknown[]) => unknown
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
  sequelize: ['models'],
  session: ['sessions'],
  shamir: ['shares'],
  siv: ['repeated-nonces'],
  stream: ['streams'],
  typeorm: ['entities'],
  xaes: ['long-nonces'],
}

/** The entries that these functions need besides; that of keys, if nothing is said. */
const NEEDS: Record<string, string[]> = {
  columns: ['keyring'],
  sequelize: ['keyring', 'columns'],
  typeorm: ['keyring', 'columns'],
}

test.each(Object.keys(CONSUMERS))('jsdom has no TextEncoder: "%s" loads and works', async entry => {
  const load = realm()
  const needs = NEEDS[entry] ?? ['.']
  const [exports, ...others] = [entry, ...needs].map(name => load(join(ROOT, 'dist', name, 'index.cjs')))
  for (const name of CONSUMERS[entry] as string[]) {
    const consume = load(join(ROOT, 'checks/package/consumers', `${name}.cjs`)) as Consumer
    await consume(exports, ...others)
  }
})

test('every entry point of package.json is tried', () => {
  const { exports } = ofNode('../../package.json') as { exports: Exports }
  const entries = Object.keys(exports).filter(name => name !== './package.json')
  expect(Object.keys(CONSUMERS).map(name => (name === '.' ? name : `./${name}`))).toEqual(entries)
})
