// The entry `hardware-aes-gcm/xaes`, documented by types/xaes.d.ts; contract/ compares both.
import { XAES_256_GCM } from '../aead/ciphers.cjs'
import { TAG_BYTES } from '../base/sizes.cjs'
import { XAesGcm } from './xaes-gcm.cjs'

const { nonceBytes: NONCE_BYTES, overhead: OVERHEAD } = XAES_256_GCM

// A plain object, as in lib/index.cts.
export = { NONCE_BYTES, OVERHEAD, TAG_BYTES, XAesGcm } as const
