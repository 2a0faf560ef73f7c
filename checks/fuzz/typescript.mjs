// The targets of TypeScript: each runs in a process of its own, and tells its count or its finding as JSON.
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { collect } from '../../scripts/child.mjs'

/** Faults that expect.mjs plants in one case of 16, with the sentence that must tell of them: `wrong` is seen by each target's own. */
const SAYS = { untyped: /not a documented error: TypeError: planted/, wrong: /^Error: (?!not a documented)/ }
export const FAULTS = Object.keys(SAYS)
/** Seconds after which a planted fault counts as not found. */
const PATIENCE = 60

async function start(target, seed, { seconds = 0, executions = 0 }, fault = '') {
  const file = fileURLToPath(new URL('typescript/one.mjs', import.meta.url))
  const args = ['--no-warnings', file, target, seed, seconds, executions, fault].map(String)
  const { code, stdout, both } = await collect(execPath, args)
  const last = stdout.trim().split('\n').at(-1)
  if (!last.startsWith('{')) throw new Error(`${target} ended with ${code}: ${both}`)
  return JSON.parse(last)
}

export async function run(target, limit, seed) {
  const { executions, milliseconds, finding, ...place } = await start(target, seed, limit)
  if (finding) {
    const repeat = `AESGCM_SEED=${place.seed} node checks/run.mjs fuzz ${target} --executions 100`
    throw new Error(`${target}: ${finding}\nto repeat it: ${repeat}`)
  }
  if (!(executions > 0)) throw new Error(`${target} made no case`)
  return { executions, milliseconds }
}

/** Plants a fault, and gives a sentence about how it was found. Throws if it was not. */
export async function planted(target, fault, seed) {
  const { executions, finding } = await start(target, seed, { seconds: PATIENCE }, fault)
  if (!finding) throw new Error(`${target}: planted: ${fault}, and it was not found in ${PATIENCE} s`)
  if (!SAYS[fault].test(finding))
    throw new Error(`${target}: planted: ${fault}, but this was found: ${finding}`)
  return `${fault}, after ${executions} executions`
}
