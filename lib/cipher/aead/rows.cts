// Batches of rows: an array of messages in one memory, passed to native code in one call.
import type { Buffer } from 'node:buffer'
import type { RowOptions } from '../../../index.d.ts'
import { allocateResult } from '../base/allocate-result.cjs'
import { min, types } from '../base/builtins.cjs'
import { AuthenticationError, detached, mustBe, notBytes, outOfRange, wrongType } from '../base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../base/lists.cjs'
import { optionsOf } from '../base/parse.cjs'
import { byteLength, copy, isAttached, kindForBytes, kindOf, viewOf, wipe } from '../base/views.cjs'
import type { KeyHandle } from '../native/binding.cjs'
import { openBatch, sealBatch, telling } from './batch.cjs'
import type { CipherSpec, Layout } from './ciphers.cjs'

const { isUint8Array } = types
const Words = Uint32Array

type Frames = Buffer<ArrayBuffer>
type Name = 'rows' | 'frames'
type AadOf = (row: Uint8Array, index: number) => unknown
const MAX_ROWS = 2 ** 24
/** The ends of rows are words of 32 bits. */
const MAX_BYTES = 2 ** 32 - 1
const SPLIT = 'divide them among more calls'

export function encryptRows(
  handle: KeyHandle,
  { cipher, before }: Layout,
  rows: unknown,
  options: unknown,
): Frames[] {
  const list = rowsOf('rows', rows)
  const { aad, aadEnds } = aadOf('rows', list, options)
  // No code of the caller runs from here on.
  const ends = endsOf('rows', list, cipher.overhead)
  const memory = allocateResult(ends[ends.length - 1] ?? 0, SPLIT)
  let start = before
  for (let i = 0; i < list.length; i++) {
    copy(memory, list[i] as Uint8Array, start)
    start = (ends[i] as number) + before
  }
  wipedUnless(memory, () => sealBatch(handle, cipher, memory, ends, aad, aadEnds))
  return views(list, memory, ends, 0, 0, []) as Frames[]
}

export function decryptRows(handle: KeyHandle, layout: Layout, frames: unknown, options: unknown): Frames[] {
  const { list, memory, ends, failed } = opened(handle, layout.cipher, frames, options)
  if (failed.length > 0) {
    wipe(memory, 0)
    throw telling(new AuthenticationError(), failed)
  }
  return views(list, memory, ends, layout.before, layout.cipher.overhead, failed) as Frames[]
}

export function tryDecryptRows(
  handle: KeyHandle,
  layout: Layout,
  frames: unknown,
  options: unknown,
): (Frames | null)[] {
  const { list, memory, ends, failed } = opened(handle, layout.cipher, frames, options)
  return views(list, memory, ends, layout.before, layout.cipher.overhead, failed)
}

/** The frames in one memory, the authentic ones decrypted, and the indexes of the others. */
function opened(handle: KeyHandle, cipher: CipherSpec, frames: unknown, options: unknown) {
  const list = rowsOf('frames', frames)
  const { aad, aadEnds } = aadOf('frames', list, options)
  // No code of the caller runs from here on.
  const ends = endsOf('frames', list, 0)
  const memory = allocateResult(ends[ends.length - 1] ?? 0, SPLIT)
  let start = 0
  for (let i = 0; i < list.length; i++) {
    copy(memory, list[i] as Uint8Array, start)
    start = ends[i] as number
  }
  const failed = wipedUnless(memory, () => openBatch(handle, cipher, memory, ends, aad, aadEnds))
  return { list, memory, ends, failed }
}

/** The result of `work`. If it throws, `memory` is wiped, which may have plaintext. */
function wipedUnless<Result>(memory: Frames, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    wipe(memory, 0)
    throw error
  }
}

/** Fills `list` with a view of each frame's plaintext or bytes, null for those that `failed`. */
function views(
  list: Uint8Array[],
  memory: Frames,
  ends: Uint32Array,
  before: number,
  overhead: number,
  failed: ArrayLike<number>,
): (Frames | null)[] {
  const result = list as (Uint8Array | null)[] as (Frames | null)[]
  let start = 0
  let failure = 0
  for (let i = 0; i < result.length; i++) {
    const end = ends[i] as number
    if (failed[failure] === i) {
      result[i] = null
      failure++
    } else {
      result[i] = viewOf(memory, start + before, end - start - overhead) as Frames
    }
    start = end
  }
  return result
}

/** The elements of an array of bytes, in our own array: assigning to them runs no setter. */
function rowsOf(name: Name, rows: unknown): Uint8Array[] {
  if (!isList(rows)) throw mustBe(name, 'an array of Uint8Arrays', rows)
  const length = lengthOfList(name, rows, { elements: name, least: 0, most: MAX_ROWS })
  const list = elementsOf(name, rows, length) as Uint8Array[]
  for (let i = 0; i < length; i++) {
    const row = list[i] as Uint8Array
    if (!isUint8Array(row)) throw notBytes(`${name}[${i}]`, row)
  }
  return list
}

/** Where each row ends, with `overhead` bytes more. */
function endsOf(name: Name, list: readonly Uint8Array[], overhead: number): Uint32Array {
  const ends = new Words(list.length)
  let end = 0
  for (let i = 0; i < list.length; i++) {
    end += lengthOf(list[i] as Uint8Array, name, i) + overhead
    if (end > MAX_BYTES) throw tooMany(name)
    ends[i] = end
  }
  return ends
}

/** Memory may be shared: it is read once, when it is copied. */
function lengthOf(bytes: Uint8Array, name: string, index: number): number {
  const length = byteLength(bytes)
  if (length === 0 && !isAttached(bytes)) throw detached(`${name}[${index}]`)
  return length
}

/** The additional data from the options: one for all rows, or those of each row in sequence. */
function aadOf(name: Name, list: readonly Uint8Array[], options: unknown) {
  if (isUint8Array(options) || typeof options === 'function')
    throw wrongType(`"options" must be an object, got ${kindOf(options)}: pass { aad }`)
  const names = ['aad'] as const satisfies (keyof RowOptions)[]
  const aad = optionsOf(options === undefined ? {} : options, names)('aad')
  if (typeof aad === 'function') return collected(name, list, aad as AadOf)
  if (aad === undefined || aad === null || isUint8Array(aad)) return { aad, aadEnds: undefined }
  throw wrongType(`"options.aad" must be a Uint8Array or a function, got ${kindForBytes(aad)}`)
}

/** The results of `aadOf`, copied at once: it may return one Buffer with new bytes for each row. */
function collected(name: Name, list: readonly Uint8Array[], aadOf: AadOf) {
  const aadEnds = new Words(list.length)
  let aad = allocateResult(16 * list.length, SPLIT)
  let end = 0
  for (let i = 0; i < list.length; i++) {
    const bytes = aadOf(list[i] as Uint8Array, i) as Uint8Array
    if (!isUint8Array(bytes)) {
      const what = `"options.aad" must return a Uint8Array for "${name}[${i}]", got ${kindForBytes(bytes)}`
      throw wrongType(what)
    }
    const start = end
    end += lengthOf(bytes, 'options.aad', i)
    if (end > MAX_BYTES) throw tooMany('aad')
    if (end > aad.length) {
      const longer = allocateResult(min(2 * end, MAX_BYTES), SPLIT)
      copy(longer, aad)
      aad = longer
    }
    copy(aad, bytes, start)
    aadEnds[i] = end
  }
  return { aad, aadEnds }
}

function tooMany(name: string): Error {
  return outOfRange(`"${name}" must have at most 2^32 - 1 bytes in all, frames included: ${SPLIT}`)
}
