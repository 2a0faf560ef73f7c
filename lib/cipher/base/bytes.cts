// Arguments that are read once: copies of their bytes.
import type { Buffer } from 'node:buffer'
import { types } from './builtins.cjs'
import { detached, notBytes } from './errors.cjs'
import { allocateOffHeap, byteLength, byteOffset, bytesOver, copy, isAttached, memoryOf } from './views.cjs'

const { isUint8Array } = types

/** The length of a Uint8Array whose memory is there. */
export function lengthOf(name: string, value: unknown): number {
  if (!isUint8Array(value)) throw notBytes(name, value)
  const length = byteLength(value)
  if (length === 0 && !isAttached(value)) throw detached(name)
  return length
}

/** A copy off V8's heap. Throws if shared memory has grown since `length` was read. */
export function copied(bytes: Uint8Array, length = byteLength(bytes)): Buffer<ArrayBuffer> {
  const own = allocateOffHeap(length)
  copy(own, bytes)
  return own
}

/** Part of some bytes, as a view of the same memory. */
export function part(bytes: Uint8Array, from: number, size: number): Uint8Array {
  return bytesOver(memoryOf(bytes), byteOffset(bytes) + from, size)
}
