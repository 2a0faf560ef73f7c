// The key of encrypt and decrypt: in a file, or in a variable of the environment. For decrypt, the
// file may also hold a private keyset.
import type { Buffer } from 'node:buffer'
import { buffer as node } from '../../cipher/base/builtins.cjs'
import type { PrivateKeyring } from '../../values/hybrid/private-keyring.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { Failure, unusable } from '../frame/failure.cjs'
import { isUtf16, UTF_16 } from '../frame/text.cjs'
import { type Input, readInput } from '../reading/input.cjs'
import { isReadFrom, isStandardInput } from '../reading/same-file.cjs'
import { refuseOwnInput } from '../writing/deliver.cjs'
import { adviceOnPassword, KEY_FILE_BYTES, keyIn, keyInText } from './key.cjs'
import { KEYSET_BYTES } from './keyset-file.cjs'
import { kindIn, READER } from './keyset-kinds.cjs'
import { KeysetLock } from './keyset-lock.cjs'
import { looksLikeKeyset } from './keyset-text.cjs'
import { checkPassphrase, PASSPHRASE_FILE } from './passphrase.cjs'
import { holdsProtectedKey, protectedKeyIn } from './protected-key.cjs'
import { valueOfVariable } from './variable.cjs'

const KEY = {
  short: 'k',
  value: 'FILE',
  help: 'Key file, from keygen: 16 or 32 bytes, raw, hex or base64, or protected by a passphrase; - is standard input',
}
/** For data that may be encrypted to recipients. */
export const KEY_OR_KEYSET: Option = {
  ...KEY,
  help: `${KEY.help}. For data encrypted with --to, the private keyset`,
}
export const KEY_OPTIONS: Readonly<Record<string, Option>> = {
  key: KEY,
  'passphrase-file': PASSPHRASE_FILE,
  'key-env': { value: 'NAME', help: 'Read the key from the environment variable NAME, in hex or base64' },
  context: {
    short: 'c',
    value: 'TEXT',
    help: 'Bind the data to TEXT, such as a name; decryption needs the same TEXT. It is not stored',
  },
}

/** The length of a key decides the format (C2SP chunked-encryption). */
export const formatOf = (key: Uint8Array | object) =>
  key instanceof Uint8Array ? `Cobblestone-${key.length * 8}` : 'recipients'

/** Refuses a missing or second key, standard input for two things, and output into an input. */
export function checkKey(call: Call, file: string): void {
  const path = call.text('key')
  if (path === undefined && !call.has('key-env')) {
    const instead = call.command === 'encrypt' ? ', or recipients: --to FILE' : ''
    throw call.misuse(`${call.command} needs a key: --key FILE or --key-env NAME${instead}`)
  }
  if (path !== undefined) call.refuse(['key-env'], 'cannot be combined with --key')
  else call.refuse(['passphrase-file', 'unwrap', 'timeout'], 'needs --key FILE')
  if (call.has('unwrap')) call.refuse(['passphrase-file'], 'cannot be combined with --unwrap')
  checkPassphrase(call, path === undefined ? [file] : [file, path])
  if (path !== undefined && isStandardInput(path) && isStandardInput(file)) {
    throw call.misuse(`--key ${path} reads standard input: pass the data in a FILE`)
  }
  refuseOwnInput(call, file)
  const { out } = call
  if (out !== undefined && path !== undefined && isReadFrom(path, out)) {
    throw call.misuse('--out names the key file')
  }
}

/** The key, in its own memory, which the caller wipes. */
export async function givenKey(call: Call): Promise<Buffer> {
  const name = call.text('key-env')
  if (name !== undefined) return keyInVariable(name)
  const input = await keyInput(call)
  if (!looksLikeKeyset(input.bytes)) return await keyOf(call, input)
  const kind = kindIn(input.bytes)
  input.bytes.fill(0)
  throw unusable(input.name, kind === undefined ? NO_KEY : NO_KEYS[kind])
}

const NO_KEY = 'is a keyset: encrypt needs a key, or --to with a public keyset'
const NO_KEYS = {
  symmetric: NO_KEY,
  private: 'is a private keyset: pass the public one, from keyset public, with --to',
  public: 'is a public keyset: pass it with --to',
}

/** The key, or the keyring of a private keyset. The caller wipes or destroys it. */
export async function givenSecret(call: Call): Promise<Buffer | PrivateKeyring> {
  const name = call.text('key-env')
  if (name !== undefined) return keyInVariable(name)
  const lock = new KeysetLock(call)
  const input = await keyInput(call)
  if (!looksLikeKeyset(input.bytes)) return await keyOf(call, input)
  try {
    return await lock.open(input.name, input.bytes, READER)
  } finally {
    input.bytes.fill(0)
    lock.release()
  }
}

/** The file of `--key`. Keys are shorter than keysets may be. */
async function keyInput(call: Call): Promise<Input> {
  const [path, wanted] = [call.text('key') as string, 'the key as hex digits']
  const input = await readInput(call.streams, path, KEYSET_BYTES, 'a key or a keyset', wanted)
  if (input.bytes.length <= KEY_FILE_BYTES || looksLikeKeyset(input.bytes)) return input
  const isWide = isUtf16(input.bytes)
  input.bytes.fill(0)
  if (isWide) throw unusable(input.name, UTF_16)
  throw unusable(input.name, `is longer than ${KEY_FILE_BYTES} bytes, too long for a key`)
}

/** The key in a file, after the passphrase was asked for, if it is protected. */
async function keyOf(call: Call, input: Input): Promise<Buffer> {
  if (call.has('unwrap')) {
    input.bytes.fill(0)
    throw unusable(input.name, 'is not a keyset: --unwrap is for an encrypted keyset')
  }
  if (holdsProtectedKey(input.bytes)) return await protectedKeyIn(call, input)
  if (!call.has('passphrase-file')) return keyIn(input)
  input.bytes.fill(0)
  const what = 'is not protected: --passphrase-file is for a protected key'
  throw new Failure('ERR_INPUT', what, { about: input.name })
}

/** Text alone: 16 or 32 other characters would otherwise count as the bytes of a key. */
function keyInVariable(name: string): Buffer {
  const value = valueOfVariable(name, 'key-env')
  const text = node.Buffer.from(value)
  try {
    const key = keyInText(text)
    if (key !== undefined) return key
    const must = `must contain a key of 16 or 32 bytes in hex or base64, got ${value.length} characters`
    throw new Failure('ERR_INPUT', `environment variable ${name}: ${must}${adviceOnPassword(text)}`)
  } finally {
    text.fill(0)
  }
}
