// The programs of --unwrap and --wrap: bytes on standard input and standard output, no shell.
import type { Buffer } from 'node:buffer'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { codeOf } from '../../cipher/base/builtins.cjs'
import type { Call, Option } from '../frame/command.cjs'
import { beforeEnd } from '../frame/ending.cjs'
import { Failure } from '../frame/failure.cjs'
import { Growing, TOO_LONG } from '../reading/growing.cjs'
import { type Started, start } from './started.cjs'

export type Place = 'unwrap' | 'wrap'

export const UNWRAP: Option = {
  value: 'PROGRAM',
  help: 'Program that decrypts a keyset with a key service: reads ciphertext on stdin, writes the keyset on stdout',
}
export const WRAP: Option = {
  value: 'PROGRAM',
  help: 'Program that encrypts a keyset with a key service: reads the keyset on stdin, writes ciphertext on stdout',
}
export const TIMEOUT: Option = {
  value: 'SECONDS',
  help: 'Time limit for each run of a program (default: 60)',
}
const [SECONDS, MAX_SECONDS] = [60, 3600]
/** Most characters of standard error that a failure repeats. */
const SHOWN = 300
const STDERR_BYTES = 65_536

export function timeoutOf(call: Call): number {
  return (call.number('timeout', 1, MAX_SECONDS) ?? SECONDS) * 1000
}

/**
 * The words of a program and its arguments. Blanks separate words; '…' and "…" keep blanks, and
 * have no escapes, since a backslash belongs to paths on Windows. Characters that a shell would
 * obey are refused outside of quotes: there is no shell here.
 */
export function wordsOf(call: Call, place: Place): readonly string[] {
  const text = call.text(place) as string
  const words: string[] = []
  let word: string | undefined
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === '"' || character === "'") {
      const end = text.indexOf(character, i + 1)
      if (end < 0) throw call.misuse(`--${place} has an unclosed quotation mark`)
      word = (word ?? '') + text.slice(i + 1, end)
      i = end
    } else if (/[|&;<>()$`]/.test(character)) {
      const how = 'put it in quotes, or run a shell, as in "sh -c \'…\'"'
      throw call.misuse(`--${place} has ${character} but runs without a shell: ${how}`)
    } else word = (word ?? '') + character
  }
  if (word !== undefined) words.push(word)
  if (words.length === 0 || words[0] === '') throw call.misuse(`--${place} names no program`)
  return words
}

/** The output of a program, at most `limit` bytes, which the caller wipes. */
export async function runProgram(
  place: Place,
  words: readonly string[],
  input: Uint8Array,
  { limit, timeout }: { limit: number; timeout: number },
): Promise<Buffer> {
  const fail = (what: string) => new Failure('ERR_PROGRAM', `the --${place} program ${what}`)
  const notStarted = (error: unknown) => {
    const code = codeOf(error)
    if (code === 'ENOENT') return fail('does not exist')
    return fail(code === 'EACCES' ? 'is not executable' : `could not be started: ${code}`)
  }
  let started: Started
  try {
    started = start(words)
  } catch (error) {
    // Also words that are too long for the system.
    throw notStarted(error)
  }
  const { kill } = started
  const child = started.child as ChildProcessWithoutNullStreams
  const output = new Growing(limit, Math.min(limit, 4096))
  let errors = ''
  let timer: NodeJS.Timeout | undefined
  const release = beforeEnd(kill)
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(fail(`did not finish within ${timeout / 1000} s`)), timeout)
      child.on('error', error => reject(notStarted(error)))
      // Node makes no streams if too many files are open.
      if (child.stdout === undefined) return
      child.stdout.on('data', (chunk: Buffer) => {
        try {
          for (let at = 0; at < chunk.length; ) {
            const taken = chunk.copy(output.room, 0, at)
            output.took(taken)
            at += taken
          }
        } catch (error) {
          reject(error === TOO_LONG ? fail(`printed more than ${limit} bytes`) : error)
        } finally {
          chunk.fill(0)
        }
      })
      child.stderr.on('data', (chunk: Buffer) => {
        if (errors.length < STDERR_BYTES) errors += chunk.toString()
      })
      // A program may end without reading all of its input. Its exit code decides.
      child.stdin.on('error', () => {})
      child.stdin.end(input)
      child.on('close', (code, signal) => {
        if (code === 0) resolve()
        else reject(fail(`ended with ${signal ?? `exit code ${code}`}${lastOf(errors)}`))
      })
    })
    if (output.length === 0) throw fail(`printed nothing${lastOf(errors)}`)
    return output.bytes
  } catch (error) {
    output.wipe()
    kill()
    // What it started may hold the other ends of the pipes.
    for (const stream of child.stdio ?? []) stream?.destroy()
    child.unref()
    throw error
  } finally {
    clearTimeout(timer)
    release()
  }
}

/** The last line that a program wrote to standard error. */
function lastOf(errors: string): string {
  const line =
    errors
      .trimEnd()
      .split(/[\r\n]+/)
      .at(-1) ?? ''
  if (line === '') return ''
  return `: ${line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line}`
}
