// The options of seal, open and inspect that name a keyset and the additional data.
import { context } from '../../keyring/context.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { isStandardInput } from '../reading/same-file.cjs'

export const KEYSET: Option = { value: 'FILE', help: 'The keyset, as keyset new writes it' }
export const AAD: Option = {
  value: 'TEXT',
  help: 'What the text belongs to, such as users/17/token: it opens with the same TEXT only. It is not stored, and is no secret',
}
export const CONTEXT: Option = {
  value: 'PART...',
  several: true,
  help: 'The same of several parts, as context(PART, ...) of the library binds them: users email 17, say',
}

/** The additional data from `--aad` or `--context`, whose words are strings, as in the library. */
export function aadOf(call: Call): string | Uint8Array | undefined {
  const parts = call.boundTexts('context')
  if (parts === undefined) return call.boundText('aad')
  call.refuse(['aad'], 'and --context both say what the text belongs to')
  return context(...parts)
}

/** The file of `--keyset`, for a command whose text is standard input. */
export function keysetOf(call: Call): string {
  const path = call.text('keyset')
  if (path === undefined) throw call.misuse(`${call.command} needs a keyset: --keyset FILE`)
  if (isStandardInput(path)) throw call.misuse('--keyset needs a file: standard input is the text')
  return path
}
