// The entry `hardware-aes-gcm/quic` for `import`. It re-exports the one implementation, as lib/index.mts does.

import { lookFrom } from '../native/binary.cjs'
import implementation from './index.cjs'

lookFrom(import.meta.url)

export const { PacketProtection, VERSION_1, VERSION_2, initialSecrets, retryIntegrityTag } = implementation
