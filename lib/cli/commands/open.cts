// `open`: a text from `seal` or `Keyring.sealText`.
import { codeOf } from '../../cipher/base/builtins.cjs'
import type { Command } from '../frame/command.cjs'
import { Failure } from '../frame/failure.cjs'
import { print, printJson, printLines, STDIN_NAME } from '../frame/streams.cjs'
import { readText } from '../reading/text-input.cjs'
import { SEALING, TEXT_BYTES, withKeyset } from '../secrets/keyset-option.cjs'

/** The prefix, the longest nonce and the tag as text are below this. */
const OVERHEAD = 64

export const open: Command = {
  name: 'open',
  summary: 'Decrypt a text encrypted by seal',
  usage: ['open --keyset FILE [--aad TEXT]', 'open --keyset FILE --context PART...'],
  about: [
    'Reads a text from seal or Keyring.sealText on standard input, decrypts it, and prints it with a line break. A text that fails ' +
      'authentication is never printed.',
  ],
  options: SEALING,
  examples: [
    'open --keyset keys.json --aad users/17/token < sealed.txt',
    'open --keyset keys.json --context users email 17 < sealed',
  ],
  files: { most: 0 },
  run: call =>
    withKeyset(call, async ({ keyring, aad, path }) => {
      const limit = Math.ceil((TEXT_BYTES * 4) / 3) + OVERHEAD
      const sealed = await readText(call.streams, limit, 'a sealed text', 'the sealed text')
      const text = attempt(() => keyring.openText(sealed, aad), path)
      if (!call.has('json')) {
        // A terminal would obey control characters, which another user may have written.
        if (call.streams.stdout.isTTY) await printLines(call.streams, text.split('\n'))
        else await print(call.streams, `${text}\n`)
      } else {
        const [keyId, needsRotation] = [keyring.keyIdOf(sealed), keyring.needsRotation(sealed)]
        await printJson(call.streams, { text, keyId, needsRotation })
      }
    }),
}

/** Opens, and says a failure in the words of a user of the command. */
function attempt(open: () => string, keyset: string): string {
  try {
    return open()
  } catch (error) {
    const code = codeOf(error)
    const { keyId } = error as { keyId?: number }
    const what =
      code === 'ERR_AESGCM_UNKNOWN_KEY'
        ? `names key ${keyId}, which is missing or disabled in ${keyset}`
        : code === 'ERR_AESGCM_AUTHENTICATION_FAILED'
          ? 'cannot be decrypted: the key, --aad or --context is wrong, or the text was modified'
          : code === 'ERR_INVALID_ARG_VALUE'
            ? 'decrypts to bytes that are not UTF-8: it was not sealed as text'
            : undefined
    if (what === undefined) throw error
    throw new Failure(code as string, `${STDIN_NAME}: ${what}`)
  }
}
