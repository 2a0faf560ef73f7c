// Starts a program of --unwrap or --wrap, whose standard input is a pipe. Node gives programs a
// socket, which Linux does not open again as /dev/stdin: there, a shell makes the pipe.
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fs } from '../../cipher/base/builtins.cjs'

const { spawn } = process.getBuiltinModule('node:child_process')
const { delimiter, join } = process.getBuiltinModule('node:path')

export interface Started {
  readonly child: ChildProcess
  /** Ends the program, and the shell around it. */
  kill(): void
}

const SHELL = '/bin/sh'
/** The folders that execvp searches without PATH. */
const PATH = '/usr/bin:/bin'
/**
 * The first word is cat. The program takes the place of the inner shell, so both have the process
 * id that this writes to descriptor 3. `exec` runs no builtin of the shell. With descriptor 3
 * closed at the other end, the program is no longer wanted, and is not started.
 */
const PIPE = '"$1" 2>/dev/null 3>&- | { shift; exec "$0" -c \'echo $$ >&3 && exec "$@" 3>&-\' "$0" "$@"; }'

/** Throws the system's error if there is no such program, or it emits the event `error`. */
export function start([program, ...args]: readonly string[]): Started {
  const cat = process.platform === 'linux' ? catOf() : undefined
  if (cat === undefined) {
    const child = spawn(program as string, args, { stdio: 'pipe', windowsHide: true })
    return { child, kill: () => killChild(child) }
  }
  const words = ['-c', PIPE, SHELL, cat, fileOf(program as string), ...args]
  const child = spawn(SHELL, words, { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
  let line = ''
  // Node makes no streams if too many files are open.
  const id = child.stdio?.[3] as Readable | undefined
  id?.on('data', (chunk: Buffer) => {
    line += chunk.toString()
  })
  id?.on('error', () => {})
  const kill = () => {
    const isRunning = child.exitCode === null && child.signalCode === null
    // Before the shell ends, the system does not reuse the program's id.
    if (isRunning && line.endsWith('\n')) killProgram(Number(line))
    killChild(child)
  }
  return { child, kill }
}

function killProgram(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Without a process, the system would send the signal to this one and its group. */
function killChild(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill('SIGKILL')
}

/** The file of `cat`; undefined on a system without it, or without a shell. */
function catOf(): string | undefined {
  try {
    fileOf(SHELL)
    return fileOf('cat')
  } catch {
    return undefined
  }
}

/** The file of a program, as execvp finds it. Throws its errors; a shell only prints them. */
function fileOf(program: string): string {
  if (program.includes('/')) return runnable(program)
  let denied: unknown
  let missing: unknown
  for (const folder of (process.env.PATH ?? PATH).split(delimiter)) {
    try {
      return runnable(folder === '' ? `./${program}` : join(folder, program))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') denied = error
      else missing ??= error
    }
  }
  throw denied ?? missing
}

function runnable(file: string): string {
  fs.accessSync(file, fs.constants.X_OK)
  if (fs.statSync(file).isDirectory())
    throw Object.assign(new Error('a folder is no program'), { code: 'EACCES' })
  // Shells read options in front of a file.
  return file.startsWith('-') ? `./${file}` : file
}
