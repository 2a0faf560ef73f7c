// Starts and ends 60 worker threads, or as many as COUNT, that load the package and use it: workers.mjs [alone] [COUNT]
//
// alone: this thread never loads the package, so that a worker is the first to load it and the last to leave it.
// Otherwise it is in use here all the while. Half of the workers are terminated while they encrypt, half end by
// themselves; one, two and three run at once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

const options = process.argv.slice(2)
const CYCLES = Number(options.find(option => /^\d+$/.test(option)) ?? 60)
const roundTrip = options.includes('alone') ? () => {} : (await import('./round-trip.mjs')).roundTrip
const before = process.memoryUsage.rss()

let live = 0
let started = 0
for (let batch = 0; started < CYCLES; batch++) {
  const cycles = Array.from({ length: (batch % 3) + 1 }, () => cycle(started++ % 2 === 0))
  while (live > 0) {
    roundTrip()
    await setTimeout(1)
  }
  await Promise.all(cycles)
}

const mebibytes = bytes => (bytes / 2 ** 20).toFixed(0)
console.log(
  `${started} workers, ${mebibytes(before)} MiB before, ${mebibytes(process.memoryUsage.rss())} after`,
)

async function cycle(terminated) {
  live++
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData: { forever: terminated } })
  const exit = once(worker, 'exit')
  const [backend] = await once(worker, 'message')
  assert.equal(typeof backend, 'string')
  if (terminated) worker.terminate()
  const [code] = await exit
  if (!terminated) assert.equal(code, 0)
  live--
}
