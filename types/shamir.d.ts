/// <reference types="node" />

/**
 * Shamir's secret sharing of keys.
 *
 * `splitKey` makes shares of a key: any `threshold` of them together recover the key, and fewer do not reveal it. For a secret of
 * any other length, {@link sealAndSplit} encrypts the data under a fresh key and splits that key. The arithmetic is that of
 * horcrux, in GF(2^256), and runs in constant time on the CPU's carry-less multiplication. docs/formats.md specifies the bytes,
 * docs/security.md the guarantees.
 *
 * Hand every holder one share, and keep neither the key nor two shares in one place. A share is a secret: wipe Buffers of shares
 * when they are no longer needed. Strings cannot be wiped.
 *
 * Shares in this package's own form contain a check, so a wrong key never comes out: `combineKey` returns the key that was split,
 * or throws. **horcrux's form has neither a check nor the threshold, and is unverified.** With only as many shares as the
 * threshold that you pass, one corrupted share yields a wrong key, and so does a threshold that is too low.
 *
 * All functions are synchronous. Wrong arguments throw as in the main entry. Secrets, shares and lists of shares are read once,
 * and stay unchanged. Every copy of them that this package makes in memory is wiped before the call returns or throws. Copies in
 * strings cannot be wiped, and node:crypto has its own copies while it computes the check. Error messages contain no byte of a
 * secret or of the value of a share; they may name version, threshold and `x` of a share.
 */

import type { AesGcmError } from '../index.d.ts'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/**
 * The form of shares.
 * - `'binary'`: 84 bytes, in a Buffer
 * - `'text'`: the same as 172 characters for people and QR codes, `AGS1-…`, with a checksum that finds typing errors
 * - `'horcrux'`: horcrux's compact form, `x|hex` with `x` from 1 on; for secrets of 32 bytes, unverified
 * - `'horcrux-random'`: horcrux's random form, `hex|hex`, with a random `x`; for secrets of 32 bytes, unverified
 */
export type ShareFormat = 'binary' | 'text' | 'horcrux' | 'horcrux-random'

/** Options of {@link splitKey}, a plain object: only own properties count, and an unknown name throws `ERR_INVALID_ARG_VALUE`. */
export interface SplitOptions {
  /** Number of shares that recover the secret, from 2 to `shares`. */
  threshold: number
  /** Number of shares to make, from `threshold` to 255. */
  shares: number
  /** The form of the shares: by default `'binary'`. */
  format?: ShareFormat | undefined
  /** Allows a threshold of 1, with which every share reveals the whole secret: by default `false`. */
  allowThresholdOne?: boolean | undefined
}

/** Options of {@link combineKey}: a plain object, read like {@link SplitOptions}. */
export interface CombineOptions {
  /** Reads shares in horcrux's form, compact or random, instead of this package's form, binary or text. */
  format?: 'horcrux' | undefined
  /** Number of shares that recover the secret, 1 to 255: required with `format: 'horcrux'`, and left out without it. */
  threshold?: number | undefined
}

/** Options of {@link sealAndSplit}: a plain object, read like {@link SplitOptions}. */
export interface SealOptions extends SplitOptions {
  /** Additional data, authenticated with the message but not encrypted; `null` for none. */
  aad?: Uint8Array | null | undefined
}

/** Options of {@link combineAndOpen}: a plain object, read like {@link SplitOptions}. */
export interface OpenOptions extends CombineOptions {
  /** The `aad` with which the data was sealed. */
  aad?: Uint8Array | null | undefined
}

/**
 * Splits a key of 16 or 32 bytes into shares, numbered from 1 on.
 *
 * @example
 * const shares = splitKey(key, { threshold: 3, shares: 5 })
 * combineKey([shares[4], shares[0], shares[2]]) // the key
 *
 * @remarks
 * The same key produces other shares each time, and shares of two calls do not combine. Fewer than `threshold` do not reveal the
 * key (docs/security.md, "Shares"). Every binary share has its own `ArrayBuffer`.
 * @param secret 16 or 32 bytes, which need not be random; 32 bytes for horcrux's form. Bytes that are all printable ASCII cause
 * the warning that the class `AesGcm` emits for such a key
 * @throws `ERR_OUT_OF_RANGE` for another length of the secret, a threshold below 2 (1 with `allowThresholdOne`) or above
 * `shares`, and for more than 255 shares.
 * @throws `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`, `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`; otherwise as
 * `randomBytes`.
 */
export declare function splitKey(
  secret: Uint8Array,
  options: SplitOptions & { format?: 'binary' | undefined },
): OwnBuffer[]
/**
 * {@link splitKey} that returns the shares as strings.
 *
 * @example
 * const shares = splitKey(key, { threshold: 3, shares: 5, format: 'text' }) // AGS1-…, to print or for a QR code
 *
 * @remarks
 * Strings cannot be wiped. **horcrux's form has no check and is unverified.**
 * @throws as {@link splitKey} for binary shares.
 */
export declare function splitKey(
  secret: Uint8Array,
  options: SplitOptions & { format: 'text' | 'horcrux' | 'horcrux-random' },
): string[]
/**
 * {@link splitKey} with a format known only at run time.
 *
 * @example
 * const shares = splitKey(key, { threshold: 3, shares: 5, format })
 */
