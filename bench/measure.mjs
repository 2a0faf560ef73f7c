// Times prepared works against each other with tinybench. The works take turns; each sample is a loop of many calls.
import { Bench } from 'tinybench'

/** With fewer rounds, one disturbance of the machine would slow a single work down instead of all. */
const ROUNDS = 4

/** Calls in a sample, up to this size of message: so many that the time outside the loop does not count. */
const CALLS = [
  { upTo: 2 ** 12, calls: 1000 },
  { upTo: 2 ** 16, calls: 100 },
]

/** Most calls in a sample of longer messages, which otherwise has as many calls as fit into its time. */
const MOST_CALLS = 100

/**
 * Median and minimum over all samples, in ns per call. `plan.time` is the total time for each work in ms, `plan.sample` the
 * longest time for a sample of long messages in ms.
 */
export async function measure(pairs, bytes, plan) {
  const tasks = []
  for (const { way, work } of pairs) tasks.push({ way, work, calls: await callsOf(work, bytes, plan.sample) })
  const samples = tasks.map(() => [])
  const time = plan.time / ROUNDS
  for (let round = 0; round < ROUNDS; round++) {
    const bench = new Bench({
      time,
      warmupTime: time / 5,
      iterations: 2,
      warmupIterations: 1,
      retainSamples: true,
      subtractTimerOverhead: true,
      throws: true,
    })
    for (const [i, { way, work, calls }] of tasks.entries()) {
      const timed = work.refill ? () => timeRing(work, calls, bench.now) : () => work.run(calls)
      bench.add(String(i), timed, { async: way.async ?? false })
    }
    await bench.run()
    for (const [i, task] of bench.tasks.entries()) {
      for (const ms of task.result.latency.samples) samples[i].push((ms / tasks[i].calls) * 1e6)
    }
  }
  return tasks.map(({ way, calls }, i) => {
    const sorted = samples[i].sort((a, b) => a - b)
    return { way, calls, samples: sorted.length, median: middle(sorted), least: sorted[0] }
  })
}

async function callsOf(work, bytes, sample) {
  const fixed = CALLS.find(({ upTo }) => bytes <= upTo)
  if (fixed) return fixed.calls
  work.refill?.()
  const start = performance.now()
  await work.run(1)
  return Math.min(MOST_CALLS, Math.max(1, Math.floor(sample / (performance.now() - start))))
}

/** A sample of a work that overwrites its input. Refilling the ring is not timed. */
function timeRing(work, calls, now) {
  const began = now()
  let spent = 0
  for (let left = calls; left > 0; left -= work.ring) {
    work.refill()
    const start = now()
    work.run(Math.min(left, work.ring))
    spent += now() - start
  }
  return { overriddenDuration: spent, overriddenIterationCost: now() - began }
}

function middle(sorted) {
  const half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}
