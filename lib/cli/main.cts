#!/usr/bin/env node
// The command line `hardware-aes-gcm`: finds the command, runs it, and reports its failure.
import { codeOf } from '../builtins.cjs'
import { hint, readArguments, refuseSecret } from './arguments.cjs'
import { COMMANDS } from './commands.cjs'
import { version } from './facts.cjs'
import { FAILED, Failure, MISUSED, misuse } from './failure.cjs'
import { manual, overview, PROGRAM } from './help.cjs'
import { print } from './streams.cjs'

async function main([first, ...rest]: readonly string[]): Promise<void> {
  if (first === undefined) {
    process.stderr.write(overview(COMMANDS, version()))
    process.exitCode = MISUSED
    return
  }
  if (first === '--version' || first === '-V') return print(`${PROGRAM} ${version()}\n`)
  const asksHelp = first === 'help' || first === '--help' || first === '-h'
  const [name] = asksHelp ? rest : [first]
  if (name === undefined) return print(overview(COMMANDS, version()))
  refuseSecret(name)
  const command = COMMANDS.find(command => command.name === name)
  if (command === undefined) {
    const what = name.startsWith('-') ? 'begins with an option, where a command is due' : 'is not a command'
    throw misuse(
      `'${name}' ${what}${hint(
        name,
        COMMANDS.map(command => command.name),
      )}`,
    )
  }
  const call = asksHelp ? 'help' : readArguments(command, rest)
  if (call === 'help') return print(manual(command))
  await command.run(call)
}

/** Characters that would break the line, or that a terminal would obey: a name of a file may hold any. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function report(error: unknown, json: boolean): void {
  const failure = error instanceof Failure ? error : undefined
  const message = error instanceof Error ? error.message : 'an unknown failure'
  const code = failure?.code ?? String(codeOf(error) ?? 'ERR_INTERNAL')
  const files = failure?.files ?? []
  const object = { error: { code, message, ...(files.length > 0 && { files }) } }
  const line = `${PROGRAM}: ${message.replace(UNSAFE, shownSafely)}`
  process.stderr.write(`${json ? JSON.stringify(object) : line}\n`)
  process.exitCode = failure?.exitCode ?? FAILED
}

function shownSafely(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
}

const args = process.argv.slice(2)
const end = args.indexOf('--')
const options = end < 0 ? args : args.slice(0, end)
main(args).catch(error => report(error, options.includes('--json')))
