/// <reference types="node" />

/**
 * Shamir's secret sharing of keys: `splitKey` makes shares of a key, of which any `threshold` together give the key back, and fewer
 * do not give it away. For a secret of any other length, {@link sealAndSplit} encrypts the data under a fresh key and splits
 * that key. The arithmetic is that of horcrux, in GF(2^256), and runs in constant time on the CPU's carry-less multiplication.
 * docs/formats.md has the bytes, docs/security.md the promises.
 *
 * Give every holder one share, and keep neither the key nor two shares in one place. A share is a secret: wipe Buffers of shares
 * when they are no longer needed. Strings cannot be wiped.
 *
 * Shares in this package's own form carry a check, so that a wrong key never comes out: `combineKey` gives the key that was split,
 * or throws. **horcrux's text has neither a check nor the threshold, and is unverified**: if there are only as many shares as the
 * threshold that you tell, one corrupted share gives a wrong key, and so does a threshold that is too low.
 *
 * All functions are synchronous. Wrong arguments throw as in the main entry. Secrets, shares and lists of shares are read once, and
 * stay unchanged. Every copy of them that this package makes in memory is wiped before the call returns or throws; copies in strings
 * cannot be wiped, and node:crypto has copies of its own while it computes the check. Error texts contain no byte of a secret or of the value of a share; they may tell version, threshold and `x` of a share.
 */

import type { AesGcmError } from '../index.d.ts'

/** A Buffer over an `ArrayBuffer` of its own, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/**
 * - `'binary'`: 84 bytes, in a Buffer.
 * - `'text'`: the same as text, 172 characters that fit QR codes in their alphanumeric mode: `AGS1-…`, in groups of five. A
 *   checksum of 4 bytes finds typing errors.
 * - `'horcrux'`: horcrux's compact text, `x|hex` with `x` from 1 on. For secrets of 32 bytes, unverified.
 * - `'horcrux-random'`: horcrux's random text, `hex|hex`: the `x` of each share is random. For secrets of 32 bytes, unverified.
 */
export type ShareFormat = 'binary' | 'text' | 'horcrux' | 'horcrux-random'

/** A plain object, of which only own properties count. Unknown option names throw `ERR_INVALID_ARG_VALUE`. */
export interface SplitOptions {
  /** Number of shares that give the secret back, from 2 to `shares`. */
  threshold: number
  /** Number of shares to make, from `threshold` to 255. */
  shares: number
  /** Default: `'binary'`. */
  format?: ShareFormat | undefined
  /** Allows a threshold of 1, with which every share tells the whole secret. Default: false. */
  allowThresholdOne?: boolean | undefined
}

/** A plain object, of which only own properties count. Unknown option names throw `ERR_INVALID_ARG_VALUE`. */
export interface CombineOptions {
  /** For shares in horcrux's text, compact or random. Without it, shares are in this package's form, binary or text. */
  format?: 'horcrux' | undefined
  /**
   * Number of shares that give the secret back, from 1 to 255: required with `format: 'horcrux'`, since that text does not tell.
   * Otherwise it must be left out.
   */
  threshold?: number | undefined
}

/** A plain object, of which only own properties count. */
export interface SealOptions extends SplitOptions {
  /** Data that is authenticated with the message, but not encrypted. `null` means that there is no such data. */
  aad?: Uint8Array | null | undefined
}

/** A plain object, of which only own properties count. */
export interface OpenOptions extends CombineOptions {
  /** As it was when the data were sealed. */
  aad?: Uint8Array | null | undefined
}

/**
 * Splits a key of 16 or 32 bytes into shares, numbered from 1 on. Every coefficient of the polynomials is random, from this package's
 * generator, so that the same key gives other shares each time. Shares of two calls do not combine with each other.
 *
 * Every binary share lies in an `ArrayBuffer` of its own.
 *
 * Any secret of these lengths is shared as well as a random one: fewer shares than `threshold` fit every secret in horcrux's
 * form, and tell at most about 2^-64 bits of it in this package's form.
 *
 * @param secret 16 or 32 bytes; 32 bytes for horcrux's text
 * @throws `ERR_OUT_OF_RANGE` for another length of the secret, a threshold below 2 (1 with `allowThresholdOne`) or above `shares`,
 * and for more than 255 shares.
 * @throws `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE` for an unknown format or option name, `ERR_AESGCM_SHARED_BUFFER`,
 * `ERR_AESGCM_DETACHED_BUFFER`, `ERR_AESGCM_RNG_FAILURE`; otherwise as `randomBytes`.
 *
 * @example
 * const shares = splitKey(key, { threshold: 3, shares: 5 })
 * combineKey([shares[4], shares[0], shares[2]]) // the key
 */
