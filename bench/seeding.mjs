// What a seeding takes: the first ones of a thread, which test the CPU's source, and those that follow.
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { AesGcm, randomFillSync, randomInfo, reseed } from 'hardware-aes-gcm'

/** Each has a generator of its own, which is seeded for the first time. */
const THREADS = 15
/** Enough that a slow source is through its tests. */
const SEEDINGS = 200

/** A call that seeds takes this at most, in µs; CI's machines are of every kind. */
const LONGEST = { full: 1000, quick: 2000 }

const middle = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

function timed(run) {
  const began = process.hrtime.bigint()
  run()
  return Number(process.hrtime.bigint() - began) / 1e3
}

/** In µs: the longest of a thread's seedings and the last ones, as medians over threads; and what became of the source. */
export async function measureSeedings() {
  const threads = []
  for (let i = 0; i < THREADS; i++) threads.push(await thread())
  return {
    longest: middle(threads.map(({ micros }) => Math.max(...micros))),
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
  const what = [name ?? 'no source of the CPU', state, reason]
    .filter(word => word && word !== 'absent')
    .join(', ')
  return `  seeding: ${longest.toFixed(0)} µs the longest, ${later.toFixed(1)} µs later (${what})`
}

/** The promise kept or missed, as in limits.mjs. */
export function judgeSeedings({ longest }, kind) {
  const text = `the longest call that seeds: ${longest.toFixed(0)} µs, at most ${LONGEST[kind]}`
  return { missed: !(longest <= LONGEST[kind]), text }
}

if (!isMainThread) {
  AesGcm.isAvailable() // Loads the library.
  const bytes = Buffer.alloc(32)
  const calls = [() => randomFillSync(bytes), ...new Array(SEEDINGS - 1).fill(reseed)]
  parentPort.postMessage({ micros: calls.map(timed), source: randomInfo().cpuSource })
}
