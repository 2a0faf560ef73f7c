// The entry `hardware-aes-gcm/sequelize`, documented by types/sequelize.d.ts; contract/ compares
// both.
import { encryptedSequelize } from './encrypted-sequelize.cjs'

// A plain object, as in lib/index.cts.
export = { encryptedSequelize } as const
