// The key of encrypt and decrypt: in a file, or in a variable of the environment.
import type { Buffer } from 'node:buffer'
import { buffer as node } from '../../base/builtins.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { Failure } from '../frame/failure.cjs'
import { readInput } from '../reading/input.cjs'
import { isReadFrom, isStandardInput } from '../reading/same-file.cjs'
import { refuseOwnInput } from '../writing/deliver.cjs'
import { adviceOnPassword, KEY_FILE_BYTES, keyIn, keyInText } from './key.cjs'
import { checkPassphrase, PASSPHRASE_FILE } from './passphrase.cjs'
import { holdsProtectedKey, protectedKeyIn } from './protected-key.cjs'
import { valueOfVariable } from './variable.cjs'

export const KEY_OPTIONS: Readonly<Record<string, Option>> = {
  key: {
    short: 'k',
    value: 'FILE',
    help: 'The key: 16 or 32 bytes, or their hex digits, as keygen writes them, or their base64, or protected by a passphrase; - is standard input',
  },
  'passphrase-file': PASSPHRASE_FILE,
  'key-env': { value: 'NAME', help: 'The key is in the environment variable NAME, in hex or base64' },
  context: {
    short: 'c',
    value: 'TEXT',
    help: 'What the data belong to, such as a name: they open with the same text only. It is not stored',
  },
}

/** The length of a key decides the format (C2SP chunked-encryption). */
export const formatOf = (key: Uint8Array) => `Cobblestone-${key.length * 8}`

/** Refuses a missing or second key, standard input for two things, and output into an input. */
export function checkKey(call: Call, file: string): void {
  const path = call.text('key')
  if (path === undefined && !call.has('key-env')) {
    throw call.misuse(`${call.command} needs a key: --key FILE or --key-env NAME`)
  }
  if (path !== undefined) call.refuse(['key-env'], 'and --key both give a key')
  else call.refuse(['passphrase-file'], 'belongs to --key FILE')
  checkPassphrase(call, path === undefined ? [file] : [file, path])
  if (path !== undefined && isStandardInput(path) && isStandardInput(file)) {
    throw call.misuse(`--key ${path} takes standard input: the data need a FILE`)
  }
  refuseOwnInput(call, file)
  const { out } = call
  if (out !== undefined && path !== undefined && isReadFrom(path, out)) {
    throw call.misuse('--out names the file of the key')
  }
}

/** The key, in its own memory, which the caller wipes. */
export async function givenKey(call: Call): Promise<Buffer> {
  const name = call.text('key-env')
  if (name !== undefined) return keyInVariable(name)
  const wanted = 'the key as hex digits'
  const input = await readInput(call.streams, call.text('key') as string, KEY_FILE_BYTES, 'a key', wanted)
  if (holdsProtectedKey(input.bytes)) return await protectedKeyIn(call, input)
  if (!call.has('passphrase-file')) return keyIn(input)
  input.bytes.fill(0)
  const what = 'is not protected, and --passphrase-file belongs to a protected key'
  throw new Failure('ERR_INPUT', what, { about: input.name })
}

/** Text alone: 16 or 32 other characters would otherwise count as the bytes of a key. */
function keyInVariable(name: string): Buffer {
  const value = valueOfVariable(name, 'key-env')
  const text = node.Buffer.from(value)
  try {
    const key = keyInText(text)
    if (key !== undefined) return key
    const must = `must hold a key of 16 or 32 bytes in hex or base64, got ${value.length} characters`
    throw new Failure('ERR_INPUT', `environment variable ${name}: ${must}${adviceOnPassword(text)}`)
  } finally {
    text.fill(0)
  }
}
