// `info` on runtimes and systems other than this one, whose answers are put in the place of Node's.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { KeyArena } from 'hardware-aes-gcm'
import { afterEach, expect, test, vi } from 'vitest'
import { BINARY } from '../tools/support.js'
import { Folder } from './program.js'

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

test('the key that tells whether keys are locked does not stay', async () => {
  const { used } = KeyArena.default
  await new Folder().succeed(['info'])
  // Keys of other tests may be collected meanwhile.
  expect(KeyArena.default.used).toBeLessThanOrEqual(used)
})

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
  ['1099511627776', '1 TiB'],
  ['2199023255552', '2 TiB'],
  ['unlimited', 'unlimited'],
])('a limit of %s bytes of locked memory', async (soft, shown) => {
  withLimits(() => limitOf(soft))
  expect(await row('lock limit')).toBe(shown)
})

test.runIf(process.platform === 'linux')('a limit that nobody tells', async () => {
  withLimits(() => 'Max file size   unlimited\n')
  expect(await row('lock limit')).toBe('unknown')
  withLimits(() => `Soft ${limitOf('65536')}`.replace('\n', ' '))
  expect(await row('lock limit')).toBe('unknown')
  withLimits(() => {
    throw new Error('no such file')
  })
  expect(await row('lock limit')).toBe('unknown')
})

test('a binary that is no module of this process', async () => {
  const { cache } = createRequire(import.meta.url)
  const module = cache[BINARY]
  delete cache[BINARY]
  try {
    expect(await row('binary')).toBe('not loaded')
  } finally {
    cache[BINARY] = module
  }
})

test('without a package.json, the rest of the facts', async () => {
  vi.spyOn(fs, 'readFileSync').mockImplementation(((path: string, encoding: 'utf8') => {
    if (/package\.json$/.test(path)) throw new Error('no such file')
    return readFileSync(path, encoding)
  }) as typeof readFileSync)
  expect(await row('binary')).toMatch(/ unknown, interface \d+$/)
})

interface Module {
  facts(): { facts: Facts; failure: unknown }
}
type Facts = Record<string, Record<string, unknown> | null>

/** The table for facts that this machine may not have: `changes` are put over those that it has. */
async function withFacts(changes: Facts, name: string): Promise<string | undefined> {
  const module = createRequire(import.meta.url)('../../dist/cli/frame/facts.cjs') as Module
  const { facts, failure } = module.facts()
  const changed = Object.entries(changes).map(([part, some]) => [part, some && { ...facts[part], ...some }])
  vi.spyOn(module, 'facts').mockReturnValue({ facts: { ...facts, ...Object.fromEntries(changed) }, failure })
  return row(name)
}

test.each<[string, string, Facts]>([
  ['CPU source', 'none', { random: { cpuSource: { name: null, state: 'absent', reason: null } } }],
  [
    'CPU source',
    'rdseed, healthy',
    { random: { cpuSource: { name: 'rdseed', state: 'healthy', reason: null } } },
  ],
  [
    'CPU source',
    'rdseed, dropped (stuck)',
    { random: { cpuSource: { name: 'rdseed', state: 'dropped', reason: 'stuck' } } },
  ],
  ['forks', 'not detected', { random: { copyDetection: { fork: 'none', vm: null } } }],
  ['forks', 'detected by process id', { random: { copyDetection: { fork: 'process id', vm: null } } }],
  ['VM restores', 'not detected: call reseed()', { random: { copyDetection: { fork: 'none', vm: null } } }],
  [
    'VM restores',
    'detected by /dev/vmclock0',
    { random: { copyDetection: { fork: 'none', vm: '/dev/vmclock0' } } },
  ],
  ['random seed', 'none yet', { random: { lastSeed: null } }],
  [
    'random seed',
    'from the operating system and rdseed',
    { random: { lastSeed: { sources: ['os', 'rdseed'] } } },
  ],
  ['random bytes', 'not available', { random: null }],
  ['binary', 'not loaded', { binary: null }],
  [
    'binary',
    'some-package unknown, interface 7',
    { binary: { package: 'some-package', version: null, interface: 7 } },
  ],
  ['path', 'a path with spaces '.repeat(9), { binary: { path: 'a path with spaces '.repeat(9) } }],
  // In 78 columns, of which the names take 18.
  ['CPU', `${'a'.repeat(30)} ${'b'.repeat(29)}`, { cpu: { model: `${'a'.repeat(30)} ${'b'.repeat(29)} c` } }],
  ['CPU', 'a'.repeat(61), { cpu: { model: 'a'.repeat(61) } }],
  ['CPU', 'unknown', { cpu: { model: null } }],
  ['backend', 'none', { cpu: { backend: null } }],
  ['backends', 'none', { cpu: { backends: [] } }],
  ['backends', 'vaes256, aesni', { cpu: { backends: ['vaes256', 'aesni'] } }],
  ['features', 'aes avx', { cpu: { features: { aes: true, vaes: false, avx: true } } }],
  ['missing', 'vaes', { cpu: { features: { aes: true, vaes: false, avx: true } } }],
  ['missing', 'none', { cpu: { features: { aes: true } } }],
  ['keys locked', 'unknown', { memory: { keysLocked: null } }],
  ['keys locked', 'yes', { memory: { keysLocked: true } }],
  ['keys locked', 'no: they may be swapped out', { memory: { keysLocked: false } }],
  ['keys in dumps', 'unknown', { memory: { keysExcludedFromDumps: null } }],
  ['keys in dumps', 'no', { memory: { keysExcludedFromDumps: true } }],
  ['keys in dumps', 'yes: the system cannot exclude them', { memory: { keysExcludedFromDumps: false } }],
  ['lock limit', 'unknown', { memory: { lockedLimit: null } }],
  ['longest Buffer', '4 GiB', { memory: { longestBuffer: 2 ** 32 } }],
])('%s: %s', async (name, shown, facts) => {
  expect(await withFacts(facts, name)).toBe(shown)
})
