// Whether two paths lead to one file: by name, hard link, symbolic link or another spelling.
import { fs } from '../base/builtins.cjs'

const { resolve } = process.getBuiltinModule('node:path')
const WINDOWS = process.platform === 'win32'

/** Whether two paths are one name or one file. Windows ignores the case of letters. */
export function sameFile(one: string, other: string): boolean {
  const first = resolve(one)
  const second = resolve(other)
  const same = WINDOWS ? first.toLowerCase() === second.toLowerCase() : first === second
  return same || isOne(identityOf(one), identityOf(other))
}

/** Whether two identities, from {@link identityOf}, are of one file. */
export const isOne = (one: string | undefined, other: string | undefined) =>
  one !== undefined && one === other

/**
 * A file's device and number there, by path or descriptor; undefined if there is no such file, or
 * the file system has no numbers.
 */
export function identityOf(file: string | number): string | undefined {
  try {
    const { dev, ino } =
      typeof file === 'number' ? fs.fstatSync(file, { bigint: true }) : fs.statSync(file, { bigint: true })
    return ino === 0n ? undefined : `${dev} ${ino}`
  } catch {
    return undefined
  }
}
