// Memory for records that go out. Its owner never uses it again, because a socket may read it long after a write returned.

import type { Buffer } from 'node:buffer'
import { allocate, allocateApart, viewOf } from '../views.cjs'

/** Small records share memory: an ArrayBuffer of its own takes longer than the encryption of such a record. */
const SHARED_BYTES = 2 ** 16
const SMALL = 2 ** 12

let memory = allocateApart(0)
let used = 0

export function outgoing(bytes: number): Buffer<ArrayBuffer> {
  if (bytes > SMALL) return allocate(bytes)
  if (used + bytes > memory.length) {
    memory = allocateApart(SHARED_BYTES)
    used = 0
  }
  const part = viewOf(memory, used, bytes) as Buffer<ArrayBuffer>
  used += bytes
  return part
}
