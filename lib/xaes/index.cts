// The entry `hardware-aes-gcm/xaes`: the one implementation, in CommonJS. types/xaes.d.ts documents it; contract/entries.mts
// proves that both agree.
import { XAES_256_GCM } from '../aead/ciphers.cjs'
import { TAG_BYTES } from '../base/sizes.cjs'
import { XAesGcm } from './xaes-gcm.cjs'

const { nonceBytes: NONCE_BYTES, overhead: OVERHEAD } = XAES_256_GCM

// A plain object, as in lib/index.cts.
export = { NONCE_BYTES, OVERHEAD, TAG_BYTES, XAesGcm } as const
