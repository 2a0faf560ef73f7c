// Seals a database key among five people: `node examples/shares/seal.mjs FOLDER < KEY-FILE` writes the sealed file and five shares.
// In real use, send each share to its holder separately and delete the folder; then open.mjs needs three of the five.
import { readFileSync, writeFileSync } from 'node:fs'
import { sealAndSplit } from 'hardware-aes-gcm/shamir'
import { operands } from '../arguments.mjs'
import { HOLDERS, PURPOSE, sealedFile, THRESHOLD, writeShare } from './holders.mjs'

const [folder] = operands('node seal.mjs FOLDER < KEY-FILE', 1)
const key = readFileSync(0) // of any length: it is sealed under a fresh key, and that key is split
const { sealed, shares } = sealAndSplit(key, {
  threshold: THRESHOLD,
  shares: HOLDERS.length,
  format: 'text',
  aad: PURPOSE,
})
key.fill(0)

writeFileSync(sealedFile(folder), sealed, { flag: 'wx' })
for (const [n, holder] of HOLDERS.entries()) writeShare(folder, holder, shares[n])
console.log(`sealed ${sealed.length} bytes; any ${THRESHOLD} of ${HOLDERS.length} holders open them`)
