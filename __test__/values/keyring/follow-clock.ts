// A clock that a test moves, and what a followed keyset says.
import { createRequire } from 'node:module'
import type { FollowedKeyset, FollowOptions } from 'hardware-aes-gcm/keyring'
import { onTestFinished } from 'vitest'

const require = createRequire(import.meta.url)
const { followWith } =
  require('../../../dist/values/keyring/following.cjs') as typeof import('../../../lib/values/keyring/following.cjs')

interface Timer {
  readonly at: number
  readonly delay: number
  readonly go: () => void
}

export class TestClock {
  #now = 0
  readonly #timers = new Set<Timer>()
  /** From 0 to 1; 1 makes each wait its whole length. */
  chance = 1

  now = () => this.#now
  random = () => this.chance
  start = (delay: number, go: () => void) => {
    const timer = { at: this.#now + delay, delay, go }
    this.#timers.add(timer)
    return timer
  }
  stop = (timer: unknown) => void this.#timers.delete(timer as Timer)

  /** The delays of all timers that run. */
  get delays(): number[] {
    return [...this.#timers].map(({ delay }) => delay).sort((a, b) => a - b)
  }

  /** Moves on to the next timer, and lets it go. */
  async next(): Promise<void> {
    const [timer] = [...this.#timers].sort((a, b) => a.at - b.at)
    if (timer === undefined) throw new Error('no timer runs')
    this.#timers.delete(timer)
    this.#now = timer.at
    timer.go()
    await settled()
  }
}

/** After everything that needs no more than turns of the event loop. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise(resolve => setImmediate(resolve))
}

export interface Followed {
  readonly clock: TestClock
  readonly followed: FollowedKeyset
  readonly errors: Error[]
  readonly changes: number[]
}

/** A keyring that follows `load` by a test's clock until the test is finished. */
export async function following(options: FollowOptions): Promise<Followed> {
  const clock = new TestClock()
  const errors: Error[] = []
  const changes: number[] = []
  const followed = await followWith(clock, {
    interval: 60_000,
    onError: (error: Error) => errors.push(error),
    onChange: (keyring: FollowedKeyset['keyring']) => changes.push(primaryOf(keyring)),
    ...options,
  })
  onTestFinished(() => followed.close())
  return { clock, followed, errors, changes }
}

export const primaryOf = ({ keys }: FollowedKeyset['keyring']) =>
  keys.find(({ primary }) => primary)?.id ?? -1
