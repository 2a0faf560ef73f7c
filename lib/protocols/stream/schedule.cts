// The keys of a message: HKDF-Expand with SHA-512. Not node:crypto's `hkdfSync`, which extracts.
import type { Buffer } from 'node:buffer'
import { hmacOf } from '../../cipher/base/digests.cjs'
import { bytesOfText } from '../../cipher/base/utf8.cjs'
import { allocateOffHeap, byteLength, bytesOver, copy, copyShort, wipe } from '../../cipher/base/views.cjs'
import { COMMITMENT_BYTES, SALT_BYTES } from './sizes.cjs'

const NONCE_BYTES = 12
const BLOCK_BYTES = 64
const [FIRST, SECOND] = [new Uint8Array([1]), new Uint8Array([2])]
/** The label, the AEAD's name by the length of the key, and a zero byte. */
const label = (aead: string) => bytesOfText(`c2sp.org/chunked-encryption@v1+${aead}\0`)
const [AES_128, AES_256] = [label('AEAD_AES_128_GCM'), label('AEAD_AES_256_GCM')]

/** The secrets of one message off V8's heap, which the owner wipes, and views of them. */
export interface MessageKeys {
  readonly memory: Buffer<ArrayBuffer>
  readonly key: Uint8Array
  readonly baseNonce: Uint8Array
  readonly commitment: Uint8Array
}

/** Derives the secrets of a message from a key of 16 or 32 bytes. */
export function derive(key: Uint8Array, salt: Uint8Array, context: Uint8Array): MessageKeys {
  const length = byteLength(key)
  const name = length === 16 ? AES_128 : AES_256
  const info = new Uint8Array(name.length + SALT_BYTES + byteLength(context))
  copy(info, name)
  copy(info, salt, name.length)
  copy(info, context, name.length + SALT_BYTES)
  const memory = allocateOffHeap(length + NONCE_BYTES + COMMITMENT_BYTES)
  const first = hmacOf('sha512', key, info, FIRST)
  let second: Buffer | undefined
  try {
    if (memory.length > BLOCK_BYTES) {
      second = hmacOf('sha512', key, first, info, SECOND)
      copyShort(bytesOver(memory.buffer, BLOCK_BYTES, memory.length - BLOCK_BYTES), second, 0)
      // Last: no step that may fail comes after the key.
      copy(memory, first)
    } else copyShort(memory, first, 0)
  } finally {
    wipe(first, 0)
    if (second !== undefined) wipe(second, 0)
  }
  const view = (start: number, bytes: number) => bytesOver(memory.buffer, start, bytes)
  return {
    memory,
    key: view(0, length),
    baseNonce: view(length, NONCE_BYTES),
    commitment: view(length + NONCE_BYTES, COMMITMENT_BYTES),
  }
}
