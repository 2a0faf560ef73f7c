// Reads the arguments of a command, and refuses those that it does not know or that hold a secret.
import { util } from '../base/builtins.cjs'
import { Call, COMMON, type Command, type Option } from './command.cjs'
import { Failure, MISUSED, misuse } from './failure.cjs'
import type { Streams } from './streams.cjs'

/** Keys in hexadecimal and base64, and shares in each text form, with or without their hyphens. */
const SECRETS = [
  /^(?:0x)?(?:[0-9a-f]{32}|[0-9a-f]{64})$/i,
  /^(?:[\w+/-]{22}==|[\w+/-]{43}=)$/,
  /^AGS(?:1[\s-]|[1IL](?:[\s-]?[a-z0-8]){40})/i,
  /^(?:\d{1,3}|[0-9a-f]{64})\|[0-9a-f]{8,}/i,
]

/** Keys and shares inside of another text that is no path: pasted twice, or with a character too many. */
const HOLDING_SECRETS = [/^[^/\\]*[0-9a-f]{64}[^/\\]*$/i, /^[^/\\]*AGS[1IL](?:[\s-]?[a-z0-8]){40}[^/\\]*$/i]

/** Options whose value is public, though it may look like a key. */
const PUBLIC = ['aad', 'at', 'context']

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
  const values = new Map<string, string | true>()
  const files: string[] = []
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      refuseSecret(token.value)
      files.push(token.value)
      continue
    }
    const { name, rawName, value } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined) {
      refuseSecret(name)
      const names = Object.keys(options).map(known => `--${known}`)
      throw misuse(`${rawName} is not an option of ${command.name}${hint(rawName, names)}`, command.name)
    }
    if (name === 'help') return 'help'
    if (values.has(name)) throw misuse(`${rawName} is given twice`, command.name)
    values.set(name, valueFor(option, token, command.name))
    if (typeof value === 'string' && !PUBLIC.includes(name)) refuseSecret(value)
  }
  const { most, name } = command.files
  if (files.length > most) {
    const takes = name ?? (most === 0 ? 'no file' : most === 1 ? 'one file' : `at most ${most} files`)
    throw misuse(`${command.name} takes ${takes} as argument, got ${files.length}`, command.name)
  }
  return new Call(command.name, files, values, streams)
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
  // A value that begins with a hyphen is more likely the next option. `--out=-x` gives such a value.
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

/** Other users see the arguments of a process, and shells keep them in their history. The message does not repeat the value. */
export function refuseSecret(value: string): void {
  // Quotes keep white space.
  const given = value.trim()
  // Behind hyphens, Node's parser takes a value for the name of an option. A key in base64url may begin with a hyphen.
  const text = given.replace(/^-+/, '')
  // Behind the sign in `--key=VALUE`, where an option is not due, or in `key=VALUE`.
  const behind = text.slice(text.indexOf('=') + 1)
  const isSecret =
    SECRETS.some(secret => secret.test(given) || secret.test(text) || secret.test(behind)) ||
    HOLDING_SECRETS.some(secret => secret.test(value))
  if (!isSecret) return
  const why = 'other users can see arguments, and shells record them'
  const how = 'give a file or standard input (for a file with such a name: ./NAME)'
  throw new Failure('ERR_USAGE', `an argument looks like a key or a share; ${why}: ${how}`, {
    exitCode: MISUSED,
  })
}

/** The known name that resembles `given`, as a question. */
export function hint(given: string, known: readonly string[]): string {
  const ranked = known.map(name => ({ name, steps: isStart(given, name) ? 0 : distance(given, name) }))
  const [best] = ranked.sort((a, b) => a.steps - b.steps)
  return best !== undefined && best.steps <= 2 ? `; did you mean ${best.name}?` : ''
}

/** Whether `given` is a name cut short, of at least three letters. */
function isStart(given: string, name: string): boolean {
  return given.replace(/^-+/, '').length >= 3 && name.startsWith(given)
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
