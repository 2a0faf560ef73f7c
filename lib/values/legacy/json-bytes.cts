// The three forms in which programs write bytes as JSON.
import type { Buffer } from 'node:buffer'
import { hasOwn, isArray, keys, types } from '../../cipher/base/builtins.cjs'
import { allocateOffHeap } from '../../cipher/base/views.cjs'

const { isProxy } = types

/**
 * The bytes in a value: `[1,2]`, `{"type":"Buffer","data":[1,2]}` or, of a Uint8Array,
 * `{"0":1,"1":2}`. Undefined for others. `value` is no Proxy.
 */
export function bytesOfJson(value: object): Buffer<ArrayBuffer> | undefined {
  if (isArray(value)) return bytesOfNumbers(value, value.length)
  if (hasOwn(value, 'data')) {
    const { type, data } = value as { type: unknown; data: unknown }
    return type === 'Buffer' && !isProxy(data) && isArray(data)
      ? bytesOfNumbers(data, data.length)
      : undefined
  }
  const names = keys(value)
  return names.length > 0 ? bytesOfNumbers(value as ArrayLike<unknown>, names.length) : undefined
}

/** The bytes at the first indexes of a value; undefined unless it has them all. */
function bytesOfNumbers(numbers: ArrayLike<unknown>, length: number): Buffer<ArrayBuffer> | undefined {
  // Checked before copying, so a sparse array asks for no memory.
  for (let i = 0; i < length; i++) if (!isByte(numbers[i])) return undefined
  const bytes = allocateOffHeap(length)
  for (let i = 0; i < length; i++) bytes[i] = numbers[i] as number
  return bytes
}

function isByte(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 255 && value % 1 === 0
}
