// Which values `rotate` seals again: those of older keys and formats and, if asked, newer keys.
import type { RotateOptions } from '../../../types/keyring.d.ts'
import { types } from '../../cipher/base/builtins.cjs'
import { mustBe } from '../../cipher/base/errors.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { readersAmong } from './fallback.cjs'
import type { Key, KeyTable } from './key-table.cjs'
import { prefixIn } from './prefix.cjs'
import { OPEN_TEXT, wrongKind } from './refusal.cjs'

const { isUint8Array } = types
const NAMES = ['back', 'fallback'] as const satisfies (keyof RotateOptions)[]
const NAME_OF_BACK = ['back'] as const

/** Whether `needsRotation` goes back to an older key. */
export function backOf(options: unknown): boolean {
  return options === undefined ? false : backAmong(optionsOf(options, NAME_OF_BACK))
}

/** The options of `rotate`. Its readers are undefined without options. */
export function rotationOf(options: unknown): { back: boolean; readers: readonly unknown[] | undefined } {
  if (options === undefined) return { back: false, readers: undefined }
  const own = optionsOf(options, NAMES)
  return { back: backAmong(own), readers: readersAmong(own) }
}

function backAmong(own: (name: 'back', fallback: boolean) => unknown): boolean {
  const back = own('back', false)
  if (typeof back === 'boolean') return back
  throw mustBe('options.back', 'a boolean', back)
}

/**
 * Whether the primary key should seal a value again. Without `back`, not a value of a newer key:
 * this process has an older keyset, and would undo what others did. If the primary key has no
 * prefix, its own values need it too, since they do not name their key.
 */
export function needsRotation(table: KeyTable, sealed: string | Uint8Array, back: boolean): boolean {
  const prefix = prefixIn(sealed)
  if (prefix === (table.primary as Key).valuePrefix) return false
  const key = table.keyWithPrefix(prefix)
  return back || key === undefined || !table.isNewer(key)
}

/** A sealed value of either kind. */
export function checkedValue(sealed: unknown): string | Uint8Array {
  if (typeof sealed === 'string' || isUint8Array(sealed)) return sealed
  throw wrongKind(OPEN_TEXT, 'sealed', sealed)
}
