// The command line `hardware-aes-gcm`: finds the command, runs it, and reports its failure.
import { codeOf } from '../cipher/base/builtins.cjs'
import { readArguments, words } from './arguments.cjs'
import { allCommands, commandNamed, NAMES } from './commands.cjs'
import { endBy } from './frame/ending.cjs'
import { version } from './frame/facts.cjs'
import { FAILED, Failure, MISUSED, misuse } from './frame/failure.cjs'
import { manual, overview, PROGRAM } from './frame/help.cjs'
import { naming } from './frame/naming.cjs'
import { print, type Streams } from './frame/streams.cjs'
import { shownAsJson, shownSafely } from './frame/text.cjs'
import { hint, shownWord } from './frame/words.cjs'

const SUCCEEDED = 0
/** What shows the help instead of running a command. */
const HELP: readonly string[] = ['help', '--help', '-h']

/**
 * Runs a command line in this process, and returns its exit code. File names are relative to the
 * working folder. Signals that arrive while files are written or a terminal is read end the
 * process.
 */
export async function main(args: readonly string[], streams: Streams): Promise<number> {
  try {
    return await run(args, streams)
  } catch (error) {
    const end = args.indexOf('--')
    const options = end < 0 ? args : args.slice(0, end)
    return report(error, options.includes('--json'), streams)
  }
}

async function run([first, ...rest]: readonly string[], streams: Streams): Promise<number> {
  if (first === undefined) {
    streams.stderr.write(overview(allCommands(), version()))
    return MISUSED
  }
  const text = answerTo(first, rest)
  if (text !== undefined) {
    await print(streams, text)
    return SUCCEEDED
  }
  const command = commandFor(first)
  const call = readArguments(command, rest, streams)
  if (call === 'help') {
    await print(streams, manual(command))
    return SUCCEEDED
  }
  try {
    await command.run(call)
  } catch (error) {
    throw naming(error, call)
  }
  return SUCCEEDED
}

/** The version or the help, if the arguments ask for one instead of a command. */
function answerTo(first: string, [name]: readonly string[]): string | undefined {
  if (first === '--version' || first === '-V') return `${PROGRAM} ${version()}\n`
  if (!HELP.includes(first)) return undefined
  return name === undefined || HELP.includes(name)
    ? overview(allCommands(), version())
    : manual(commandFor(name))
}

function commandFor(name: string) {
  const command = commandNamed(name)
  if (command !== undefined) return command
  const what = name.startsWith('-') ? 'must come after a command' : 'is not a command'
  const names = [...NAMES, 'help', '--help', '--version'].filter(other => other !== name)
  throw misuse(`${shownWord(name, words())} ${what}${hint(name, names)}`)
}

function report(error: unknown, json: boolean, { stderr }: Streams): number {
  const failure = error instanceof Failure ? error : undefined
  const message = error instanceof Error ? error.message : 'an unknown failure'
  const code = failure?.code ?? String(codeOf(error) ?? 'ERR_INTERNAL')
  const files = failure?.files ?? []
  const object = { error: { code, message, ...(files.length > 0 && { files }) } }
  const line = `${PROGRAM}: ${shownSafely(message)}`
  stderr.write(`${json ? shownAsJson(object) : line}\n`)
  if (failure?.signal !== undefined) endBy(failure.signal)
  return failure?.exitCode ?? FAILED
}
