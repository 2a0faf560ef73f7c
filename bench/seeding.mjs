// Times seedings: the first ones of a thread, which test the CPU's source, and later ones.
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { AesGcm, randomFillSync, randomInfo, reseed } from 'hardware-aes-gcm'

/** Every thread has its own generator, which starts without a seed. */
const THREADS = 15
/** Seedings of each thread: so many that a slow source passes its tests. */
const SEEDINGS = 200

/**
 * Longest time of a call that seeds, in µs. The quick limit must hold on every machine of CI, where a compiler may have the CPU for
 * two slices of the scheduler in the middle of a call.
 */
const LONGEST = { full: 1000, quick: 20_000 }

const middle = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

function timed(run) {
  const began = process.hrtime.bigint()
  run()
  return Number(process.hrtime.bigint() - began) / 1e3
}

/**
 * A thread's longest seeding and its last ones in µs, as medians over threads, and the state of the CPU's source. `calmest` is the
 * longest seeding of the thread that other programs delayed least.
 */
export async function measureSeedings() {
  const threads = []
  for (let i = 0; i < THREADS; i++) threads.push(await thread())
  const longest = threads.map(({ micros }) => Math.max(...micros))
  return {
    longest: middle(longest),
    calmest: Math.min(...longest),
    later: middle(threads.flatMap(({ micros }) => micros.slice(-SEEDINGS / 4))),
    source: threads[0].source,
  }
}

async function thread() {
  const worker = new Worker(fileURLToPath(import.meta.url))
  const [said] = await Promise.all([
    new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)),
    new Promise(resolve => worker.once('exit', resolve)),
  ])
  return said
}

/** The table's line. */
export function seedingLine({ longest, later, source }) {
  const { name, state, reason } = source
  const what = [name ?? 'the CPU has no source', state, reason]
    .filter(word => word && word !== 'absent')
    .join(', ')
  return `  seeding: the longest ${longest.toFixed(0)} µs, later ones ${later.toFixed(1)} µs (${what})`
}

/** Whether the promise was kept, as in limits.mjs. The quick run goes by the calmest thread: on CI, a compiler runs beside it. */
export function judgeSeedings({ longest, calmest }, kind) {
  const micros = kind === 'quick' ? calmest : longest
  const text = `longest call that seeds: ${micros.toFixed(0)} µs, at most ${LONGEST[kind]}`
  return { missed: !(micros <= LONGEST[kind]), text }
}

if (!isMainThread) {
  AesGcm.isAvailable() // Loads the library.
  const bytes = Buffer.alloc(32)
  const calls = [() => randomFillSync(bytes), ...new Array(SEEDINGS - 1).fill(reseed)]
  parentPort.postMessage({ micros: calls.map(timed), source: randomInfo().cpuSource })
}
