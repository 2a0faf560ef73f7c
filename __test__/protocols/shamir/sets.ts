// What the cases of shares have in common: the functions under test, splits in every form, subsets, and refusals that name shares.
import { inspect } from 'node:util'
import * as reference from '../../models/shares.js'
import { must, type Random, refuses } from '../../tools/support.js'

export type Share = Buffer | string
type Format = 'binary' | 'text' | 'horcrux' | 'horcrux-random'
export const FORMATS: readonly Format[] = ['binary', 'text', 'horcrux', 'horcrux-random']

/** The functions of the package, with types that let the cases pass wrong values. A fault replaces some of them. */
export interface Api {
  splitKey(secret: Uint8Array, options: object): Share[]
  combineKey(shares: readonly unknown[], options?: object): Buffer
  recoverShare(shares: readonly unknown[], x: unknown, options?: object): Share
}

/** Every case has a name, and throws if a function of `api` does not do as it should. */
export const CASES: [name: string, run: (api: Api) => void][] = []
export const testCase = (name: string, run: (api: Api) => void) => void CASES.push([name, run])

/** The options with which shares of this form are read. */
export const reading = (format: Format, threshold: number): object | undefined =>
  format.startsWith('horcrux') ? { format: 'horcrux', threshold } : undefined

/** The lengths of secrets that this form can share. */
export const lengthsOf = (format: Format): readonly number[] =>
  format.startsWith('horcrux') ? [32] : [16, 32]

/** Every choice of `size` elements, in their order. */
export function* subsets<T>(list: readonly T[], size: number): Generator<T[]> {
  if (size === 0) yield []
  for (let first = 0; first + size <= list.length && size > 0; first++)
    for (const rest of subsets(list.slice(first + 1), size - 1)) yield [list[first] as T, ...rest]
}

/** The elements in another order (Fisher and Yates). */
export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const copy = [...list]
  for (let n = copy.length - 1; n > 0; n--) {
    const other = random.below(n + 1)
    ;[copy[n], copy[other]] = [copy[other] as T, copy[n] as T]
  }
  return copy
}

/** The forms of the package itself. */
export const FORMS = ['binary', 'text'] as const

export const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** `count` numbers below `end`, ascending. */
export const some = (count: number, end: number, random: Random): number[] =>
  shuffled(range(end), random)
    .slice(0, count)
    .sort((a, b) => a - b)

/** x of some shares, each once, from 1 to 255. */
export const randomXs = (count: number, random: Random): number[] =>
  shuffled(range(255), random)
    .slice(0, count)
    .map(n => n + 1)

/** A share of ours as text, or as it is. */
export const inForm = (binary: Buffer, format: 'binary' | 'text'): Share =>
  format === 'text' ? reference.text(binary) : binary

/** A copy with another value at some places. */
export function changed(
  share: Uint8Array,
  ...places: readonly (readonly [at: number, value: number])[]
): Buffer {
  const copy = Buffer.from(share)
  for (const [at, value] of places) copy[at] = value
  return copy
}

/** A copy with 1 to 32 other bytes in the part from `start` on, 32 bytes long. */
export function corrupted(share: Uint8Array, start: number, random: Random): Buffer {
  const copy = Buffer.from(share)
  for (let left = 1 + random.below(32); left > 0; left--) {
    const at = start + random.below(32)
    copy[at] = (copy[at] as number) ^ (1 + random.below(255))
  }
  // The same byte may have changed twice, and be as before.
  if (copy.equals(share)) copy[start] = (copy[start] as number) ^ 1
  return copy
}

interface Named {
  index?: number
  indexes?: readonly number[]
}

/** Throws unless `run` throws this code, and names just these shares: `undefined` for an error that names no share. */
export function names(
  run: () => unknown,
  code: 'ERR_AESGCM_INVALID_SHARE' | 'ERR_AESGCM_SHARES_MISMATCH',
  wanted: readonly number[] | undefined,
  what: string,
): Error {
  const error = refuses(run, code, what) as Error & Named
  const { index, indexes } = error
  const right =
    wanted === undefined
      ? index === undefined && indexes === undefined
      : index === wanted[0] && indexes !== undefined && inspect([...indexes]) === inspect([...wanted])
  must(right, () => `${what}: names ${index}, ${inspect(indexes)}, not ${inspect(wanted)} (${error.message})`)
  return error
}

export const INVALID = 'ERR_AESGCM_INVALID_SHARE'
export const MISMATCH = 'ERR_AESGCM_SHARES_MISMATCH'

/** Throws unless `actual` holds the same bytes. */
export function same(actual: Uint8Array, wanted: Uint8Array, what: () => string): void {
  must(Buffer.compare(actual, wanted) === 0, () => `${what()}: another result`)
}
