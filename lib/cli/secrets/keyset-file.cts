// Keysets in files: reading them into a keyring, and a warning about files that others can read.
import type { Buffer } from 'node:buffer'
import { codeOf, fs, buffer as node } from '../../base/builtins.cjs'
import { textOfBytes } from '../../base/utf8.cjs'
import { Keyring } from '../../keyring/keyring.cjs'
import { MAX_CHARACTERS } from '../../keyring/keyset/model.cjs'
import { Failure, unusable } from '../frame/failure.cjs'
import { STANDARD, type Streams } from '../frame/streams.cjs'
import { isUtf16, UTF_16 } from '../frame/text.cjs'
import { readInput } from '../reading/input.cjs'

/** As many bytes as `Keyring.parse` accepts characters, so a file stays readable after `add`. */
export const KEYSET_BYTES = MAX_CHARACTERS
const WINDOWS = process.platform === 'win32'
const OF_OTHERS = 0o007

/** The keyring of a keyset in a file, or in standard input. The caller destroys it. */
export async function readKeyset(streams: Streams, path: string): Promise<Keyring> {
  const { name, bytes } = await readInput(streams, path, KEYSET_BYTES, 'a keyset')
  try {
    return keyringIn(name, bytes)
  } finally {
    bytes.fill(0)
  }
}

/** The keyring of a keyset, as a file holds it. */
export function keyringIn(name: string, bytes: Buffer): Keyring {
  if (isUtf16(bytes)) throw unusable(name, UTF_16)
  const text = textOfBytes(bytes)
  if (text === undefined) throw unusable(name, 'is not UTF-8')
  try {
    return Keyring.parse(text)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'ERR_AESGCM_INVALID_KEYSET') throw error
    // Its messages show no character of the keyset.
    throw new Failure(code, (error as Error).message, { about: name })
  }
}

/** The content of a file for a keyring. */
export function fileOf(keyring: Keyring): Buffer {
  return node.Buffer.from(`${keyring.export()}\n`)
}

/** A warning, if every user of this machine has a right to the file of a keyset. */
export function warningOf(path: string): string | undefined {
  // On Windows, the folder decides.
  if (path === STANDARD || WINDOWS) return undefined
  const mode = fs.statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & OF_OTHERS) === 0) return undefined
  const octal = (mode & 0o777).toString(8).padStart(4, '0')
  return `${path}: every user of this machine has access to these keys (mode ${octal}); chmod 600 ends that`
}
