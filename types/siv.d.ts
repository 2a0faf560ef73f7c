/// <reference types="node" />

/**
 * AES-GCM-SIV (RFC 8452) on Buffers, in place: a cipher with which a repeated nonce reveals only that two messages are equal.
 *
 * Wrong arguments throw as in the main entry, and change no buffer.
 */

import type { KeyObject } from 'node:crypto'
import type { Aead, AeadOptions } from '../index.d.ts'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** Length of a nonce in bytes. */
export declare const NONCE_BYTES: 12
/** Length of a tag in bytes; tags are never truncated. */
export declare const TAG_BYTES: 16
/** Bytes that a frame adds to its plaintext: nonce and tag. */
export declare const OVERHEAD: 28

/** Options of an {@link AesGcmSiv}: a plain object, read like the options of an `AesGcm`. */
export interface AesGcmSivOptions extends AeadOptions {
  /**
   * Where a frame carries its nonce; sender and receiver must agree.
   * - `'start'` (default): `nonce(12) ‖ ciphertext ‖ tag(16)`
   * - `'end'`: `ciphertext ‖ tag(16) ‖ nonce(12)`
   */
  nonceAt?: 'start' | 'end' | undefined
  /**
   * Number of frames this object may encrypt, from 0 to 2^48 (RFC 8452 section 9).
   *
   * Default: 2^48. Further encryptions into frames throw `ERR_AESGCM_KEY_EXHAUSTED`: make a new object with a new key.
   */
  maxMessages?: number | undefined
}

/**
 * One AES-GCM-SIV key of 128 or 256 bits, expanded once in native memory, with every method of `AesGcm`.
 *
 * @example
 * const siv = new AesGcmSiv(AesGcmSiv.generateKey())
 * const frame = siv.encrypt(Buffer.from('attack at dawn'))
 * siv.decrypt(frame).toString() // 'attack at dawn'
 *
 * @remarks
 * Use it where a nonce may repeat: on a machine restored from a snapshot, or on a cloned one. Two frames with the same nonce then
 * reveal only whether both have the same plaintext and additional data.
 *
 * `encryptDetached` with a fixed nonce makes the encryption deterministic: **equal messages have equal ciphertexts and tags, and
 * anyone can see it.**
 *
 * Encryption passes over the plaintext twice, so a long message needs more time than with `AesGcm`. An object encrypts at most
 * 2^48 frames and 2^48 blocks of 16 bytes. A frame does not commit to its key: a frame can be made that opens under two keys.
 * docs/guide/ciphers.md compares the classes.
 */
export declare class AesGcmSiv {
  /**
   * Whether this machine has a binary for its platform and a CPU with the instructions, like `AesGcm.isAvailable`.
   *
   * @example
   * if (!AesGcmSiv.isAvailable()) console.warn('no binary, or no AES instructions here')
   */
  static isAvailable(): boolean

  /**
   * A new random key: 32 bytes, or 16 for `generateKey(128)`, as `AesGcm.generateKey`, from the generator of `randomBytes`.
   *
   * @example
   * const key = AesGcmSiv.generateKey()
   *
   * @throws as `randomBytes`; `ERR_OUT_OF_RANGE` for other `bits`.
   */
  static generateKey(bits?: 128 | 256): OwnBuffer

  /**
   * Copies and expands a key of 16 bytes (AES-128) or 32 bytes (AES-256).
   *
   * @example
   * const siv = new AesGcmSiv(Buffer.from(process.env.KEY, 'hex'))
   *
   * @remarks
   * The key is read and wiped as by the constructor of `AesGcm`, which also lists the errors. An object occupies two places of
   * its arena: one contains the key, the other the keys of the message in progress.
   * @param key bytes, or a secret `KeyObject`; **no key of an `AesGcm`**, because one key serves one cipher
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for any other length.
   */
  constructor(key: Uint8Array | KeyObject, options?: AesGcmSivOptions)
}
// Its methods are those of every class.
export interface AesGcmSiv extends Aead {}
