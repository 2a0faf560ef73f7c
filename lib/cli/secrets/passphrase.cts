// A passphrase, typed at a terminal or in a file. It is neither an argument nor a variable.
import type { Buffer } from 'node:buffer'
import { codeOf } from '../../cipher/base/builtins.cjs'
import { textOfBytes } from '../../cipher/base/utf8.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { Failure, unusable } from '../frame/failure.cjs'
import { STANDARD } from '../frame/streams.cjs'
import { isUtf16, shownSafely, UTF_16, withoutMark } from '../frame/text.cjs'
import { TOO_LONG } from '../reading/growing.cjs'
import { readInput } from '../reading/input.cjs'
import { isReadFrom, isStandardInput } from '../reading/same-file.cjs'
import { readTypedLine } from '../reading/typed.cjs'

const FILE = 'passphrase-file'
export const PASSPHRASE: Option = {
  help: 'Protect it with a passphrase, typed twice at the terminal and not shown',
}
export const PASSPHRASE_FILE: Option = {
  value: 'FILE',
  help: 'Read the passphrase from FILE, without its final line break; - is standard input',
}
const LIMIT = 1024

/** Bytes of ASCII, which the command wipes, or a text, which it cannot wipe. */
export type Passphrase = Buffer | string

/** Whether something new is to be protected. */
export function wantsPassphrase(call: Call): boolean {
  return call.has('passphrase') || call.has(FILE)
}

/**
 * Refuses standard input for two things, and output into the file. `inputs` are read, too; `output`
 * is written.
 */
export function checkPassphrase(call: Call, inputs: readonly string[], output?: string): void {
  const path = call.text(FILE)
  if (path === undefined) return
  if (isStandardInput(path) && inputs.some(isStandardInput))
    throw call.misuse(`--${FILE} ${STANDARD} reads standard input, which is already used for another input`)
  if (call.out !== undefined && isReadFrom(path, call.out))
    throw call.misuse('--out names the passphrase file')
  if (output !== undefined && isReadFrom(path, output)) throw call.misuse(`--${FILE} names the output file`)
}

/** The passphrase for something new. At a terminal, it is typed twice. */
export async function newPassphrase(call: Call): Promise<Passphrase> {
  if (call.has(FILE)) return await passphraseInFile(call)
  refuseWithoutTerminal(call, 'a passphrase must be typed at a terminal')
  const first = await typedLine(call, 'New passphrase (not shown): ')
  let second: Buffer | undefined
  try {
    if (first.length === 0) throw empty('the passphrase')
    second = await typedLine(call, 'Repeat the passphrase: ')
    if (!first.equals(second)) throw new Failure('ERR_INPUT', 'the two passphrases differ')
    return asText(first)
  } catch (error) {
    first.fill(0)
    throw error
  } finally {
    second?.fill(0)
  }
}

/** The passphrase of a file with this name. */
export async function passphraseOf(call: Call, name: string): Promise<Passphrase> {
  if (call.has(FILE)) return await passphraseInFile(call)
  refuseWithoutTerminal(call, `${shownSafely(name)} is protected by a passphrase`)
  const typed = await typedLine(call, `Passphrase of ${shownSafely(name)} (not shown): `)
  if (typed.length === 0) throw empty('the passphrase')
  return asText(typed)
}

export function forgetPassphrase(passphrase: Passphrase | undefined): void {
  if (typeof passphrase === 'object') passphrase.fill(0)
}

/** A failure of the library at a protected file, in the words of a user of the command. */
export function notOpened(error: unknown, name: string): unknown {
  const code = codeOf(error)
  const { message } = error as Error
  if (code === 'ERR_AESGCM_WRONG_PASSPHRASE')
    return new Failure(code, 'the passphrase is wrong, or the file was changed', { about: name })
  if (code === 'ERR_AESGCM_INVALID_KEY_FILE')
    return new Failure(code, message.replace(/^the protected file /, ''), { about: name })
  return error
}

async function typedLine({ streams }: Call, prompt: string): Promise<Buffer> {
  try {
    return await readTypedLine(streams, LIMIT, prompt)
  } catch (error) {
    if (error !== TOO_LONG) throw error
    throw new Failure('ERR_INPUT', `the passphrase is longer than ${LIMIT} bytes`)
  }
}

function refuseWithoutTerminal({ streams }: Call, why: string): void {
  if (streams.stdin.isTTY) return
  throw new Failure('ERR_TERMINAL', `${why}, and standard input is not a terminal: pass --${FILE} FILE`)
}

async function passphraseInFile(call: Call): Promise<Passphrase> {
  const { name, bytes } = await readInput(call.streams, call.text(FILE) as string, LIMIT, 'a passphrase')
  try {
    if (isUtf16(bytes)) throw unusable(name, UTF_16)
    let line = withoutMark(bytes)
    if (line.at(-1) === 0x0a) line = line.subarray(0, line.at(-2) === 0x0d ? -2 : -1)
    if (line.includes(0x0a)) throw unusable(name, 'has several lines, but a passphrase is one line')
    if (line.length === 0) throw empty(name)
    return asText(line)
  } catch (error) {
    bytes.fill(0)
    throw error
  }
}

/** ASCII stays bytes: only other text can have several forms in Unicode. */
function asText(line: Buffer): Passphrase {
  if (line.every(byte => byte < 0x80)) return line
  const text = textOfBytes(line)
  line.fill(0)
  if (text === undefined) throw new Failure('ERR_INPUT', 'the passphrase is not UTF-8')
  return text
}

function empty(name: string): Failure {
  return new Failure('ERR_INPUT', `${name === 'the passphrase' ? name : `${name}: the passphrase`} is empty`)
}
