// A range of an encrypted file, as HTTP and curl write it: both ends belong to it.
import type { DecryptionKey } from '../../../types/stream.d.ts'
import { crypto, fs } from '../../cipher/base/builtins.cjs'
import { DecryptionReader } from '../../protocols/stream/reader.cjs'
import type { Call } from '../frame/command.cjs'
import { Failure, systemFailure, unusable } from '../frame/failure.cjs'
import { notDecrypted, type OpeningSecret, type Work } from '../writing/through-cipher.cjs'

const { open } = fs.promises
/** Bytes decrypted at once. */
const PIECE = 2 ** 20

/** `first` to `last`, both included, or to the end if `last` is undefined; or the `final` bytes. */
type Range = { first: number; last: number | undefined } | { final: number }

export function rangeIn(call: Call): Range | undefined {
  const text = call.text('range')
  if (text === undefined) return undefined
  const [, from = '', to = ''] = /^(\d{0,16})-(\d{0,16})$/.exec(text) ?? []
  const [first, last] = [Number(from), Number(to)]
  if (from === '' && to === '') throw call.misuse('--range must be FROM-TO, FROM- or -LENGTH, in bytes')
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) {
    throw call.misuse('--range must be below 2^53')
  }
  if (from === '') return { final: last }
  if (to === '') return { first, last: undefined }
  if (first > last) throw call.misuse('--range ends before it begins')
  return { first, last }
}

/** Decrypts a range of a file. `deliver` runs the work that writes. */
export async function decryptRangeTo(
  call: Call,
  path: string,
  { key, context }: OpeningSecret,
  range: Range,
  deliver: (work: Work) => Promise<void>,
): Promise<void> {
  let written = 0
  const file = await open(path, 'r').catch(error => {
    throw systemFailure(error, path)
  })
  try {
    const facts = await file.stat()
    if (facts.isDirectory()) throw systemFailure({ code: 'EISDIR' }, path)
    if (!facts.isFile()) throw unusable(path, 'is not a regular file, which --range needs')
    // As a KeyObject, without the warning about text, which `keyIn` has judged already.
    const own = key instanceof Uint8Array ? crypto.createSecretKey(key) : key
    const reader = await DecryptionReader.open(file, own as DecryptionKey, { context })
    try {
      const [start, end] = boundsOf(range, reader.size, path)
      await deliver(async (write, progress) => {
        progress.begin(end - start)
        for (let at = start; at < end; ) {
          // Up to the end of a piece, so the next pieces begin with whole chunks.
          const bytes = await reader.read(at, Math.min(at - (at % PIECE) + PIECE, end))
          try {
            await write(bytes)
          } finally {
            bytes.fill(0)
          }
          at += bytes.length
          written += bytes.length
          progress.at(written)
        }
        return end - start
      })
    } finally {
      reader.destroy()
    }
  } catch (error) {
    const incomplete = call.out === undefined && written > 0
    throw notDecrypted(systemFailure(error, path), path, { key, incomplete })
  } finally {
    await file.close()
  }
}

/** A range that goes beyond the end is cut there; one that begins there is refused. */
function boundsOf(range: Range, size: number, path: string): [start: number, end: number] {
  if ('final' in range) return [Math.max(0, size - range.final), size]
  const { first, last } = range
  if (first >= size) {
    const what = `has ${size} bytes of data: the range starts after them`
    throw new Failure('ERR_OUT_OF_RANGE', what, { about: path })
  }
  return [first, last === undefined ? size : Math.min(last + 1, size)]
}
