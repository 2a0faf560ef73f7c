// The help texts, at most 78 columns wide.
import { COMMON, type Command, type Option } from './command.cjs'

const WIDTH = 78
export const PROGRAM = 'hardware-aes-gcm'

export function overview(commands: readonly Command[], version: string): string {
  const rows = commands.map(({ name, summary }): Row => [name, summary])
  return join([
    `${PROGRAM} ${version}: encrypt files and texts, and manage their keys`,
    `Usage: ${PROGRAM} COMMAND [OPTIONS]`,
    `Commands:\n${table(rows)}`,
    `Options:\n${table([
      ['-h, --help', 'Show this help; after a command, the help of that command'],
      ['--version', 'Show the version'],
    ])}`,
    wrap(
      'Keys, shares and data are read from files or standard input, never from arguments. Exit codes: 0 success, ' +
        '1 failure, 2 invalid command line, 3 rotate left some rows unchanged, 4 done but the result was not printed.',
    ),
  ])
}

export function manual(command: Command): string {
  const options = Object.entries({ ...command.options, ...COMMON }).map(
    ([name, option]): Row => [heading(name, option), option.help],
  )
  const usage = command.usage.map((line, i) => `${i === 0 ? 'Usage:' : '      '} ${PROGRAM} ${line}`)
  return join([
    command.summary,
    usage.join('\n'),
    ...command.about.map(paragraph => wrap(paragraph)),
    `Options:\n${table(options)}`,
    `Examples:\n${command.examples.map(example => `  ${PROGRAM} ${example}`).join('\n')}`,
  ])
}

type Row = readonly [string, string]

function heading(name: string, { short, value }: Option): string {
  const long = `--${name}${value === undefined ? '' : ` ${value}`}`
  return short === undefined ? `    ${long}` : `-${short}, ${long}`
}

function join(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`
}

/** Two columns, the second one wrapped. */
function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 4
  return rows.map(([name, text]) => `  ${name}`.padEnd(width) + wrap(text, width)).join('\n')
}

/** Breaks a text between words. Lines after the first begin with `indent` spaces. */
export function wrap(text: string, indent = 0): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && indent + longer.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
