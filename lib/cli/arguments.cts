// Reads the arguments of a command, and refuses those that it does not know.
import { util } from '../cipher/base/builtins.cjs'
import { allCommands, NAMES } from './commands.cjs'
import { Call, COMMON, type Command, type Option, type Value } from './frame/command.cjs'
import { misuse } from './frame/failure.cjs'
import type { Streams } from './frame/streams.cjs'
import { hint, shownWord } from './frame/words.cjs'

/** All words of the command line: its commands and their options. */
export function words(): readonly string[] {
  const options = allCommands().flatMap(({ options }) => optionsIn({ ...options, ...COMMON }))
  return [...NAMES, ...options, 'help', '--version']
}

/** Options that a user with a password tries, and that do not exist. */
const PASSWORDS = ['password', 'passphrase', 'passwd', 'pass']

/** `'help'` if the arguments ask for the command's help. */
export function readArguments(command: Command, args: readonly string[], streams: Streams): Call | 'help' {
  const options = { ...command.options, ...COMMON }
  const { tokens } = util.parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, forNode(option)])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const values = new Map<string, Value>()
  const files: string[] = []
  /** The last option, if it accepts several values, and these. */
  let several: { name: string; values: string[] } | undefined
  for (const token of tokens) {
    if (token.kind === 'option-terminator') several = undefined
    else if (token.kind === 'positional') {
      // An unset variable of the shell.
      if (several !== undefined && token.value === '')
        throw misuse(`a value of --${several.name} is empty`, command.name)
      const list = several?.values ?? files
      list.push(token.value)
    } else {
      const { name, rawName } = token
      const option = Object.hasOwn(options, name) ? options[name] : undefined
      if (option === undefined) throw unknownOption(name, rawName, command, several?.name)
      if (name === 'help') return 'help'
      const value = valueFor(option, token, command.name)
      const before = values.get(name)
      several = undefined
      if ((option.several || option.repeated) && typeof value === 'string') {
        const list = [...((before as string[] | undefined) ?? []), value]
        if (option.several) several = { name, values: list }
        values.set(name, list)
      } else if (before !== undefined) throw misuse(`${rawName} is given twice`, command.name)
      else values.set(name, value)
    }
  }
  const { most, name } = command.files
  if (files.length > most) {
    const takes = name ?? (most === 0 ? 'no files' : most === 1 ? 'one file' : `at most ${most} files`)
    throw misuse(`${command.name} accepts ${takes}, got ${files.length}`, command.name)
  }
  return new Call(command.name, files, values, streams)
}

function optionsIn(options: Readonly<Record<string, Option>>): string[] {
  return Object.keys(options).map(name => `--${name}`)
}

/** `several` is an option before the word, which may be one of its values. */
function unknownOption(name: string, rawName: string, command: Command, several: string | undefined): Error {
  if (PASSWORDS.includes(name)) {
    const how =
      'a password is not a key; keygen --passphrase creates a key protected by one, and --key FILE then asks for it'
    return misuse(`there is no ${rawName}: ${how}`, command.name)
  }
  const names = optionsIn({ ...command.options, ...COMMON })
  const what = `${shownWord(rawName, words())} is not an option of ${command.name}`
  const like = hint(rawName, names)
  const value = several === undefined ? '' : `; pass a value that begins with a hyphen as --${several}=VALUE`
  return misuse(`${what}${like || value}`, command.name)
}

/** An option as Node's parser found it. */
interface Given {
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function forNode({ short, value }: Option) {
  return { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) } as const
}

function valueFor(option: Option, { rawName, value, inlineValue }: Given, command: string): string | true {
  if (option.value === undefined) {
    if (value === undefined) return true
    throw misuse(`${rawName} takes no value`, command)
  }
  // A value that begins with a hyphen is probably the next option. `--out=-x` passes such a value.
  const isOption = value !== undefined && !inlineValue && /^-./.test(value)
  if (value === undefined || value === '' || isOption) {
    throw misuse(`${rawName} needs a value: ${rawName} ${option.value}`, command)
  }
  // To Node's parser, the sign is a part of the value.
  if (inlineValue && !rawName.startsWith('--') && value.startsWith('=')) {
    throw misuse(`${rawName} takes its value without '=': ${rawName} ${option.value}`, command)
  }
  return value
}
