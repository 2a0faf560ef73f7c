// Runs a program that prints samples of its resident memory, and judges whether the memory grew.
import { spawnSync } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { root } from '../../scripts/tools.mjs'

// V8's nursery grows to 32 MiB while many objects are made, whether they live or not: a small limit keeps it out.
const FLAGS = ['--expose-gc', '--max-semi-space-size=1']
const PATIENCE = 300_000

/** The exit of a module of `folder`, a URL, and the facts that its last line has, if it came to its end. */
export function ran(folder, module, args, node = execPath) {
  const file = fileURLToPath(new URL(module, folder))
  const { status, signal, stdout, stderr } = spawnSync(node, [...FLAGS, file, ...args.map(String)], {
    cwd: root,
    encoding: 'utf8',
    timeout: PATIENCE,
  })
  const last = stdout.trim().split('\n').at(-1)
  return {
    module,
    exit: signal ?? status,
    stderr,
    facts: last.startsWith('{') ? JSON.parse(last) : undefined,
  }
}

/** What is wrong with a run; undefined if it is right. `judge` says more of its facts. */
function fault({ exit, stderr, facts }, most, judge) {
  if (exit !== 0) return `it ended with ${exit}${stderr ? `: ${stderr.trim().split('\n')[0]}` : ''}`
  if (facts === undefined) return 'it printed no result'
  if (facts.wrong?.length > 0) return `${facts.wrong.length} wrong, the first: ${facts.wrong[0]}`
  const more = judge?.(facts)
  if (more !== undefined || facts.samples === undefined) return more
  const [from, to] = ends(facts)
  return to - from > most ? `resident memory grew by ${to - from} bytes` : undefined
}

/** What a run's `fault` begins with if its memory grew. */
export const GREW = /^resident memory grew by /

/** How a planted fault was found: by a failure like `expected`, since a program that fails otherwise proves nothing. */
export function found(run, expected, most, judge) {
  const seen = fault(run, most, judge)
  if (seen === undefined || expected.test(seen)) return seen
  throw new Error(`${run.module}: ${seen}, which is not what was planted`)
}

/** The facts of a run that must be right. */
export function right(run, most, judge) {
  const seen = fault(run, most, judge)
  if (seen !== undefined) throw new Error(`${run.module}: ${seen}`)
  return run.facts
}

/** The resident memory of the second tenth and of the last, the least or the median: pools and heaps grow in the first tenth. */
function ends({ samples, median = false }) {
  const tenth = Math.ceil(samples.length / 10)
  return [samples.slice(tenth, 2 * tenth), samples.slice(-tenth)].map(part =>
    median ? part.toSorted((a, b) => a - b)[part.length >> 1] : Math.min(...part),
  )
}

export function grown(facts) {
  const [from, to] = ends(facts).map(bytes => (bytes / 2 ** 20).toFixed(1))
  return `${from} MiB resident in the second tenth, ${to} in the last`
}

/** How often each thing happened, and the time. */
export function happened({ node, tally, ms }) {
  const shown = Object.entries(tally).map(([what, times]) => `${times} ${what}`)
  return `on Node ${node}, ${(ms / 1000).toFixed(1)} s: ${shown.join(', ')}`
}
