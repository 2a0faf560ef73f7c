// The static methods of the classes of keys.
import type { Buffer } from 'node:buffer'
import { outOfRange } from '../base/errors.cjs'
import { kindOf } from '../base/views.cjs'
import { freshKey } from '../machine/random.cjs'
import { load } from '../native/binary.cjs'

export function isAvailable(): boolean {
  try {
    return load().backends.length > 0
  } catch {
    return false
  }
}

/** `generateKey` of the classes with keys of both lengths. */
export function newKey(bits: 128 | 256): Buffer<ArrayBuffer> {
  if (bits !== 128 && bits !== 256) throw wrongBits('128 or 256', bits)
  return freshKey(bits === 128 ? 16 : 32)
}

/** The error of `generateKey` for an unsupported number of bits. */
export function wrongBits(wanted: string, bits: unknown): Error {
  return outOfRange(`"bits" must be ${wanted}, got ${numberOrKind(bits)}`)
}

/** Shows only numbers: a string may be a key, passed to the wrong function. */
function numberOrKind(value: unknown): string {
  return typeof value === 'number' ? `${value}` : kindOf(value)
}
