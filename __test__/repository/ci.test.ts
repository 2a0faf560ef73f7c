// Holds .ci/run to its turns: every check is in one of them, so that three commits may have tried all.
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
const GROUPS = ['tests', 'code', 'arm64', 'packages', 'benches']
const whole = checks('--whole')
const OPTIONS = ['--windows', '--systems', '--builds']
const turns = OPTIONS.map(option => checks(option))

// A turn of the builds makes one of two platforms again, and the commit decides which.
const drawn = (line: string) => line.replace(/(reproducible\.mjs) .*/, '$1 …')

test('each check of the whole is in a turn, and no turn has another', () => {
  const all = new Set(whole.map(drawn))
  expect(new Set(turns.flat().map(drawn))).toEqual(all)
  for (const turn of turns) expect(turn.length).toBeLessThan(all.size)
})

test('without an option it takes one of the turns', () => {
  expect(turns.map(turn => turn.map(drawn))).toContainEqual(checks().map(drawn))
})

test.each(['--whole', ...OPTIONS])('the groups are the whole: %s', option => {
  expect(GROUPS.flatMap(group => checks(option, group))).toEqual(checks(option))
})

/** Checks that take longer than .ci/run has, with the place that runs them. */
const ELSEWHERE = {
  miri: 'the hosted workflow, where rustup installs it',
  mutants: 'a sample in the hosted workflow',
  sanitizers: 'npm run assurance',
  statistics: 'npm run assurance -- --whole',
}

test('every check is run or left out for a reason, and every package is built', () => {
  const text = whole.join('\n')
  const folders = readdirSync(`${ROOT}checks`, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const idle = folders.map(({ name }) => name).filter(name => !text.includes(`checks/${name}/`))
  expect(idle.sort()).toEqual(Object.keys(ELSEWHERE))
  const underWine = whole
    .filter(line => line.includes('checks/wine/check.sh'))
    .flatMap(line => line.split(' ').slice(3))
  expect(underWine.sort()).toEqual(['package', 'rust', 'typescript'])
  const built = whole.filter(line => line.includes('npm run dist')).flatMap(line => line.split(' ').slice(4))
  expect(built.sort()).toEqual(readdirSync(`${ROOT}npm`).sort())
})
