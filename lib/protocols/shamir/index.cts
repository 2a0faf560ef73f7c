// The entry `hardware-aes-gcm/shamir`, documented by types/shamir.d.ts; contract/ compares both.
import { combineKey, recoverShare } from './combine.cjs'
import { combineAndOpen, sealAndSplit } from './seal.cjs'
import { splitKey } from './split.cjs'

// A plain object, as in lib/index.cts.
export = { combineAndOpen, combineKey, recoverShare, sealAndSplit, splitKey } as const
