// Copies of caller-supplied keys, for classes that keep the bytes of a key.
import type { Buffer } from 'node:buffer'
import { copied, lengthOf } from '../base/bytes.cjs'
import { warnIfText, wrongKeyLength } from '../base/key-text.cjs'
import { wipe } from '../base/views.cjs'
import { bytesOfKey } from './key.cjs'

/**
 * A copy of a key off V8's heap, which the caller wipes. `lengthOfKey` returns the length of the
 * key, or throws if no key has this length.
 */
export function copiedKey(
  name: string,
  key: unknown,
  lengthOfKey: (name: string, bytes: Uint8Array) => number,
  wanted?: string,
): Buffer<ArrayBuffer> {
  const bytes = bytesOfKey(key, name, wanted)
  try {
    const own = copied(bytes, lengthOfKey(name, bytes))
    if (bytes === key) warnIfText(own)
    return own
  } finally {
    if (bytes !== key) wipe(bytes, 0)
  }
}

/** The length of a key of AES-128 or AES-256. */
export function lengthOfAesKey(name: string, key: Uint8Array): number {
  const length = lengthOf(name, key)
  if (length === 16 || length === 32) return length
  throw wrongKeyLength(name, '16 or 32 bytes', key)
}
