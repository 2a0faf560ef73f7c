// Makes random calls of every function (__test__/calls), and random conversations over secure streams, on four lines of Node:
// checks/run.mjs calls [NODE]...
//
// Each makes 10 000 calls; with the environment variable AESGCM_WHOLE=1, 2.5 million, which take about ten minutes of CPU time.
// Tests whose outcome depended on the line of Node run on each, too. NODE is one of node20, node22, node24 and node26, by default
// all of them. A crash and an error in any call end the check; AESGCM_SEED repeats a run. The Nodes come from npm and stay in the
// cache folder. For x64 Linux with glibc.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { root } from '../../scripts/tools.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'

const NODES = Object.keys(RUNTIMES).filter(name => RUNTIMES[name].title === 'Node')
const CALLS = env.AESGCM_WHOLE === '1' ? 2_500_000 : 10_000
/** Random conversations, and what went wrong on some lines of Node alone or is there on some alone. */
const TESTS = [
  'protocols/session/conversations',
  'protocols/session/empty-writes',
  'cipher/aead/async-copies',
  'package/immutable',
]

export default {
  about: 'Calls in any order with any values give results or documented errors',
  on: 'x64 Linux',
  needs: ['build'],
  operands: [0, NODES.length],
  among: NODES,
  async *prove({ operands }) {
    const folder = mkdtempSync(join(tmpdir(), 'aesgcm-calls-'))
    try {
      for (const name of operands.length > 0 ? operands : NODES) yield* on(name, folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function* on(name, folder) {
  const node = await obtain(RUNTIMES[name], folder)
  const program = join(root, '__test__', 'calls', 'program.mjs')
  const { status, signal, stdout, stderr } = spawnSync(node, ['--no-warnings', program, String(CALLS)], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${name} ended with ${signal ?? status}: ${stderr}`)
  const { node: version, seed, outcomes } = JSON.parse(stdout)
  const { ok, ...refused } = outcomes
  const codes = Object.keys(refused).length
  yield `Node ${version}, AESGCM_SEED=${seed}: ${ok} of ${CALLS} calls succeeded, the others gave ${codes} codes`
  const files = TESTS.map(test => `/${test}.test.ts`)
  const tests = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { ...env, NO_COLOR: '1' },
  })
  const passed = tests.stdout.match(/^ *Tests {2}(\d+ passed)/m)?.[1]
  if (tests.status !== 0 || passed === undefined)
    throw new Error(`${name}: ${TESTS.join(', ')}: ${tests.stdout}${tests.stderr}`)
  yield `${name}: ${TESTS.join(', ')}: ${passed}`
}
