// Shared by both children: a collection that is complete when it returns, and the resident memory of this process.
import { readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'

/** Collects and lets finalizers run, more than once, since a finalizer may release further objects. */
export async function settle() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc()
    await turn()
    await turn()
  }
}

/** Resident bytes, and the share of them that is this process's own where pages are shared. */
export function resident() {
  const text = readFileSync('/proc/self/smaps_rollup', 'latin1')
  const bytes = name => 1024 * Number(text.match(new RegExp(`^${name}: +(\\d+) kB$`, 'm'))[1])
  return { rss: bytes('Rss'), pss: bytes('Pss') }
}
