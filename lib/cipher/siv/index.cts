// The entry `hardware-aes-gcm/siv`, documented by types/siv.d.ts; contract/ compares both.
import { AES_GCM_SIV } from '../aead/ciphers.cjs'
import { TAG_BYTES } from '../base/sizes.cjs'
import { AesGcmSiv } from './aes-gcm-siv.cjs'

const { nonceBytes: NONCE_BYTES, overhead: OVERHEAD } = AES_GCM_SIV

// A plain object, as in lib/index.cts.
export = { AesGcmSiv, NONCE_BYTES, OVERHEAD, TAG_BYTES } as const
