// This package's AES-GCM and node:crypto's ChaCha20-Poly1305 (RFC 8439) behind one interface.
import type { Buffer } from 'node:buffer'
import type { CipherGCM, DecipherGCM } from 'node:crypto'
import { AesGcm } from '../../cipher/aead/aes-gcm.cjs'
import { crypto, uncurried } from '../../cipher/base/builtins.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { allocateOffHeap, byteLength, copy, wipe } from '../../cipher/base/views.cjs'
import type { SessionCipher } from './ciphers.cjs'

type Detached<Result> = (
  data: Uint8Array,
  nonce: Uint8Array,
  tag: Uint8Array,
  aad: Uint8Array | undefined,
) => Result

/** A key that seals and opens in place. Nonces are the caller's. */
export interface RecordCipher {
  readonly seal: Detached<void>
  /** Leaves `data` unchanged if the record fails authentication. */
  readonly open: Detached<boolean>
  /** Wipes the key. */
  destroy(): void
}

/** A key for `cipher`. Copies `key`. */
export function recordCipherOf(cipher: SessionCipher, key: Uint8Array): RecordCipher {
  return cipher.name === 'chacha20-poly1305' ? new ChaCha(key) : new Aes(key)
}

const prototype = AesGcm.prototype
const encryptDetached = uncurried(prototype.encryptDetached)
const tryDecryptDetached = uncurried(prototype.tryDecryptDetached)
const destroy = uncurried(prototype.destroy)

class Aes implements RecordCipher {
  readonly #key: AesGcm

  constructor(key: Uint8Array) {
    this.#key = new AesGcm(key)
  }

  seal(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad: Uint8Array | undefined): void {
    encryptDetached(this.#key, data, nonce, tag, aad)
  }

  open(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad: Uint8Array | undefined): boolean {
    return tryDecryptDetached(this.#key, data, nonce, tag, aad)
  }

  destroy(): void {
    destroy(this.#key)
  }
}

const { createCipheriv, createDecipheriv } = crypto
// The types of node:crypto lack these two classes.
const { Cipheriv, Decipheriv } = crypto as never as Record<string, { prototype: CipherGCM & DecipherGCM }>
const encipher = methodsOf((Cipheriv as { prototype: CipherGCM & DecipherGCM }).prototype)
const decipher = methodsOf((Decipheriv as { prototype: CipherGCM & DecipherGCM }).prototype)
const getAuthTag = uncurried((Cipheriv as { prototype: CipherGCM }).prototype.getAuthTag)
const setAuthTag = uncurried((Decipheriv as { prototype: DecipherGCM }).prototype.setAuthTag)

function methodsOf(prototype: CipherGCM & DecipherGCM) {
  type Receiver = CipherGCM | DecipherGCM
  return {
    setAad: uncurried(prototype.setAAD as never) as (cipher: Receiver, aad: Uint8Array) => unknown,
    update: uncurried(prototype.update as never) as (cipher: Receiver, data: Uint8Array) => Buffer,
    final: uncurried(prototype.final as never) as (cipher: Receiver) => Buffer,
  }
}

const ALGORITHM = 'chacha20-poly1305'
const OPTIONS = { __proto__: null, authTagLength: TAG_BYTES } as never as { authTagLength: number }

class ChaCha implements RecordCipher {
  readonly #key: Buffer

  constructor(key: Uint8Array) {
    this.#key = allocateOffHeap(byteLength(key))
    copy(this.#key, key)
  }

  seal(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad: Uint8Array | undefined): void {
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, OPTIONS)
    if (aad !== undefined) encipher.setAad(cipher, aad)
    copy(data, encipher.update(cipher, data))
    encipher.final(cipher)
    copy(tag, getAuthTag(cipher))
  }

  open(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad: Uint8Array | undefined): boolean {
    const cipher = createDecipheriv(ALGORITHM, this.#key, nonce, OPTIONS)
    setAuthTag(cipher, tag)
    if (aad !== undefined) decipher.setAad(cipher, aad)
    const plaintext = decipher.update(cipher, data)
    try {
      decipher.final(cipher)
    } catch {
      wipe(plaintext, 0)
      return false
    }
    copy(data, plaintext)
    return true
  }

  destroy(): void {
    wipe(this.#key, 0)
  }
}
