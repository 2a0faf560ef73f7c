// The entry `hardware-aes-gcm/keyring`: the one implementation, in CommonJS. types/keyring.d.ts documents it; contract/entries.mts
// proves that both agree.
import { UnknownKeyError } from '../base/errors.cjs'
import { BlindIndex } from './blind-index.cjs'
import { context } from './context.cjs'
import { Keyring } from './keyring.cjs'

// A plain object, as in lib/index.cts.
export = { BlindIndex, context, Keyring, UnknownKeyError } as const
