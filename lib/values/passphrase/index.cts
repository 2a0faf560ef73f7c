// The entry `hardware-aes-gcm/passphrase`, documented by types/passphrase.d.ts.
import { openProtectedKey, passphraseWrapping, protectKey } from './protect.cjs'

// A plain object, as in lib/index.cts.
export = { openProtectedKey, passphraseWrapping, protectKey } as const
