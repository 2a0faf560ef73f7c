// The options of the functions for shares, parsed. types/shamir.d.ts explains each of them.
import type {
  CombineOptions,
  OpenOptions,
  SealOptions,
  ShareFormat,
  SplitOptions,
} from '../../../types/shamir.d.ts'
import { join, positionOf } from '../../cipher/base/builtins.cjs'
import { mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { count, optionsOf, shown } from '../../cipher/base/parse.cjs'
import { MAX_SHARES } from './lists.cjs'

const FORMATS = ['binary', 'text', 'horcrux', 'horcrux-random'] as const satisfies ShareFormat[]
const SPLIT = ['threshold', 'shares', 'format', 'allowThresholdOne'] as const satisfies (keyof SplitOptions)[]
const SEAL = [...SPLIT, 'aad'] as const satisfies (keyof SealOptions)[]
const COMBINE = ['format', 'threshold'] as const satisfies (keyof CombineOptions)[]
const OPEN = [...COMBINE, 'aad'] as const satisfies (keyof OpenOptions)[]

export interface SplitSettings {
  readonly threshold: number
  readonly shares: number
  readonly format: ShareFormat
}

/** The threshold of horcrux's shares; undefined for ours, whose header contains it. */
export type PointThreshold = number | undefined

type Own<Name> = (name: Name, fallback?: unknown) => unknown

export function readSplit(options: unknown): SplitSettings {
  return splitSettings(optionsOf(options, SPLIT))
}

export function readSeal(options: unknown): { split: SplitSettings; aad: unknown } {
  const own = optionsOf(options, SEAL)
  return { split: splitSettings(own), aad: own('aad') }
}

export function readCombine(options: unknown): PointThreshold {
  if (options === undefined) return undefined
  return pointThreshold(optionsOf(options, COMBINE))
}

export function readOpen(options: unknown): { threshold: PointThreshold; aad: unknown } {
  const own = optionsOf(options === undefined ? {} : options, OPEN)
  return { threshold: pointThreshold(own), aad: own('aad') }
}

function splitSettings(own: Own<(typeof SPLIT)[number]>): SplitSettings {
  const allowsOne = own('allowThresholdOne', false)
  if (typeof allowsOne !== 'boolean') throw mustBe('options.allowThresholdOne', 'a boolean', allowsOne)
  const format = own('format', 'binary') as ShareFormat
  if (positionOf(FORMATS, format) < 0)
    throw wrongValue(`"options.format" must be one of '${join(FORMATS, "', '")}', got ${shown(format)}`)
  const threshold = count('options.threshold', own('threshold'), allowsOne ? 1 : 2, MAX_SHARES)
  const shares = count('options.shares', own('shares'), threshold, MAX_SHARES)
  return { threshold, shares, format }
}

function pointThreshold(own: Own<(typeof COMBINE)[number]>): PointThreshold {
  const format = own('format')
  const threshold = own('threshold')
  if (format === 'horcrux') return count('options.threshold', threshold, 1, MAX_SHARES)
  if (format !== undefined) {
    const help = "left out for this package's form, binary or text"
    throw wrongValue(`"options.format" must be 'horcrux', or ${help}, got ${shown(format)}`)
  }
  if (threshold !== undefined) {
    throw wrongValue(
      `"options.threshold" must be left out without format: 'horcrux': shares then carry their threshold`,
    )
  }
  return undefined
}
