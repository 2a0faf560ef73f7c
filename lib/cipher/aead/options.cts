// The options of a key, parsed. index.d.ts says what each option means.
import type { AesGcmOptions, Backend } from '../../../index.d.ts'
import { join, positionOf } from '../base/builtins.cjs'
import { mustBe, wrongValue } from '../base/errors.cjs'
import { count, optionsOf, shown } from '../base/parse.cjs'
import { arenaOf } from '../machine/arena.cjs'
import type { CipherSpec } from './ciphers.cjs'

const MAX_FAILURES = 2 ** 32

const NAMES = [
  'nonceAt',
  'maxMessages',
  'maxFailures',
  'verifyFirst',
  'backend',
  'arena',
] as const satisfies (keyof AesGcmOptions)[]

/** Every option, each read once. */
export function parseAeadOptions(
  { maxMessages: most }: CipherSpec,
  options: unknown,
  backends: readonly string[],
) {
  const own = optionsOf(options === undefined ? {} : options, NAMES)
  const nonceAt = own('nonceAt', 'start')
  if (nonceAt !== 'start' && nonceAt !== 'end')
    throw wrongValue(`"options.nonceAt" must be 'start' or 'end', got ${shown(nonceAt)}`)
  const verifyFirst = own('verifyFirst', false)
  if (typeof verifyFirst !== 'boolean') throw mustBe('options.verifyFirst', 'a boolean', verifyFirst)
  const maxMessages = count('options.maxMessages', own('maxMessages', most), 0, most)
  const maxFailures = count('options.maxFailures', own('maxFailures', MAX_FAILURES), 1, MAX_FAILURES)
  const { backend, arena } = placementOf(own, backends)
  return { nonceAt, verifyFirst, maxMessages, maxFailures, backend, arena }
}

/** The options for a key's memory and the instructions that use it. */
export function placementOf(own: (name: 'backend' | 'arena') => unknown, backends: readonly string[]) {
  const backend = own('backend') as Backend | undefined
  if (backend !== undefined && positionOf(backends, backend) < 0) {
    const names = join(backends, "', '")
    throw wrongValue(`"options.backend" must be one of '${names}', got ${shown(backend)}`)
  }
  const arena = own('arena')
  return { backend, arena: arena === undefined ? undefined : arenaOf(arena) }
}
