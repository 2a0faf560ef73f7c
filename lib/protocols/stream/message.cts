// The native key of one message, to seal it or to open it.
import type { Buffer } from 'node:buffer'
import { crypto } from '../../cipher/base/builtins.cjs'
import { allocate, byteLength, bytesOver, copy, viewOf, wipe } from '../../cipher/base/views.cjs'
import { fill } from '../../cipher/machine/random.cjs'
import type { ChunksHandle } from '../../cipher/native/binding.cjs'
import { chunksCreate } from '../../cipher/native/calls.cjs'
import { chunksRefusal, FOR_RECIPIENTS, wrongKey } from './errors.cjs'
import type { OpeningKey, SealingKey } from './keys.cjs'
import type { Settings } from './options.cjs'
import { isForRecipients } from './recipients.cjs'
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
export function begin({ bytes, before }: SealingKey, settings: Settings): Begun {
  const start = byteLength(before)
  const header = allocate(start + HEADER_BYTES)
  copy(header, before)
  const salt = bytesOver(header.buffer, start, SALT_BYTES)
  fill(salt)
  const keys = derive(bytes, salt, boundTo(before, settings.context))
  try {
    copy(header, keys.commitment, start + SALT_BYTES)
    return { handle: create(keys, settings), header }
  } finally {
    wipe(keys.memory, 0)
  }
}

/**
 * The native key of the message that begins with `header`. Refuses another key or context before
 * any chunk is opened: the commitment is compared in constant time.
 */
export function resume(key: OpeningKey, header: Uint8Array, settings: Settings): ChunksHandle {
  const part = (start: number, bytes: number) => viewOf(header, start, bytes) as Uint8Array
  const start = byteLength(header) - HEADER_BYTES
  const before = part(0, start)
  return key.lend(before, bytes => {
    const keys = derive(bytes, part(start, SALT_BYTES), boundTo(before, settings.context))
    try {
      if (timingSafeEqual(keys.commitment, part(start + SALT_BYTES, COMMITMENT_BYTES)))
        return create(keys, settings)
      throw wrongKey(start === 0 && isForRecipients(header) ? FOR_RECIPIENTS : undefined)
    } finally {
      wipe(keys.memory, 0)
    }
  })
}

/**
 * The context that keys are derived with: what stands in front of the salt, then the caller's. The
 * former says how long it is, so two different pairs are never one context.
 */
function boundTo(before: Uint8Array, context: Uint8Array): Uint8Array {
  const start = byteLength(before)
  if (start === 0) return context
  const both = allocate(start + byteLength(context))
  copy(both, before)
  copy(both, context, start)
  return both
}

function create({ key, baseNonce }: MessageKeys, { backend, arena }: Settings): ChunksHandle {
  const handle = chunksCreate(backend, key, baseNonce, arena)
  if (typeof handle === 'number') throw chunksRefusal(handle, 0, CREATE, backend, key, baseNonce, arena)
  return handle
}
