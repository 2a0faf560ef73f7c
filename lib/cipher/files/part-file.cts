// A file written under a temporary name in its folder and renamed once complete: it never appears
// in part, only its owner can read it, and it replaces another file only if asked.
import { codeOf, crypto, define, fs } from '../base/builtins.cjs'

const { closeSync, constants, fsyncSync, linkSync, lstatSync, openSync, renameSync, unlinkSync } = fs
const { dirname, join } = process.getBuiltinModule('node:path')
export const OWNER_ALONE = 0o600
/** Codes of `link` on file systems without links, such as FAT. EISDIR comes from Windows. */
export const NO_LINKS = ['EISDIR', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** The kinds of things that a path may name. */
type FileType = 'a file' | 'a folder' | 'a symbolic link' | 'a device, pipe or socket'

/** The error of a taken name, as Node's own of this code, with the type of file. */
export interface Taken extends NodeJS.ErrnoException {
  readonly code: 'EEXIST'
  readonly kind: FileType
}

export class PartFile {
  readonly path: string
  readonly folder: string
  readonly #force: boolean
  readonly #temporary: string
  /** A hard link to the file being replaced, until the replacement is final. */
  #replaced: string | undefined
  #descriptor: number | undefined

  /** Creates the file under its temporary name. Throws a {@link Taken}, or the system's error. */
  constructor(path: string, force: boolean) {
    this.path = path
    this.folder = dirname(path)
    this.#force = force
    this.#temporary = join(this.folder, temporaryName())
    refuseTaken(path, force)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
    this.#descriptor = openSync(this.#temporary, flags, OWNER_ALONE)
  }

  /** The descriptor to write to, until `close`. */
  get descriptor(): number {
    return this.#descriptor as number
  }

  close(): void {
    if (this.#descriptor === undefined) return
    closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  /** Gives the file its name. Without `force`, only if the name is free at this moment. */
  name(): void {
    refuseTaken(this.path, this.#force)
    if (this.#force) this.#replace()
    else this.#link()
  }

  /** Removes the name again, and restores the file that it replaced. */
  unname(): void {
    try {
      if (this.#replaced === undefined) unlinkSync(this.path)
      else renameSync(this.#replaced, this.path)
      this.#replaced = undefined
    } catch {
      // The failure that led here is the one to report.
    }
  }

  /** Closes the file, and removes it unless it has its name. Call it at the end in any case. */
  discard(): void {
    this.close()
    remove(this.#temporary)
    if (this.#replaced !== undefined) remove(this.#replaced)
  }

  /** `link` never replaces a file. Where links do not exist, an empty file reserves the name. */
  #link(): void {
    try {
      linkSync(this.#temporary, this.path)
    } catch (error) {
      if (!NO_LINKS.includes(String(codeOf(error)))) throw error
      closeSync(openSync(this.path, 'wx', OWNER_ALONE))
      try {
        renameSync(this.#temporary, this.path)
      } catch (error) {
        remove(this.path)
        throw error
      }
    }
    // Otherwise a process killed now would leave a second name of the file.
    remove(this.#temporary)
  }

  #replace(): void {
    const replaced = join(this.folder, temporaryName())
    try {
      linkSync(this.path, replaced)
      this.#replaced = replaced
    } catch {
      // The name is free, or there are no links: if a later file fails, the name stays free.
    }
    renameSync(this.#temporary, this.path)
  }
}

export function temporaryName(): string {
  return `.hardware-aes-gcm-${crypto.randomBytes(8).toString('hex')}.part`
}

/** Throws a {@link Taken} if `path` exists; with `force`, only if it is not a plain file. */
export function refuseTaken(path: string, force: boolean): void {
  const kind = kindAt(path)
  if (kind === undefined || (force && kind === 'a file')) return
  const what = kind === 'a file' ? 'file already exists' : `it is ${kind}`
  const error = new Error(`EEXIST: ${what}, open '${path}'`) as NodeJS.ErrnoException
  Object.assign(error, { code: 'EEXIST', syscall: 'open', path })
  define(error, 'kind', kind)
  throw error
}

function kindAt(path: string): FileType | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (found.isDirectory()) return 'a folder'
  if (found.isSymbolicLink()) return 'a symbolic link'
  return found.isFile() ? 'a file' : 'a device, pipe or socket'
}

export function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It has its name already, or was removed.
  }
}

/** Puts the names in a folder on the disk, where the system can: Windows opens no folders. */
export function flushFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The files are complete in any case.
  }
}
