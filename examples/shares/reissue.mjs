// A holder has lost a share: `node examples/shares/reissue.mjs FOLDER bo ada cem eli` restores bo's
// from the shares of three others. The lost share stays valid: if somebody else may have it, seal a
// new key instead.
import { recoverShare } from 'hardware-aes-gcm/shamir'
import { operands } from '../arguments.mjs'
import { HOLDERS, readShares, writeShare } from './holders.mjs'

const [folder, lost, ...holders] = operands('node reissue.mjs FOLDER LOST HOLDER...', 3, 1 + HOLDERS.length)
try {
  writeShare(folder, lost, recoverShare(readShares(folder, holders), HOLDERS.indexOf(lost) + 1))
  console.log(`the share of ${lost} is there again`)
} catch (error) {
  console.error(`${error.code}: ${error.message}`)
  process.exitCode = 1
}
