/// <reference types="node" />

/**
 * Readers of what other programs sealed with AES-GCM: one for hand-written formats, and one each for four npm packages.
 *
 * Readers only decrypt. Pass one to a keyring as the fallback of `openText`, and rewrite the old values with `rotate`, which
 * seals them under the keyring and binds them to their place (docs/guide/tokens.md). Every reader demands a tag of 16 bytes and
 * exact encodings. **Formats without a tag, such as AES-CBC alone, are left out on purpose**, because others can change their
 * plaintext.
 *
 * Readers use node:crypto, so they accept IVs of 16 bytes and need no AES instructions: they are for a migration, and slower than
 * a keyring. Wrong arguments throw as in the main entry, and no error contains a byte of a key or of a plaintext.
 */

import type { KeyObject } from 'node:crypto'
import type { AuthenticationError } from '../index.d.ts'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** Additional data: a string is encoded as UTF-8, and `null` means none. */
export type Aad = string | Uint8Array | null

/**
 * A reader of old values, which a keyring accepts as the fallback of `openText`.
 *
 * `Sealed` is the type that the reader accepts besides strings. It keeps copies of its keys, which are wiped by
 * {@link destroy}, or by the collector after the reader is dropped. `util.inspect` shows the format and the number of keys.
 */
export interface LegacyReader<Sealed = string> extends Disposable {
  /**
   * Decrypts a value of the format, and never returns the contents of any other value.
   *
   * @example
   * const text = reader.open(column)
   *
   * @param aad ignored, except by a {@link layoutReader} whose option `aad` uses it: the formats here have no additional data. So
   * a keyring can pass on the additional data of the new value
   * @throws `AuthenticationError` for every value that does not open; its subclass {@link UnknownLayoutError} if the value does
   * not have the layout of the format.
   * @throws `ERR_INVALID_ARG_VALUE` for an `aad` with a lone surrogate, and if the value is authentic, but its bytes are not
   * UTF-8: {@link openBytes} returns these.
   * @throws `ERR_INVALID_ARG_TYPE`; `ERR_AESGCM_DESTROYED`.
   */
  open(sealed: Sealed, aad?: Aad): string
  /**
   * {@link open} that returns `null` for every value that does not open, or has another layout.
   *
   * @example
   * const text = reader.tryOpen(column)
   * if (text === null) throw new Error('neither the new format nor the old one')
   *
   * @remarks
   * The event `hardware-aes-gcm:authentication-failed` is published only for a value that has the layout of the format and does
   * not open, by this method as by {@link open}.
   * @throws every other error of {@link open}: authentic bytes that are not UTF-8 are neither called forged nor silently lost.
   */
  tryOpen(sealed: Sealed, aad?: Aad): string | null
  /**
   * {@link open} for plaintext that is not UTF-8: compressed, in another encoding, or binary.
   *
   * @example
   * const text = reader.openBytes(column).toString('latin1')
   *
   * @returns the bytes, in their own memory
   * @throws as {@link open}, except for bytes that are not UTF-8.
   */
  openBytes(sealed: Sealed, aad?: Aad): OwnBuffer
  /**
   * {@link openBytes} that returns `null` where {@link tryOpen} does.
   *
   * @example
   * const bytes = reader.tryOpenBytes(column)
   */
  tryOpenBytes(sealed: Sealed, aad?: Aad): OwnBuffer | null
  /** Whether the keys were wiped. */
  readonly destroyed: boolean
  /**
   * Wipes the keys; later calls of {@link open} and {@link tryOpen} throw `ERR_AESGCM_DESTROYED`.
   *
   * @example
   * reader.destroy()
   */
  destroy(): void
  /** {@link destroy}, which makes `using reader = cloakReader(key)` work. */
  [Symbol.dispose](): void
}

/**
 * The error for a value without the layout of its reader, such as cleartext in a column that was encrypted later.
 *
 * The layout is visible without a key, so the error reveals nothing to an attacker. **It does not prove that a value is
 * cleartext**: an attacker who can write values can write one without the layout.
 */
export declare class UnknownLayoutError extends AuthenticationError {
  /** Makes the error. */
  constructor()
}

/** A key that a program derived from a string. */
export interface HashedKey {
  /** The string, or bytes, whose SHA-256 is the key: `createHash('sha256').update(secret).digest()`. */
  sha256: string | Uint8Array
  /** If set, the key is the first 32 characters of the digest in this encoding: `….digest('hex').slice(0, 32)`. */
  digest?: 'hex' | 'base64' | undefined
}

