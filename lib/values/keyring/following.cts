// A keyring that follows its keyset: polls the source, and accepts newer keysets.
//
// One turn runs at a time, so an answer never meets a newer one. A turn that exceeds the time is
// over: its late answer is dropped and its keys are wiped.
import type {
  Keyring as AnyKeyring,
  FollowedKeyset,
  FollowOptions,
  RotateOptions,
} from '../../../types/keyring.d.ts'
import {
  apply,
  clearTimeout,
  crypto,
  dispose,
  min,
  nextTick,
  performance,
  setTimeout,
  types,
  uncurried,
} from '../../cipher/base/builtins.cjs'
import { nodeError, wrongReceiver } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { followSettings, MAX_MILLISECONDS, type Settings } from './follow-options.cjs'
import { type Clock, letGo, Source } from './follow-source.cjs'
import { keyringDestroyed } from './key-table.cjs'
import { Keyring } from './keyring.cjs'
import { backOf } from './rotation.cjs'

const host = process
const { promote, replace, destroy } = Keyring.prototype
const METHODS = { promote: uncurried(promote), replace: uncurried(replace), destroy: uncurried(destroy) }
/** Milliseconds until the first turn after a failure. */
const FIRST_RETRY = 1000
const nothing = () => {}

const CLOCK: Clock = {
  now: () => performance.now(),
  start: (milliseconds, go) => setTimeout(go, milliseconds),
  stop: timer => clearTimeout(timer as NodeJS.Timeout),
  random: Math.random,
}

interface Turn {
  readonly back: boolean
  readonly done: Promise<boolean>
}

export async function followKeyset(options: FollowOptions): Promise<FollowedKeyset> {
  return followWith(CLOCK, options)
}

/** As `followKeyset`, by another clock. */
export async function followWith(clock: Clock, options: unknown): Promise<FollowedKeyset> {
  const settings = followSettings(options)
  const source = new Source(settings, clock)
  return await held(
    (async () => {
      const text = await source.read()
      return new Following(settings, clock, source, await source.keyringOf(text), digestOf(text))
    })(),
  )
}

/** Keeps the process alive until the awaited result: the timers of a turn do not. */
function held<Result>(result: Promise<Result>): Promise<Result> {
  const timer = setTimeout(nothing, MAX_MILLISECONDS)
  const end = () => clearTimeout(timer)
  result.then(end, end)
  return result
}

class Following implements FollowedKeyset {
  readonly keyring: Keyring & AnyKeyring
  readonly #settings: Settings
  readonly #clock: Clock
  readonly #source: Source
  #timer: unknown
  #isClosed = false
  #failures = 0
  #lastError: Error | null = null
  #lastSuccess = new Date()
  /** The digest of the keyset taken last. It is no secret: keys are too random to guess. */
  #digest: string
  /** A new primary key, which seals from this time on. */
  #waiting: { readonly id: number; readonly until: number } | undefined
  /** Ends with the last turn asked for. */
  #last: Promise<unknown> = Promise.resolve()
  /** The turn that did not begin yet. */
  #next: Turn | undefined
  /** The reason of the last warning. */
  #warned = ''

