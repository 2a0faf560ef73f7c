// The options of seal, open and inspect that name a keyset and the additional data.
import type { Call, Option } from './command.cjs'
import { isStandardInput } from './same-file.cjs'

export const KEYSET: Option = { value: 'FILE', help: 'The keyset, as keyset new writes it' }
export const AAD: Option = {
  value: 'TEXT',
  help: 'What the text belongs to, such as users/17/token: it opens with the same TEXT only. It is not stored, and is no secret',
}

/** The file of `--keyset`, for a command whose text is standard input. */
export function keysetOf(call: Call): string {
  const path = call.text('keyset')
  if (path === undefined) throw call.misuse(`${call.command} needs a keyset: --keyset FILE`)
  if (isStandardInput(path)) throw call.misuse('--keyset needs a file: standard input is the text')
  return path
}