/**
 * The layout of an object, such as JSON, or a row with a column for each part.
 *
 * - `{ iv: '{iv}', data: '{ct}', auth: '{tag}' }`: these members; all others are ignored
 * - `{ p: '{ct}', h: { iv: '{iv}', at: '{tag}' } }`: nested objects, at most 8 deep
 */
export type LayoutMembers = { readonly [name: string]: string | LayoutMembers }

/** How parts are encoded: `'mime'` is base64 with line breaks and spaces anywhere. */
export type PartEncoding = 'hex' | 'base64' | 'base64url' | 'mime'

/**
 * Options of {@link layoutReader}, a plain object: only own properties count, and an unknown name throws `ERR_INVALID_ARG_VALUE`.
 */
export interface LayoutOptions {
  /**
   * The key, 16, 24 or 32 bytes or `{ sha256: text }`, or a list of at most 8 keys, tried in order.
   *
   * For a layout with a salt: a function that derives the key of a message from its salt. Its result is copied.
   */
  key:
    | Uint8Array
    | KeyObject
    | HashedKey
    | readonly (Uint8Array | KeyObject | HashedKey)[]
    | ((salt: Uint8Array) => Uint8Array | KeyObject)
  /**
   * The value, with its parts in braces: `{iv}`, `{tag}` and `{ct}`, in any order, and `{salt}` if there is one.
   *
   * - `'{iv}:{tag}:{ct}'`: parts encoded one by one, with any characters in front of, between and after them
   * - `'{iv}{tag}{ct}'`: parts encoded together; `ivBytes` is then required
   * - `'{iv}:{ct}{tag}'`: the tag at the end of the ciphertext, as WebCrypto writes it
   * - `'{iv:hex}:{ct:base64}{tag:base64}'`: parts in different encodings
   * - {@link LayoutMembers}: an object with these members
   *
   * Parts without characters around them may be bytes, as a value or as a member: a `Uint8Array`; in JSON, its numbers.
   */
  layout: string | LayoutMembers
  /**
   * The encoding of parts that name none; without it, such parts are read as bytes alone.
   *
   * Uppercase hex, and base64 without padding, are read too.
   */
  encoding?: PartEncoding | undefined
  /** The encoding of the value as a whole, if it has one: `'base64'` for base64 of JSON. */
  outerEncoding?: PartEncoding | undefined
  /** Length of the IV in bytes; by default 12 or 16, as the value shows. */
  ivBytes?: 12 | 16 | undefined
  /** Length of the salt in bytes, 1 to 1024, if the layout has one. */
  saltBytes?: number | undefined
  /**
   * The additional data of the old values: none by default.
   *
   * A function receives the data of the call: `aad => aad` uses it for the old value too. The function receives `null` for none.
   * A string is encoded as UTF-8.
   */
  aad?: Aad | ((aad: Aad) => Aad) | undefined
}

/**
 * A reader of a hand-written format, whose layout you describe.
 *
 * @example
 * const reader = layoutReader({ key, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })
 * const text = reader.open(column)
 *
 * @remarks
 * The plaintext is UTF-8, unless you ask for its bytes; tags have 16 bytes, and IVs 12 or 16. Derive a key from a password as
 * your old program does, and pass the bytes; if every message has a salt, `key` is a function of the salt.
 * @throws `ERR_AESGCM_INVALID_KEY_LENGTH`; `ERR_INVALID_ARG_VALUE` for a layout in which the end of a part could not be found;
 * `ERR_OUT_OF_RANGE`, `ERR_INVALID_ARG_TYPE`.
 */
export declare function layoutReader(options: LayoutOptions): LegacyReader<string | object>

/**
 * A reader of `@47ng/cloak`, and so of `prisma-field-encryption`: `v1.aesgcm256.…`.
 *
 * @example
 * const reader = cloakReader(process.env.CLOAK_MASTER_KEY)
 * const text = reader.open(column)
 *
 * @param keys a key in cloak's own form, `k1.aesgcm256.…`, or a list of at most 8; the fingerprint in a value selects the key
 * @throws `ERR_INVALID_ARG_VALUE` for a string that is not such a key; `ERR_INVALID_ARG_TYPE`.
 */
