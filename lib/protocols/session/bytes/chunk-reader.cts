// The bytes of several chunks, read one after the other.
import { uncurried } from '../../../cipher/base/builtins.cjs'
import { detached } from '../../../cipher/base/errors.cjs'
import { byteLength, bytesOver, isAttached, spanOf } from '../../../cipher/base/views.cjs'

const set: (target: Uint8Array, source: Uint8Array, at: number) => void = uncurried(
  Uint8Array.prototype.set as never,
)

/** Reads chunks once, from the first byte to the last one. */
export class ChunkReader {
  readonly #chunks: readonly Uint8Array[]
  /** The chunk to read next, and the offset in it. */
  #index = 0
  #offset = 0
  /** Bytes not yet read. */
  left = 0

  constructor(chunks: readonly Uint8Array[]) {
    this.#chunks = chunks
    for (let i = 0; i < chunks.length; i++) this.left += byteLength(chunks[i] as Uint8Array)
  }

  /** Fills `bytes` bytes of `target` from `at` on with the next ones of the chunks. */
  fill(target: Uint8Array, at: number, bytes: number): void {
    const end = at + bytes
    this.left -= bytes
    while (at < end) {
      const chunk = this.#chunks[this.#index]
      const from = this.#offset
      const rest = chunk === undefined ? 0 : byteLength(chunk) - from
      // A caller may detach or shrink the memory of a chunk that waits.
      if (chunk === undefined || rest < 0 || (rest === 0 && !isAttached(chunk))) throw detached('chunk')
      const some = rest < end - at ? rest : end - at
      set(target, some === rest && from === 0 ? chunk : part(chunk, from, some), at)
      at += some
      if (some === rest) {
        this.#index++
        this.#offset = 0
      } else {
        this.#offset = from + some
      }
    }
  }
}

/** A view of part of a chunk. Not `subarray`, which would run the code of a caller's class. */
function part(chunk: Uint8Array, from: number, bytes: number): Uint8Array {
  const span = spanOf(chunk)
  if (span === undefined || span === 'detached') throw detached('chunk')
  return bytesOver(span.buffer, span.start + from, bytes)
}
