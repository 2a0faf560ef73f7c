// How messages name the files of a command line. An argument that names no file may be a secret,
// pasted by mistake: it is not repeated.
//
// This file does not try to recognise secrets. It shows an argument that is the name of a file,
// nearly one, or a standard stream.
import { fs } from '../../cipher/base/builtins.cjs'
import type { Call } from './command.cjs'
import { Failure, systemFailure } from './failure.cjs'
import { STDIN_NAME, STDOUT_NAME } from './streams.cjs'
import { nearest } from './words.cjs'

const { basename, dirname } = process.getBuiltinModule('node:path')

export const NOT_REPEATED =
  'the name is not shown, because it may be a secret: pass secrets in files or on standard input'

/** A failure of a command with the name of the file that it is about in its message. */
export function naming(thrown: unknown, call: Call): unknown {
  // Errors of the system that no command expected name a file, too.
  const { path: given } = Object(thrown) as { path?: unknown }
  const error = typeof given === 'string' ? systemFailure(thrown, given) : thrown
  if (!(error instanceof Failure) || error.about === undefined) return error
  const { about: path, code, exitCode, message } = error
  if (path === STDIN_NAME || path === STDOUT_NAME || exists(path))
    return new Failure(code, `${path}: ${message}`, { files: [path], exitCode })
  const folder = folderOf(path)
  const like = folder === dirname(path) ? nearest(basename(path), namesIn(folder)) : undefined
  if (like !== undefined) {
    const advice = code === 'ENOENT' ? `; did you mean ${like}?` : ''
    return new Failure(code, `${path}: ${message}${advice}`, { files: [path], exitCode })
  }
  const where = folder === '.' ? '' : ` in ${folder}`
  const name = `${call.placeOf(path) ?? 'a file'} (a name of ${path.length} characters${where})`
  return new Failure(code, `${name}: ${message}; ${NOT_REPEATED}`, { exitCode })
}

/** Whether a path names anything, be it a symbolic link that leads nowhere. */
function exists(path: string): boolean {
  try {
    fs.lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** The innermost folder of a path that exists. */
function folderOf(path: string): string {
  const folder = dirname(path)
  return exists(folder) || folder === path ? folder : folderOf(folder)
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}
