// The entry `hardware-aes-gcm/quic`, documented by types/quic.d.ts; contract/ compares both.
import { PacketProtection } from './packet-protection.cjs'
import { retryIntegrityTag } from './retry.cjs'
import { initialSecrets } from './schedule.cjs'
import { VERSION_1, VERSION_2 } from './versions.cjs'

// A plain object, as in lib/index.cts.
export = { PacketProtection, VERSION_1, VERSION_2, initialSecrets, retryIntegrityTag } as const
