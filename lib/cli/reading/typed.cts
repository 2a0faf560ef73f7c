// Secrets that a user types or pastes at a terminal, which does not show them.
import type { Buffer } from 'node:buffer'
import { buffer as node } from '../../cipher/base/builtins.cjs'
import { beforeEnd, endBy } from '../frame/ending.cjs'
import type { Streams } from '../frame/streams.cjs'
import { Keystrokes } from './keystrokes.cjs'

const NEWLINE = 0x0a

/** Reads lines from the terminal until Ctrl-D. Always restores the mode of the terminal. */
export function readTyped(streams: Streams, limit: number, wanted: string): Promise<Buffer> {
  const prompt = `Type or paste ${wanted} (not shown), then press Enter and Ctrl-D:\n`
  return readKeys(streams, limit, prompt, (chunk, keys) => isEnded(chunk, keys, streams.stderr))
}

/**
 * Reads one line from the terminal, without its line break. Further keys wait for the next read.
 */
export async function readTypedLine(streams: Streams, limit: number, prompt: string): Promise<Buffer> {
  try {
    const line = await readKeys(streams, limit, prompt, (chunk, keys) => {
      const end = endOfLine(chunk, keys)
      if (end < 0) return false
      if (end < chunk.length) streams.stdin.unshift(node.Buffer.from(chunk.subarray(end)))
      return true
    })
    return line.at(-1) === NEWLINE ? line.subarray(0, -1) : line
  } finally {
    streams.stderr.write('\n')
  }
}

/** Reads keys until `take` is done with them. */
async function readKeys(
  { stdin, stderr }: Streams,
  limit: number,
  prompt: string,
  take: (chunk: Buffer, keys: Keystrokes) => boolean,
): Promise<Buffer> {
  const keys = new Keystrokes(limit)
  const restore = () => stdin.setRawMode?.(false)
  const release = beforeEnd(restore)
  let forget = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      const onChunk = (chunk: Buffer) => {
        try {
          stdin.pause() // no further chunk comes before this one is done
          if (take(chunk, keys)) resolve()
          else stdin.resume()
        } catch (error) {
          reject(error)
        } finally {
          chunk.fill(0)
        }
      }
      forget = () => stdin.off('error', reject).off('end', resolve).off('data', onChunk)
      stdin.on('error', reject)
      stdin.setRawMode?.(true)
      stderr.write(prompt)
      stdin.on('end', resolve).on('data', onChunk)
      stdin.resume()
    })
    return keys.bytes
  } catch (error) {
    keys.wipe()
    throw error
  } finally {
    stdin.pause()
    forget()
    restore()
    release()
  }
}

/** Takes the keys of a chunk up to the one that ends the text. Ctrl-C ends the process. */
function isEnded(chunk: Buffer, keys: Keystrokes, stderr: NodeJS.WritableStream): boolean {
  for (const byte of chunk) {
    const stroke = keys.take(byte)
    if (stroke === 'end') return true
    if (stroke === 'interrupt') interrupt(chunk, keys)
    else if (stroke !== undefined && stroke.characters > 0) {
      // The text is hidden, so its length confirms that all of it has arrived.
      stderr.write(`line ${stroke.line}: ${stroke.characters} characters\n`)
    }
  }
  return false
}

/** Takes the keys of a line. Returns where the next line begins in the chunk, or -1. */
function endOfLine(chunk: Buffer, keys: Keystrokes): number {
  for (let i = 0; i < chunk.length; i++) {
    const stroke = keys.take(chunk[i] as number)
    if (stroke === 'interrupt') interrupt(chunk, keys)
    else if (stroke !== undefined) return i + 1
  }
  return -1
}

function interrupt(chunk: Buffer, keys: Keystrokes): void {
  chunk.fill(0)
  keys.wipe()
  endBy('SIGINT')
}
