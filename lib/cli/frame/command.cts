// The shape of a command: its help, its options, and the function that runs it.
import { misuse } from './failure.cjs'
import { STANDARD, type Streams } from './streams.cjs'

const { normalize } = process.getBuiltinModule('node:path')

export interface Option {
  readonly short?: string
  /** The name of its value in the help. An option without a value is a switch. */
  readonly value?: string
  /** Whether it accepts several values: the words up to the next option, each time it is given. */
  readonly several?: true
  /** Whether it may be given several times, each time with one value. */
  readonly repeated?: true
  readonly help: string
}

export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** The ways to call it, without the name of the program. */
  readonly usage: readonly string[]
  /** Paragraphs of the help. */
  readonly about: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  readonly examples: readonly string[]
  /** How many files it accepts as arguments; with `name` for arguments besides files. */
  readonly files: { readonly most: number; readonly name?: string }
  run(call: Call): Promise<void>
}

/** Options of every command. */
export const COMMON: Readonly<Record<string, Option>> = {
  json: { help: 'Print JSON: the result on stdout, failures on stderr' },
  help: { short: 'h', help: 'Show this help' },
}

/** The options of commands that write files. */
export const FORCE: Option = { help: 'Replace existing files' }
export const OUT: Option = {
  short: 'o',
  value: 'FILE',
  help: 'Write to FILE with mode 0600 (on Windows, the folder sets permissions); - is standard output',
}

/** The character that replaces unreadable bytes. */
const UNREADABLE = '\ufffd'

/** The value of an option: true of a switch, and all values of an option that accepts several. */
export type Value = string | true | readonly string[]

/** A parsed command line. */
export class Call {
  readonly command: string
  readonly files: readonly string[]
  readonly streams: Streams
  readonly #values: ReadonlyMap<string, Value>

  constructor(
    command: string,
    files: readonly string[],
    values: ReadonlyMap<string, Value>,
    streams: Streams,
  ) {
    this.command = command
    this.files = files
    this.streams = streams
    this.#values = values
  }

  /** Whether an option is present. */
  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** The value of an option. */
  text(name: string): string | undefined {
    const value = this.#values.get(name)
    return typeof value === 'string' ? value : undefined
  }

  /** The values of an option that may be repeated. */
  texts(name: string): readonly string[] {
    const values = this.#values.get(name)
    return typeof values === 'object' ? values : []
  }

  /** The argument that names a file or the beginning of its name, such as `--out`. */
  placeOf(path: string): string | undefined {
    const at = this.files.indexOf(path)
    if (at >= 0) return this.files.length === 1 ? 'FILE' : `argument ${at + 1}`
    for (const [name, value] of this.#values) {
      if (path === value || (typeof value === 'object' && value.includes(path))) return `--${name}`
      const start = typeof value !== 'string' ? '' : path.startsWith(value) ? value : normalize(value)
      if (start !== '' && path.startsWith(start)) return `--${name}...${path.slice(start.length)}`
    }
    return undefined
  }

  /** The value of an option that data are bound to. */
  boundText(name: string): string | undefined {
    this.#refuseUnreadable(name, this.text(name))
    return this.text(name)
  }

  /** The values of an option with several, to which data are bound together. */
  boundTexts(name: string): readonly string[] | undefined {
    const values = this.#values.get(name)
    if (typeof values !== 'object') return undefined
    for (const value of values) this.#refuseUnreadable(name, value)
    return values
  }

  /** Node reads non-UTF-8 bytes as U+FFFD, so two such values would be one: both are refused. */
  #refuseUnreadable(name: string, value: string | undefined): void {
    if (value?.includes(UNREADABLE))
      throw this.misuse(`--${name} must be UTF-8, without the character U+FFFD`)
  }

  /** The place that `--out` names. Undefined for standard output: without `--out`, or for `-`. */
  get out(): string | undefined {
    const out = this.text('out')
    return out === STANDARD ? undefined : out
  }

  /** One of the listed values. */
  choice<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const text = this.text(name)
    if (text === undefined || (values as readonly string[]).includes(text)) return text as Value | undefined
    throw this.misuse(`--${name} must be ${values.join(' or ')}`)
  }

  /** A whole number in a range. */
  number(name: string, least: number, most: number): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw this.misuse(`--${name} must be a whole number from ${least} to ${most}`)
  }

  /** Refuses options without meaning next to another one. */
  refuse(names: readonly string[], why: string): void {
    const given = names.find(name => this.has(name))
    if (given !== undefined) throw this.misuse(`--${given} ${why}`)
  }

  misuse(message: string): Error {
    return misuse(message, this.command)
  }
}
