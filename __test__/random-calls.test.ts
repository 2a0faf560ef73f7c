// Random calls of every entry point (calls/index.mjs), in a process of their own, so that a crash is seen.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ROOT } from './support.js'
import { count, SEED } from './whole.js'

test('random calls of every function keep every promise', { timeout: 3_600_000 }, () => {
  const program = `${ROOT}__test__/calls/program.mjs`
  const env = { ...process.env, AESGCM_SEED: String(SEED) }
  const args = ['--no-warnings', program, String(count(10_000, 2_500_000))]
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  expect([status ?? signal, stderr]).toEqual([0, ''])
  const { outcomes } = JSON.parse(stdout)
  // Calls that are all refused would prove little.
  expect(outcomes.ok).toBeGreaterThan(3000)
})
