// Proves that async calls are right and leave no memory behind, whatever happens meanwhile: check.mjs [--whole] [NODE]
//
// 16 000 calls, or 100 000 with --whole, with collections, destroyed and dropped keys, forgeries and aborts in flight; then
// workers that are terminated with jobs in flight. Every result must be right or a typed rejection, no process may crash, and
// resident memory at the end must equal that after the first tenth. Wrong results, memory that is kept and a crash, planted on
// purpose, must be noticed first. NODE is the Node to run, by default this one. For Linux, which reports resident memory.
import { spawnSync } from 'node:child_process'
import { execPath, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { commandLine } from '../../scripts/command-line.mjs'
import { setup } from '../../scripts/setup.mjs'
import { root, stop } from '../../scripts/tools.mjs'

const { flags, operands } = commandLine(import.meta.url, { flags: ['whole'], operands: [0, 1] })
const { whole } = flags
const node = operands[0] ?? execPath
if (platform !== 'linux') stop('checks/async reads /proc, and runs on Linux only')
if (node === execPath) setup()

const CALLS = whole ? 100_000 : 16_000
const WORKERS = whole ? 120 : 30
/** Calls and workers of a planted fault; memory that is kept must exceed the limit below. */
const FEW = { calls: 3000, workers: 9 }
const KEPT = { calls: 16_000, workers: 21 }
// Resident memory goes up and down by some MiB, and by more where workers come and go: each has a heap of its own. The frames
// of 100 terminated workers would take more than 100 MiB.
const MAX_GROWTH = 32 * 2 ** 20

try {
  for (const [program, fault, count] of [
    ['calls', 'wrong', FEW.calls],
    ['calls', 'kept', KEPT.calls],
    ['calls', 'crash', FEW.calls],
    ['workers', 'wrong', FEW.workers],
    ['workers', 'kept', KEPT.workers],
    ['workers', 'crash', FEW.workers],
  ]) {
    const found = verdict(run(program, count, fault), MAX_GROWTH)
    if (found === undefined) throw new Error(`planted in ${program}: ${fault}, and it was not seen`)
    console.log(`self-test: planted in ${program} and found: ${fault} (${found})`)
  }
  for (const [program, count] of [
    ['calls', CALLS],
    ['workers', WORKERS],
  ]) {
    const result = run(program, count)
    const fault = verdict(result, MAX_GROWTH)
    if (fault !== undefined) throw new Error(`${program}: ${fault}`)
    const { tally, samples, ms } = result.facts
    const shown = Object.entries(tally).map(([what, times]) => `${times} ${what}`)
    const [from, to] = ends(samples).map(bytes => (bytes / 2 ** 20).toFixed(1))
    console.log(
      `${count} ${program} on Node ${result.facts.node}, ${(ms / 1000).toFixed(1)} s: ${shown.join(', ')}`,
    )
    console.log(`  ${from} MiB resident in the second tenth, ${to} in the last`)
  }
} catch (error) {
  stop(`checks/async: ${error.message}`)
}

/** The exit of a program and, if it came to its end, the facts that it printed. */
function run(program, count, fault = '') {
  const file = fileURLToPath(new URL(`${program}.mjs`, import.meta.url))
  const flags = ['--expose-gc', '--max-semi-space-size=1']
  const { status, signal, stdout, stderr } = spawnSync(node, [...flags, file, String(count), fault], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
  })
  const last = stdout.trim().split('\n').at(-1)
  return { exit: signal ?? status, stderr, facts: last.startsWith('{') ? JSON.parse(last) : undefined }
}

/** What is wrong with a run; undefined if it is right. */
function verdict({ exit, stderr, facts }, most) {
  if (exit !== 0) return `it ended with ${exit}${stderr ? `: ${stderr.trim().split('\n')[0]}` : ''}`
  if (facts === undefined) return 'it printed no result'
  if (facts.wrong.length > 0) return `${facts.wrong.length} wrong, the first: ${facts.wrong[0]}`
  const [from, to] = ends(facts.samples)
  if (to - from > most) return `resident memory grew by ${to - from} bytes`
  return undefined
}

/** The least resident memory of the second tenth and of the last: pools and heaps grow in the first. */
function ends(samples) {
  const tenth = Math.ceil(samples.length / 10)
  return [samples.slice(tenth, 2 * tenth), samples.slice(-tenth)].map(part => Math.min(...part))
}
