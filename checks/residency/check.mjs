// Proves that dead keys and threads leave no memory behind, and prints how much a live key takes: checks/run.mjs residency
//
// A million keys are made and destroyed, and a million made and left to collection: resident memory at the end must
// equal that after the first tenth. So must that after 300 threads that loaded the package and ended. Then 200 000 keys
// live at once, on every backend of this CPU: the resident bytes of each, its JavaScript object included, must keep to a
// bound. Every measurement is a process of its own. Keys kept alive and bytes wasted on purpose must be noticed first. For
// Linux, which reports resident memory.
import { found, GREW, grown, ran, right } from '../tools/growth.mjs'
import { stateBytes } from '../tools/state-bytes.mjs'

/**
 * Resident bytes that a live key may take: its expanded state, the thirty-second part that a growing arena has locked
 * besides, and 422 bytes for the objects of JavaScript and of the addon.
 */
const bound = state => Math.floor((state * 33) / 32) + 422
// Five bytes for each key between the two tenths: less than a pointer for each. For each thread, 18 KiB, of which an environment
// once left 42.
const MAX_GROWTH = 4 * 2 ** 20
const KEPT_ONE_IN = 50
const WASTED = 500
const WASTED_BY_THREAD = 40_000
/** Other work on the machine delays V8's threads, whose memory then counts: 880 to 886 bytes on a quiet machine were 880 to 905. */
const TRIES = 5

const run = (program, ...args) => ran(import.meta.url, `${program}.mjs`, args)
const live = (...args) => right(run('live', ...args))

/** The measurement that keeps to `most`, or the least of all tries. */
function leastOf(backend, most) {
  let least = live(backend)
  for (let i = 1; i < TRIES && least.rss > most; i++) {
    const again = live(backend)
    if (again.rss < least.rss) least = again
  }
  return least
}

export default {
  about: 'A live key keeps to its budget, and dead keys and threads leave nothing',
  on: 'Linux',
  needs: ['build'],
  plants: {
    'keys not destroyed': () => found(run('churn', 'destroy', KEPT_ONE_IN), GREW, MAX_GROWTH),
    'keys not collected': () => found(run('churn', 'collect', KEPT_ONE_IN), GREW, MAX_GROWTH),
    'memory of threads': () => found(run('environments', WASTED_BY_THREAD), GREW, MAX_GROWTH),
    [`${WASTED} bytes for each key`]: () => {
      const [backend] = Object.keys(stateBytes())
      const seen = live(backend, WASTED).rss - live(backend).rss
      return Math.abs(seen - WASTED) > WASTED / 10 ? undefined : `${seen} bytes`
    },
  },
  *prove() {
    for (const [way, what] of Object.entries({ destroy: 'destroyed', collect: 'collected' })) {
      const facts = right(run('churn', way), MAX_GROWTH)
      yield `${facts.keys} keys made and ${what}: ${grown(facts)}`
    }
    const facts = right(run('environments'), MAX_GROWTH)
    yield `${facts.threads} threads: ${grown(facts)}`

    const row = (what, ...cells) => what.padEnd(24) + cells.map(cell => String(cell).padStart(8)).join('')
    yield row('resident bytes of each', 'state', 'rss', 'pss', 'bound')
    const over = []
    for (const [backend, state] of Object.entries(stateBytes())) {
      const { rss, pss } = leastOf(backend, bound(state))
      yield row(`key, ${backend}`, state, rss, pss, bound(state))
      if (rss > bound(state)) over.push(`${backend} takes ${rss} bytes and may take ${bound(state)}`)
    }
    const { rss, pss } = live('reference')
    yield row('object with a finalizer', '', rss, pss, '')
    if (over.length > 0) throw new Error(over.join('; '))
  },
}
