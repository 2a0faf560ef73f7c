// The entry `hardware-aes-gcm/hybrid`, documented by types/hybrid.d.ts; contract/ compares both.
import { PrivateKeyring } from './private-keyring.cjs'
import { PublicKeyring } from './public-keyring.cjs'

// A plain object, as in lib/index.cts.
export = { PrivateKeyring, PublicKeyring } as const