  static {
    showAs(
      Following,
      'FollowedKeyset',
      self => #settings in self,
      self => ({ keyring: self.keyring, lastSuccess: self.#lastSuccess, lastError: self.#lastError }),
    )
  }

  constructor(settings: Settings, clock: Clock, source: Source, keyring: Keyring, digest: string) {
    this.keyring = keyring
    this.#settings = settings
    this.#clock = clock
    this.#source = source
    this.#digest = digest
    this.#schedule()
  }

  get lastError(): Error | null {
    return Following.#self(this).#lastError
  }

  get lastSuccess(): Date {
    return new Date(Following.#self(this).#lastSuccess)
  }

  refresh(options?: Pick<RotateOptions, 'back'>): Promise<boolean> {
    const self = Following.#self(this)
    const back = backOf(options)
    return held(self.#turn(back))
  }

  close(): void {
    const self = Following.#self(this)
    self.#isClosed = true
    self.#clock.stop(self.#timer)
    self.#source.close()
  }

  [dispose](): void {
    this.close()
  }

  /** A turn after those asked for before. Calls that wait for the same turn share it. */
  #turn(back: boolean): Promise<boolean> {
    if (this.#next?.back === back) return this.#next.done
    const turn: Turn = { back, done: this.#after(this.#last, () => turn) }
    this.#next = turn
    this.#last = turn.done
    return turn.done
  }

  async #after(before: Promise<unknown>, turn: () => Turn): Promise<boolean> {
    await before
    const { back } = turn()
    if (this.#next === turn()) this.#next = undefined
    if (this.#isClosed) return false
    this.#clock.stop(this.#timer)
    const isTaken = await this.#take(back)
    this.#schedule()
    return isTaken
  }

  /** One turn: asks the source, and takes its keyset. Never throws. */
  async #take(back: boolean): Promise<boolean> {
    let isOther = false
    try {
      if (this.keyring.destroyed) throw keyringDestroyed()
      const text = await this.#source.read()
      const digest = digestOf(text)
      if (digest !== this.#digest) {
        const newer = await this.#source.keyringOf(text)
        try {
          if (this.#isClosed) return false
          isOther = this.#replace(newer, back)
        } finally {
          METHODS.destroy(newer)
        }
        this.#digest = digest
      }
      if (this.#isClosed) return false
      if (this.#promoteIfDue(back)) isOther = true
    } catch (error) {
      this.#fail(asError(error))
      return false
    }
    this.#failures = 0
    this.#lastError = null
    this.#lastSuccess = new Date()
    this.#warned = ''
    if (isOther) this.#call(this.#settings.onChange, this.keyring)
    return true
  }

  /**
   * Replaces the keys by those of `newer`, which must be newer than the last keyset, whether or not
   * its primary key seals yet. A primary key that this process did not have waits until every other
   * process must have asked, too. Meanwhile today's key seals, or else the key that waited before,
   * if it is still enabled: more processes have that one.
   */
  #replace(newer: Keyring, back: boolean): boolean {
    const { keyring } = this
    const [today, next] = [primaryOf(keyring), primaryOf(newer)]
    const waiting = this.#waiting
    const isKnown = waiting?.id !== next && statusOf(keyring, next) !== undefined
    if (waiting !== undefined && statusOf(keyring, waiting.id) === 'enabled')
      METHODS.promote(keyring, waiting.id)
    let isOther: boolean
    try {
      isOther = METHODS.replace(keyring, newer, { back })
    } catch (error) {
      METHODS.promote(keyring, today)
      throw error
    }
    const hold = 2 * this.#settings.interval
    const meanwhile = statusOf(keyring, today) === 'enabled' ? today : (waiting?.id ?? -1)
    const isUsable = next !== meanwhile && statusOf(keyring, meanwhile) === 'enabled'
    const mustWait = !back && hold > 0 && !isKnown && isUsable
    if (mustWait) METHODS.promote(keyring, meanwhile)
    const isSame = waiting?.id === next
    this.#waiting = !mustWait ? undefined : isSame ? waiting : { id: next, until: this.#clock.now() + hold }
    return isOther || primaryOf(keyring) !== today
  }

  #promoteIfDue(back: boolean): boolean {
    if (this.#waiting === undefined || (!back && this.#clock.now() < this.#waiting.until)) return false
    const { id } = this.#waiting
    this.#waiting = undefined
    if (statusOf(this.keyring, id) !== 'enabled') return false
    METHODS.promote(this.keyring, id)
    return true
  }

  #fail(error: Error): void {
    if (this.#isClosed) return
    this.#failures++
    this.#lastError = error
    if (this.keyring.destroyed) this.close()
    if (this.#settings.onError !== undefined) this.#call(this.#settings.onError, error)
    else if (!this.#isClosed) this.#warn(error.message)
  }

  /** Warns once of each reason in a row, so that a log is not flooded. */
  #warn(reason: string): void {
    if (reason === this.#warned) return
    this.#warned = reason
    const what = `the keyset was not updated, and the previous keys stay in use: ${reason}`
    apply(host.emitWarning, host, [what, 'Warning', 'AESGCM_KEYSET_NOT_TAKEN'])
  }

  /** Calls a caller's function. What it throws is an uncaught exception, as in any callback. */
  #call<Value>(callback: ((value: Value) => void) | undefined, value: Value): void {
    try {
      callback?.(value)
    } catch (error) {
      nextTick(() => {
        throw error
      })
    }
  }

  #schedule(): void {
    const { interval } = this.#settings
    if (this.#isClosed || interval === 0) return
    // Never longer than the interval either: a new key of the others waits for two of them.
    const retry = min(interval, FIRST_RETRY * 2 ** (this.#failures - 1))
    const longest = this.#failures === 0 ? interval : retry
    // Never longer, so that every process has asked after an interval.
    const delay = longest * (0.75 + this.#clock.random() / 4)
    this.#clock.stop(this.#timer)
    this.#timer = this.#clock.start(delay, () => void this.#turn(false))
    letGo(this.#timer)
  }

  static #self(self: unknown): Following {
    if (typeof self === 'object' && self !== null && #settings in self) return self
    throw wrongReceiver('FollowedKeyset')
  }
}

/** The reason of a source, which may throw anything. */
function asError(reason: unknown): Error {
  if (types.isNativeError(reason) && typeof reason.message === 'string') return reason
  return nodeError(Error, 'ERR_INVALID_STATE', `the source failed with ${kindOf(reason)}`, reason)
}

function digestOf(text: string): string {
  return crypto.createHash('sha256').update(text).digest('base64')
}

function primaryOf(keyring: Keyring): number {
  for (const { id, primary } of keyring.keys) if (primary) return id
  return -1
}

/** The status of a key, whether or not it can be used; undefined if there is none. */
function statusOf(keyring: Keyring, id: number): string | undefined {
  for (const key of keyring.keys) if (key.id === id) return key.status
  return undefined
}