export declare function splitKey(secret: Uint8Array, options: SplitOptions): OwnBuffer[] | string[]

/**
 * The secret that was split, 16 or 32 bytes, from shares in any order.
 *
 * @example
 * const key = combineKey([shares[4], shares[0], shares[2]])
 *
 * @remarks
 * **All shares are used, and every wrong one throws**, even if the others would suffice. With more shares than the threshold, the
 * error names the wrong ones, as far as they can be found (docs/guide/shares.md). **horcrux's form is unverified**: among as many
 * shares as the threshold, a wrong one yields a wrong key.
 * @param shares binary or text (a byte order mark is ignored), from as many as the threshold to 255
 * @throws {@link AesGcmError} `ERR_AESGCM_INVALID_SHARE` with the positions of wrong shares in `indexes`;
 * `ERR_AESGCM_SHARES_MISMATCH` if they produce no key together, with `indexes` if one split has most shares.
 * @throws `ERR_OUT_OF_RANGE` for fewer or more shares; the errors of a wrong argument, which name a share as `shares[3]`.
 */
export declare function combineKey(
  shares: readonly (Uint8Array | string)[],
  options?: CombineOptions,
): OwnBuffer

/**
 * The share with the number `x` of the same split, for a holder who lost a share, or for a further holder.
 *
 * @example
 * const second = recoverShare([shares[4], shares[0], shares[2]], 2) // shares[1] again
 *
 * @remarks
 * The new share has the form of the first of `shares`, all of which are verified as by {@link combineKey}. **It cannot replace a
 * share that became known to others**: split a new key for this. Holders who collude can make the new share wrong
 * (docs/security.md, "Shares").
 * @param x from 1 to 255, including the number of an existing share
 * @throws as {@link combineKey}; `ERR_OUT_OF_RANGE` for any other `x`.
 */
export declare function recoverShare(
  shares: readonly Uint8Array[],
  x: number,
  options?: CombineOptions,
): OwnBuffer
/**
 * {@link recoverShare} of shares in strings.
 *
 * @example
 * const second = recoverShare([texts[4], texts[0], texts[2]], 2) // texts[1] again
 *
 * @param x from 1 to 255; for horcrux's random form, also a string of 64 hex digits
 * @throws as {@link recoverShare} of binary shares.
 */
export declare function recoverShare(
  shares: readonly string[],
  x: number | string,
  options?: CombineOptions,
): string
/**
 * {@link recoverShare} of shares whose forms are known only at run time, some binary and some text.
 *
 * @example
 * const second = recoverShare([shares[4], texts[0], shares[2]], 2) // binary, as the first one
 */
export declare function recoverShare(
  shares: readonly (Uint8Array | string)[],
  x: number | string,
  options?: CombineOptions,
): OwnBuffer | string

/**
 * Encrypts data of any length under a fresh key of AES-256-GCM, and splits the key.
 *
 * @example
 * const { sealed, shares } = sealAndSplit(data, { threshold: 2, shares: 3 })
 *
 * @remarks
 * Give every holder one share and all of `sealed`, which is not secret: a frame of the main entry (`nonceAt: 'start'`), 28
 * bytes longer than `data`. The key is wiped before the call returns.
 * @param data at most 2^36 - 32 bytes
 * @throws as {@link splitKey}, and as `encrypt` of `AesGcm`.
 */
export declare function sealAndSplit(
  data: Uint8Array,
  options: SealOptions & { format?: 'binary' | undefined },
): { sealed: OwnBuffer; shares: OwnBuffer[] }
/**
 * {@link sealAndSplit} that returns the shares as strings.
 *
 * @example
 * const { sealed, shares } = sealAndSplit(data, { threshold: 2, shares: 3, format: 'text' })
 *
 * @throws as {@link sealAndSplit} with binary shares.
 */
export declare function sealAndSplit(
  data: Uint8Array,
  options: SealOptions & { format: 'text' | 'horcrux' | 'horcrux-random' },
): { sealed: OwnBuffer; shares: string[] }
/**
 * {@link sealAndSplit} with a format known only at run time.
 *
 * @example
 * const { sealed, shares } = sealAndSplit(data, { threshold: 2, shares: 3, format })
 */
export declare function sealAndSplit(
  data: Uint8Array,
  options: SealOptions,
): { sealed: OwnBuffer; shares: OwnBuffer[] | string[] }

/**
 * The data that {@link sealAndSplit} sealed.
 *
 * @example
 * const data = combineAndOpen([shares[2], shares[0]], sealed)
 *
 * @remarks
 * With horcrux's form, wrong shares that agree with each other are found here: a wrong key does not open `sealed`.
 * @throws as {@link combineKey}; `AuthenticationError` if `sealed`, `aad` or the key differs from that of the call; otherwise as
 * `decrypt` of `AesGcm`.
 */
export declare function combineAndOpen(
  shares: readonly (Uint8Array | string)[],
  sealed: Uint8Array,
  options?: OpenOptions,
): OwnBuffer
