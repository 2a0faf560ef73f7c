// The key schedule: HKDF-SHA512 (RFC 5869) over node:crypto's HMAC. Not `hkdfSync`, which always
// extracts: a session expands one pseudorandom key several times.
import type { Buffer } from 'node:buffer'
import { part } from '../../cipher/base/bytes.cjs'
import { hashOf, hmacOf } from '../../cipher/base/digests.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { bytesOfText } from '../../cipher/base/utf8.cjs'
import { allocateOffHeap, copy, wipe } from '../../cipher/base/views.cjs'
import type { SessionCipher } from './ciphers.cjs'

export const IV_BYTES = 12
const CHAIN_BYTES = 64

/** From the initiator to the responder, or back. */
export type Direction = 1 | 2
type Purpose = 'key' | 'iv' | 'chain'

/** The secrets of one direction for one epoch, off V8's heap. Their owner wipes them. */
export interface DirectionKeys {
  readonly key: Buffer<ArrayBuffer>
  readonly iv: Buffer<ArrayBuffer>
  /** From which the keys of the next epoch come. */
  readonly chain: Buffer<ArrayBuffer>
}

/** HKDF-Extract: a pseudorandom key of 64 bytes, which the caller wipes. */
export function extract(salt: Uint8Array, secret: Uint8Array): Buffer {
  return hmacOf('sha512', salt, secret)
}

/** HKDF-Expand to at most 64 bytes, the length of one block. */
function expand(prk: Uint8Array, info: Uint8Array, bytes: number): Buffer<ArrayBuffer> {
  const expanded = allocateOffHeap(bytes)
  const block = hmacOf('sha512', prk, info, Uint8Array.of(1))
  try {
    copy(expanded, part(block, 0, bytes))
  } finally {
    wipe(block, 0)
  }
  return expanded
}

function infoOf(label: string, direction: Direction, purpose: Purpose): Uint8Array {
  return bytesOfText(`${label}\0${direction === 1 ? '\x01' : '\x02'}${purpose}`)
}

export function directionKeys(
  { label, keyBytes }: SessionCipher,
  direction: Direction,
  prk: Uint8Array,
): DirectionKeys {
  const derive = (purpose: Purpose, bytes: number) => expand(prk, infoOf(label, direction, purpose), bytes)
  const key = derive('key', keyBytes)
  return orWipe(key, () => {
    const iv = derive('iv', IV_BYTES)
    return orWipe(iv, () => ({ key, iv, chain: derive('chain', CHAIN_BYTES) }))
  })
}

/** KeibiDrop's key: no salt, which means a block of zeros to HMAC, and the label alone. */
export function keibidropKey(
  { label, keyBytes }: SessionCipher,
  concatenated: Uint8Array,
): Buffer<ArrayBuffer> {
  const prk = extract(new Uint8Array(CHAIN_BYTES), concatenated)
  try {
    return expand(prk, bytesOfText(label), keyBytes)
  } finally {
    wipe(prk, 0)
  }
}

/**
 * The transcript of a handshake: both hellos, and the context if any, each after its length, so no
 * others have the same transcript.
 */
export function transcriptOf(
  initiator: Uint8Array,
  responder: Uint8Array,
  context: Uint8Array | undefined,
): Buffer {
  const parts = context === undefined ? [initiator, responder] : [initiator, responder, context]
  return hashOf('sha512', ...parts.flatMap(part => [Uint8Array.of(part.length >> 8, part.length), part]))
}
