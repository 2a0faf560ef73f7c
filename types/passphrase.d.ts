/// <reference types="node" />

/**
 * Keys and keysets in files protected by a passphrase, like SSH keys.
 *
 * @example
 * const text = await protectKey(key, 'correct horse battery staple')
 * const same = await openProtectedKey(text, 'correct horse battery staple')
 *
 * @remarks
 * scrypt derives a key from the passphrase, and AES-256-GCM seals the content under it. The cost of scrypt is in the file, and is
 * checked before scrypt begins: a stranger's file cannot use more memory than `maxMemory`. docs/formats.md specifies the bytes.
 * The command `keygen --passphrase` writes the same files.
 *
 * **A passphrase is only as strong as it is hard to guess**, and whoever has the file may guess for years: use, for example, six
 * random words. A string is normalized to NFC and encoded as UTF-8; bytes are used as they are. Derived keys, and all copies of a
 * passphrase that this package makes, are wiped; the caller's string cannot be.
 *
 * **A passphrase must not end with a zero byte**, which scrypt ignores: `abc` and `abc\0` would open the same files. One of more than
 * 64 bytes opens the same files as the 32 bytes of its SHA-256, in every program that uses scrypt.
 *
 * scrypt runs on Node's thread pool, so these functions do not block. Wrong arguments throw as in the main entry.
 */

import type { KeyObject } from 'node:crypto'
import type { KeysetWrapping } from './keyring.d.ts'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** Options of {@link protectKey}: a plain object. */
export interface ProtectOptions {
  /**
   * Bytes of memory that scrypt fills, a power of two from 2^20 to 2^30: each guess costs an attacker as much.
   *
   * Default: 2^27, about 0.4 seconds. It is scrypt's N times 1024, with r = 8 and p = 1.
   */
  memory?: number | undefined
}

/** Options of {@link openProtectedKey}: a plain object. */
export interface OpenOptions {
  /**
   * Most bytes that a file may ask scrypt to fill, 128 · N · r · p, from 1024 to 2^30.
   *
   * Default: 2^28. Each call in progress may need as much.
   */
  maxMemory?: number | undefined
}

/** Options of {@link passphraseWrapping}: a plain object. */
export interface WrappingOptions extends ProtectOptions, OpenOptions {}

/**
 * Protects a key, and returns a line of text for a file: `AGP1-` and up to 107 characters of base64url.
 *
 * @example
 * await writeFile('backup.key', await protectKey(AesGcm.generateKey(), passphrase), { mode: 0o600 })
 *
 * @param key 16 or 32 bytes, or a secret `KeyObject` of this size
 * @throws `ERR_INVALID_ARG_VALUE` for a passphrase that is empty, ends with a zero byte or has a lone surrogate;
 * `ERR_AESGCM_SHARED_BUFFER` for one in shared memory; `ERR_AESGCM_INVALID_KEY_LENGTH` for a key of another length.
 */
export declare function protectKey(
  key: Uint8Array | KeyObject,
  passphrase: string | Uint8Array,
  options?: ProtectOptions,
): Promise<string>

/**
 * The key that {@link protectKey} protected.
 *
 * White space around the line, such as the line break of a file, does not count. Wipe the key when it is no longer needed.
 *
 * @example
 * const key = await openProtectedKey(await readFile('backup.key', 'utf8'), passphrase)
 *
 * @throws `ERR_AESGCM_WRONG_PASSPHRASE` if the passphrase is wrong or the file was modified, which are indistinguishable.
 * @throws `ERR_AESGCM_INVALID_KEY_FILE`, before scrypt begins, if it is not a protected key, or asks for more than `maxMemory`.
 */
export declare function openProtectedKey(
  text: string,
  passphrase: string | Uint8Array,
  options?: OpenOptions,
): Promise<OwnBuffer>

/**
 * Functions for `wrap` and `unwrap` of a keyring, which protect its keyset with the passphrase.
 *
 * The object keeps a copy of a passphrase in bytes, and wipes it after its own collection.
 *
 * @example
 * const { wrap, unwrap } = passphraseWrapping(passphrase)
 * const encrypted = await keyring.wrap(wrap)
 * const same = await Keyring.unwrap(encrypted, unwrap)
 *
 * @throws as {@link protectKey} and, from `unwrap`, as {@link openProtectedKey}. `unwrap` opens everything that `memory` allows
 * `wrap` to write.
 */
export declare function passphraseWrapping(
  passphrase: string | Uint8Array,
  options?: WrappingOptions,
): KeysetWrapping
