// Shares each turn of the event loop among a thread's streams, so no peer blocks the program.
import type { AsyncResource as Resource } from 'node:async_hooks'
import { AsyncResource, setImmediate, uncurried } from '../../../cipher/base/builtins.cjs'

const Context = AsyncResource
const runIn = uncurried(AsyncResource.prototype.runInAsyncScope as never) as (
  context: Resource,
  go: () => void,
) => void

/**
 * The budget of a turn for all streams together: a few milliseconds of records, 6 MiB of bulk data.
 * One net.Socket brings 2 MiB a turn.
 */
const TURN = 512
/** New keys cost as much as eight records of little data, and 16 KiB of data as much as one. */
const NO_DATA = 8
const BYTES = 2 ** 14

let left = TURN
let scheduled = false
/** In order of arrival. Listeners called from here keep their async context. */
const waiting = new Map<() => void, Resource>()

/** Counts a record as work of this turn. Whether there is time for another one. */
export function spend(data: Uint8Array | undefined): boolean {
  left -= data === undefined || data.length === 0 ? NO_DATA : 1 + data.length / BYTES
  schedule()
  return left > 0
}

/** Calls `go` in a later turn. */
export function later(go: () => void): void {
  waiting.set(go, new Context('SecureStream'))
  schedule()
}

function schedule(): void {
  if (scheduled) return
  scheduled = true
  setImmediate(turn)
}

function turn(): void {
  scheduled = false
  left = TURN
  try {
    for (const [go, context] of waiting) {
      waiting.delete(go)
      runIn(context, go)
      if (left <= 0) break
    }
  } finally {
    // Callers' code runs in `go`, and may throw.
    if (waiting.size > 0) schedule()
  }
}
