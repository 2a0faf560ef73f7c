// Bytes that a command reads piece by piece, since they may not fit into memory.
import type { Buffer } from 'node:buffer'
import { fs, util } from '../../cipher/base/builtins.cjs'
import { shortened, systemFailure } from '../frame/failure.cjs'
import { STANDARD, STDIN_NAME, type Streams } from '../frame/streams.cjs'
import { refuseTyping } from './input.cjs'

const [openFile, closeFile, statFile, readFile] = [
  util.promisify(fs.open),
  util.promisify(fs.close),
  util.promisify(fs.fstat),
  util.promisify(fs.read),
]

export interface Source {
  readonly name: string
  /** Null if not known yet, as for a pipe. */
  readonly size: number | null
  /** Reads some bytes to the beginning of `into`, and returns their number: 0 at the end. */
  read(into: Uint8Array): Promise<number>
  /** Ends a read that waits for input. */
  stop(): void
}

/** Opens a file, or standard input if `path` is `-`, for the time of `work`. */
export async function withSource<Result>(
  streams: Streams,
  path: string,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  if (path === STANDARD) {
    refuseTyping(streams)
    const source = new StandardInput(streams)
    try {
      return await work(source)
    } finally {
      source.stop()
    }
  }
  const naming = (error: unknown): never => {
    throw systemFailure(error, path)
  }
  const file = await openFile(path, 'r').catch(naming)
  try {
    const facts = await statFile(file).catch(naming)
    return await work({
      name: path,
      size: facts.isFile() ? facts.size : null,
      read: async into => (await readFile(file, into, 0, into.length, null).catch(naming)).bytesRead,
      stop() {},
    })
  } finally {
    await closeFile(file)
  }
}

class StandardInput implements Source {
  readonly name = STDIN_NAME
  readonly size = null
  readonly #stdin: Streams['stdin'] & { destroy?(): void }
  readonly #chunks: AsyncIterator<Buffer>
  /** The size at first, for a file. The descriptor does not say how much of it is to be read. */
  readonly #size = sizeOfInput()
  /** The rest of a chunk, which was not read yet. */
  #rest: Buffer | undefined

  constructor({ stdin }: Streams) {
    this.#stdin = stdin
    this.#chunks = (stdin as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  async read(into: Uint8Array): Promise<number> {
    try {
      while (this.#rest === undefined || this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next()
        if (done) {
          if (sizeOfInput() < this.#size) throw shortened(STDIN_NAME)
          return 0
        }
        this.#rest = value
      }
    } catch (error) {
      throw systemFailure(error, STDIN_NAME)
    }
    const taken = this.#rest.copy(into)
    this.#rest.fill(0, 0, taken)
    this.#rest = this.#rest.subarray(taken)
    return taken
  }

  stop(): void {
    this.#rest?.fill(0)
    // Chunks that were not read yet.
    for (let chunk = this.#stdin.read(); chunk !== null; chunk = this.#stdin.read()) (chunk as Buffer).fill(0)
    this.#stdin.destroy?.()
  }
}

/** The size of the file that is standard input; 0 for a pipe or a terminal. */
function sizeOfInput(): number {
  try {
    const facts = fs.fstatSync(0)
    return facts.isFile() ? facts.size : 0
  } catch {
    return 0
  }
}