export declare function splitKey(
  secret: Uint8Array,
  options: SplitOptions & { format?: 'binary' | undefined },
): OwnBuffer[]
export declare function splitKey(
  secret: Uint8Array,
  options: SplitOptions & { format: 'text' | 'horcrux' | 'horcrux-random' },
): string[]
export declare function splitKey(secret: Uint8Array, options: SplitOptions): OwnBuffer[] | string[]

/**
 * The secret that was split, 16 or 32 bytes, from shares in any order.
 *
 * Shares in this package's form may be binary and text by turns; text may be in lower case and have spaces, hyphens and line breaks
 * anywhere. The result is checked with odds of 2^-128 against another key. It protects against shares that some holders corrupted,
 * not against holders who agree on another key: as many holders as the threshold can make any set of shares.
 *
 * **All shares are used, and every wrong one throws**, also if the others would do. With more shares than the threshold, the error
 * tells which ones are wrong: among `m` shares, up to `(m - threshold) / 2`, rounded down, are found; and one among `threshold + 1`
 * (this package's form alone). If more were damaged by accident, the error names no share. Holders who work together can change
 * their shares so that an honest one is named (docs/security.md).
 *
 * horcrux's text: with more shares than the threshold, all of them must agree; with as many, nothing is checked.
 *
 * @param shares an array of at least as many shares as the threshold, and at most 255
 * @throws {@link AesGcmError} `ERR_AESGCM_INVALID_SHARE` if shares are wrong: of another length, of an unknown version, with `x` 0 or
 * with the same `x` twice, mistyped, or corrupted and found. `index` is the position of the first of them, for the same `x` that of
 * the second one. `indexes` has the positions of all corrupted shares, ascending; for the other causes, which end the call at the
 * first such share, it has this one position.
 * @throws {@link AesGcmError} `ERR_AESGCM_SHARES_MISMATCH` if the shares do not give a key together. If they are of different splits,
 * and one split has more shares than every other one, `index` and `indexes` tell those that do not belong to it. Otherwise, they are
 * absent: no share can be told to be the wrong one.
 * @throws `ERR_OUT_OF_RANGE` for fewer shares than the threshold, or for more than 255; `ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE`, `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`, which name a share as `shares[3]`.
 */
export declare function combineKey(
  shares: readonly (Uint8Array | string)[],
  options?: CombineOptions,
): OwnBuffer

/**
 * The share with the number `x`, in the form of the first of `shares`: for a holder who lost a share, or for a further holder. The
 * new share belongs to the same split. It cannot replace a share that became known to others: split a new key for this.
 *
 * Verifies the shares first, as {@link combineKey} does. The check covers the key. Holders who work together, two and one more for
 * each share above the threshold, can therefore change their shares so that the key is right and the new share is wrong. With the
 * new share, `combineKey` then gives the right key or throws.
 *
 * @param x from 1 to 255, also that of a share which exists. For horcrux's random text, also a string of 64 hex digits.
 * @throws as {@link combineKey}; `ERR_OUT_OF_RANGE` for another `x`.
 */
export declare function recoverShare(
  shares: readonly Uint8Array[],
  x: number,
  options?: CombineOptions,
): OwnBuffer
export declare function recoverShare(
  shares: readonly string[],
  x: number | string,
  options?: CombineOptions,
): string
export declare function recoverShare(
  shares: readonly (Uint8Array | string)[],
  x: number | string,
  options?: CombineOptions,
): OwnBuffer | string

/**
 * Encrypts data of any length under a fresh key of AES-256-GCM, and splits the key. Give every holder one share and the whole of
 * `sealed`, which is no secret. The key is wiped before the call returns.
 *
 * `sealed` is a frame of the main entry (`nonceAt: 'start'`), 28 bytes longer than `data`.
 *
 * @param data at most 2^36 - 32 bytes
 * @throws as {@link splitKey}, and as `encrypt` of `AesGcm`.
 */
export declare function sealAndSplit(
  data: Uint8Array,
  options: SealOptions & { format?: 'binary' | undefined },
): { sealed: OwnBuffer; shares: OwnBuffer[] }
export declare function sealAndSplit(
  data: Uint8Array,
  options: SealOptions & { format: 'text' | 'horcrux' | 'horcrux-random' },
): { sealed: OwnBuffer; shares: string[] }
export declare function sealAndSplit(
  data: Uint8Array,
  options: SealOptions,
): { sealed: OwnBuffer; shares: OwnBuffer[] | string[] }

/**
 * The data that {@link sealAndSplit} sealed. With horcrux's text, wrong shares that agree with each other are found here: a wrong key
 * does not open `sealed`.
 * @throws as {@link combineKey}; `AuthenticationError` if `sealed` or `aad` differ from those of the call, or the key does; otherwise
 * as `decrypt` of `AesGcm`.
 */
export declare function combineAndOpen(
  shares: readonly (Uint8Array | string)[],
  sealed: Uint8Array,
  options?: OpenOptions,
): OwnBuffer
