/// <reference types="node" />

/**
 * Readers of what other programs sealed with AES-GCM: one for hand-written formats, and one each for four packages of npm.
 *
 * Readers only decrypt. Give one to a keyring as the fallback of `openText`, and rewrite the old values with `rotate`, which seals them
 * under the keyring and binds them to their place (docs/guide/tokens.md). Every reader demands a tag of 16 bytes and exact encodings.
 * **Formats without a tag, such as AES-CBC alone, are left out on purpose**, because their text can be changed by others.
 *
 * Readers work through node:crypto, so that they take IVs of 16 bytes and need no AES instructions: they are for a migration, and slower
 * than a keyring. Wrong arguments throw as in the main entry, and no error contains a byte of a key or of a text.
 */

import type { KeyObject } from 'node:crypto'
import type { AuthenticationError } from '../index.d.ts'

/** A Buffer over an `ArrayBuffer` of its own, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** Additional data: a string is its UTF-8, and `null` means none. */
export type Aad = string | Uint8Array | null

/**
 * A reader of old values, which a keyring takes as the fallback of `openText`.
 *
 * `Sealed` is what it reads besides texts, if anything. It keeps copies of its keys, which {@link destroy} wipes, and so does the collector after the reader is dropped. `util.inspect` shows
 * the format and the number of keys.
 */
export interface LegacyReader<Sealed = string> extends Disposable {
  /**
   * Decrypts a value of the format, and never returns the text of any other value.
   *
   * @example
   * const text = reader.open(column)
   *
   * @param aad ignored, except by a {@link layoutReader} whose option `aad` uses it: the formats here have no additional data, so
   * that a keyring can pass on those of the new text
   * @throws `AuthenticationError` for every value that does not open; its subclass {@link UnknownLayoutError} if the value does not have
   * the layout of the format; `ERR_INVALID_ARG_VALUE` if the value is authentic, but its bytes are not UTF-8, which {@link openBytes}
   * returns, and for an `aad` with a surrogate without its other half; `ERR_INVALID_ARG_TYPE`; `ERR_AESGCM_DESTROYED`.
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
   * The event `hardware-aes-gcm:authentication-failed` is published only for a value that has the layout of the format and does not
   * open, by this method as by {@link open}.
   * @throws every other error of {@link open}: bytes that are authentic and no text are neither forged nor lost in silence.
   */
  tryOpen(sealed: Sealed, aad?: Aad): string | null
  /**
   * {@link open} for plaintext that is not text: compressed, in another encoding, or binary.
   *
   * @example
   * const text = reader.openBytes(column).toString('latin1')
   *
   * @returns the bytes, in memory of their own
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
  /** {@link destroy}, so that `using reader = cloakReader(key)` works. */
  [Symbol.dispose](): void
}

/**
 * The error for a value that does not have the layout of its reader, such as clear text in a column that was encrypted later.
 *
 * The layout shows without a key, so that the error tells an attacker nothing. **It is no proof of clear text**: whoever can write a
 * value can write one without the layout.
 */
export declare class UnknownLayoutError extends AuthenticationError {
  /** Makes the error. */
  constructor()
}

/** A key that a program made of a text. */
export interface HashedKey {
  /** The text, or bytes, of which the key is the SHA-256: `createHash('sha256').update(secret).digest()`. */
  sha256: string | Uint8Array
  /** With it, the key is the first 32 characters of the digest in this encoding: `….digest('hex').slice(0, 32)`. */
  digest?: 'hex' | 'base64' | undefined
}

/**
 * The layout of an object, such as JSON, or a row with a column for each part.
 *
 * - `{ iv: '{iv}', data: '{ct}', auth: '{tag}' }`: these members, beside others, which are ignored
 * - `{ p: '{ct}', h: { iv: '{iv}', at: '{tag}' } }`: objects in one another, at most 8
 */
export type LayoutMembers = { readonly [name: string]: string | LayoutMembers }

/** How parts are encoded: `'mime'` is base64 with line breaks and spaces anywhere. */
export type PartEncoding = 'hex' | 'base64' | 'base64url' | 'mime'

