// The sizes of a message (C2SP chunked-encryption), documented in types/stream.d.ts.
import type { Recipients } from '../../../types/stream.d.ts'
import { floor, min } from '../../cipher/base/builtins.cjs'
import { outOfRange } from '../../cipher/base/errors.cjs'
import { count } from '../../cipher/base/parse.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { recipientsOf, sizeFor, wrongKind } from './recipients.cjs'

export const SALT_BYTES = 24
export const COMMITMENT_BYTES = 32
export const HEADER_BYTES = SALT_BYTES + COMMITMENT_BYTES
/** Bytes of text in every chunk but the last one. */
export const CHUNK_BYTES = 2 ** 14
export const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES
/** Most chunks of a message. The last one is shorter than the others. */
export const MAX_CHUNKS = 2 ** 38
export const MAX_BYTES = MAX_CHUNKS * CHUNK_BYTES - 1
const MAX_ENCRYPTED = sealedSize(MAX_BYTES)

export function encryptedSize(bytes: number, recipients?: Recipients): number {
  const size = sealedSize(count('bytes', bytes, 0, MAX_BYTES))
  if (recipients === undefined) return size
  const list = recipientsOf('recipients', recipients)
  if (list !== undefined) return sizeFor(list) + size
  throw wrongKind('recipients', 'a PublicKeyring, or an array of them', kindOf(recipients))
}

function sealedSize(bytes: number): number {
  return HEADER_BYTES + bytes + TAG_BYTES * (floor(bytes / CHUNK_BYTES) + 1)
}

export function decryptedSize(bytes: number): number {
  count('bytes', bytes, HEADER_BYTES + TAG_BYTES, MAX_ENCRYPTED)
  const { chunks, rest } = chunksOf(bytes - HEADER_BYTES)
  if (rest >= TAG_BYTES) return chunks * CHUNK_BYTES + rest - TAG_BYTES
  const what = `must be the size of a message, which ends with 16 to 16399 bytes behind whole chunks, got ${bytes}`
  throw outOfRange(`"bytes" ${what}`)
}

/** The whole chunks after a header, and the bytes of the last one: at least 16 if genuine. */
export function chunksOf(body: number): { chunks: number; rest: number } {
  const rest = body % SEALED_BYTES
  return { chunks: (body - rest) / SEALED_BYTES, rest }
}

export function encryptedRange(start: number, end: number): { start: number; end: number } {
  count('end', end, 0, MAX_BYTES)
  count('start', start, 0, end)
  const first = floor(start / CHUNK_BYTES)
  const after = start === end ? first : floor((end - 1) / CHUNK_BYTES) + 1
  const position = (chunk: number) => HEADER_BYTES + chunk * SEALED_BYTES
  return { start: position(first), end: min(position(after), MAX_ENCRYPTED) }
}
