// Standard output, standard error and the files that commands read.
import type { Buffer } from 'node:buffer'
import { codeOf, fs, buffer as node } from '../builtins.cjs'
import { Failure, systemFailure, unusable } from './failure.cjs'

const { Buffer: Bytes } = node
const { close, fstat, open, read } = fs
const { promisify } = process.getBuiltinModule('node:util')
const [openFile, closeFile, statFile, readFile] = [
  promisify(open),
  promisify(close),
  promisify(fstat),
  promisify(read),
]
const PIECE = 65_536

/** The name of standard input as an argument, and in messages. */
export const STDIN = '-'
const STDIN_NAME = 'standard input'
const STDOUT_NAME = 'standard output'

// Without a listener, a closed pipe would end the process with a stack trace. `print` learns of the error by itself.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** Writes to standard output, and waits until the system has taken all bytes. */
export function print(output: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(output, error => {
      if (!error) resolve()
      else if (codeOf(error) === 'EPIPE')
        reject(new Failure('EPIPE', 'standard output was closed before the end'))
      else reject(systemFailure(error, STDOUT_NAME))
    })
  })
}

export function printJson(value: object): Promise<void> {
  return print(`${JSON.stringify(value, undefined, 2)}\n`)
}

/** Refuses to write bytes to a terminal, which would show them as rubbish. */
export function refuseTerminal(what: string): void {
  if (!process.stdout.isTTY) return
  const how = 'write to a file with --out, or into a pipe'
  throw new Failure('ERR_TERMINAL', `${what} would go to the terminal: ${how}`)
}

/** A file or standard input, as a command read it. The command must wipe `bytes`. */
export interface Input {
  readonly name: string
  readonly bytes: Buffer
}

/**
 * Reads a file, or standard input if `path` is `-`. Refuses more than `limit` bytes.
 * @param wanted names the text to type, for a user whose standard input is a terminal
 */
export async function readInput(path: string, limit: number, wanted: string): Promise<Input> {
  const name = path === STDIN ? STDIN_NAME : path
  try {
    return { name, bytes: await (path === STDIN ? readStdin(limit, wanted) : readWhole(path, limit)) }
  } catch (error) {
    if (error === TOO_LONG) throw unusable(name, `is longer than ${limit} bytes`)
    throw systemFailure(error, name)
  }
}

const TOO_LONG = Symbol('too long')

/** Bytes that grow in memory of their own; memory that became too small is wiped. */
class Growing {
  #memory: Buffer
  #length = 0
  readonly #limit: number

  constructor(limit: number, expected: number) {
    this.#limit = limit
    this.#memory = Bytes.alloc(Math.min(expected, limit) + 1)
  }

  /** Free memory, at least a byte of it. */
  get room(): Buffer {
    if (this.#length === this.#memory.length) {
      const larger = Bytes.alloc(this.#memory.length * 2)
      this.#memory.copy(larger)
      this.#memory.fill(0)
      this.#memory = larger
    }
    return this.#memory.subarray(this.#length)
  }

  /** `length` bytes were written into the room. */
  took(length: number): void {
    this.#length += length
    if (this.#length > this.#limit) throw TOO_LONG
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  wipe(): void {
    this.#memory.fill(0)
  }
}

async function readWhole(path: string, limit: number): Promise<Buffer> {
  const file = await openFile(path, 'r')
  let growing: Growing | undefined
  try {
    // A pipe has the size 0. A folder has one, too, and reading it fails with a better reason.
    const facts = await statFile(file)
    const size = facts.isFile() ? facts.size : 0
    if (size > limit) throw TOO_LONG
    growing = new Growing(limit, size || PIECE)
    for (;;) {
      const { room } = growing
      const { bytesRead } = await readFile(file, room, 0, room.length, null)
      if (bytesRead === 0) return growing.bytes
      growing.took(bytesRead)
    }
  } catch (error) {
    growing?.wipe()
    throw error
  } finally {
    await closeFile(file)
  }
}

async function readStdin(limit: number, wanted: string): Promise<Buffer> {
  const { stdin } = process
  if (stdin.isTTY) {
    const end = process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D'
    process.stderr.write(`Type or paste ${wanted}, then press Enter and ${end}:\n`)
  }
  const growing = new Growing(limit, PIECE)
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      try {
        for (let at = 0; at < chunk.length; ) {
          const taken = chunk.copy(growing.room, 0, at)
          growing.took(taken)
          at += taken
        }
      } finally {
        chunk.fill(0)
      }
    }
    return growing.bytes
  } catch (error) {
    growing.wipe()
    throw error
  }
}
