// `seal`: one text, under the primary key of a keyset, as Keyring.sealText does.
import type { Command } from '../frame/command.cjs'
import { print, printJson } from '../frame/streams.cjs'
import { readText } from '../reading/text-input.cjs'
import { SEALING, TEXT_BYTES, withKeyset } from '../secrets/keyset-option.cjs'

export const seal: Command = {
  name: 'seal',
  summary: 'Encrypt a text, such as a field, token or cookie, with a keyset',
  usage: ['seal --keyset FILE [--aad TEXT]', 'seal --keyset FILE --context PART...'],
  about: [
    'Reads a text from standard input, encrypts it with the primary key of the keyset, and prints the result, as Keyring.sealText ' +
      'does. One line break at its end is ignored. Text typed at a terminal is not shown.',
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
