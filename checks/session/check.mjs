// Proves that sessions end right when connections are cut, and leave no memory behind: checks/run.mjs session [--whole] [NODE]
//
// 200 connections at once over loopback TCP for 10 seconds, or a minute with --whole, half of them cut at random moments. Only
// bytes that were sent may arrive, every connection that was cut short must be an error with a code, no process may crash, and
// resident memory at the end must equal that after the first tenth. Wrong bytes, a clean end, memory that is kept and a crash,
// planted on purpose, must be noticed first. NODE is the Node to run, by default this one. For Linux, which reports resident
// memory.
import { found, GREW, grown, happened, ran, right } from '../tools/growth.mjs'

/** Planted faults: their seconds, and how each must be found. */
const PLANTED = {
  wrong: [2, /^\d+ wrong, the first: other bytes arrived$/],
  clean: [2, /^\d+ wrong, the first: a clean end before the last byte$/],
  crash: [2, /^it ended with SIGSEGV\b/],
  kept: [4, GREW],
}
// The data of 200 connections is in flight, so resident memory goes up and down by some MiB.
const MAX_GROWTH = 32 * 2 ** 20

const run = (node, ...args) => ran(import.meta.url, 'connections.mjs', args, node)

function judge({ tally: { ended = 0, ...errors } }) {
  return ended === 0 || Object.keys(errors).length === 0 ? 'all connections ended in the same way' : undefined
}

export default {
  about: 'Sessions end whole or in a typed error',
  on: 'Linux',
  needs: ['build'],
  flags: ['whole'],
  operands: [0, 1],
  plants: Object.fromEntries(
    Object.entries(PLANTED).map(([name, [seconds, expected]]) => [
      name,
      ({ operands: [node] }) => found(run(node, seconds, name), expected, MAX_GROWTH, judge),
    ]),
  ),
  *prove({ flags: { whole }, operands: [node] }) {
    const facts = right(run(node, whole ? 60 : 10), MAX_GROWTH, judge)
    yield `connections ${happened(facts)}`
    yield grown(facts)
  },
}
