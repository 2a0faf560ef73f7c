// Secrets that a user types or pastes at a terminal, which does not show them.
import type { Buffer } from 'node:buffer'
import { beforeEnd, endBy } from '../frame/ending.cjs'
import type { Streams } from '../frame/streams.cjs'
import { Keystrokes } from './keystrokes.cjs'

/** Reads lines from the terminal until Ctrl-D. Always restores the mode of the terminal. */
export async function readTyped({ stdin, stderr }: Streams, limit: number, wanted: string): Promise<Buffer> {
  const keys = new Keystrokes(limit)
  const restore = () => stdin.setRawMode?.(false)
  const release = beforeEnd(restore)
  let forget = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      const take = (chunk: Buffer) => {
        try {
          if (!isEnded(chunk, keys, stderr)) return
          stdin.pause() // no further chunk comes
          resolve()
        } catch (error) {
          reject(error)
        } finally {
          chunk.fill(0)
        }
      }
      forget = () => stdin.off('error', reject).off('end', resolve).off('data', take)
      stdin.on('error', reject)
      stdin.setRawMode?.(true)
      stderr.write(`Type or paste ${wanted} (not shown), then press Enter and Ctrl-D:\n`)
      stdin.on('end', resolve).on('data', take)
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
    if (stroke === 'interrupt') {
      chunk.fill(0)
      keys.wipe()
      endBy('SIGINT')
    } else if (stroke !== undefined && stroke.characters > 0) {
      // The text is hidden, so its length confirms that all of it has arrived.
      stderr.write(`line ${stroke.line}: ${stroke.characters} characters\n`)
    }
  }
  return false
}
