// Files that a command writes: complete or absent, readable by their owner alone, replacing other
// files only if asked.
//
// Every file is written under a temporary name in its folder. Once all are on the disk, they are
// renamed without a turn of the event loop between, so a signal finds all of the names or none.
import { codeOf, fs, util } from '../../cipher/base/builtins.cjs'
import { flushFolder, PartFile, refuseTaken as refuse, type Taken } from '../../cipher/files/part-file.cjs'
import { beforeEnd } from '../frame/ending.cjs'
import { Failure, systemFailure } from '../frame/failure.cjs'

const [writeFile, flush] = [util.promisify(fs.write), util.promisify(fs.fsync)]
/** Bytes of one write. Signals are handled between two writes. */
const PIECE = 2 ** 20

/** Runs `work`, then names all files; removes all if either fails. `flushing` precedes the sync. */
export async function withOutputs<Result>(
  { force, flushing }: { force: boolean; flushing?: () => void },
  work: (outputs: Outputs) => Promise<Result>,
): Promise<Result> {
  const outputs = new Outputs(force)
  try {
    const result = await work(outputs)
    flushing?.()
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

class OutputFile {
  readonly path: string
  readonly folder: string
  readonly #part: PartFile

  constructor(path: string, force: boolean) {
    this.#part = attempt(path, () => new PartFile(path, force), 'its folder does not exist')
    this.path = path
    this.folder = this.#part.folder
  }

  /** The descriptor to write to, until `flush`. */
  get descriptor(): number {
    return this.#part.descriptor
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { descriptor } = this
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
    await flush(this.descriptor).catch(error => {
      throw systemFailure(error, this.path)
    })
    this.#part.close()
  }

  /** Gives the file its name. Without `force`, only if the name is free at this moment. */
  name(): void {
    attempt(this.path, () => this.#part.name())
  }

  /** Removes the name again, and restores the file that it replaced. */
  unname(): void {
    this.#part.unname()
  }

  discard(): void {
    this.#part.discard()
  }
}

/**
 * Throws if `path` is taken: by anything without `force`, by anything but a plain file with it.
 * Commands check before they read, so no key is typed in vain.
 */
export function refuseTaken(path: string, force: boolean): void {
  attempt(path, () => refuse(path, force))
}

function attempt<Result>(path: string, call: () => Result, missing?: string): Result {
  try {
    return call()
  } catch (error) {
    if (missing !== undefined && codeOf(error) === 'ENOENT')
      throw new Failure('ENOENT', missing, { about: path })
    const kind = codeOf(error) === 'EEXIST' ? (error as Taken).kind : undefined
    if (kind === undefined || kind === 'a file') throw systemFailure(error, path)
    const why = kind === 'a symbolic link' ? ', which is not followed' : ', not a file'
    throw new Failure('EEXIST', `is ${kind}${why}`, { about: path })
  }
}
