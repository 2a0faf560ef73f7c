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
const { exports: ENTRIES } = ofNode('../../package.json') as {
  exports: Record<string, { require: string }>
}

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
  cookie: ['cookies'],
  drizzle: ['drizzle'],
  hybrid: ['public-keys'],
  keyring: ['keyrings'],
  kms: ['key-services'],
  legacy: ['old-texts'],
  passphrase: ['passphrases'],
  prisma: ['prisma'],
  quic: ['packets'],
  rotation: ['rotations'],
  sequelize: ['models'],
  session: ['sessions'],
  shamir: ['shares'],
  siv: ['repeated-nonces'],
  stream: ['streams'],
  typeorm: ['entities'],
  xaes: ['long-nonces'],
}

/** The entry points with which others are made: those of the main one make keys. */
const NEEDED: Record<string, string[]> = {
  columns: ['keyring'],
  cookie: ['keyring'],
  drizzle: ['columns', 'keyring'],
  kms: ['keyring'],
  passphrase: ['keyring'],
  prisma: ['columns', 'keyring'],
  rotation: ['columns', 'keyring'],
  sequelize: ['columns', 'keyring'],
  typeorm: ['columns', 'keyring'],
}

test.each(Object.keys(CONSUMERS))('jsdom has no TextEncoder: "%s" loads and works', async entry => {
  const load = realm()
  const loaded = (name: string) =>
    load(join(ROOT, ENTRIES[name === '.' ? name : `./${name}`]?.require ?? '')) as Exports
  const exports = loaded(entry)
  const other = Object.assign({}, ...(NEEDED[entry] ?? ['.']).map(loaded))
  for (const name of CONSUMERS[entry] as string[]) {
    const consume = load(join(ROOT, 'checks/package/consumers', `${name}.cjs`)) as Consumer
    await consume(exports, other)
  }
})

test('every entry point of package.json is tried', () => {
  const entries = Object.keys(ENTRIES).filter(name => name !== './package.json')
  expect(Object.keys(CONSUMERS).map(name => (name === '.' ? name : `./${name}`))).toEqual(entries)
})
