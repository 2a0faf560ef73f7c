// Cobblestone-128 and -256 (C2SP chunked-encryption, label v1) on node:crypto, message by message. The tests' oracle.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

export const SALT_BYTES = 24
export const HEADER_BYTES = 56
export const CHUNK_BYTES = 16_384
const TAG_BYTES = 16
const NONCE_BYTES = 12
const COMMITMENT_BYTES = 32
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES

/** What a reader must say of a message: its plaintext, or the chunks that came before the failure, and the failure. */
export type Verdict =
  | { ok: true; plaintext: Buffer }
  /** `position` is the plaintext offset of the first chunk that is not authentic. */
  | { ok: false; failure: 'wrong key' | 'truncated' | 'invalid'; position?: number; plaintext: Buffer }

/** The values that a message is sealed with. A key of 16 bytes is Cobblestone-128, one of 32 bytes Cobblestone-256. */
export function derive(key: Uint8Array, salt: Uint8Array, context: Uint8Array) {
  const label = `c2sp.org/chunked-encryption@v1+AEAD_AES_${key.length * 8}_GCM\0`
  const info = Buffer.concat([Buffer.from(label, 'latin1'), salt, context])
  const length = key.length + NONCE_BYTES + COMMITMENT_BYTES
  const blocks: Buffer[] = []
  // HKDF-Expand (RFC 5869 2.3): two blocks of SHA-512 are more than is needed.
  for (let i = 1; i <= 2; i++) {
    const before = blocks.at(-1) ?? Buffer.alloc(0)
    blocks.push(createHmac('sha512', key).update(before).update(info).update(Buffer.of(i)).digest())
  }
  const made = Buffer.concat(blocks).subarray(0, length)
  return {
    key: made.subarray(0, key.length),
    baseNonce: made.subarray(key.length, key.length + NONCE_BYTES),
    commitment: made.subarray(key.length + NONCE_BYTES),
  }
}

function nonceOf(baseNonce: Uint8Array, chunk: number): Buffer {
  const nonce = Buffer.from(baseNonce)
  const low = BigInt(`0x${nonce.subarray(4).toString('hex')}`) ^ BigInt(chunk)
  nonce.writeBigUInt64BE(low, 4)
  return nonce
}

/** One chunk of a message, by what `derive` gives. */
export function sealChunk(
  { key, baseNonce }: Pick<ReturnType<typeof derive>, 'key' | 'baseNonce'>,
  chunk: number,
  text: Uint8Array,
): Buffer {
  const cipher = createCipheriv(cipherOf(key), key, nonceOf(baseNonce, chunk))
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

const cipherOf = (key: Uint8Array) => (key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm')

/** A message with a salt of the caller's. */
export function seal(
  key: Uint8Array,
  plaintext: Uint8Array,
  salt: Uint8Array,
  context: Uint8Array = Buffer.alloc(0),
): Buffer {
  const derived = derive(key, salt, context)
  const parts: Uint8Array[] = [salt, derived.commitment]
  for (let chunk = 0; chunk <= Math.floor(plaintext.length / CHUNK_BYTES); chunk++) {
    const at = chunk * CHUNK_BYTES
    parts.push(sealChunk(derived, chunk, plaintext.subarray(at, at + CHUNK_BYTES)))
  }
  return Buffer.concat(parts)
}

/** The verdict on a message, by a reader who takes its chunks one after the other. */
export function open(key: Uint8Array, sealed: Uint8Array, context: Uint8Array = Buffer.alloc(0)): Verdict {
  const chunks: Buffer[] = []
  const fails = (failure: 'wrong key' | 'truncated' | 'invalid', position?: number): Verdict => ({
    ok: false,
    failure,
    ...(position !== undefined && { position }),
    plaintext: Buffer.concat(chunks),
  })
  if (sealed.length < HEADER_BYTES) return fails('truncated')
  const derived = derive(key, sealed.subarray(0, SALT_BYTES), context)
  if (!derived.commitment.equals(sealed.subarray(SALT_BYTES, HEADER_BYTES))) return fails('wrong key')
  for (let chunk = 0; ; chunk++) {
    const at = HEADER_BYTES + chunk * SEALED_CHUNK_BYTES
    const bytes = sealed.subarray(at, at + SEALED_CHUNK_BYTES)
    // The last chunk is always shorter than a whole one, so a message that ends behind a whole one lacks its last.
    if (bytes.length === 0) return fails('truncated', chunk * CHUNK_BYTES)
    if (bytes.length < TAG_BYTES) return fails('invalid', chunk * CHUNK_BYTES)
    const cipher = createDecipheriv(cipherOf(key), derived.key, nonceOf(derived.baseNonce, chunk))
    cipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const plaintext = cipher.update(bytes.subarray(0, -TAG_BYTES))
    try {
      cipher.final()
    } catch {
      return fails('invalid', chunk * CHUNK_BYTES)
    }
    chunks.push(plaintext)
    if (bytes.length < SEALED_CHUNK_BYTES) return { ok: true, plaintext: Buffer.concat(chunks) }
  }
}
