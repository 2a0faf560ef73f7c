// The entry `hardware-aes-gcm/typeorm`, documented by types/typeorm.d.ts; contract/ compares both.
import { encryptedEntities } from './encrypted-entities.cjs'

// A plain object, as in lib/index.cts.
export = { encryptedEntities } as const
