// Files that a command writes: complete or absent, readable by their owner alone, never in place of another file unless asked.
//
// Every file is written under a temporary name in its folder. When all are on the disk, they get their names in one go,
// without a turn of the event loop, so that a signal finds either all of the names or none.
import { codeOf, crypto, fs, util } from '../base/builtins.cjs'
import { beforeEnd } from './ending.cjs'
import { Failure, systemFailure } from './failure.cjs'

const {
  closeSync,
  constants,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  write,
} = fs
const { dirname, join, resolve } = process.getBuiltinModule('node:path')
const [writeFile, flush] = [util.promisify(write), util.promisify(fsync)]
const OWNER_ALONE = 0o600
/** Bytes of one write. Signals are handled between two writes. */
const PIECE = 2 ** 20
const WINDOWS = process.platform === 'win32'
/** Codes of `link` on file systems that have no links, such as FAT on a USB stick: on Windows, EISDIR. */
const NO_LINKS = ['EISDIR', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Runs `work`, then gives all files their names; if either fails, removes all. */
export async function withOutputs<Result>(
  { force }: { force: boolean },
  work: (outputs: Outputs) => Promise<Result>,
): Promise<Result> {
  const outputs = new Outputs(force)
  try {
    const result = await work(outputs)
    await outputs.commit()
    return result
  } finally {
    outputs.discard()
  }
}

export class Outputs {
  readonly #force: boolean
  readonly #files: OutputFile[] = []
  readonly #release = beforeEnd(() => this.#remove())

  constructor(force: boolean) {
    this.#force = force
  }

  create(path: string): OutputFile {
    const file = new OutputFile(path, this.#force)
    this.#files.push(file)
    return file
  }

  /** Creates a file with these bytes. */
  async write(path: string, bytes: Uint8Array): Promise<void> {
    await this.create(path).write(bytes)
  }

  async commit(): Promise<void> {
    for (const file of this.#files) await file.flush()
    const named: OutputFile[] = []
    try {
      for (const file of this.#files) {
        file.name()
        named.push(file)
      }
    } catch (error) {
      for (const file of named) file.unname()
      throw error
    }
    for (const folder of new Set(this.#files.map(({ folder }) => folder))) flushFolder(folder)
  }

  /** Removes every file that has only its temporary name. */
  discard(): void {
    this.#release()
    this.#remove()
  }

  #remove(): void {
    for (const file of this.#files) file.discard()
  }
}

export class OutputFile {
  readonly path: string
  readonly folder: string
  readonly #force: boolean
  readonly #temporary: string
  /** A second name of the file that this one replaces, until all have their names. */
  #replaced: string | undefined
  #descriptor: number | undefined

  constructor(path: string, force: boolean) {
    this.path = path
    this.folder = dirname(path)
    this.#force = force
    this.#temporary = join(this.folder, temporaryName())
    refuseTaken(path, force)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
    this.#descriptor = attempt(
      path,
      () => openSync(this.#temporary, flags, OWNER_ALONE),
      'its folder does not exist',
    )
  }

  async write(bytes: Uint8Array): Promise<void> {
    const descriptor = this.#descriptor as number
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await writeFile(descriptor, bytes, at, Math.min(PIECE, bytes.length - at))
        at += bytesWritten
      }
    } catch (error) {
      throw systemFailure(error, this.path)
    }
  }

  /** Waits until the bytes are on the disk. */
  async flush(): Promise<void> {
    await flush(this.#descriptor as number).catch(error => {
      throw systemFailure(error, this.path)
    })
    this.#close()
  }

  /** Gives the file its name. Without `force`, only if the name is free at this moment. */
  name(): void {
    refuseTaken(this.path, this.#force)
    attempt(this.path, () => {
      if (this.#force) this.#replace()
      else this.#link()
    })
  }

  /** Takes the name away again, and gives it back to the file that was replaced. */
  unname(): void {
    try {
      if (this.#replaced === undefined) unlinkSync(this.path)
      else renameSync(this.#replaced, this.path)
      this.#replaced = undefined
    } catch {
      // The failure that led here is the one to report.
    }
  }

  discard(): void {
    this.#close()
    remove(this.#temporary)
    if (this.#replaced !== undefined) remove(this.#replaced)
  }

  /** `link` never replaces a file. Where the file system has no links, an empty file reserves the name. */
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
    // Otherwise a process that is killed now would leave a second name of the file.
    remove(this.#temporary)
  }

  #replace(): void {
    const replaced = join(this.folder, temporaryName())
    try {
      linkSync(this.path, replaced)
      this.#replaced = replaced
    } catch {
      // The name is free, or the file system has no links: a failure of a later file then leaves the name free.
    }
    renameSync(this.#temporary, this.path)
  }

  #close(): void {
    if (this.#descriptor === undefined) return
    closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}

function temporaryName(): string {
  return `.hardware-aes-gcm-${crypto.randomBytes(8).toString('hex')}.part`
}

/**
 * Throws if `path` is taken: by anything without `force`, by anything but a plain file with it. Commands ask before they read
 * anything, so that nobody types a key in vain.
 */
export function refuseTaken(path: string, force: boolean): void {
  const what = kindAt(path)
  if (what === undefined) return
  if (what === 'file') {
    if (force) return
    throw systemFailure({ code: 'EEXIST' }, path)
  }
  const why = what === 'a symbolic link' ? ', which is not followed' : ', not a file'
  throw new Failure('EEXIST', `${path}: is ${what}${why}`, { files: [path] })
}

/** Whether two paths are the same name. Windows does not tell capitals from small letters. */
export function sameName(one: string, other: string): boolean {
  const [first, second] = [resolve(one), resolve(other)]
  return WINDOWS ? first.toLowerCase() === second.toLowerCase() : first === second
}

function kindAt(path: string): string | undefined {
  const found = attempt(path, () => lstatSync(path, { throwIfNoEntry: false }))
  if (found === undefined) return undefined
  if (found.isDirectory()) return 'a folder'
  if (found.isSymbolicLink()) return 'a symbolic link'
  return found.isFile() ? 'file' : 'a device, pipe or socket'
}

function attempt<Result>(path: string, call: () => Result, missing?: string): Result {
  try {
    return call()
  } catch (error) {
    if (missing !== undefined && codeOf(error) === 'ENOENT')
      throw new Failure('ENOENT', `${path}: ${missing}`, { files: [path] })
    throw systemFailure(error, path)
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It has its name already, or somebody removed it.
  }
}

/** Puts the names on the disk, where the system can: Windows opens no folders. */
function flushFolder(folder: string): void {
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