/** Options of {@link layoutReader}: a plain object, of which only own properties count; an unknown name throws `ERR_INVALID_ARG_VALUE`. */
export interface LayoutOptions {
  /**
   * The key, 16, 24 or 32 bytes or `{ sha256: text }`, or a list of at most 8 keys, which are tried in order.
   *
   * For a layout with a salt: a function that derives the key of a message from its salt. What it returns is copied.
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
   * - `'{iv}:{tag}:{ct}'`: parts that are encoded one by one, with any text before, between and after them
   * - `'{iv}{tag}{ct}'`: parts that are encoded together; `ivBytes` is then required
   * - `'{iv}:{ct}{tag}'`: the tag at the end of the ciphertext, as WebCrypto writes it
   * - `'{iv:hex}:{ct:base64}{tag:base64}'`: parts in different encodings
   * - {@link LayoutMembers}: an object with these members
   *
   * Parts with no text around them may be bytes, as a value or as a member: a `Uint8Array`; in JSON, its numbers.
   */
  layout: string | LayoutMembers
  /**
   * The encoding of parts that name none; without it, they are read as bytes alone.
   *
   * Hex in capitals, and base64 without padding, are read too.
   */
  encoding?: PartEncoding | undefined
  /** The encoding of the text as a whole, if that has one: `'base64'` for base64 of JSON. */
  outerEncoding?: PartEncoding | undefined
  /** Length of the IV in bytes; by default 12 or 16, as the text shows. */
  ivBytes?: 12 | 16 | undefined
  /** Length of the salt in bytes, 1 to 1024, if the layout has one. */
  saltBytes?: number | undefined
  /**
   * The additional data of the old texts: none by default.
   *
   * A function gets those of the call: `aad => aad` uses them for the old text too. It gets `null` for none. A string is its UTF-8.
   */
  aad?: Aad | ((aad: Aad) => Aad) | undefined
}

/**
 * A reader of a hand-written format, whose layout you tell.
 *
 * @example
 * const reader = layoutReader({ key, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })
 * const text = reader.open(column)
 *
 * @remarks
 * Text is UTF-8, unless you ask for its bytes; tags have 16 bytes, and IVs 12 or 16. Derive a key from a password as your old program does, and pass the bytes; if
 * every message has a salt, `key` is a function of the salt.
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
 * @param keys the text of a key, `k1.aesgcm256.…`, or a list of at most 8; the fingerprint in a text tells the key
 * @throws `ERR_INVALID_ARG_VALUE` for another text than that of a key; `ERR_INVALID_ARG_TYPE`.
 */
export declare function cloakReader(keys: string | readonly string[]): LegacyReader

/** Options of {@link boringnodeReader}: a plain object, read as {@link LayoutOptions} are. */
export interface BoringnodeOptions {
  /** The `id` of the encrypter, with which its texts begin. */
  id: string
  /** The secret, or a list of at most 8, which are tried in order; in AdonisJS, `appKey.release()`. */
  keys: string | readonly string[]
  /** The `purpose` of the texts, if they have one. */
  purpose?: string | undefined
  /**
   * With `true`, gives the JSON inside a text as it is, `{"message":…,"expiryDate":…}`, and leaves the expiry to you.
   *
   * By default `false`: a message that is a string comes as this string, any other as its JSON, and expired texts do not open. **A
   * text that is sealed again has no expiry any more**, so take `true` for texts with one.
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
 * Texts of earlier versions, without `v1:`, are read too. Its other drivers are not.
 * @throws `ERR_INVALID_ARG_VALUE` for a key of fewer than 16 characters, or another `id`; `ERR_INVALID_ARG_TYPE`.
 */
export declare function boringnodeReader(options: BoringnodeOptions): LegacyReader

/** Options of {@link typeormReader}, with the names of `typeorm-encrypted`: a plain object, read as {@link LayoutOptions} are. */
export interface TypeormOptions {
  /** The key in hex, as there, or as bytes; or a list of at most 8. */
  key: string | Uint8Array | KeyObject | readonly (string | Uint8Array | KeyObject)[]
  /** The algorithm; the modes without a tag, such as `'aes-256-cbc'`, are refused. */
  algorithm: 'aes-256-gcm' | 'aes-192-gcm' | 'aes-128-gcm'
  /** Length of the IV in bytes. */
  ivLength: 12 | 16
  /** Length of the tag in bytes; texts with shorter tags cannot be read. */
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
 * Leave out the original's option `iv`: the text has its IV. For its JSON transformer, give the member `encrypted` of the column.
 * @throws `ERR_INVALID_ARG_VALUE` for another algorithm, or a key of another length; `ERR_OUT_OF_RANGE`; `ERR_INVALID_ARG_TYPE`;
 * `ERR_AESGCM_INVALID_KEY_LENGTH`.
 */
export declare function typeormReader(options: TypeormOptions): LegacyReader

/** Options of {@link cryptrReader}, with the names of `cryptr`: a plain object, read as {@link LayoutOptions} are. */
export interface CryptrOptions {
  /** The encoding of the texts: by default `'hex'`. */
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
 * **Every call derives a key by each secret, which takes tens of milliseconds each**, for forged texts too. So read columns with it, not what strangers
 * send, and rewrite them at once. Version 5 and earlier wrote no tag, and are not read.
 * @param secret the secret, or a list of at most 8, which are tried in order
 * @throws `ERR_INVALID_ARG_VALUE` for an empty secret, or another encoding; `ERR_OUT_OF_RANGE`; `ERR_INVALID_ARG_TYPE`.
 */
export declare function cryptrReader(
  secret: string | readonly string[],
  options?: CryptrOptions,
): LegacyReader
