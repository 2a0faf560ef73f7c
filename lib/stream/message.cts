// The native key of one message, to seal it or to open it.
import type { Buffer } from 'node:buffer'
import { crypto } from '../base/builtins.cjs'
import { allocate, bytesOver, copy, viewOf, wipe } from '../base/views.cjs'
import { fill } from '../machine/random.cjs'
import type { ChunksHandle } from '../native/binding.cjs'
import { chunksCreate } from '../native/calls.cjs'
import { chunksRefusal, wrongKey } from './errors.cjs'
import type { Settings } from './options.cjs'
import { derive, type MessageKeys } from './schedule.cjs'
import { COMMITMENT_BYTES, HEADER_BYTES, SALT_BYTES } from './sizes.cjs'

const { timingSafeEqual } = crypto
const CREATE = ['backend', 'key', 'baseNonce', 'arena']

/** A message to be sealed: its native key, and its header with a new salt. */
interface Begun {
  readonly handle: ChunksHandle
  readonly header: Buffer<ArrayBuffer>
}

/** Begins a message under `key`, which stays the caller's. */
export function begin(key: Uint8Array, settings: Settings): Begun {
  const header = allocate(HEADER_BYTES)
  const salt = bytesOver(header.buffer, 0, SALT_BYTES)
  fill(salt)
  const keys = derive(key, salt, settings.context)
  try {
    copy(header, keys.commitment, SALT_BYTES)
    return { handle: create(keys, settings), header }
  } finally {
    wipe(keys.memory, 0)
  }
}

/**
 * The native key of the message that begins with `header`. Refuses another key or context before
 * any chunk is opened: the commitment is compared in constant time.
 */
export function resume(key: Uint8Array, header: Uint8Array, settings: Settings): ChunksHandle {
  const part = (start: number, bytes: number) => viewOf(header, start, bytes) as Uint8Array
  const keys = derive(key, part(0, SALT_BYTES), settings.context)
  try {
    if (!timingSafeEqual(keys.commitment, part(SALT_BYTES, COMMITMENT_BYTES))) throw wrongKey()
    return create(keys, settings)
  } finally {
    wipe(keys.memory, 0)
  }
}

function create({ key, baseNonce }: MessageKeys, { backend, arena }: Settings): ChunksHandle {
  const handle = chunksCreate(backend, key, baseNonce, arena)
  if (typeof handle === 'number') throw chunksRefusal(handle, 0, CREATE, backend, key, baseNonce, arena)
  return handle
}
