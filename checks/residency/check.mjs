// Proves that dead keys and threads leave no memory behind, and prints how much a live key takes: check.mjs
//
// A million keys are made and destroyed, and a million made and left to collection: resident memory at the end must
// equal that after the first tenth. So must that after 300 threads that loaded the package and ended. Then 200 000 keys
// live at once, on every backend of this CPU: the resident bytes of each, its JavaScript object included, must keep to a
// bound. Every measurement is a process of its own. Keys kept alive and bytes wasted on purpose must be noticed first. For
// Linux, which reports resident memory.
import { spawnSync } from 'node:child_process'
import { execPath, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { commandLine } from '../../scripts/command-line.mjs'
import { setup } from '../../scripts/setup.mjs'
import { root, stop } from '../../scripts/tools.mjs'
import { stateBytes } from '../tools/state-bytes.mjs'

commandLine(import.meta.url)
if (platform !== 'linux') stop('checks/residency reads /proc, and runs on Linux only')
setup()
const { cpu } = await import('hardware-aes-gcm')

/**
 * Resident bytes that a live key may take: its expanded state, the thirty-second part that a growing arena has locked
 * besides, and 422 bytes for the objects of JavaScript and of the addon.
 */
const bound = state => Math.floor((state * 33) / 32) + 422
// Five bytes for each key between the two tenths: less than a pointer for each. For each thread, 18 KiB, of which an environment
// once left 42.
const MAX_GROWTH = 4 * 2 ** 20
// V8's nursery grows to 32 MiB while many objects are made, whether they live or not: a small limit keeps it out.
const FLAGS = ['--expose-gc', '--max-semi-space-size=1']
const KEPT_ONE_IN = 50
const WASTED = 500
const WASTED_BY_THREAD = 40_000
/** Other work on the machine delays V8's threads, whose memory then counts: 880 to 886 bytes on a quiet machine were 880 to 905. */
const TRIES = 5

try {
  plant()
  checkGrowth()
  checkThreads()
  checkSizes()
} catch (error) {
  stop(`checks/residency: ${error.message}`)
}

function plant() {
  for (const way of ['destroy', 'collect']) {
    const { growth } = churn(way, KEPT_ONE_IN)
    if (growth <= MAX_GROWTH) throw new Error(`planted keys kept alive (${way}), and they were not seen`)
  }
  const { growth } = measured('environments.mjs', WASTED_BY_THREAD)
  if (growth <= MAX_GROWTH) throw new Error('planted memory that threads leave behind, and it was not seen')
  const [backend] = cpu().backends
  const seen = live(backend, WASTED).rss - live(backend).rss
  if (Math.abs(seen - WASTED) > WASTED / 10)
    throw new Error(`planted ${WASTED} bytes for each key, and saw ${seen}`)
  console.log(
    `self-test: planted and found: keys not destroyed, keys not collected, ${seen} bytes wasted for each, memory of threads`,
  )
}

function checkGrowth() {
  for (const [way, what] of [
    ['destroy', 'destroyed'],
    ['collect', 'collected'],
  ]) {
    const { keys, first, last, growth } = churn(way)
    const [from, to] = [first, last].map(bytes => (bytes / 2 ** 20).toFixed(1))
    console.log(`${keys} keys made and ${what}: ${from} MiB resident in the second tenth, ${to} in the last`)
    if (growth > MAX_GROWTH) throw new Error(`resident memory grew by ${growth} bytes`)
  }
}

function checkThreads() {
  const { threads, first, last, growth } = measured('environments.mjs')
  const [from, to] = [first, last].map(bytes => (bytes / 2 ** 20).toFixed(1))
  console.log(`${threads} threads: ${from} MiB resident in the second tenth, ${to} in the last`)
  if (growth > MAX_GROWTH) throw new Error(`resident memory grew by ${growth} bytes`)
}

function checkSizes() {
  const row = (what, ...cells) =>
    console.log(what.padEnd(24) + cells.map(cell => String(cell).padStart(8)).join(''))
  row('\nresident bytes of each', 'state', 'rss', 'pss', 'bound')
  const over = []
  for (const [backend, state] of Object.entries(stateBytes())) {
    const { rss, pss } = leastOf(TRIES, backend, bound(state))
    row(`key, ${backend}`, state, rss, pss, bound(state))
    if (rss > bound(state)) over.push(`${backend} takes ${rss} bytes and may take ${bound(state)}`)
  }
  const { rss, pss } = live('reference')
  row('object with a finalizer', '', rss, pss, '')
  if (over.length > 0) throw new Error(over.join('; '))
}

function churn(way, ...rest) {
  return measured('churn.mjs', way, ...rest)
}

/** What a child counted, and the resident memory that it measured in the second and in the last tenth of its time. */
function measured(...args) {
  const { samples, ...counts } = child(...args)
  const tenth = samples.length / 10
  const first = median(samples.slice(tenth, 2 * tenth))
  const last = median(samples.slice(-tenth))
  return { ...counts, first, last, growth: last - first }
}

/** The measurement that keeps to `most`, or the least of `tries`. */
function leastOf(tries, backend, most) {
  let least = live(backend)
  for (let i = 1; i < tries && least.rss > most; i++) {
    const again = live(backend)
    if (again.rss < least.rss) least = again
  }
  return least
}

function live(...args) {
  return child('live.mjs', ...args)
}

function median(samples) {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]
}

/** Runs a child and parses its output. */
function child(name, ...args) {
  const path = fileURLToPath(new URL(name, import.meta.url))
  const { status, signal, stdout } = spawnSync(execPath, [...FLAGS, path, ...args.map(String)], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${signal ?? status}`)
  return JSON.parse(stdout)
}
