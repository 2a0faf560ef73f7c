// Whether an argument of a command names a file that another one names, or a standard stream.
import { fs } from '../../cipher/base/builtins.cjs'
import { identityOf, isOne, sameFile } from '../../cipher/files/same-file.cjs'
import { STANDARD } from '../frame/streams.cjs'

const STANDARD_INPUT = 0
const STANDARD_OUTPUT = 1

/** Whether an argument that is read is the file at `path`, even as the shell's standard input. */
export function isReadFrom(argument: string, path: string): boolean {
  return argument === STANDARD
    ? isOne(identityOf(STANDARD_INPUT), identityOf(path))
    : sameFile(argument, path)
}

/** Whether an argument is standard input: `-`, /dev/stdin, or the file that the shell opened. */
export function isStandardInput(path: string): boolean {
  return path === STANDARD || isOne(identityOf(path), identityOf(STANDARD_INPUT))
}

/** Whether standard output goes to an argument's file, as by `>>`: output would become input. */
export function isStandardOutput(argument: string): boolean {
  try {
    // A terminal and /dev/null may be both at once.
    if (!fs.fstatSync(STANDARD_OUTPUT).isFile()) return false
  } catch {
    return false
  }
  return isOne(identityOf(argument === STANDARD ? STANDARD_INPUT : argument), identityOf(STANDARD_OUTPUT))
}
