// Random calls of every entry point (calls/index.mjs), in a process of their own, so that a crash is seen.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'
import { count, SEED } from '../tools/whole.js'

/** Makes `calls` random calls in a process of their own, and gives the number of each outcome. */
function outcomesOf(calls: number, seed: number): Record<string, number> {
  const program = `${ROOT}__test__/calls/program.mjs`
  const env = { ...process.env, AESGCM_SEED: String(seed) }
  const args = ['--no-warnings', program, String(calls)]
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  expect([status ?? signal, stderr]).toEqual([0, ''])
  return JSON.parse(stdout).outcomes
}

test('random calls of every function keep every promise', { timeout: 3_600_000 }, () => {
  const { ok } = outcomesOf(count(10_000, 2_500_000), SEED)
  // Calls that are all refused would prove little.
  expect(ok).toBeGreaterThan(3000)
})

// With this seed, the argument of the first call lies in Node's pool, to which the first use of the package wrote.
test('a first call whose argument lies in the pool is not blamed for the self-test', () => {
  outcomesOf(1, 1135)
})
