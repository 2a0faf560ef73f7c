// Shared by the tests of the command line: runs the built command, in this process or in one of its own, with files in a temporary
// folder.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, vi } from 'vitest'

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url))
const { main: mainHere } = createRequire(import.meta.url)('../../dist/cli/program.cjs') as {
  main(args: readonly string[], streams: Streams): Promise<number>
}

export const WINDOWS = process.platform === 'win32'
/** Whether this system has a device that is always full. */
export const FULL = !WINDOWS && existsSync('/dev/full')
/** The permissions of a file for its owner alone. On Windows every file that can be written shows these; its folder's rule. */
export const OWNER_ALONE = WINDOWS ? 0o666 : 0o600

/** Milliseconds after which a command counts as hung. A test cannot end a process for which it waits. */
const MOST = 50_000

/** The line about a file that does not exist, and whose name is not repeated. `place` is where the command line has the name. */
export function unnamed(place: string, name: string, what = 'does not exist'): string {
  const why = 'the name is not shown, because it may be a secret: pass secrets in files or on standard input'
  return `${place} (a name of ${name.length} characters): ${what}; ${why}`
}

/** The standard streams of a command that runs in this process. */
interface Streams {
  stdin: Readable
  stdout: Writable
  stderr: Writable
}

interface Options {
  input?: string | Uint8Array
  /** Runs the command in a process of its own, as every further option does: a start takes longer than most tests. */
  process?: true
  /** A script that changes `fs`, the module node:fs, before the command begins. */
  before?: string
  /** The command, if it is not the built one. */
  main?: string
  /** Commands of a POSIX shell that come before the command, such as `umask 0`. */
  shell?: string
}

/** The outcome of a process: its exit code or signal, and its output. */
export interface Outcome {
  status: number | string | null
  stdout: string
  stderr: string
}

/** The arguments of Node with which the command runs. */
export function nodeArguments(args: readonly string[], before?: string, main = MAIN): string[] {
  if (before === undefined) return [main, ...args]
  const script = `const fs = process.getBuiltinModule('node:fs'); ${before}`
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`, main, ...args]
}

const codeOf = (error: NodeJS.ErrnoException | undefined): string | undefined => error?.code

/** Keeps what a command writes. The command may wipe its bytes afterwards. */
export class Sink extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _: string, taken: () => void): void {
    this.#chunks.push(Buffer.from(chunk))
    taken()
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  get text(): string {
    return this.bytes.toString('latin1')
  }
}

/** Runs a command in this process, with the streams that are given or others. */
export async function runHere(
  args: readonly string[],
  stdin: Readable,
  stdout = new Sink(),
  stderr = new Sink(),
): Promise<Outcome> {
  const status = await mainHere(args, { stdin, stdout, stderr })
  return { status, stdout: stdout.text, stderr: stderr.text }
}

/** Makes the clock run fast, and a timer with it: its function is called in each turn of the event loop. */
export function hurry(): void {
  const real = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => 1e6 * real())
  const running = new Set<object>()
  const start = (call: () => void) => {
    const timer = {}
    running.add(timer)
    const turn = () => {
      if (!running.has(timer)) return
      call()
      setImmediate(turn)
    }
    setImmediate(turn)
    return timer as never
  }
  vi.spyOn(globalThis, 'setInterval').mockImplementation(start)
  vi.spyOn(globalThis, 'clearInterval').mockImplementation(timer => void running.delete(timer as object))
}

/** Whether a command runs in this process. A second one would have the same working folder. */
let busy = false

/** A folder of its own for each test, removed afterwards. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'cli-'))

  constructor() {
    made.push(this)
  }

  in(name: string): string {
    return join(this.path, name)
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.in(name), content)
    return name
  }

  folder(name: string): void {
    mkdirSync(this.in(name))
  }

  read(name: string): string {
    return readFileSync(this.in(name), 'latin1')
  }

  bytes(name: string): Buffer {
    return readFileSync(this.in(name))
  }

  /** The permissions of a file. */
  mode(name: string): number {
    return lstatSync(this.in(name)).mode & 0o777
  }

  /** All names, hidden ones included, in order. */
  get names(): string[] {
    return readdirSync(this.path).sort()
  }

  /** Runs the command in this folder, in this process if no option asks for another one. */
  async run(args: readonly string[], options: Options = {}): Promise<Outcome> {
    const { input = '', ...others } = options
    return Object.keys(others).length > 0 ? this.start(args, options) : await this.#runHere(args, input)
  }

  async #runHere(args: readonly string[], input: string | Uint8Array): Promise<Outcome> {
    const place = process.cwd()
    if (busy) throw new Error('a command runs already in this process, which has one working folder')
    busy = true
    process.chdir(this.path)
    try {
      // The command wipes what it reads.
      return await runHere(args, Readable.from(input.length === 0 ? [] : [Buffer.from(input)]))
    } finally {
      process.chdir(place)
      busy = false
    }
  }

  /** Runs the command in this folder, in a process of its own. */
  start(args: readonly string[], { input = '', before, main, shell }: Options = {}): Outcome {
    const program = [process.execPath, ...nodeArguments(args, before, main)]
    const [command, ...rest] =
      shell === undefined ? program : ['sh', '-c', `${shell}; exec "$@"`, 'sh', ...program]
    const start = () =>
      spawnSync(command as string, rest, {
        cwd: this.path,
        encoding: 'latin1',
        env: { ...process.env, NODE_OPTIONS: '' },
        input,
        timeout: MOST,
      })
    let outcome = start()
    // Wine 8 once refused a start so, in some thousands of them.
    if (WINDOWS && codeOf(outcome.error) === 'UNKNOWN') outcome = start()
    const { error, status, signal, stdout, stderr } = outcome
    // A command may end before it has read all of its input.
    if (error !== undefined && !['EPIPE', 'EOF'].includes(codeOf(error) ?? '')) throw error
    return { status: status ?? signal, stdout, stderr }
  }

  /** Runs a command that must succeed without a word on standard error; gives its output. */
  async succeed(args: readonly string[], options?: Options): Promise<string> {
    const { status, stdout, stderr } = await this.run(args, options)
    if (status !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
    return stdout
  }

  /** Runs a command that must fail with this exit code, one line on standard error, also of JSON, and no output; gives the message. */
  async fail(status: 1 | 2, args: readonly string[], options?: Options): Promise<string> {
    const outcome = await this.run(args, options)
    const [, line] = outcome.stderr.startsWith('{')
      ? [undefined, JSON.parse(outcome.stderr).error.message as string]
      : (/^hardware-aes-gcm: (.+)\n$/.exec(outcome.stderr) ?? [])
    if (outcome.status !== status || outcome.stdout !== '' || line === undefined) {
      throw new Error(`${args.join(' ')} must fail with ${status} and a line: ${JSON.stringify(outcome)}`)
    }
    return line
  }
}

const made: Folder[] = []
afterEach(() => {
  // Scanners of Windows hold new files for a moment.
  for (const { path } of made.splice(0)) rmSync(path, { recursive: true, maxRetries: 10 })
})
