// The entry `hardware-aes-gcm/siv` for `import`. It re-exports the one implementation, as lib/index.mts does.

import { lookFrom } from '../native/binary.cjs'
import implementation from './index.cjs'

lookFrom(import.meta.url)

export const { AesGcmSiv, NONCE_BYTES, OVERHEAD, TAG_BYTES } = implementation
