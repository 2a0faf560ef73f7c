// The public keysets of `encrypt --to`.

import { MAX_RECIPIENTS } from '../../protocols/stream/recipients.cjs'
import type { PublicKeyring } from '../../values/hybrid/public-keyring.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { readInput } from '../reading/input.cjs'
import { isReadFrom, isStandardInput } from '../reading/same-file.cjs'
import { refuseOwnInput } from '../writing/deliver.cjs'
import { KEYSET_BYTES } from './keyset-file.cjs'
import { encryptedPublic, parseAs, RECIPIENT } from './keyset-kinds.cjs'
import { isEncrypted, named, textOfKeyset } from './keyset-text.cjs'

export const TO: Option = {
  value: 'FILE',
  repeated: true,
  help: 'Encrypt to the public keyset in FILE, from keyset public, instead of with a key; repeat it for each recipient',
}

/** Refuses a key besides recipients, standard input, too many of them, and output into an input. */
export function checkRecipients(call: Call, file: string): void {
  const paths = call.texts('to')
  call.refuse(['key', 'key-env'], 'cannot be combined with --to: use a key or recipients')
  call.refuse(['passphrase-file'], 'needs --key FILE')
  if (paths.length > MAX_RECIPIENTS) throw call.misuse(`--to accepts at most ${MAX_RECIPIENTS} recipients`)
  // A recipient who was meant would be missing.
  if (paths.some((path, i) => paths.slice(0, i).some(other => isReadFrom(other, path))))
    throw call.misuse('--to names the same file twice')
  if (paths.some(isStandardInput)) throw call.misuse('--to needs a file, not standard input')
  refuseOwnInput(call, file)
  const { out } = call
  if (out !== undefined && paths.some(path => isReadFrom(path, out)))
    throw call.misuse('--out names a public keyset')
}

/** The keyrings of all recipients. */
export async function givenRecipients(call: Call): Promise<PublicKeyring[]> {
  const keyrings: PublicKeyring[] = []
  for (const path of call.texts('to')) {
    const { name, bytes } = await readInput(call.streams, path, KEYSET_BYTES, 'a keyset')
    try {
      const text = textOfKeyset(name, bytes)
      if (isEncrypted(text)) throw encryptedPublic(name)
      keyrings.push(await parseAs(name, bytes, text, RECIPIENT))
    } catch (error) {
      throw named(name, error)
    } finally {
      bytes.fill(0)
    }
  }
  return keyrings
}
