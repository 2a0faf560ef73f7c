// HMAC-SHA256 (RFC 2104) of short keys, as two hashes, each in one call. Node's createHmac takes a
// fifth longer, on Node 24 eight times as long, and a KeyObject would keep the key until a
// collection.
import { crypto } from './builtins.cjs'
import { part } from './bytes.cjs'
import { allocateOffHeap, byteLength, copy, wipe } from './views.cjs'

/** Bytes of a block of SHA-256, and of a hash. */
const BLOCK_BYTES = 64
export const HASH_BYTES = 32
/** More than an HMAC of secrets needs here: a longer text, which is public, has its own memory. */
const SCRATCH_BYTES = 256

const { hash } = crypto
const sha256 = (data: Uint8Array): Uint8Array => hash('sha256', data, 'buffer')

const inner = allocateOffHeap(SCRATCH_BYTES)
const outer = allocateOffHeap(BLOCK_BYTES + HASH_BYTES)

/** The HMAC of the joined texts, which the caller wipes. The key has at most BLOCK_BYTES. */
export function hmac(key: Uint8Array, ...texts: readonly Uint8Array[]): Uint8Array {
  const keyBytes = byteLength(key)
  let end = BLOCK_BYTES
  for (let i = 0; i < texts.length; i++) end += byteLength(texts[i] as Uint8Array)
  const message = end <= SCRATCH_BYTES ? part(inner, 0, end) : allocateOffHeap(end)
  try {
    for (let i = 0; i < BLOCK_BYTES; i++) {
      const byte = i < keyBytes ? (key[i] as number) : 0
      message[i] = byte ^ 0x36
      outer[i] = byte ^ 0x5c
    }
    for (let i = 0, at = BLOCK_BYTES; i < texts.length; i++) {
      copy(message, texts[i] as Uint8Array, at)
      at += byteLength(texts[i] as Uint8Array)
    }
    const digest = sha256(message)
    copy(outer, digest, BLOCK_BYTES)
    wipe(digest, 0)
    return sha256(outer)
  } finally {
    wipe(message, 0)
    wipe(outer, 0)
  }
}
