// Opens the database key with the shares of some holders: `node examples/shares/open.mjs FOLDER ada dina cem > KEY-FILE`. A mistyped
// share is told by the name of its holder, and so is a corrupted one if there are more than three holders.
import { readFileSync } from 'node:fs'
import { combineAndOpen } from 'hardware-aes-gcm/shamir'
import { operands } from '../arguments.mjs'
import { HOLDERS, PURPOSE, readShares, sealedFile } from './holders.mjs'

const [folder, ...holders] = operands('node open.mjs FOLDER HOLDER... > KEY-FILE', 2, 1 + HOLDERS.length)
try {
  const key = combineAndOpen(readShares(folder, holders), readFileSync(sealedFile(folder)), { aad: PURPOSE })
  // Not wiped before it is written: a pipe may take the bytes later.
  process.stdout.write(key, () => key.fill(0))
} catch (error) {
  // `indexes` are positions in the list of shares, and so in the list of holders. They are absent if no share can be told.
  const wrong = error.indexes?.map(index => holders[index])
  console.error(wrong ? `the share of ${wrong.join(' and ')} is wrong` : `${error.code}: ${error.message}`)
  process.exitCode = 1
}
