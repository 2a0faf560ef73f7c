// Begins messages that are processed piece by piece, from the arguments of callers.
import type { DecryptionKey, EncryptionKey } from '../../../types/stream.d.ts'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { Decryption, Encryption } from './chunk-transform.cjs'
import { openingKey, sealingKey } from './keys.cjs'
import { type Own, settingsOf } from './options.cjs'

export function encryption(key: EncryptionKey, own: Own): Encryption {
  const settings = settingsOf(own)
  const sealing = sealingKey(key)
  try {
    return new Encryption(sealing, settings)
  } finally {
    wipe(sealing.bytes, 0)
  }
}

export function decryption(key: DecryptionKey, own: Own): Decryption {
  const settings = settingsOf(own)
  const opening = openingKey(key)
  return orWipe(opening.bytes, () => new Decryption(opening, settings))
}
