// Keysets in files: reading them into a keyring, and a warning about files that others can read.
import { fs } from '../../cipher/base/builtins.cjs'
import { MAX_CHARACTERS } from '../../values/keyring/keyset/model.cjs'
import type { Call } from '../frame/command.cjs'
import { STANDARD } from '../frame/streams.cjs'
import { readInput } from '../reading/input.cjs'
import type { Keyrings, Kind, Wanted } from './keyset-kinds.cjs'
import { KeysetLock } from './keyset-lock.cjs'
import { checkPassphrase } from './passphrase.cjs'

/** As many bytes as `Keyring.parse` accepts characters, so a file stays readable after `add`. */
export const KEYSET_BYTES = MAX_CHARACTERS
const WINDOWS = process.platform === 'win32'
const OF_OTHERS = 0o007

/**
 * The keyring of a keyset in a file, or in standard input. The caller destroys it. `lock` keeps the
 * passphrase, if there is one, until its release.
 */
export async function readKeyset<Used extends Kind>(
  call: Call,
  path: string,
  wanted: Wanted<Used>,
  lock = new KeysetLock(call),
): Promise<Keyrings[Used]> {
  checkPassphrase(call, [path])
  const { name, bytes } = await readInput(call.streams, path, KEYSET_BYTES, 'a keyset')
  try {
    return await lock.open(name, bytes, wanted)
  } finally {
    bytes.fill(0)
    lock.release()
  }
}

/** A warning, if every user of this machine has a right to the file of a keyset. */
export function warningOf(path: string): string | undefined {
  // On Windows, the folder decides.
  if (path === STANDARD || WINDOWS) return undefined
  const mode = fs.statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & OF_OTHERS) === 0) return undefined
  const octal = (mode & 0o777).toString(8).padStart(4, '0')
  return `${path}: every user of this machine can access these keys (mode ${octal}); run chmod 600 on the file`
}
