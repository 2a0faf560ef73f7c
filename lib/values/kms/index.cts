// The entry `hardware-aes-gcm/kms`, documented by types/kms.d.ts; contract/ compares both.
import { awsKms } from './aws.cjs'
import { azureKeyVault } from './azure.cjs'
import { googleKms } from './google.cjs'
import { vaultTransit } from './vault.cjs'

// A plain object, as in lib/index.cts.
export = { awsKms, azureKeyVault, googleKms, vaultTransit } as const
