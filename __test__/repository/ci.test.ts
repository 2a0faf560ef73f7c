// Holds .ci/run to its turns: every check is in one of them, so that ten commits may have tried all.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

/** The checks that .ci/run would run: lines of a shell. */
function checks(...args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync('bash', ['.ci/run', '--list', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.trimEnd().split('\n')
}
const GROUPS = ['tests', 'code', 'packages']
const whole = checks('--whole')
const OPTIONS = [
  ...['--windows', '--systems', '--release', '--builds', '--scratch'],
  ...['--arm64', '--memory', '--databases', '--consumers', '--tools'],
]
const turns = OPTIONS.map(option => checks(option))

// What a turn does in part, and the commit decides which: `--scratch` makes one of two platforms again, the systems are one of three
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

// One loop runs the groups of every turn; the packages of `--release` differ most.
test.each(['--whole', '--release'])('the groups are the whole: %s', option => {
  expect(GROUPS.flatMap(group => checks(option, group))).toEqual(checks(option))
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
