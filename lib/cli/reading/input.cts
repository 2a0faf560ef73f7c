// The files that commands read, and standard input.
import type { Buffer } from 'node:buffer'
import { fs, util } from '../../cipher/base/builtins.cjs'
import { Failure, systemFailure, unusable } from '../frame/failure.cjs'
import { STANDARD, STDIN_NAME, type Streams } from '../frame/streams.cjs'
import { Growing, TOO_LONG } from './growing.cjs'
import { readTyped } from './typed.cjs'

const [openFile, closeFile, statFile, readFile] = [
  util.promisify(fs.open),
  util.promisify(fs.close),
  util.promisify(fs.fstat),
  util.promisify(fs.read),
]
const PIECE = 65_536

/** A file or standard input, as a command read it. The command must wipe `bytes`. */
export interface Input {
  readonly name: string
  readonly bytes: Buffer
}

/**
 * Reads a file, or standard input if `path` is `-`. Refuses more than `limit` bytes: too long for
 * `kind`, such as `a key`.
 * @param wanted names the text to type, if standard input is a terminal. Without it, a terminal is
 * refused.
 */
export async function readInput(
  streams: Streams,
  path: string,
  limit: number,
  kind: string,
  wanted?: string,
): Promise<Input> {
  const name = path === STANDARD ? STDIN_NAME : path
  try {
    return {
      name,
      bytes: await (path === STANDARD ? readStdin(streams, limit, wanted) : readWhole(path, limit)),
    }
  } catch (error) {
    if (error === TOO_LONG) throw unusable(name, `is longer than ${limit} bytes, too long for ${kind}`)
    throw systemFailure(error, name)
  }
}

async function readWhole(path: string, limit: number): Promise<Buffer> {
  const file = await openFile(path, 'r')
  let growing: Growing | undefined
  try {
    // A pipe has the size 0. A folder has one, too, and reading it fails with a better reason.
    const facts = await statFile(file)
    const size = facts.isFile() ? facts.size : 0
    growing = new Growing(limit, size || PIECE)
    for (;;) {
      const { room } = growing
      const { bytesRead } = await readFile(file, room, 0, room.length, null)
      if (bytesRead === 0) return growing.bytes
      growing.took(bytesRead)
    }
  } catch (error) {
    growing?.wipe()
    throw error
  } finally {
    await closeFile(file)
  }
}

async function readStdin(streams: Streams, limit: number, wanted: string | undefined): Promise<Buffer> {
  if (streams.stdin.isTTY && wanted !== undefined) return await readTyped(streams, limit, wanted)
  refuseTyping(streams)
  const growing = new Growing(limit, PIECE)
  try {
    for await (const chunk of streams.stdin as AsyncIterable<Buffer>) {
      try {
        for (let at = 0; at < chunk.length; ) {
          const taken = chunk.copy(growing.room, 0, at)
          growing.took(taken)
          at += taken
        }
      } finally {
        chunk.fill(0)
      }
    }
    return growing.bytes
  } catch (error) {
    growing.wipe()
    throw error
  }
}

/** Refuses to read bytes from a terminal. */
export function refuseTyping({ stdin }: Streams): void {
  if (!stdin.isTTY) return
  const what = 'standard input is a terminal: pass a file or use a pipe'
  throw new Failure('ERR_TERMINAL', what)
}
