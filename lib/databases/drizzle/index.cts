// The entry `hardware-aes-gcm/drizzle`, documented by types/drizzle.d.ts; contract/ compares both.
import { encryptedTable } from './encrypted-table.cjs'
import { guarded } from './guarded.cjs'
import { opened } from './opened.cjs'

// A plain object, as in lib/index.cts.
export = { encryptedTable, guarded, opened } as const
