/// <reference types="node" />

/**
 * XAES-256-GCM (C2SP, version 1) on Buffers, in place: AES-256-GCM with nonces of 24 bytes and a separate key for each message.
 *
 * Wrong arguments throw as in the main entry, and change no buffer.
 */

import type { KeyObject } from 'node:crypto'
import type { Aead, AeadOptions } from '../index.d.ts'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** Length of a nonce in bytes. */
export declare const NONCE_BYTES: 24
/** Length of a tag in bytes; tags are never truncated. */
export declare const TAG_BYTES: 16
/** Bytes that a frame adds to its plaintext: nonce and tag. */
export declare const OVERHEAD: 40

/**
 * Options of an {@link XAesGcm}, a plain object: only own properties count, and an unknown name throws `ERR_INVALID_ARG_VALUE`.
 */
export interface XAesGcmOptions extends AeadOptions {
  /**
   * Where a frame carries its nonce; sender and receiver must agree.
   * - `'start'` (default): `nonce(24) ‖ ciphertext ‖ tag(16)`
   * - `'end'`: `ciphertext ‖ tag(16) ‖ nonce(24)`
   */
  nonceAt?: 'start' | 'end' | undefined
  /**
   * Number of frames this object may encrypt, from 0 to 2^53 - 1.
   *
   * Default: no limit. Further encryptions into frames throw `ERR_AESGCM_KEY_EXHAUSTED`: make a new object with a new key.
   */
  maxMessages?: number | undefined
}

/**
 * One XAES-256-GCM key, expanded once in native memory, with every method of `AesGcm`.
 *
 * @example
 * const xaes = new XAesGcm(XAesGcm.generateKey())
 * const frame = xaes.encrypt(Buffer.from('attack at dawn'))
 * xaes.decrypt(frame).toString() // 'attack at dawn'
 *
 * @remarks
 * Use it for very many messages under one key, or for very many short processes that share a key. Nonces have 24 bytes, and each
 * message has its own key, derived from key and nonce. So neither 2^32 messages nor the number of objects is a limit
 * (docs/security.md, "Limits of XAES-256-GCM"). docs/guide/ciphers.md compares it with `AesGcm`, which does less work for a
 * message.
 *
 * **It does not help a machine restored from a snapshot** without a device that reports the restore: its generator repeats too,
 * and so do the nonces. Call `reseed` of the main entry after such a restore.
 */
export declare class XAesGcm {
  /**
   * Whether this machine has a binary for its platform and a CPU with the instructions, like `AesGcm.isAvailable`.
   *
   * @example
   * if (!XAesGcm.isAvailable()) console.warn('no binary, or no AES instructions here')
   */
  static isAvailable(): boolean

  /**
   * A new random key of 32 bytes, as `AesGcm.generateKey`, from the generator of `randomBytes`.
   *
   * @example
   * const key = XAesGcm.generateKey()
   *
   * @throws as `randomBytes`; `ERR_OUT_OF_RANGE` for other `bits`.
   */
  static generateKey(bits?: 256): OwnBuffer

  /**
   * Copies and expands a key of 32 bytes.
   *
   * @example
   * const xaes = new XAesGcm(Buffer.from(process.env.KEY, 'hex'))
   *
   * @remarks
   * The key is read and wiped as by the constructor of `AesGcm`, which also lists the errors. An object occupies two places of
   * its arena: one contains the key, the other the key of the message in progress.
   * @param key bytes, or a secret `KeyObject`; **no key of an `AesGcm`**, because one key serves one cipher
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for any other length.
   */
  constructor(key: Uint8Array | KeyObject, options?: XAesGcmOptions)
}
// Its methods are those of every class.
export interface XAesGcm extends Aead {}
