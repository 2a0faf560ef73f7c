// The key and the options of a message, parsed. types/stream.d.ts says what each option means.
import type { KeyObject } from 'node:crypto'
import type { StreamOptions } from '../../../types/stream.d.ts'
import { copiedKey, lengthOfAesKey } from '../../cipher/aead/copied-key.cjs'
import { placementOf } from '../../cipher/aead/options.cjs'
import { positionOf } from '../../cipher/base/builtins.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { bytesOfTextOrBytes } from '../../cipher/base/utf8.cjs'
import { load } from '../../cipher/native/binary.cjs'
import type { ArenaHandle } from '../../cipher/native/binding.cjs'
import { BEST_BACKEND } from '../../cipher/native/calls.cjs'

export const OPTIONS = ['context', 'arena', 'backend'] as const satisfies (keyof StreamOptions)[]
const NO_BYTES = new Uint8Array(0)

/** Reads an option by its name. */
export type Own = (name: keyof StreamOptions) => unknown

/** The options of a message, parsed. */
export interface Settings {
  readonly context: Uint8Array
  /** As an argument of `chunksCreate`. */
  readonly backend: number
  readonly arena: ArenaHandle | undefined
}

/** The options of a function that has no others. */
export function ownOptions(options: unknown): Own {
  return optionsOf(options === undefined ? {} : options, OPTIONS)
}

/** Every option, each read once. */
export function settingsOf(own: Own): Settings {
  const { backendNames } = load()
  const context = contextOf(own('context'))
  const { backend, arena } = placementOf(own, backendNames)
  return { context, arena, backend: backend === undefined ? BEST_BACKEND : positionOf(backendNames, backend) }
}

function contextOf(context: unknown): Uint8Array {
  const isGiven = context !== undefined && context !== null
  return isGiven ? bytesOfTextOrBytes('options.context', context) : NO_BYTES
}

/**
 * A copy of a key of 16 or 32 bytes, off V8's heap, which the caller wipes. For the error, `wanted`
 * names the kinds of keys that the caller accepts.
 */
export function copyOfKey(key: Uint8Array | KeyObject, wanted: string): Uint8Array {
  return copiedKey('key', key, lengthOfAesKey, wanted)
}
