// Runs of chunks in the binding. Without a whole result, throws and wipes the target.
import { byteLength, wipe } from '../../cipher/base/views.cjs'
import type { ChunksHandle } from '../../cipher/native/binding.cjs'
import { chunksOpen, chunksSeal } from '../../cipher/native/calls.cjs'
import { chunksRefusal, resized } from './errors.cjs'

const SEAL = ['handle', 'source', 'target'] as const
const OPEN = ['handle', 'first', 'source', 'target'] as const

/** Fills `target` with the sealed chunks of `source`. */
export function sealChunks(
  handle: ChunksHandle,
  source: Uint8Array,
  target: Uint8Array,
  last: boolean,
): void {
  const status = chunksSeal(handle, source, target, last)
  if (status === byteLength(target)) return
  wipe(target, 0)
  throw status >= 0 ? resized() : chunksRefusal(status, 0, SEAL, handle, source, target)
}

/** Fills `target` with the plaintext of the chunks of `source`, whose first has number `first`. */
export function openChunks(
  handle: ChunksHandle,
  first: number,
  source: Uint8Array,
  target: Uint8Array,
  last: boolean,
): void {
  const status = chunksOpen(handle, first, source, target, last)
  if (status === byteLength(target)) return
  wipe(target, 0)
  throw status >= 0 ? resized() : chunksRefusal(status, first, OPEN, handle, first, source, target)
}
