// The entry `hardware-aes-gcm/prisma`, documented by types/prisma.d.ts; contract/ compares both.
import { encryptedModels, fieldValue } from './encrypted-models.cjs'

// A plain object, as in lib/index.cts.
export = { encryptedModels, fieldValue } as const
