// `seal`: one text, under the primary key of a keyset, as Keyring.sealText does.
import type { Command } from '../frame/command.cjs'
import { print, printJson } from '../frame/streams.cjs'
import { readText } from '../reading/text-input.cjs'
import { SEALING, TEXT_BYTES, withKeyset } from '../secrets/keyset-option.cjs'

export const seal: Command = {
  name: 'seal',
  summary: 'Seal a text under a keyset, for a field, a token or a cookie',
  usage: ['seal --keyset FILE [--aad TEXT]', 'seal --keyset FILE --context PART...'],
  about: [
    'Reads a text from standard input and prints it sealed by the primary key of the keyset, as sealText of a Keyring does. A line ' +
      'break at the end does not belong to the text. Text that is typed at a terminal does not show.',
  ],
  options: SEALING,
  examples: ['seal --keyset keys.json --aad users/17/token < token.txt'],
  files: { most: 0 },
  run: call =>
    withKeyset(call, async ({ keyring, aad }) => {
      const text = await readText(call.streams, TEXT_BYTES, 'a text', 'the text')
      const sealed = keyring.sealText(text, aad)
      if (!call.has('json')) await print(call.streams, `${sealed}\n`)
      else await printJson(call.streams, { sealed, keyId: keyring.keys.find(({ primary }) => primary)?.id })
    }),
}
