// Copies of caller-supplied keys, for classes that keep the bytes of a key.
import type { Buffer } from 'node:buffer'
import { copied } from '../base/bytes.cjs'
import { warnIfText } from '../base/key-text.cjs'
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
