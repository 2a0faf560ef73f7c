// The key of encrypt and decrypt: in a file, or in a variable of the environment.
import type { Buffer } from 'node:buffer'
import { buffer as node } from '../base/builtins.cjs'
import type { Call, Option } from './command.cjs'
import { refuseOwnInput } from './deliver.cjs'
import { Failure, unusable } from './failure.cjs'
import { readInput } from './input.cjs'
import { KEY_FILE_BYTES, keyIn } from './key.cjs'
import { isReadFrom, isStandardInput } from './same-file.cjs'

export const KEY_OPTIONS: Readonly<Record<string, Option>> = {
  key: {
    short: 'k',
    value: 'FILE',
    help: 'The key: 16 or 32 bytes, or 32 or 64 hex digits, as keygen writes it; - is standard input',
  },
  'key-env': { value: 'NAME', help: 'The key is in the environment variable NAME, as 32 or 64 hex digits' },
  context: {
    short: 'c',
    value: 'TEXT',
    help: 'What the data belong to, such as a name: they open with the same text only. It is not stored',
  },
}

/** The length of a key decides the format (C2SP chunked-encryption). */
export const formatOf = (key: Uint8Array) => `Cobblestone-${key.length * 8}`

/** Refuses a command line that gives no key or two, or standard input for two things, or writes into a file that is read. */
export function checkKey(call: Call, file: string): void {
  const path = call.text('key')
  if (path === undefined && !call.has('key-env')) {
    throw call.misuse(`${call.command} needs a key: --key FILE or --key-env NAME`)
  }
  if (path !== undefined) call.refuse(['key-env'], 'and --key both give a key')
  if (path !== undefined && isStandardInput(path) && isStandardInput(file)) {
    throw call.misuse(`--key ${path} takes standard input: the data need a FILE`)
  }
  refuseOwnInput(call, file)
  const { out } = call
  if (out !== undefined && path !== undefined && isReadFrom(path, out)) {
    throw call.misuse('--out names the file of the key')
  }
}

/** The key, in memory of its own, which the caller wipes. */
export async function givenKey(call: Call): Promise<Buffer> {
  const name = call.text('key-env')
  if (name !== undefined) return keyInVariable(name)
  const wanted = 'the key as hex digits'
  return keyIn(await readInput(call.streams, call.text('key') as string, KEY_FILE_BYTES, wanted))
}

/** Digits alone: a text of 16 or 32 characters would otherwise count as the bytes of a key. */
function keyInVariable(name: string): Buffer {
  const value = process.env[name]
  const where = `environment variable ${name}`
  if (value === undefined) throw new Failure('ERR_INPUT', `${where}: is not set`)
  if (!/^\s*(?:[0-9a-f]{32}|[0-9a-f]{64})\s*$/i.test(value)) {
    throw unusable(where, `must hold a key as 32 or 64 hex digits, got ${value.length} characters`)
  }
  return keyIn({ name: where, bytes: node.Buffer.from(value) })
}
