// Opens the database key with the shares of some holders:
// `node examples/shares/open.mjs FOLDER ada dina cem > KEY-FILE`. If a share is mistyped, the error
// names its holder; with more than three holders, also if a share is corrupted.
import { readFileSync } from 'node:fs'
import { combineAndOpen } from 'hardware-aes-gcm/shamir'
import { operands } from '../arguments.mjs'
import { HOLDERS, PURPOSE, readShares, sealedFile } from './holders.mjs'

const [folder, ...holders] = operands('node open.mjs FOLDER HOLDER... > KEY-FILE', 2, 1 + HOLDERS.length)
try {
  const key = combineAndOpen(readShares(folder, holders), readFileSync(sealedFile(folder)), { aad: PURPOSE })
  // Wiped only after the write: a pipe may read the bytes later.
  process.stdout.write(key, () => key.fill(0))
} catch (error) {
  // `indexes` are positions in the list of shares, and so in the list of holders. They are absent if no share can be identified.
  const wrong = error.indexes?.map(index => holders[index])
  console.error(wrong ? `the share of ${wrong.join(' and ')} is wrong` : `${error.code}: ${error.message}`)
  process.exitCode = 1
}
