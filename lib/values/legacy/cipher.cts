// Decrypts by AES-GCM of node:crypto, which also accepts IVs of 16 bytes and keys of 24.
import type { Buffer } from 'node:buffer'
import type { DecipherGCM } from 'node:crypto'
import { crypto, rethrowOverflow, uncurried } from '../../cipher/base/builtins.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { byteLength, wipe } from '../../cipher/base/views.cjs'

const { createDecipheriv } = crypto
// The types of node:crypto lack this class.
const { prototype } = (crypto as never as { Decipheriv: { prototype: DecipherGCM } }).Decipheriv
const setAad: (cipher: DecipherGCM, aad: Uint8Array) => unknown = uncurried(prototype.setAAD as never)
const setAuthTag: (cipher: DecipherGCM, tag: Uint8Array) => unknown = uncurried(prototype.setAuthTag as never)
const update: (cipher: DecipherGCM, data: Uint8Array) => Buffer<ArrayBuffer> = uncurried(
  prototype.update as never,
)
const final: (cipher: DecipherGCM) => Buffer = uncurried(prototype.final as never)

/** Without it, Node 20 accepts tags of 4 bytes. */
const OPTIONS = { __proto__: null, authTagLength: TAG_BYTES } as never as { authTagLength: number }

/** The parts of a message. */
export interface Parts {
  readonly iv: Uint8Array
  readonly tag: Uint8Array
  readonly ciphertext: Uint8Array
  /** Of which the key of this message is derived. */
  readonly salt?: Uint8Array | undefined
  /** Tells the keys that come into question. */
  readonly label?: string | undefined
}

/** The plaintext, which the caller wipes; undefined if authentication fails. */
export function decrypted(
  key: Uint8Array,
  { iv, tag, ciphertext }: Parts,
  aad: Uint8Array | undefined,
): Buffer<ArrayBuffer> | undefined {
  const name = `aes-${byteLength(key) * 8}-gcm` as 'aes-256-gcm'
  const cipher = createDecipheriv(name, key, iv, OPTIONS)
  setAuthTag(cipher, tag)
  if (aad !== undefined) setAad(cipher, aad)
  const plaintext = update(cipher, ciphertext)
  try {
    final(cipher)
    return plaintext
  } catch (error) {
    wipe(plaintext, 0)
    rethrowOverflow(error)
    return undefined
  }
}
