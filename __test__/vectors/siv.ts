// Messages of AES-GCM-SIV that Tink 1.16.1 for Python sealed, of tink-vectors.json: `nonce(12) ‖ ciphertext ‖ tag(16)`.
import { sealedBy, TINK as VECTORS } from './tink.js'

const TEMPLATES: Record<string, string> = {
  'one AES256_GCM_SIV TINK': 'AES256_GCM_SIV',
  'one AES128_GCM_SIV RAW': 'AES128_GCM_SIV_RAW',
  'primary SIV, older GCM': 'AES256_GCM_SIV, beside a key of AES-GCM',
}

export const TINK = VECTORS.keysets
  .filter(({ name }) => name in TEMPLATES)
  .flatMap(keyset =>
    sealedBy(keyset).map(({ message, ...rest }, i) => ({
      name: `Tink, ${TEMPLATES[keyset.name]}, ${i}`,
      ...rest,
      nonce: message.subarray(0, 12),
      text: message.subarray(12, -16),
      tag: message.subarray(-16),
    })),
  )
