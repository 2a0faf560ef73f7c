// Retries after temporary database errors, and waits until a signal aborts.
import type { RowSource } from '../../../types/rotation.d.ts'
import { abortError } from '../../cipher/base/errors.cjs'

const { setTimeout: wait } = process.getBuiltinModule('node:timers/promises')

const ATTEMPTS = 6
/** Milliseconds before the second attempt; the time doubles. */
const WAIT = 100

export interface Retries {
  retries: number
}

/** Calls again after a temporary error, once the source has ended its transaction. */
export async function again<Result>(
  signal: AbortSignal | undefined,
  source: RowSource,
  totals: Retries,
  call: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === ATTEMPTS || source.isTemporary?.(error) !== true) throw error
    }
    await source.end?.()
    totals.retries++
    // At random, so two runs that met in a deadlock do not meet again.
    await pauseFor(WAIT * 2 ** (attempt - 1) * (0.5 + Math.random()), signal)
  }
}

export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal.reason)
}

export async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal })
  } catch {
    refuseAborted(signal)
  }
}
