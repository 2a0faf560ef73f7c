// PASETO's pre-authentication encoding (PAE): several parts, unambiguously, as one sequence of
// bytes.
//
// The number of parts, then each part after its length in bytes. Numbers have 8 bytes,
// little-endian.
import type { Buffer } from 'node:buffer'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { floor, buffer as node, types, uncurried } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { shared, wrongType } from '../../cipher/base/errors.cjs'
import { wellFormed } from '../../cipher/base/utf8.cjs'
import { copy, isShared, kindForBytes } from '../../cipher/base/views.cjs'

const { isUint8Array } = types
const { byteLength } = node.Buffer
const write: (target: Buffer, text: string, at: number, length: number, encoding: 'utf8') => number =
  uncurried(node.Buffer.prototype.write as never)

/** The bytes of a number in the encoding. */
export const NUMBER_BYTES = 8

/** The length of a part in bytes; strings count in UTF-8. `name` names the argument. */
export function lengthOfPart(name: string, part: unknown, kinds: string): number {
  if (typeof part === 'string') return byteLength(wellFormed(name, part))
  if (!isUint8Array(part)) throw wrongType(`"${name}" must be ${kinds}, got ${kindForBytes(part)}`)
  if (isShared(part)) throw shared(name)
  return lengthOf(name, part)
}

export function writeNumber(target: Uint8Array, at: number, number: number): void {
  let rest = number
  for (let i = 0; i < NUMBER_BYTES; i++, rest = floor(rest / 256)) target[at + i] = rest % 256
}

/** The encoding of parts of these lengths. No code of a caller may run in between. */
export function pae(
  parts: readonly (string | Uint8Array)[],
  lengths: readonly number[],
): Buffer<ArrayBuffer> {
  let size = NUMBER_BYTES
  for (let i = 0; i < parts.length; i++) size += NUMBER_BYTES + (lengths[i] as number)
  const target = allocateResult(size, 'pass a hash of the longest part')
  writeNumber(target, 0, parts.length)
  for (let i = 0, at = NUMBER_BYTES; i < parts.length; i++) {
    const part = parts[i] as string | Uint8Array
    const length = lengths[i] as number
    writeNumber(target, at, length)
    at += NUMBER_BYTES
    if (typeof part === 'string') write(target, part, at, length, 'utf8')
    else copy(target, part, at)
    at += length
  }
  return target
}
