// The entry `hardware-aes-gcm/columns`, documented by types/columns.d.ts; contract/ compares both.
import { NotSealedError } from '../../cipher/base/errors.cjs'
import { encryptedColumns } from './encrypted-columns.cjs'

// A plain object, as in lib/index.cts.
export = { encryptedColumns, NotSealedError } as const
