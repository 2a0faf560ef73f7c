// What both children measure with: collection that is done when it returns, and the resident memory of this process.
import { readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'

/** Collects, and lets finalizers run; more than once, for what only a finalizer lets go. */
export async function settle() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc()
    await turn()
    await turn()
  }
}

/** Bytes resident, and the part of them that is this process's own where pages are shared. */
export function resident() {
  const text = readFileSync('/proc/self/smaps_rollup', 'latin1')
  const bytes = name => 1024 * Number(text.match(new RegExp(`^${name}: +(\\d+) kB$`, 'm'))[1])
  return { rss: bytes('Rss'), pss: bytes('Pss') }
}
