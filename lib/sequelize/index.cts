// The entry `hardware-aes-gcm/sequelize`, documented by types/sequelize.d.ts; contract/ compares both.
import { encryptedModels } from './encrypted-models.cjs'

// A plain object, as in lib/index.cts.
export = { encryptedModels } as const
