// Tests the arguments of the scripts, checks, benchmarks and examples: --help, misspelt flags and surplus arguments, before any work.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

// A PATH without programs and a home of its own: a program that would install or build could not, and would say so.
const home = mkdtempSync(join(tmpdir(), 'command-lines-'))
afterAll(() => rmSync(home, { recursive: true }))

function run(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    input: '',
    timeout: 30_000,
    env: { SystemRoot: process.env.SystemRoot, PATH: home, HOME: home, ...env },
  })
  return { status, stdout, stderr }
}
const node = (file: string, ...args: string[]) => run(process.execPath, [file, ...args])

/** The programs in JavaScript that people start, with arguments that are one too many. */
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: object }
const PROGRAMS: Record<string, string[]> = {
  ...Object.fromEntries(Object.values(scripts).map(script => [script.replace(/^node /, ''), ['surplus']])),
  'scripts/crates.mjs': ['surplus'],
  'scripts/demo.mjs': ['package.json', 'surplus'],
  'scripts/release.mjs': ['surplus'],
  'bench/event-loop.mjs': ['surplus'],
  'checks/emulate/spoil.mjs': ['file', 'surplus'],
  'checks/run.mjs': ['--list', 'turn', 'surplus'],
  'checks/valgrind/plant.mjs': ['folder', 'surplus'],
  'checks/wine/aligned.mjs': ['from', 'to', 'surplus'],
}
/** The examples, likewise. Their folder stands alone, so that it can be copied into another project. */
const EXAMPLES: Record<string, string[]> = {
  'examples/keyring/cookie.mjs': ['keyset', 'port', 'surplus'],
  'examples/keyring/kms.mjs': ['folder', 'surplus'],
  'examples/keyring/rotation.mjs': ['folder', 'surplus'],
  'examples/quic/client.mjs': ['surplus'],
  'examples/quic/server.mjs': ['surplus'],
  'examples/session/client.mjs': ['secret', 'file', 'port', 'surplus'],
  'examples/session/server.mjs': ['secret', 'target', 'surplus'],
  'examples/websocket/server.mjs': ['secret', 'surplus'],
  'examples/shares/open.mjs': ['folder', '1', '2', '3', '4', '5', 'surplus'],
  'examples/shares/reissue.mjs': ['folder', 'lost', '1', '2', '3', '4', 'surplus'],
  'examples/shares/seal.mjs': ['folder', 'surplus'],
}
/** Those that also take any number of files. */
const UNBOUNDED = ['checks/wine/typescript.mjs']

interface Check {
  name: string
  about: string
  file: URL
  flags?: string[]
  numbers?: string[]
  operands?: [number, number]
  among?: string[]
}
const { CHECKS, load } = await import(new URL('../../checks/list.mjs', import.meta.url).href)
const checks: Check[] = await Promise.all(Object.keys(CHECKS).map(load))

test('every program that parses its arguments is tested here', () => {
  const all = ['scripts', 'bench', 'checks']
    .flatMap(folder => readdirSync(`${ROOT}${folder}`, { recursive: true }).map(file => `${folder}/${file}`))
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => file.endsWith('.mjs') && readFileSync(ROOT + file, 'utf8').includes('commandLine(import'))
  expect(all.sort()).toEqual([...Object.keys(PROGRAMS), ...UNBOUNDED].sort())
})

describe.each([...Object.keys(PROGRAMS), ...UNBOUNDED])('%s', file => {
  test('--help prints the comment at its top', () => {
    const { status, stdout, stderr } = node(file, '--help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [first] = readFileSync(ROOT + file, 'utf8').match(/^\/\/ .*$/m) as RegExpMatchArray
    expect(stdout.split('\n')[0]).toBe(first.slice(3))
    expect(stdout).not.toMatch(/^\/\/|^import /m)
    // The commands of package.json also say how long they take.
    if (Object.values(scripts).includes(`node ${file}`)) expect(stdout).toMatch(/\btakes? /i)
    const [, flags = ''] = readFileSync(ROOT + file, 'utf8').match(/flags: \[(.*?)\]/) ?? []
    const [, numbers = ''] = readFileSync(ROOT + file, 'utf8').match(/numbers: \[(.*?)\]/) ?? []
    for (const [, flag] of `${flags},${numbers}`.matchAll(/'(.*?)'/g))
      expect(stdout).toMatch(new RegExp(`--${flag}\\b`))
  })

  test('a misspelt flag ends it with one sentence and exit code 2', () => {
    expect(node(file, '--qick')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Unknown option '--qick': --help tells what \S+ takes\.\r?\n$/),
    })
  })
})

