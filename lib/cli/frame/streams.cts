// The standard streams of a command, and printing to standard output. input.cts reads standard
// input.
import { codeOf } from '../../cipher/base/builtins.cjs'
import { Failure, systemFailure, UNREPORTED } from './failure.cjs'
import { shownAsJson, shownSafely } from './text.cjs'

/** `process`, or streams in its place. A stream of `process` is opened at its first use. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream & Terminal & { setRawMode?(raw: boolean): unknown }
  readonly stdout: NodeJS.WritableStream & Terminal
  readonly stderr: NodeJS.WritableStream & Terminal & { readonly columns?: number }
}

interface Terminal {
  readonly isTTY?: boolean
}

/** Standard input as a file to read, and standard output as a file to write. */
export const STANDARD = '-'
/** The standard streams, as messages name them. */
export const STDIN_NAME = 'standard input'
export const STDOUT_NAME = 'standard output'

/** Writes to standard output unchanged, and waits until the system has taken all bytes. */
export function print({ stdout }: Streams, output: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(output, error => {
      if (!error) resolve()
      else if (codeOf(error) === 'EPIPE') reject(new Failure('EPIPE', 'standard output was closed early'))
      else reject(systemFailure(error, STDOUT_NAME))
    })
  })
}

/** Prints lines for a person. Texts in them cannot break a line or command the terminal. */
export function printLines(streams: Streams, lines: readonly string[]): Promise<void> {
  return print(streams, lines.map(line => `${shownSafely(line)}\n`).join(''))
}

export function printJson(streams: Streams, value: object): Promise<void> {
  return print(streams, `${shownAsJson(value, 2)}\n`)
}

/** Runs `report`, which prints a change. A failure says what was `done`, and what to do `then`. */
export async function reportDone(
  done: string,
  report: () => Promise<void>,
  then = 'do not repeat the command',
): Promise<void> {
  try {
    await report()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const message = `${error.message}, but ${done}: ${then}`
    throw new Failure(error.code, message, { about: error.about, files: error.files, exitCode: UNREPORTED })
  }
}

/** Refuses to write bytes to a terminal, which would garble them. */
export function refuseTerminal({ stdout }: Streams, what: string): void {
  if (!stdout.isTTY) return
  throw new Failure('ERR_TERMINAL', `${what} cannot be shown on a terminal: use --out FILE or a pipe`)
}
