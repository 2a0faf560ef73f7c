// The source of a followed keyset: a file or a function, then the key service, with time-outs.
import { AbortController, apply } from '../../cipher/base/builtins.cjs'
import { AesGcmError, abortError, wrongType } from '../../cipher/base/errors.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { readKeysetFile } from './follow-file.cjs'
import type { Settings } from './follow-options.cjs'
import { Keyring } from './keyring.cjs'
import { invalidKeyset } from './keyset/errors.cjs'

const { parse, unwrap } = Keyring
const { destroy } = Keyring.prototype
const { test } = RegExp.prototype
/** The beginning of a keyset as JSON, after a byte order mark and white space. */
const JSON_OBJECT = /^\uFEFF?[\t\n\r ]*\{/

/** The time and the timers, which tests replace. */
export interface Clock {
  now(): number
  start(milliseconds: number, go: () => void): unknown
  stop(timer: unknown): void
  /** From 0 to 1. */
  random(): number
}

/** Whoever is asked. */
interface Party {
  readonly name: string
  /** Whether it has not answered yet, even after its time: a network's disk may hang. */
  isAsked: boolean
}

export class Source {
  readonly #settings: Settings
  readonly #clock: Clock
  readonly #source: Party = { name: 'the source of the keyset', isAsked: false }
  readonly #service: Party = { name: '"options.unwrap"', isAsked: false }
  /** Ends the wait for the call in progress. */
  #giveUp: (error: Error) => void = () => {}

  constructor(settings: Settings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  /** The text of the keyset. */
  read(): Promise<string> {
    return this.#inTime(this.#source, signal => this.#text(signal))
  }

  /** The keyring of a text. The keys of a late one are wiped. */
  async keyringOf(text: string): Promise<Keyring> {
    refuseLine(text)
    const { unwrap: decrypt, keyring } = this.#settings
    if (decrypt === undefined) return apply(parse, Keyring, [text, keyring])
    return this.#inTime(
      this.#service,
      () => apply(unwrap, Keyring, [text, decrypt, keyring]) as Promise<Keyring>,
      late => apply(destroy, late, []),
    )
  }

  /** Ends the wait for the call in progress, and aborts its signal. */
  close(): void {
    this.#giveUp(abortError(undefined))
  }

  async #text(signal: AbortSignal): Promise<string> {
    const { file, load } = this.#settings
    if (load === undefined) return readKeysetFile(file as string)
    const text = await load({ signal })
    if (typeof text === 'string') return text
    throw wrongType(`"options.load" must return a string, or a promise of one, got ${kindOf(text)}`)
  }

  /** The result of `work`, unless it exceeds the time, or is given up. */
  #inTime<Result>(
    party: Party,
    work: (signal: AbortSignal) => Promise<Result>,
    late: (result: Result) => void = () => {},
  ): Promise<Result> {
    const { timeout } = this.#settings
    const controller = new AbortController()
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = () => {
        isOver = true
        this.#clock.stop(timer)
      }
      const giveUp = (error: Error) => {
        if (isOver) return
        end()
        reject(error)
        controller.abort(error)
      }
      const timer = this.#clock.start(timeout, () => {
        const what = `${party.name} did not answer within ${timeout} ms`
        giveUp(new AesGcmError('ERR_AESGCM_KEYSET_TIMEOUT', what))
      })
      letGo(timer)
      this.#giveUp = giveUp
      alone(party, () => work(controller.signal)).then(
        result => {
          if (isOver) return late(result)
          end()
          resolve(result)
        },
        error => {
          end()
          reject(error)
        },
      )
    })
  }
}

/**
 * The result of `work`, while no other call is running. Each read that hangs would keep one of the
 * few threads that Node has for files, and each call of a function that never answers another
 * connection.
 */
async function alone<Result>(party: Party, work: () => Promise<Result>): Promise<Result> {
  if (party.isAsked) {
    const what = `${party.name} is still not responding: waiting for the earlier request`
    throw new AesGcmError('ERR_AESGCM_KEYSET_TIMEOUT', what)
  }
  party.isAsked = true
  try {
    return await work()
  } finally {
    party.isAsked = false
  }
}

/** Lets the process end while a timer runs. */
export function letGo(timer: unknown): void {
  ;(timer as Partial<NodeJS.Timeout>).unref?.()
}

/** Refuses a keyset on one line: cut off, it would be a shorter keyset. */
function refuseLine(text: string): void {
  if (apply(test, JSON_OBJECT, [text])) return
  const what = 'must be JSON here: truncation of other forms would go unnoticed'
  throw invalidKeyset('', text === '' ? 'is empty' : what)
}
