// What is inside the seal: `started.issued.expires.json`, the times in seconds since 1970. JSON has
// no part in the expiry, so no value can change it.
import { floor, parseJson, rethrowOverflow, uncurried, unitAt } from '../../cipher/base/builtins.cjs'

/** An opened session. Times are in seconds. */
export interface Content {
  /** When the session was first written: its absolute limit counts from here. */
  readonly started: number
  /** When this cookie was written. */
  readonly issued: number
  readonly expires: number
  readonly value: unknown
}

/** How far the clocks of servers may differ: a cookie from a later time is refused. */
export const SKEW = 300
const [ZERO, NINE, DOT] = [0x30, 0x39, 0x2e] as const
const slice: (text: string, start: number) => string = uncurried(String.prototype.slice)

/** Seconds that a Date can hold, with a hundred years to the end of a session. */
const MAX_SECONDS = 8.64e12 - 100 * 366 * 86_400

/** The seconds of a clock; NaN, at which no session lasts, for what is no time. */
export function secondsOf(now: () => number): number {
  const seconds = floor(now() / 1000)
  return seconds >= 0 && seconds <= MAX_SECONDS ? seconds : NaN
}

/** The plaintext of a session. */
export function textOf(started: number, issued: number, expires: number, json: string): string {
  return `${started}.${issued}.${expires}.${json}`
}

/**
 * The session of an authentic text; undefined if it is none, which only another program can seal.
 */
export function contentOf(text: string): Content | undefined {
  const times = [0, 0, 0]
  let at = 0
  for (let i = 0; i < times.length; i++) {
    const start = at
    let number = 0
    for (let unit = unitAt(text, at); unit >= ZERO && unit <= NINE; unit = unitAt(text, ++at))
      number = number * 10 + unit - ZERO
    if (at === start || at - start > 15 || unitAt(text, at++) !== DOT) return undefined
    times[i] = number
  }
  const [started, issued, expires] = times as [number, number, number]
  try {
    return { started, issued, expires, value: parseJson(slice(text, at)) }
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}
