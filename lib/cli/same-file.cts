// Whether two arguments of a command name the same file.
import { fs } from '../base/builtins.cjs'
import { STANDARD } from './streams.cjs'

const { resolve } = process.getBuiltinModule('node:path')
const WINDOWS = process.platform === 'win32'
const STANDARD_INPUT = 0

/** Whether two paths are one name, or two names of one file. Windows does not tell capitals from small letters. */
export function sameFile(one: string, other: string): boolean {
  const first = resolve(one)
  const second = resolve(other)
  const same = WINDOWS ? first.toLowerCase() === second.toLowerCase() : first === second
  return same || isOne(identityOf(one), identityOf(other))
}

/** Whether an argument is standard input: `-`, a name such as /dev/stdin, or the file that the shell gave as standard input. */
export function isStandardInput(path: string): boolean {
  return path === STANDARD || isOne(identityOf(path), identityOf(STANDARD_INPUT))
}

const isOne = (one: string | undefined, other: string | undefined) => one !== undefined && one === other

/** The device of a file and its number there; undefined if there is no such file, or the file system has no numbers. */
function identityOf(file: string | number): string | undefined {
  try {
    const { dev, ino } =
      typeof file === 'number' ? fs.fstatSync(file, { bigint: true }) : fs.statSync(file, { bigint: true })
    return ino === 0n ? undefined : `${dev} ${ino}`
  } catch {
    return undefined
  }
}
