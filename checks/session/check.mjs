// Proves that sessions end right when connections are cut, and leave no memory behind: check.mjs [--whole] [NODE]
//
// 200 connections at once over loopback TCP for 10 seconds, or a minute with --whole, half of them cut at random moments. Only
// bytes that were sent may arrive, every connection that was cut short must be an error with a code, no process may crash, and
// resident memory at the end must equal that after the first tenth. Wrong bytes, a clean end, memory that is kept and a crash,
// planted on purpose, must be noticed first. NODE is the Node to run, by default this one. For Linux, which reports resident
// memory.
import { spawnSync } from 'node:child_process'
import { execPath, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { commandLine } from '../../scripts/command-line.mjs'
import { setup } from '../../scripts/setup.mjs'
import { root, stop } from '../../scripts/tools.mjs'

const { flags, operands } = commandLine(import.meta.url, { flags: ['whole'], operands: [0, 1] })
const { whole } = flags
const node = operands[0] ?? execPath
if (platform !== 'linux') stop('checks/session reads /proc, and runs on Linux only')
if (node === execPath) setup()

const SECONDS = whole ? 60 : 10
/** Seconds of a planted fault. */
const FEW = { wrong: 2, clean: 2, crash: 2, kept: 4 }
// The data of 200 connections is in flight, so resident memory goes up and down by some MiB.
const MAX_GROWTH = 32 * 2 ** 20

try {
  for (const [fault, seconds] of Object.entries(FEW)) {
    const found = verdict(run(seconds, fault))
    if (found === undefined) throw new Error(`planted: ${fault}, and it was not seen`)
    console.log(`self-test: planted and found: ${fault} (${found})`)
  }
  const result = run(SECONDS)
  const fault = verdict(result)
  if (fault !== undefined) throw new Error(fault)
  const { tally, samples, ms } = result.facts
  const shown = Object.entries(tally).map(([what, times]) => `${times} ${what}`)
  const [from, to] = ends(samples).map(bytes => (bytes / 2 ** 20).toFixed(1))
  console.log(`sessions on Node ${result.facts.node}, ${(ms / 1000).toFixed(1)} s: ${shown.join(', ')}`)
  console.log(`  ${from} MiB resident in the second tenth, ${to} in the last`)
} catch (error) {
  stop(`checks/session: ${error.message}`)
}

/** The exit of the program and, if it came to its end, the facts that it printed. */
function run(seconds, fault = '') {
  const file = fileURLToPath(new URL('connections.mjs', import.meta.url))
  const flags = ['--expose-gc', '--max-semi-space-size=1']
  const { status, signal, stdout, stderr } = spawnSync(node, [...flags, file, String(seconds), fault], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
  })
  const last = stdout.trim().split('\n').at(-1)
  return { exit: signal ?? status, stderr, facts: last.startsWith('{') ? JSON.parse(last) : undefined }
}

/** What is wrong with a run; undefined if it is right. */
function verdict({ exit, stderr, facts }) {
  if (exit !== 0) return `it ended with ${exit}${stderr ? `: ${stderr.trim().split('\n')[0]}` : ''}`
  if (facts === undefined) return 'it printed no result'
  if (facts.wrong.length > 0) return `${facts.wrong.length} wrong, the first: ${facts.wrong[0]}`
  const { ended = 0, ...errors } = facts.tally
  if (ended === 0 || Object.keys(errors).length === 0) return 'all connections ended in the same way'
  const [from, to] = ends(facts.samples)
  if (to - from > MAX_GROWTH) return `resident memory grew by ${to - from} bytes`
  return undefined
}

/** The least resident memory of the second tenth and of the last: pools and heaps grow in the first. */
function ends(samples) {
  const tenth = Math.ceil(samples.length / 10)
  return [samples.slice(tenth, 2 * tenth), samples.slice(-tenth)].map(part => Math.min(...part))
}
