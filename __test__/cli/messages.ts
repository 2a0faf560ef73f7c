// Shared by the tests of encrypt, decrypt and inspect: keys, data, and a message that the tests' own model made.
import { CHUNK_BYTES, seal } from '../models/cobblestone.mjs'
import { Random } from '../tools/support.js'
import { Folder } from './program.js'

const random = new Random('cli-messages')
export const KEY = random.bytes(32)
export const SHORT_KEY = random.bytes(16)
/** Three runs of 64 chunks, of which the last one has an end of its own. */
export const LONG = random.bytes(2 * 64 * CHUNK_BYTES + 70_000)
export const SMALL = LONG.subarray(0, 3 * CHUNK_BYTES + 100)
/** Its first byte is no version of a sealed value: `inspect` would name that format, too. */
export const SALT = random.bytes(24).fill(0xa5, 0, 1)
export const MESSAGE = seal(KEY, SMALL, SALT)

/** The names in a folder of {@link prepared}. */
export const NAMES = ['bytes', 'data', 'data.enc', 'key', 'short']

/** A folder with keys as bytes and as digits, data, and an encrypted message. */
export function prepared(): Folder {
  const folder = new Folder()
  folder.write('key', KEY.toString('hex'))
  folder.write('bytes', KEY)
  folder.write('short', `${SHORT_KEY.toString('hex')}\n`)
  folder.write('data', SMALL)
  folder.write('data.enc', MESSAGE)
  return folder
}

export const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