export declare function cloakReader(keys: string | readonly string[]): LegacyReader

/** Options of {@link boringnodeReader}: a plain object, read like {@link LayoutOptions}. */
export interface BoringnodeOptions {
  /** The `id` of the encrypter, with which its values begin. */
  id: string
  /** The secret, or a list of at most 8, tried in order; in AdonisJS, `appKey.release()`. */
  keys: string | readonly string[]
  /** The `purpose` of the values, if they have one. */
  purpose?: string | undefined
  /**
   * With `true`, returns the JSON inside a value as it is, `{"message":…,"expiryDate":…}`, and leaves the expiry to you.
   *
   * By default `false`: a string message is returned as this string, any other as its JSON, and expired values do not open. **A
   * value that is sealed again no longer expires**, so use `true` for values with an expiry.
   */
  json?: boolean | undefined
}

/**
 * A reader of `@boringnode/encryption` with its driver `aes256gcm`, as in AdonisJS 7: `id.v1:…`.
 *
 * @example
 * const reader = boringnodeReader({ id: 'app', keys: process.env.APP_KEY })
 * const text = reader.open(column)
 *
 * @remarks
 * Values of earlier versions, without `v1:`, are read too. Values of its other drivers are not.
 * @throws `ERR_INVALID_ARG_VALUE` for a key of fewer than 16 characters, or an `id` that is empty or has a dot;
 * `ERR_INVALID_ARG_TYPE`.
 */
export declare function boringnodeReader(options: BoringnodeOptions): LegacyReader

/** Options of {@link typeormReader}, with the names of `typeorm-encrypted`: a plain object, read like {@link LayoutOptions}. */
export interface TypeormOptions {
  /** The key in hex, as in that package, or as bytes; or a list of at most 8. */
  key: string | Uint8Array | KeyObject | readonly (string | Uint8Array | KeyObject)[]
  /** The algorithm; the modes without a tag, such as `'aes-256-cbc'`, are refused. */
  algorithm: 'aes-256-gcm' | 'aes-192-gcm' | 'aes-128-gcm'
  /** Length of the IV in bytes. */
  ivLength: 12 | 16
  /** Length of the tag in bytes; values with shorter tags cannot be read. */
  authTagLength?: 16 | undefined
}

/**
 * A reader of `typeorm-encrypted` with an algorithm of AES-GCM: base64 of `iv ‖ tag ‖ ciphertext`.
 *
 * @example
 * const reader = typeormReader({ key: process.env.KEY, algorithm: 'aes-256-gcm', ivLength: 16 })
 * const text = reader.open(column)
 *
 * @remarks
 * Leave out the original's option `iv`: each value contains its IV. For the original's JSON transformer, pass the member
 * `encrypted` of the column.
 * @throws `ERR_INVALID_ARG_VALUE` for any other algorithm, or a key of another length; `ERR_OUT_OF_RANGE`;
 * `ERR_INVALID_ARG_TYPE`; `ERR_AESGCM_INVALID_KEY_LENGTH`.
 */
export declare function typeormReader(options: TypeormOptions): LegacyReader

/** Options of {@link cryptrReader}, with the names of `cryptr`: a plain object, read like {@link LayoutOptions}. */
export interface CryptrOptions {
  /** The encoding of the values: by default `'hex'`. */
  encoding?: 'hex' | 'base64' | 'base64url' | undefined
  /** Length of the salt in bytes, 1 to 1024: by default 64. */
  saltLength?: number | undefined
  /** Rounds of PBKDF2: by default 100 000. */
  pbkdf2Iterations?: number | undefined
}

/**
 * A reader of `cryptr`, version 6.
 *
 * @example
 * const reader = cryptrReader(process.env.CRYPTR_SECRET)
 * const text = reader.open(column)
 *
 * @remarks
 * **Every call derives a key from each secret, which costs tens of milliseconds each**, even for forged values. So read columns
 * with it, not what strangers send, and rewrite them at once. Version 5 and earlier wrote no tag, and are not read.
 * @param secret the secret, or a list of at most 8, tried in order
 * @throws `ERR_INVALID_ARG_VALUE` for an empty secret, or any other encoding; `ERR_OUT_OF_RANGE`; `ERR_INVALID_ARG_TYPE`.
 */
export declare function cryptrReader(
  secret: string | readonly string[],
  options?: CryptrOptions,
): LegacyReader
