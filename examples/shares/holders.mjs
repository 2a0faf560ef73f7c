// The files of this example: every holder has a share as text, and a copy of the sealed file, which is not secret.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The names of five people, in the order of their shares. */
export const HOLDERS = ['ada', 'bo', 'cem', 'dina', 'eli']
export const THRESHOLD = 3

/** Authenticated with the sealed file: a file sealed for another purpose does not open. */
export const PURPOSE = Buffer.from('database key, production')

const shareFile = (folder, holder) => join(folder, `${holder}.share`)
export const sealedFile = folder => join(folder, 'database-key.sealed')

/** Writes a share. `wx` refuses a file that exists, so no older share is lost. */
export const writeShare = (folder, holder, share) =>
  writeFileSync(shareFile(folder, holder), `${share}\n`, { mode: 0o600, flag: 'wx' })

/** The shares of these holders. A line break at the end does no harm. */
export const readShares = (folder, holders) =>
  holders.map(holder => readFileSync(shareFile(folder, holder), 'latin1'))
