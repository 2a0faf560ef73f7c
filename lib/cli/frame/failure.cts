// Failures that end a command: a line for a person, a code for a program, an exit code for a
// script.
import { codeOf } from '../../cipher/base/builtins.cjs'

/** Exit code of a valid command line whose command failed. */
export const FAILED = 1
/** Exit code of an invalid command line. */
export const MISUSED = 2
/** Exit code of a command that did its work, and left some of it as it was. */
export const LEFT = 3
/** Exit code of a command that did its work, and could not print the report of it. */
export const UNREPORTED = 4
const WINDOWS = process.platform === 'win32'

export class Failure extends Error {
  readonly code: string
  readonly exitCode: number
  /** The files concerned, if the failure names any. */
  readonly files: readonly string[]
  /** The file that the message begins with. It need not exist: `naming.cts` names it. */
  readonly about: string | undefined
  /** The signal that asked for the end, and by which the process ends after the message. */
  readonly signal: NodeJS.Signals | undefined

  constructor(
    code: string,
    message: string,
    options: {
      about?: string | undefined
      files?: readonly string[]
      exitCode?: number
      signal?: NodeJS.Signals
    } = {},
  ) {
    super(message)
    this.code = code
    this.about = options.about
    this.files = options.files ?? []
    this.exitCode = options.exitCode ?? FAILED
    this.signal = options.signal
  }
}

/** A command line that the user must change. `command` is the command whose help says how. */
export function misuse(message: string, command = ''): Failure {
  const help = `hardware-aes-gcm ${command === '' ? '--help' : `${command} --help`}`
  return new Failure('ERR_USAGE', `${message} (see ${help})`, { exitCode: MISUSED })
}

/** Content that a command cannot use. */
export function unusable(file: string, message: string): Failure {
  return new Failure('ERR_INPUT', message, { about: file })
}

/** The code of data that end too early. */
export const SHORTER = 'ERR_AESGCM_STREAM_TRUNCATED'

/** A source to encrypt that another program cut while it was read. */
export function shortened(file: string): Failure {
  return new Failure(SHORTER, 'shrank while it was being read', { about: file, files: [file] })
}

/** The usual failures of files, as a user would say them. */
const SYSTEM: Record<string, string> = {
  EACCES: 'permission denied',
  EBUSY: WINDOWS ? 'another program has it open' : 'in use by the system',
  EEXIST: 'already exists; use --force to replace it',
  EFBIG: 'the file would be too large',
  EIO: 'the device failed',
  EISDIR: 'is a folder, not a file',
  ELOOP: 'is a symbolic link that points to itself',
  EMFILE: 'this process has too many files open',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'the system has too many files open',
  ENOENT: 'does not exist',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'part of the path is a file, not a folder',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
}

/** A failed system call on `file`. Errors without a code of the system are returned as they are. */
export function systemFailure(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (error instanceof Failure || typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return error
  return new Failure(code, replacementFailure(error) ?? SYSTEM[code] ?? code, { about: file })
}

/** Why a file could not be replaced by another one of its folder, if that is what failed. */
function replacementFailure(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (WINDOWS) return undefined
  if (syscall === 'rename' && (code === 'EBUSY' || code === 'EXDEV'))
    return 'is mounted as a single file, which cannot be replaced: change the original, or mount its folder instead'
  if (syscall === 'rename' && code === 'EPERM')
    return 'cannot be replaced: it is immutable, or its folder has the sticky bit'
  if (syscall === 'open' && code === 'EACCES' && path?.endsWith('.part'))
    return 'permission denied: this user cannot create files in its folder'
  return undefined
}
