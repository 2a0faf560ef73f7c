// The options of hardware-aes-gcm/passphrase, parsed. types/passphrase.d.ts explains each of them.
import type { OpenOptions, ProtectOptions, WrappingOptions } from '../../../types/passphrase.d.ts'
import { isInteger, log2, max } from '../../cipher/base/builtins.cjs'
import { outOfRange } from '../../cipher/base/errors.cjs'
import { count, optionsOf } from '../../cipher/base/parse.cjs'
import { type Cost, costOf } from './header.cjs'

const PROTECT = ['memory'] as const satisfies (keyof ProtectOptions)[]
const OPEN = ['maxMemory'] as const satisfies (keyof OpenOptions)[]
const WRAPPING = [...PROTECT, ...OPEN] as const satisfies (keyof WrappingOptions)[]

/** 0.4 seconds on a CPU of 2023: N = 2^17, r = 8, p = 1. */
export const MEMORY = 2 ** 27
export const MAX_MEMORY = 2 ** 28
const [LEAST, MOST] = [2 ** 20, 2 ** 30]

type Own = (name: 'memory' | 'maxMemory', fallback?: unknown) => unknown

export function readProtect(options: unknown): Cost {
  return costOf(memoryIn(optionsOf(options === undefined ? {} : options, PROTECT) as Own))
}

export function readOpen(options: unknown): number {
  return maxMemoryIn(optionsOf(options === undefined ? {} : options, OPEN) as Own)
}

/** What an object writes, it also opens. */
export function readWrapping(options: unknown): { cost: Cost; maxMemory: number } {
  const own: Own = optionsOf(options === undefined ? {} : options, WRAPPING)
  const memory = memoryIn(own)
  return { cost: costOf(memory), maxMemory: max(memory, maxMemoryIn(own)) }
}

function memoryIn(own: Own): number {
  const memory = count('options.memory', own('memory', MEMORY), LEAST, MOST)
  if (isInteger(log2(memory))) return memory
  throw outOfRange(`"options.memory" must be a power of two, got ${memory}`)
}

function maxMemoryIn(own: Own): number {
  return count('options.maxMemory', own('maxMemory', MAX_MEMORY), 1024, MOST)
}
