// The options of seal, open and inspect that name a keyset and the additional data.
import { context } from '../../values/keyring/context.cjs'
import type { Keyring } from '../../values/keyring/keyring.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { STANDARD } from '../frame/streams.cjs'
import { isStandardInput } from '../reading/same-file.cjs'
import { readKeyset } from './keyset-file.cjs'
import { SYMMETRIC } from './keyset-kinds.cjs'
import { UNLOCKING } from './keyset-lock.cjs'
import { checkPassphrase } from './passphrase.cjs'

export const KEYSET: Option = { value: 'FILE', help: 'Keyset file, from keyset new' }
const AAD: Option = {
  value: 'TEXT',
  help: 'Bind the text to TEXT, such as users/17/token; open needs the same TEXT. It is not stored, and is not secret',
}
const CONTEXT: Option = {
  value: 'PART...',
  several: true,
  help: 'Bind the text to several parts, such as users email 17, as context(PART, ...) of the library does',
}

/** Size limit of a text to seal: a field or a token. `encrypt` accepts data of any size. */
export const TEXT_BYTES = 2 ** 20

/** The options of seal and open. */
export const SEALING = { keyset: KEYSET, ...UNLOCKING, aad: AAD, context: CONTEXT }

interface Sealing {
  readonly keyring: Keyring
  readonly aad: string | Uint8Array | undefined
  /** The file of the keyset. */
  readonly path: string
}

/** Lends `work` the keyring and the additional data that the options name. */
export async function withKeyset(call: Call, work: (sealing: Sealing) => Promise<void>): Promise<void> {
  const path = keysetOf(call)
  const aad = aadOf(call)
  // Standard input is the text.
  checkPassphrase(call, [STANDARD])
  const keyring = await readKeyset(call, path, SYMMETRIC)
  try {
    await work({ keyring, aad, path })
  } finally {
    keyring.destroy()
  }
}

/** The additional data from `--aad` or `--context`, whose words are strings, as in the library. */
function aadOf(call: Call): string | Uint8Array | undefined {
  const parts = call.boundTexts('context')
  if (parts === undefined) return call.boundText('aad')
  call.refuse(['aad'], 'cannot be combined with --context')
  return context(...parts)
}

/** The file of `--keyset`, for a command whose text is standard input. */
function keysetOf(call: Call): string {
  const path = call.text('keyset')
  if (path === undefined) throw call.misuse(`${call.command} needs a keyset: --keyset FILE`)
  if (isStandardInput(path)) throw call.misuse('--keyset needs a file: standard input contains the text')
  return path
}
