// The entry `hardware-aes-gcm/quic`: the one implementation, in CommonJS. types/quic.d.ts documents it; contract/entries.mts
// proves that both agree.
import { PacketProtection } from './packet-protection.cjs'
import { retryIntegrityTag } from './retry.cjs'
import { initialSecrets } from './schedule.cjs'
import { VERSION_1, VERSION_2 } from './versions.cjs'

// A plain object, as in lib/index.cts.
export = { PacketProtection, VERSION_1, VERSION_2, initialSecrets, retryIntegrityTag } as const
