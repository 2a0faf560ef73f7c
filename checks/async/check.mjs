// Proves that async calls are right and leave no memory behind, whatever happens meanwhile: checks/run.mjs async [--whole] [NODE]
//
// 16 000 calls, or 100 000 with --whole, with collections, destroyed and dropped keys, forgeries and aborts in flight; then
// workers that are terminated with jobs in flight. Every result must be right or a typed rejection, no process may crash, and
// resident memory at the end must equal that after the first tenth. Wrong results, memory that is kept and a crash, planted on
// purpose, must be noticed first. NODE is the Node to run, by default this one. For Linux, which reports resident memory.
import { found, GREW, grown, happened, ran, right } from '../tools/growth.mjs'

/** How each planted fault must be found. */
const EXPECTED = {
  wrong:
    /^\d+ wrong, the first: (another text|node:crypto refuses the frame|the frame of [A-Z_]+ was changed)$/,
  kept: GREW,
  crash: /^it ended with SIGSEGV\b/,
}
/** Calls and workers of a planted fault; memory that is kept must exceed the limit below. */
const PLANTED = {
  calls: { wrong: 3000, kept: 16_000, crash: 3000 },
  workers: { wrong: 9, kept: 21, crash: 9 },
}
// Resident memory goes up and down by some MiB, and by more where workers come and go: each has a heap of its own. The frames
// of 100 terminated workers would take more than 100 MiB.
const MAX_GROWTH = 32 * 2 ** 20

const run = (program, node, ...args) => ran(import.meta.url, `${program}.mjs`, args, node)

export default {
  about: 'Work on other threads ends right or in a typed rejection',
  on: 'Linux',
  needs: ['build'],
  flags: ['whole'],
  operands: [0, 1],
  plants: Object.fromEntries(
    Object.entries(PLANTED).flatMap(([program, faults]) =>
      Object.entries(faults).map(([name, count]) => [
        `${program}, ${name}`,
        ({ operands: [node] }) => found(run(program, node, count, name), EXPECTED[name], MAX_GROWTH),
      ]),
    ),
  ),
  *prove({ flags: { whole }, operands: [node] }) {
    for (const [program, count] of Object.entries(
      whole ? { calls: 100_000, workers: 120 } : { calls: 16_000, workers: 30 },
    )) {
      const facts = right(run(program, node, count), MAX_GROWTH)
      yield `${count} ${program} ${happened(facts)}`
      yield `${program}: ${grown(facts)}`
    }
  },
}
