// The entry `hardware-aes-gcm/shamir`: the one implementation, in CommonJS. types/shamir.d.ts documents it; contract/entries.mts
// proves that both agree.
import { combineKey, recoverShare } from './combine.cjs'
import { combineAndOpen, sealAndSplit } from './seal.cjs'
import { splitKey } from './split.cjs'

// A plain object, as in lib/index.cts.
export = { combineAndOpen, combineKey, recoverShare, sealAndSplit, splitKey } as const
