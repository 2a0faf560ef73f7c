// Times ways of which one run takes milliseconds or more: in rounds, in which they take turns.

/**
 * Figures of every way, `{ bytes, by, way, run }`, in ns for each run. Each round begins with another way, so that no way always
 * follows the same one; the first round warms up. `clear` comes before each run and is not timed. A sample is the mean of `calls` runs.
 */
export async function inTurns(direction, rounds, ways, { clear = () => {}, calls = 1 } = {}) {
  const samples = ways.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const i = (round + turn) % ways.length
      clear()
      const began = process.hrtime.bigint()
      for (let call = 0; call < calls; call++) {
        const result = ways[i].run()
        // An `await` of another value takes as long as a short call.
        if (result instanceof Promise) await result
      }
      if (round > 0) samples[i].push(Number(process.hrtime.bigint() - began) / calls)
    }
  }
  return ways.map(({ by, way, bytes }, i) => {
    const sorted = samples[i].sort((a, b) => a - b)
    const figures = { median: sorted[sorted.length >> 1], least: sorted[0], samples: sorted.length, calls }
    return { bytes, direction, by, way, ...figures }
  })
}
