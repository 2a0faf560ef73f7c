// The entry `hardware-aes-gcm/siv`: the one implementation, in CommonJS. types/siv.d.ts documents it; contract/entries.mts
// proves that both agree.
import { AES_GCM_SIV } from '../aead/ciphers.cjs'
import { TAG_BYTES } from '../base/sizes.cjs'
import { AesGcmSiv } from './aes-gcm-siv.cjs'

const { nonceBytes: NONCE_BYTES, overhead: OVERHEAD } = AES_GCM_SIV

// A plain object, as in lib/index.cts.
export = { AesGcmSiv, NONCE_BYTES, OVERHEAD, TAG_BYTES } as const
