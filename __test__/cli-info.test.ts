// `info` on runtimes and systems other than this one, whose answers are put in the place of Node's.
import fs from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { Folder } from './cli/program.js'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The line of the table with this name, without the name. */
async function row(name: string): Promise<string | undefined> {
  const table = await new Folder().succeed(['info'])
  return new RegExp(`^${name} +(.*)$`, 'm').exec(table)?.[1]
}

async function withVersions(versions: object, body: () => Promise<void>): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(process, 'versions') as PropertyDescriptor
  Object.defineProperty(process, 'versions', { ...before, value: { ...process.versions, ...versions } })
  try {
    await body()
  } finally {
    Object.defineProperty(process, 'versions', before)
  }
}

test.each([
  ['Bun', { bun: '1.2.3' }, `Bun 1.2.3, Node-API ${process.versions.napi}`],
  ['Deno', { deno: '2.3.4' }, `Deno 2.3.4, Node-API ${process.versions.napi}`],
  ['Node', {}, `Node ${process.versions.node}, Node-API ${process.versions.napi}`],
  ['a runtime without Node-API', { napi: undefined }, `Node ${process.versions.node}`],
])('the runtime: %s', (_, versions, shown) =>
  withVersions(versions, async () => {
    expect(await row('runtime')).toBe(`${shown}, ${process.platform} ${process.arch}`)
  }),
)

test('the sources of the seed', async () => {
  expect(await row('random seed')).toMatch(/^from the operating system( and .+)?$/)
})

const LIMITS = '/proc/self/limits'
const { readFileSync } = fs
const withLimits = (limits: () => string) => {
  vi.spyOn(fs, 'readFileSync').mockImplementation(((path: string, encoding: 'utf8') =>
    path === LIMITS ? limits() : readFileSync(path, encoding)) as typeof readFileSync)
}
const limitOf = (soft: string) =>
  `Max file size   unlimited\nMax locked memory         ${soft}              unlimited   bytes\n`

test.runIf(process.platform === 'linux').each([
  ['65536', '64 KiB'],
  ['1048575', '1024 KiB'],
  ['1048576', '1 MiB'],
  ['8388608', '8 MiB'],
  ['1073741823', '1024 MiB'],
  ['1073741824', '1 GiB'],
  ['1610612736', '1.5 GiB'],
  ['1099511627775', '1024 GiB'],
  ['2199023255552', '2 TiB'],
  ['unlimited', 'unlimited'],
])('a limit of %s bytes of locked memory', async (soft, shown) => {
  withLimits(() => limitOf(soft))
  expect(await row('lock limit')).toBe(shown)
})

test.runIf(process.platform === 'linux')('a limit that nobody tells', async () => {
  withLimits(() => 'Max file size   unlimited\n')
  expect(await row('lock limit')).toBe('unknown')
  withLimits(() => {
    throw new Error('no such file')
  })
  expect(await row('lock limit')).toBe('unknown')
})