describe.each(checks)('checks/run.mjs $name', ({ name, about, file, flags = [], numbers = [] }) => {
  test('has a line about it in the list', () => {
    expect(about.length).toBeGreaterThan(20)
    expect(about).not.toContain('\n')
  })

  test('--help prints the comment at the top of its file', () => {
    const { status, stdout, stderr } = node('checks/run.mjs', name, '--help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [, first] = readFileSync(file, 'utf8').match(/^(?:\/\/|#) (.*)$/m) as RegExpMatchArray
    expect(stdout.split('\n')[0]).toBe(first)
    expect(stdout).not.toMatch(/^\/\/|^#|^import |^set /m)
    for (const flag of [...flags, ...numbers]) expect(stdout).toMatch(new RegExp(`--${flag}\\b`))
  })
})

/** A check for each declaration of operands: run.mjs parses those of all checks by the same lines. */
const DECLARATIONS = new Map(checks.map(check => [JSON.stringify([check.operands, check.among]), check]))
test.each([...DECLARATIONS.values()])(
  'checks/run.mjs $name: a misspelt flag and a surplus argument end it with one sentence and exit code 2',
  ({ name, operands, among }) => {
    const check = (...args: string[]) => node('checks/run.mjs', name, ...args)
    const refused = (words: string) => ({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(`^${words}: --help tells what ${name} takes\\.\r?\n$`),
    })
    expect(check('--qick')).toEqual(refused("Unknown option '--qick'"))
    const most = operands?.[1] ?? 0
    if (among !== undefined) expect(check('surplus')).toEqual(refused("'surplus' is not one of .*"))
    else if (most < 10)
      expect(check(...Array(most).fill('operand'), 'surplus')).toEqual(
        refused("One argument too many, 'surplus'"),
      )
  },
)

test('several checks run one after the other, and the arguments are of the last one', () => {
  const refused = node('checks/run.mjs', 'streams', 'async', 'fuzz', 'sessions', 'peers')
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringMatching(/^'peers' is not one of gcm, /) })
  expect(node('checks/run.mjs', 'stream')).toMatchObject({
    status: 2,
    stderr: "'stream' is no check: see --list.\n",
  })
  expect(node('checks/run.mjs', '--list').stdout.trimEnd().split('\n')).toHaveLength(checks.length)
})

test.each(Object.entries(PROGRAMS))('%s %j: a surplus argument ends it with exit code 2', (file, surplus) => {
  expect(node(file, ...surplus)).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^(One argument too many, )?'surplus'.*: --help tells what .*\.\r?\n$/),
  })
})

describe.each(Object.entries(EXAMPLES))('%s', (file, surplus) => {
  const usage = `usage: node ${basename(file)}`

  test('--help, a misspelt flag and a surplus argument print how it is used', () => {
    expect(node(file, '--help')).toEqual({ status: 0, stdout: expect.stringContaining(usage), stderr: '' })
    const refused = (stderr: string) => ({ status: 2, stdout: '', stderr: expect.stringContaining(stderr) })
    expect(node(file, '--qick')).toEqual(refused(`Unknown option '--qick'\n${usage}`))
    expect(node(file, ...surplus)).toEqual(refused(`One argument too many, 'surplus'\n${usage}`))
    if (surplus.length > 1) expect(node(file)).toEqual(refused(`An argument is missing\n${usage}`))
  })

  test('imports nothing from outside of its folder', () => {
    expect(readFileSync(ROOT + file, 'utf8')).not.toMatch(/from '\.\.\/\.\./)
  })
})

test('an option that takes a number, without one or with another value, is refused', () => {
  for (const value of ['0', '-1', '1.5', 'ten', ''])
    expect(node('checks/run.mjs', 'fuzz', `--seconds=${value}`)).toEqual({
      status: 2,
      stdout: '',
      stderr: `--seconds must be a whole number above 0, got '${value}': --help tells what fuzz takes.\n`,
    })
  const missing = node('checks/run.mjs', 'fuzz', '--executions')
  expect(missing).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^Option '--executions <value>'/),
  })
})

test('a flag without its value, a flag that npm took, and a quick run for the record are refused', () => {
  expect(node('scripts/bench.mjs', '--quick=yes').stderr).toMatch(
    /^Option '--quick' does not take an argument: /,
  )
  const taken = run(process.execPath, ['scripts/bench.mjs'], { npm_config_quick: 'true' })
  expect(taken).toMatchObject({ status: 2, stderr: expect.stringMatching(/^npm took --quick for itself, /) })
  expect(node('scripts/bench.mjs', '--quick', '--record')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^A quick run is too rough for a record/),
  })
  expect(node('scripts/bench.mjs', '--constant-time', '--record')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^--constant-time has no record/),
  })
})

const SHELL = {
  '.ci/run': 'test',
  'bench/windows.sh': 'many',
  'checks/arm64.sh': '--hole',
  'checks/emulate/check.sh': 'x68',
  'checks/valgrind/check.sh': '--instal',
  'checks/wine/check.sh': 'pakage',
}
test.skipIf(process.platform !== 'linux').each(Object.entries(SHELL))('%s: --help, and %s', (file, wrong) => {
  const bash = (...args: string[]) => run('/bin/bash', [file, ...args], { PATH: '/bin:/usr/bin' })
  const help = bash('--help')
  expect({ status: help.status, stderr: help.stderr }).toEqual({ status: 0, stderr: '' })
  expect(help.stdout.split('\n')[0]).toBe(
    readFileSync(ROOT + file, 'utf8')
      .split('\n')[1]
      ?.slice(2),
  )
  expect(help.stdout).not.toMatch(/^#|^shellcheck|^set /m)
  expect(bash(wrong)).toEqual({
    status: 2,
    stdout: '',
    stderr: `'${wrong}' is not an argument of ${file.replace(/.*\//, '')}: --help tells what it takes.\n`,
  })
})
