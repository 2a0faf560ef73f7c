// The function context (types/keyring.d.ts): unambiguous additional data of several parts.
import type { Buffer } from 'node:buffer'
import { toSpliced, unitAt } from '../../cipher/base/builtins.cjs'
import { outOfRange } from '../../cipher/base/errors.cjs'
import { allocate } from '../../cipher/base/views.cjs'
import { lengthOfPart, NUMBER_BYTES, pae, writeNumber } from './pae.cjs'

const { isSafeInteger } = Number

const MAX_PARTS = 1000
const KINDS = 'a string, a whole number, a bigint or a Uint8Array'

/** The longest result of `short`. */
const SHORT = 256

export function context(...parts: readonly (string | number | bigint | Uint8Array)[]): Buffer<ArrayBuffer> {
  const count = parts.length
  // Data of no parts would bind a message to nothing.
  if (count === 0 || count > MAX_PARTS)
    throw outOfRange(`"parts" must have 1 to ${MAX_PARTS} parts, got ${count}`)
  return short(parts) ?? long(parts)
}

/** Fast path for a few short ASCII parts, the usual case. Undefined for others. */
function short(parts: readonly unknown[]): Buffer<ArrayBuffer> | undefined {
  let size = NUMBER_BYTES
  for (let i = 0; i < parts.length; i++) {
    const part = textOf(parts[i])
    if (typeof part !== 'string') return undefined
    size += NUMBER_BYTES + part.length
    if (size > SHORT) return undefined
  }
  const target = allocate(size)
  writeNumber(target, 0, parts.length)
  let at = NUMBER_BYTES
  for (let i = 0; i < parts.length; i++) {
    const part = textOf(parts[i]) as string
    writeNumber(target, at, part.length)
    at += NUMBER_BYTES
    for (let j = 0; j < part.length; j++) {
      const code = unitAt(part, j)
      if (code >= 0x80) return undefined
      target[at++] = code
    }
  }
  return target
}

/** The digits of a whole number; another part as it is. */
function textOf(part: unknown): unknown {
  return typeof part === 'number' && isSafeInteger(part) ? `${part}` : part
}

function long(parts: readonly unknown[]): Buffer<ArrayBuffer> {
  // A copy with existing elements: assigning a missing one could run a setter of Array.prototype.
  const given = toSpliced(parts, 0, 0) as unknown[]
  const lengths = toSpliced(parts, 0, 0) as number[]
  for (let i = 0; i < parts.length; i++) {
    given[i] = partOf(i, parts[i])
    lengths[i] = lengthOfPart(`parts[${i}]`, given[i], KINDS)
  }
  return pae(given as (string | Uint8Array)[], lengths)
}

/** A part with known bytes. Numbers are decimal digits: an id may be number, bigint or string. */
function partOf(i: number, part: unknown): unknown {
  if (typeof part === 'bigint') return `${part}`
  if (typeof part !== 'number') return part
  if (isSafeInteger(part)) return `${part}`
  const what = `"parts[${i}]" must be a whole number from -(2^53 - 1) to 2^53 - 1, got ${part}: pass it as text`
  throw outOfRange(what)
}
