// The entry `hardware-aes-gcm/keyring`, documented by types/keyring.d.ts; contract/ compares both.
import { UnknownKeyError } from '../../cipher/base/errors.cjs'
import { BlindIndex } from './blind-index.cjs'
import { context } from './context.cjs'
import { followKeyset } from './following.cjs'
import { Keyring } from './keyring.cjs'

// A plain object, as in lib/index.cts.
export = { BlindIndex, context, followKeyset, Keyring, UnknownKeyError } as const
