// Holds .ci/run to its turns: every check is in one of them, so that ten commits in a row try all. And the hosted workflow to .ci/run.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../tools/support.js'

/** Runs a program that must succeed, with further variables of the environment, and returns what it prints. */
function printed(command: string, args: string[], env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}
/** The checks that .ci/run would run: lines of a shell. */
const checksIn = (env: Record<string, string>, ...args: string[]): string[] =>
  printed('bash', ['.ci/run', '--list', ...args], env)
    .trimEnd()
    .split('\n')
const checks = (...args: string[]) => checksIn({}, ...args)
const GROUPS = ['tests', 'code', 'dist', 'packages']
const whole = checks('--whole')
const OPTIONS = [
  ...['--windows', '--systems', '--release', '--builds', '--scratch'],
  ...['--arm64', '--memory', '--databases', '--consumers', '--tools'],
]
const turns = OPTIONS.map(option => checks(option))

// What a turn does in part, and the number of commits decides which: `--scratch` makes one of two platforms again, the systems are one of three
// pairs, and the tests under Wine one of two halves. Each turn has the packages that it needs.
const drawn = (line: string) =>
  line
    .replace(/( reproducible| (?:emulate|wine-typescript) --install) .*/, '$1 …')
    .replace(/( dist --) .*/, '$1 …')

test('each check of the whole is in a turn, and no turn has another', () => {
  const all = new Set(whole.map(drawn))
  // In some turns, `codegen` does not plant its faults first.
  const lines = turns.flat().filter(line => line !== 'node checks/run.mjs codegen')
  expect(new Set(lines.map(drawn))).toEqual(all)
  for (const turn of turns) expect(turn.length).toBeLessThan(all.size)
})

test('without an option it takes one of the turns', () => {
  expect(turns.map(turn => turn.map(drawn))).toContainEqual(checks().map(drawn))
})

/** The folder of a repository of its own, with so many commits of no files. */
function repository(commits: number) {
  const folder = mkdtempSync(join(tmpdir(), 'turns-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const names = ['AUTHOR', 'COMMITTER'].flatMap(role => [
    [`GIT_${role}_NAME`, 'test'],
    [`GIT_${role}_EMAIL`, 'test@example.org'],
  ])
  const env = { GIT_DIR: folder, GIT_CONFIG_GLOBAL: '/dev/null', ...Object.fromEntries(names) }
  const git = (...args: string[]) => printed('git', args, env).trim()
  git('init', '--quiet', '--bare', folder)
  const tree = git('hash-object', '-t', 'tree', '-w', '/dev/null')
  const list: string[] = []
  while (list.length < commits) {
    const parent = list.at(-1)
    list.push(git('commit-tree', tree, '-m', 'empty', ...(parent === undefined ? [] : ['-p', parent])))
  }
  const at = (commit: string | undefined) => git('update-ref', 'HEAD', commit ?? '')
  return { folder, env, list, at }
}

test('ten commits in a row take all turns, and later ones the other parts of a turn', () => {
  const { env, list, at } = repository(21)
  const listed = (number: number) => {
    at(list[number - 1])
    return checksIn(env, 'dist', 'packages')
  }
  const ten = Array.from({ length: 10 }, (_, i) => listed(i + 1))
  expect(new Set(ten.map(turn => turn.map(drawn).join('\n'))).size).toBe(10)
  // The turns with parts: of Windows, from scratch, and of two systems at a time.
  const later = [20, 14, 11, 21].map(listed)
  const parts = (lines: string[], name: string) =>
    new Set(lines.flatMap(line => line.match(` ${name}( --install)? (.*)`)?.[2]?.split(' ') ?? []))
  for (const name of ['wine-typescript', 'reproducible', 'emulate'])
    expect(parts([...ten, ...later].flat(), name)).toEqual(parts(whole, name))
})

test('a shallow clone, which cannot count, and a folder without git take one of the turns', () => {
  const { folder, env, list, at } = repository(3)
  at(list[2])
  const shallow = join(folder, 'shallow')
  printed('git', ['clone', '--quiet', '--bare', '--depth', '1', `file://${folder}`, shallow], env)
  for (const GIT_DIR of [shallow, join(folder, 'none')])
    expect(turns.map(turn => turn.map(drawn))).toContainEqual(checksIn({ ...env, GIT_DIR }).map(drawn))
})

// One loop runs the groups of every turn; the packages of `--release` differ most.
test.each(['--whole', '--release'])('the groups are the whole: %s', option => {
  expect(GROUPS.flatMap(group => checks(option, group))).toEqual(checks(option))
})

test('the jobs of the hosted workflow run the whole, and no check twice', () => {
  const workflow = readFileSync(`${ROOT}.github/workflows/ci.yml`, 'utf8')
  const jobs = [...workflow.matchAll(/^ +job: \[(.*)\]$/gm)].flatMap(([, list = '']) => list.split(', '))
  const run = jobs.flatMap(job => checks('--whole', ...job.split(' ')))
  expect(new Set(run)).toEqual(new Set(whole))
  const once = (lines: string[]) => lines.filter(line => line.includes('checks/run.mjs')).sort()
  expect(once(run)).toEqual(once(whole))
})

// checks/ has no types.
const { CHECKS } = await import(new URL('../../checks/list.mjs', import.meta.url).href)

test('every check is run or left out for a reason, and every package is built', () => {
  const rows = Object.entries<{ file: string; ci?: string; elsewhere?: string }>(CHECKS)
  const run = whole.filter(line => line.includes('checks/run.mjs')).map(line => line.split(' ')[2])
  expect(run).toEqual(rows.filter(([, { ci }]) => ci !== undefined).map(([name]) => name))
  const reasons = rows.filter(([, { ci }]) => ci === undefined).map(([, { elsewhere }]) => elsewhere)
  for (const reason of reasons) expect(reason).toMatch(/^(npm run assurance|.*the hosted workflow)/)
  const folders = readdirSync(`${ROOT}checks`, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const idle = folders
    .map(({ name }) => name)
    .filter(name => !rows.some(([, row]) => row.file.startsWith(`${name}/`)))
  expect(idle).toEqual(['tools'])
  const built = whole.filter(line => line.includes('npm run dist')).flatMap(line => line.split(' ').slice(4))
  expect(built.sort()).toEqual(readdirSync(`${ROOT}npm`).sort())
})
