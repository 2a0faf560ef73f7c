// `seal`: one text, under the primary key of a keyset, as Keyring.sealText does.
import { util } from '../../base/builtins.cjs'
import type { Command } from '../frame/command.cjs'
import { unusable } from '../frame/failure.cjs'
import { print, printJson, STANDARD } from '../frame/streams.cjs'
import { isUtf16, UTF_16, withoutMark } from '../frame/text.cjs'
import { type Input, readInput } from '../reading/input.cjs'
import { readKeyset } from '../secrets/keyset-file.cjs'
import { AAD, aadOf, CONTEXT, KEYSET, keysetOf } from '../secrets/keyset-option.cjs'

/** A text of these commands is a field or a token; `encrypt` accepts data of any size. */
export const TEXT_BYTES = 2 ** 20

export const seal: Command = {
  name: 'seal',
  summary: 'Seal a text under a keyset, for a field, a token or a cookie',
  usage: ['seal --keyset FILE [--aad TEXT]', 'seal --keyset FILE --context PART...'],
  about: [
    'Reads a text from standard input and prints it sealed by the primary key of the keyset, as sealText of a Keyring does. A line ' +
      'break at the end does not belong to the text. Text that is typed at a terminal does not show.',
  ],
  options: { keyset: KEYSET, aad: AAD, context: CONTEXT },
  examples: ['seal --keyset keys.json --aad users/17/token < token.txt'],
  files: { most: 0 },
  async run(call) {
    const path = keysetOf(call)
    const aad = aadOf(call)
    const keyring = await readKeyset(call.streams, path)
    try {
      const text = textIn(await readInput(call.streams, STANDARD, TEXT_BYTES, 'a text', 'the text'))
      const sealed = keyring.sealText(text, aad)
      if (!call.has('json')) await print(call.streams, `${sealed}\n`)
      else await printJson(call.streams, { sealed, keyId: keyring.keys.find(({ primary }) => primary)?.id })
    } finally {
      keyring.destroy()
    }
  },
}

/** The text of an input, without its last line break. Wipes the input. */
export function textIn({ name, bytes }: Input): string {
  try {
    if (isUtf16(bytes)) throw unusable(name, UTF_16)
    const text = new util.TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(withoutMark(bytes))
    return text.replace(/\r?\n$/, '')
  } catch (error) {
    throw error instanceof TypeError ? unusable(name, 'is not text in UTF-8') : error
  } finally {
    bytes.fill(0)
  }
}
