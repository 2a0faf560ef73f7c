// Memory for outgoing records. A socket may read it long after a write returned, so it is never
// used again, except for blocks: those go to sockets that report when they have taken the bytes
// (socket.cts).
import type { Buffer } from 'node:buffer'
import { allocate, allocateOffHeap, viewOf } from '../../../cipher/base/views.cjs'

/** Small records share memory: an ArrayBuffer costs more than encrypting such a record. */
const SHARED_BYTES = 2 ** 16
const SMALL = 2 ** 12

/** Bytes of data sealed before the socket has taken earlier ones. */
export const BATCH = 2 ** 17
/** Room for a batch, for its records' other bytes, and for those of a few records without data. */
const BLOCK_BYTES = BATCH + 1024
/** Less data gets its own memory: many streams may each have a little on its way. */
const WORTH_A_BLOCK = 2 ** 15
/** Blocks that wait to be used again, for all streams of a thread together: 1032 KiB. */
const MAX_BLOCKS = 8

let memory = allocateOffHeap(0)
let used = 0
const blocks: Buffer<ArrayBuffer>[] = []

/** Memory for records, in `block` if there is one and they fit. */
export function outgoing(bytes: number, block?: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  if (block !== undefined && bytes <= block.length) return viewOf(block, 0, bytes) as Buffer<ArrayBuffer>
  if (bytes > SMALL) return allocate(bytes)
  if (used + bytes > memory.length) {
    memory = allocateOffHeap(SHARED_BYTES)
    used = 0
  }
  const part = viewOf(memory, used, bytes) as Buffer<ArrayBuffer>
  used += bytes
  return part
}

/** A block for this many bytes, if worthwhile. The caller has it until `giveBack`. */
export function blockFor(bytes: number): Buffer<ArrayBuffer> | undefined {
  return bytes < WORTH_A_BLOCK ? undefined : (blocks.pop() ?? allocate(BLOCK_BYTES))
}

/** Takes a block back. The socket no longer reads it, and it holds records, not plaintext. */
export function giveBack(block: Buffer<ArrayBuffer>): void {
  if (blocks.length < MAX_BLOCKS) blocks.push(block)
}
