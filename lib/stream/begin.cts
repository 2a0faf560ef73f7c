// Begins messages that are processed piece by piece, from the arguments of callers.
import type { KeyObject } from 'node:crypto'
import { orWipe } from '../base/on-failure.cjs'
import { wipe } from '../base/views.cjs'
import { Decryption, Encryption } from './chunk-transform.cjs'
import { copyOfKey, type Own, settingsOf } from './options.cjs'

export function encryption(key: Uint8Array | KeyObject, own: Own): Encryption {
  const settings = settingsOf(own)
  const bytes = copyOfKey(key)
  try {
    return new Encryption(bytes, settings)
  } finally {
    wipe(bytes, 0)
  }
}

export function decryption(key: Uint8Array | KeyObject, own: Own): Decryption {
  const settings = settingsOf(own)
  const bytes = copyOfKey(key)
  return orWipe(bytes, () => new Decryption(bytes, settings))
}
