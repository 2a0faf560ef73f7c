/// <reference types="node" />

/**
 * Keyrings: fields, tokens and cookies whose keys rotate, in the formats of Google Tink.
 *
 * @example
 * const keyring = Keyring.parse(process.env.KEYSET)
 * const stored = keyring.sealText('sk_live_1234', 'users/17/token')
 * keyring.openText(stored, 'users/17/token') // 'sk_live_1234'
 *
 * @remarks
 * A sealed value is `01 ‖ id(4) ‖ frame`: a version, the id of its key as a big-endian number, and a frame of `AesGcm`, `XAesGcm` or
 * `AesGcmSiv`. Tink for Python, Go, Java and C++ reads it with the same keyset, and the other way round (docs/formats.md). As text, it is
 * the base64url of the same bytes, without padding. **The id is readable and not authenticated**: it only finds the key.
 *
 * Every method is synchronous, except those whose work is that of a caller's function. Methods that take additional data take it as
 * bytes or as a string, which is its UTF-8; `undefined`, `null` and empty data are the same. {@link context} joins several parts. A
 * value opens only with the data that it was sealed with, so that it does not open in another row or column.
 *
 * Wrong arguments throw as in the main entry, and change no buffer and no keyring.
 */

import type { KeyObject } from 'node:crypto'
import type { AuthenticationError, Backend, KeyArena } from '../index.d.ts'

/** A Buffer over an `ArrayBuffer` of its own, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** Additional data, which is authenticated and no part of the sealed value; a string is its UTF-8. */
export type Aad = string | Uint8Array | null

/**
 * The cipher of a key, and the length of the key.
 *
 * Tink's types are `AesGcmKey`, `XAesGcmKey` (with 12 bytes of salt) and `AesGcmSivKey`. docs/guide/ciphers.md compares the ciphers.
 */
export type KeyType = 'AES-256-GCM' | 'AES-128-GCM' | 'XAES-256-GCM' | 'AES-256-GCM-SIV' | 'AES-128-GCM-SIV'

/**
 * The bytes before a frame.
 *
 * - `'tink'`: `01 ‖ id(4)`
 * - `'crunchy'` and `'legacy'`: `00 ‖ id(4)`; keysets of old programs have them
 * - `'raw'`: none. Such a key reads and writes the frames of the class of its cipher, such as `AesGcm.encrypt`
 */
export type KeyPrefix = 'tink' | 'raw' | 'crunchy' | 'legacy'

/** A key for a {@link Keyring}: a plain object, read as the options of an `AesGcm` are. */
export interface KeyEntry {
  /**
   * The id: a whole number from 0 to 2^32 - 1, which no other key of the keyring has.
   *
   * Choose ids 16 or more apart, or the texts of two keys begin alike: see {@link KeyInfo.textPrefix}.
   *
   * Default: a random one, not 0, whose first 28 bits no other id of the keyring has.
   */
  id?: number | undefined
  /**
   * The key, which is copied: bytes, or a secret `KeyObject`.
   *
   * A key of another cipher in the keyring may not have the same bytes. One of the same cipher may, for a program that gives its only key a
   * prefix; a value then opens under each id, so that its text can be changed.
   */
  key: Uint8Array | KeyObject
  /**
   * The type of the key, whose length must be that of the type.
   *
   * Default: `'AES-256-GCM'` for 32 bytes and `'AES-128-GCM'` for 16 bytes.
   */
  type?: KeyType | undefined
  /**
   * The bytes before a frame.
   *
   * Default: `'tink'`. At most 8 enabled keys may be `'raw'`.
   */
  prefix?: KeyPrefix | undefined
  /**
   * Whether the key is in use.
   *
   * A disabled key opens and seals nothing until {@link Keyring.enable}.
   *
   * Default: `'enabled'`.
   */
  status?: 'enabled' | 'disabled' | undefined
}

/** Facts about a key of a keyring. */
export interface KeyInfo {
  /** Its id, a whole number from 0 to 2^32 - 1. */
  readonly id: number
  /** Its type; null for a key of a keyset that this package cannot use, which is kept for the export. */
  readonly type: KeyType | null
  /** Whether it is in use; only a keyset that was read has keys that were destroyed. */
  readonly status: 'enabled' | 'disabled' | 'destroyed'
  /** The bytes before its frames. */
  readonly prefix: KeyPrefix
  /** Whether it is the one key that seals. */
  readonly primary: boolean
  /**
   * The first six characters of every text that this key sealed: `WHERE substr(col, 1, 6) = …` finds the rows under the key.
   *
   * Compare them exactly: `LIKE` takes `_` for any character, and some databases ignore case. They are the version and the first 28
   * bits of the id, in which the ids differ that this package draws. **Ids that you choose must be 16 or more apart**: 7 and 6 have one
   * prefix, and a count finds the rows of both. Null for a key without a prefix, and for one that this package
   * cannot use.
   */
  readonly textPrefix: string | null
  /** Messages that this object sealed under the key. */
  readonly messagesEncrypted: number
}

/** Options of a {@link Keyring}: a plain object, read as the options of an `AesGcm` are. */
export interface KeyringOptions {
  /**
   * The id of the key that seals, which must be enabled.
   *
   * Default: the id of the first key. Name an older one while programs do not yet know the newest.
   */
  primary?: number | undefined
  /**
   * The arena for the expanded keys.
   *
   * Default: `KeyArena.default`. A key of `AES-…-GCM` takes one place of it, other keys take two.
   */
  arena?: KeyArena | undefined
  /**
   * The instructions to use.
   *
   * Default: the best that this CPU has.
   */
  backend?: Backend | undefined
  /**
   * Number of messages that this object may seal under each key, from 0 to 2^32.
   *
   * Default: the limit of the type, which is 2^32 for `AES-…-GCM`. The limit is that of one object, as for an `AesGcm`.
   */
  maxMessages?: number | undefined
}

/** A reader of another format, such as those of `hardware-aes-gcm/legacy`. */
export interface TextReader {
  /**
   * The text of a value in the reader's format; null for any other value, and for one that is not authentic.
   *
   * @example
   * const reader = { tryOpen: sealed => (sealed.startsWith('old:') ? openOld(sealed) : null) }
   */
  tryOpen(sealed: string, aad?: Aad): string | null
}

/** Options of {@link Keyring.openText}: a plain object. */
export interface OpenTextOptions {
  /**
   * Readers of other formats, asked in order for a value that the keyring does not open.
   *
   * Default: none. Such a reader must itself refuse every value that is not authentic: with one that passes values through, whoever
   * can write a value chooses the text.
   */
  fallback?: TextReader | readonly TextReader[] | undefined
}

/** Options of {@link Keyring.rotate}: a plain object. */
export interface RotateOptions extends OpenTextOptions {
  /**
   * Whether values of newer keys than the primary one are sealed anew as well.
   *
   * Default: false, so that a process with the keyset of before a promotion does not undo it.
   */
  back?: boolean | undefined
}

/** What a token says of itself: a plain object. */
export interface TokenTypes {
  /** The type of the token, such as `'password-reset+jwt'`: 1 to 127 printable characters of ASCII. */
  typ?: string | undefined
  /** The type of its payload, such as `'json'`: 1 to 127 printable characters of ASCII. */
  cty?: string | undefined
}

/**
 * The error for a message that names a key which the keyring does not have, or which is not enabled.
 *
 * The id stands readable in the message, so that naming it tells an attacker nothing. It is not authenticated: anyone can write it.
 */
export declare class UnknownKeyError extends AuthenticationError {
  /** Makes the error for this id. */
  constructor(keyId: number)
  /** The id that the message names. */
  readonly keyId: number
}

/**
 * Keys with ids, of which one, the primary key, seals, and all that are enabled open.
 *
 * @example
 * const stored = keyring.sealText('attack at dawn', 'orders/7')
 * const id = keyring.add({ key: AesGcm.generateKey() })
 * keyring.promote(id)
 * const renewed = keyring.rotate(stored, 'orders/7')
 *
 * @remarks
 * The keys lie in native memory as those of an `AesGcm`. A keyring cannot be cloned, and `inspect` shows ids and counts.
 *
 * **To rotate** in a program of many processes: add a key, and deploy the keyset everywhere; promote it, and deploy again; rewrite
 * the values for which {@link needsRotation} is true; count those with the old {@link KeyInfo.textPrefix}; disable the old key for a
 * while; delete it. After the first deployment, every process opens values of the new key.
 *
 * A value that no prefix opens is tried with every enabled key that is `'raw'`.
 *
 * **Keys have an order, from the oldest to the newest**, and {@link rotate} goes to newer ones alone.
 */
export declare class Keyring implements Disposable {
  /**
   * A keyring of one new random key.
   *
   * @example
   * const keyring = Keyring.generate('XAES-256-GCM')
   *
   * @param type default `'AES-256-GCM'`
   * @throws as `randomBytes`; as the constructor for wrong options.
   */
  static generate(type?: KeyType, options?: Omit<KeyringOptions, 'primary'>): Keyring

  /**
   * The keyring of a keyset in the clear: Tink's JSON, or one line for an environment variable.
   *
   * @example
   * const keyring = Keyring.parse(process.env.KEYSET)
   *
   * @remarks
   * The line is `id:key,id:key`. The first key is the primary one, **a greater id is that of a newer key**, and ids are 16 or more
   * apart. A key is hex or base64, as its length shows. docs/formats.md has both forms.
   *
   * A byte order mark in front does not count. Tink for Go and Python must both read the keyset. Keys that are destroyed, or disabled
   * and of another type, are kept for the {@link export}. A string cannot be wiped: {@link unwrap} avoids it.
   * @param keyset `undefined`, as from an unset variable, is a typed error
   * @throws `ERR_AESGCM_INVALID_KEYSET`, with the place in the keyset and never a character of it; otherwise as the constructor.
   */
  static parse(keyset: string | undefined, options?: Omit<KeyringOptions, 'primary'>): Keyring

  /**
   * The keyring of a keyset that {@link wrap} or Tink encrypted.
   *
   * @example
   * const EncryptionContext = { keyset: 'columns' }
   * const decrypt = async CiphertextBlob => (await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))).Plaintext
   * const keyring = await Keyring.unwrap(await readFile('keyset.json', 'utf8'), decrypt)
   *
   * @remarks
   * The facts about keys that stand in the clear in such a keyset are not authenticated, and not used.
   * @param decrypt gives the bytes of the keyset: one call of a KMS, or `bytes => other.open(bytes)`. **They are wiped afterwards**
   * @throws as {@link parse}; `ERR_AESGCM_INVALID_KEYSET`, with a cause, if the answer of `decrypt` is no keyset; `ERR_INVALID_ARG_TYPE` if
   * it is no Uint8Array, `ERR_AESGCM_DETACHED_BUFFER`; and what `decrypt` throws.
   */
  static unwrap(
    encrypted: string,
    decrypt: (wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array>,
    options?: Omit<KeyringOptions, 'primary'>,
  ): Promise<Keyring>

  /**
   * Copies and expands these keys, of which there are 1 to 1000, **from the newest to the oldest**.
   *
   * @example
   * const keyring = new Keyring([{ id: 20270100, key: newKey }, { id: 20260100, key: oldKey }, { key: veryOld, prefix: 'raw' }])
   *
   * @remarks
   * A key is taken and wiped as by the constructor of `AesGcm`, which lists the errors too. If the call throws, the keyring has no key.
   * @throws `ERR_INVALID_ARG_VALUE` if two keys have one id, or the same bytes and two ciphers, or no key has the id `primary`; `ERR_INVALID_STATE` if the primary key
   * is not enabled; `ERR_OUT_OF_RANGE` for more than 8 enabled keys that are `'raw'`.
   */
  constructor(keys: readonly KeyEntry[], options?: KeyringOptions)

  /**
   * Seals `plaintext` with the primary key.
   *
   * @example
   * const sealed = keyring.seal(await readFile('avatar.png'), 'users/17/avatar')
   *
   * @returns the prefix of the key and a frame: 33 bytes more than the plaintext, 45 for `XAES-256-GCM`, and 5 fewer for `'raw'`
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` if the primary key reached its limit; `ERR_INVALID_ARG_VALUE` for additional data that are the
   * header of a token, which would make the value one (see {@link sealJwe}); `ERR_AESGCM_DESTROYED`.
   */
  seal(plaintext: Uint8Array, aad?: Aad): OwnBuffer

  /**
   * Opens a value that {@link seal} made with an enabled key of the keyring.
   *
   * @example
   * const avatar = keyring.open(sealed, 'users/17/avatar')
   *
   * @throws {@link UnknownKeyError} if the value names a key that the keyring does not have or that is not enabled, unless the keyring has
   * keys that are `'raw'`; {@link AuthenticationError} for every other value that is not authentic, of any length, and for every value
   * if `aad` is the header of a token;
   * `ERR_AESGCM_KEY_EXHAUSTED` once a key has refused 2^32 values; `ERR_AESGCM_DESTROYED`.
   */
  open(sealed: Uint8Array, aad?: Aad): OwnBuffer

  /**
   * As {@link open}, but null for a value that is not authentic or names an unknown key.
   *
   * @example
   * const avatar = keyring.tryOpen(sealed, 'users/17/avatar') ?? placeholder
   *
   * @throws every other error of {@link open}.
   */
  tryOpen(sealed: Uint8Array, aad?: Aad): OwnBuffer | null

  /**
   * Seals the UTF-8 of `text`.
   *
   * The result is the base64url, without padding, of what {@link seal} returns for these bytes.
   *
   * @example
   * const stored = keyring.sealText(token, context('users', 'token', 17))
   *
   * @remarks
   * A text of n bytes of UTF-8 becomes `ceil(4 (n + 33) / 3)` characters: letters, digits, `-` and `_`. They fit into cookies, URLs
   * and JSON. No Buffer is made, and the memory that the text passes through is wiped. The text itself is a string, which JavaScript
   * cannot wipe: `seal` takes secrets that must be.
   * @throws `ERR_INVALID_ARG_VALUE` for a text with a surrogate without its other half, which would not come back;
   * `ERR_OUT_OF_RANGE` if the result were longer than a string can be; otherwise as {@link seal}.
   */
  sealText(text: string, aad?: Aad): string

  /**
   * Opens a text that {@link sealText} made with an enabled key of the keyring.
   *
   * @example
   * const token = keyring.openText(row.token, context('users', 'token', row.id))
   *
   * @remarks
   * The text must be exactly what `sealText` gives: no padding, no white space, no other alphabet, no bits behind the last byte. A text
   * that is not sealed never passes through.
   * @throws {@link UnknownKeyError} and {@link AuthenticationError} as {@link open}, the latter also for a text that is not base64url;
   * `ERR_INVALID_ARG_VALUE` if authentic bytes are not UTF-8, which `open(Buffer.from(sealed, 'base64url'))` opens.
   */
  openText(sealed: string, aad?: Aad, options?: OpenTextOptions): string

  /**
   * As {@link openText}, but null for a text that is not authentic or names an unknown key.
   *
   * @example
   * const session = keyring.tryOpenText(request.cookies.session, 'session') ?? newSession()
   *
   * @throws every other error of {@link openText}.
   */
  tryOpenText(sealed: string, aad?: Aad, options?: OpenTextOptions): string | null

  /**
   * Seals `payload` with the primary key as a token that JOSE libraries open: JWE in compact form, `alg` "dir".
   *
   * @example
   * const token = keyring.sealJwe(JSON.stringify({ sub: '17', exp }), { typ: 'session+jwt' })
   *
   * @remarks
   * `enc` is "A256GCM" or "A128GCM", and `kid` the id of the key as a decimal number. There are no additional data besides the header.
   * Expiry and audience are members of the payload, which the caller sets and checks. {@link sealText} makes shorter texts, in less time.
   *
   * **Give each kind of token a `typ` of its own**, as RFC 8725 asks: {@link openJwe} then opens it only where this type is expected.
   * @throws `ERR_INVALID_STATE` if the primary key is not of AES-GCM; `ERR_INVALID_ARG_VALUE` for a `typ` or `cty` that is not 1 to 127
   * printable characters; `ERR_OUT_OF_RANGE` for a payload of over 384 MiB - 1 KiB; otherwise as {@link seal}.
   */
  sealJwe(payload: string | Uint8Array, header?: TokenTypes): string

  /**
   * Opens a token with `alg` "dir" and `enc` "A256GCM" or "A128GCM".
   *
   * @example
   * const claims = JSON.parse(keyring.openJwe(token, { typ: 'session+jwt' }).toString())
   *
   * @remarks
   * **A token opens only as what it says to be.** Its header must have the `typ` and `cty` that are expected, in any case and with
   * `application/` before them or not. Where none is expected it must have none, except for a `typ` of `JWT` or `JOSE`.
   *
   * `kid` must be the id of an enabled key, and `enc` that of its type. A token whose `kid` is missing or another text is tried with the
   * keys that are `'raw'`. Tokens with `crit` or `zip` are refused.
   * @throws {@link UnknownKeyError} and {@link AuthenticationError} as {@link open}, the latter also for a token of another type;
   * `ERR_INVALID_ARG_VALUE` for an expected type that {@link sealJwe} does not take.
   */
  openJwe(token: string, expected?: TokenTypes): OwnBuffer

  /**
   * As {@link openJwe}, but null for a token that is not authentic, is of another type or names an unknown key.
   *
   * @example
   * const payload = keyring.tryOpenJwe(token, { typ: 'session+jwt' })
   *
   * @throws every other error of {@link openJwe}.
   */
  tryOpenJwe(token: string, expected?: TokenTypes): OwnBuffer | null

  /**
   * The id that a sealed value names in its first bytes, whether or not the keyring has the key; null if they are no prefix.
   *
   * The value is neither opened nor authenticated. A value without a prefix may begin like one by chance.
   *
   * @example
   * keyring.keyIdOf(stored) // 3735928559
   *
   * @throws `ERR_INVALID_ARG_TYPE` for a value that is neither a string nor a Uint8Array.
   */
  keyIdOf(sealed: string | Uint8Array): number | null

  /**
   * Whether a value should be sealed anew, because it begins with the prefix of neither the primary key nor a newer one.
   *
   * Opens nothing.
   * True also for values of other formats and of keys that are not enabled. **Always true for values without a prefix**, also if the
   * primary key is `'raw'`: they do not tell their key.
   *
   * @example
   * if (keyring.needsRotation(row.token)) update(row.id, keyring.rotate(row.token, context('users', 'token', row.id)))
   *
   * @param options `back: true` if values of newer keys should go back to the primary one
   * @throws as {@link keyIdOf}.
   */
  needsRotation(sealed: string | Uint8Array, options?: Pick<RotateOptions, 'back'>): boolean

  /**
   * Opens a value and seals it with the primary key; returns the same value, **unopened**, if {@link needsRotation} is false.
   *
   * A `fallback` is that of {@link openText}: it reads texts alone, and is refused for bytes.
   *
   * **Never goes back**: a process that still has an older primary key leaves values of newer keys as they are. With `back: true` it seals
   * them with the primary key, for a planned return to an older one.
   *
   * @example
   * const renewed = keyring.rotate(stored, 'orders/7', { fallback: legacyReader })
   *
   * @throws as {@link openText} and {@link sealText}, or as {@link open} and {@link seal}.
   */
  rotate<Sealed extends string | Uint8Array>(
    sealed: Sealed,
    aad?: Aad,
    options?: RotateOptions,
  ): Sealed extends string ? string : Sealed | OwnBuffer

  /**
   * Facts about every key, from the oldest to the newest.
   *
   * A new array at each reading.
   *
   * @example
   * for (const { id, primary, status } of keyring.keys) console.log(id, status, primary)
   *
   * @throws `ERR_AESGCM_DESTROYED`.
   */
  readonly keys: readonly KeyInfo[]

  /**
   * Adds a key, the newest, which opens at once and seals after {@link promote}, and returns its id.
   *
   * @example
   * const id = keyring.add({ key: AesGcm.generateKey() })
   *
   * @throws as the constructor. The keyring is then as before.
   */
  add(entry: KeyEntry): number

  /**
   * Makes a key the primary one, which seals from now on.
   *
   * @example
   * keyring.promote(id)
   *
   * @throws `ERR_INVALID_ARG_VALUE` if no key has this id; `ERR_INVALID_STATE` if the key is not enabled.
   */
  promote(id: number): void

  /**
   * Enables a key that was disabled.
   *
   * @example
   * keyring.enable(id)
   *
   * @throws `ERR_INVALID_ARG_VALUE` if no key has this id; `ERR_INVALID_STATE` for a key that this package cannot use.
   */
  enable(id: number): void

  /**
   * Disables a key, which stays in the keyset.
   *
   * Its values are then refused as those of an unknown key, until {@link enable}.
   *
   * @example
   * keyring.disable(oldId)
   *
   * @throws `ERR_INVALID_ARG_VALUE` if no key has this id; `ERR_INVALID_STATE` for the primary key.
   */
  disable(id: number): void

  /**
   * Deletes a key, and wipes it.
   *
   * **Values that it sealed are lost**, unless another keyset has the key.
   *
   * @example
   * keyring.delete(oldId)
   *
   * @throws as {@link disable}.
   */
  delete(id: number): void

  /**
   * The keyset in the clear, as Tink's JSON.
   *
   * **It is a secret, and the only way out for the keys.**
   *
   * @example
   * await writeFile('keyset.json', keyring.export(), { mode: 0o600 })
   *
   * @remarks
   * {@link parse} reads it, and so does Tink. A worker thread gets the keyring this way. The bytes of the keys are wiped, but the
   * string cannot be: {@link wrap} makes none.
   * @throws `ERR_AESGCM_DESTROYED`.
   */
  export(): string

  /**
   * The keyset, encrypted by `encrypt`, as Tink's JSON of encrypted keysets.
   *
   * @example
   * const encrypted = await keyring.wrap(bytes => other.seal(bytes))
   *
   * @param encrypt gives the ciphertext: one call of a KMS, or of another keyring. **Its argument holds the keys until its promise
   * settles**, also if the keyring is destroyed meanwhile, and is wiped then
   * @throws `ERR_AESGCM_DESTROYED`; `ERR_INVALID_ARG_TYPE` if `encrypt` gives no Uint8Array, `ERR_INVALID_ARG_VALUE` if it gives keys in
   * the clear, `ERR_OUT_OF_RANGE` if it gives no bytes or too many, `ERR_AESGCM_DETACHED_BUFFER`; and what `encrypt` throws.
   */
  wrap(encrypt: (keyset: Uint8Array) => Uint8Array | Promise<Uint8Array>): Promise<string>

  /** Whether {@link destroy} was called. */
  readonly destroyed: boolean

  /**
   * Wipes every key.
   *
   * Every later call of another method throws `ERR_AESGCM_DESTROYED`.
   *
   * @example
   * keyring.destroy()
   */
  destroy(): void

  /** The same as {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}

/**
 * Additional data of several parts, which no other parts give: PASETO's pre-authentication encoding.
 *
 * @example
 * keyring.sealText(token, context('users', 'token', row.id))
 *
 * @remarks
 * Each part stands behind its length, so that `context('ab', 'c')` and `context('a', 'bc')` differ. Numbers and bigints are their decimal
 * text: 17, 17n and '17' are the same part. A string is its UTF-8.
 * @param parts 1 to 1000 strings, whole numbers, bigints or Uint8Arrays
 * @throws `ERR_INVALID_ARG_TYPE` and `ERR_INVALID_ARG_VALUE` for other parts, and for a string with a surrogate without its other half;
 * `ERR_OUT_OF_RANGE` for numbers that are not whole or not safe, and for another number of parts.
 */
export declare function context(...parts: readonly (string | number | bigint | Uint8Array)[]): OwnBuffer

/**
 * For `WHERE` on an encrypted column: a second column that has an index of the value.
 *
 * @example
 * const index = new BlindIndex(indexKey, { purpose: 'users.email' })
 * db.prepare('SELECT * FROM users WHERE email_index = ?').get(index.of(email.toLowerCase()))
 *
 * @remarks
 * **Equal values have equal indexes.** Everyone who reads the column sees which rows are equal, and how many. Values of which there are
 * few, such as birth dates, can be told from how often each occurs: do not index them.
 *
 * The index is the base64url of the first `bits` of HMAC-SHA-256 over `context(purpose, value)`: Tink's `HmacPrfKey` gives the same bytes.
 * Only exact matches are found: bring values into one form first, as by `toLowerCase()` and `normalize()`. The key belongs to indexes
 * alone, and is no key of the keyring. To rotate it, fill a second column, or search for both, `IN (old.of(v), new.of(v))`.
 */
export declare class BlindIndex implements Disposable {
  /**
   * A new random key of 32 bytes, from the generator of `randomBytes`.
   *
   * @example
   * const indexKey = BlindIndex.generateKey()
   *
   * @throws as `randomBytes`.
   */
  static generateKey(): OwnBuffer

  /**
   * Copies the key, which is kept in memory that is wiped by {@link destroy} or with the object.
   *
   * @example
   * const index = new BlindIndex(Buffer.from(process.env.INDEX_KEY, 'base64'), { purpose: 'users.email', bits: 64 })
   *
   * @param key 32 to 1024 bytes, or a secret `KeyObject`
   * @param options `purpose`: the column, such as `'users.email'`, so that equal values of two columns have different indexes. `bits`: the
   * length of the index, a multiple of 8 from 32 to 256, default 128; with few bits, different values share an index: compare the values
   * of the rows found after opening them
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for any other length; `ERR_INVALID_ARG_VALUE` for an empty purpose.
   */
  constructor(key: Uint8Array | KeyObject, options: { purpose: string; bits?: number })

  /** The purpose. */
  readonly purpose: string
  /** The bits of an index. */
  readonly bits: number
  /** Whether {@link destroy} was called. */
  readonly destroyed: boolean

  /**
   * The index of a value; a string is its UTF-8.
   *
   * @example
   * index.of('alice@example.com')
   *
   * @throws `ERR_INVALID_ARG_VALUE` for a string with a surrogate without its other half; `ERR_AESGCM_DESTROYED`.
   */
  of(value: string | Uint8Array): string

  /**
   * Wipes the key.
   *
   * Every later {@link of} throws `ERR_AESGCM_DESTROYED`.
   *
   * @example
   * index.destroy()
   */
  destroy(): void

  /** The same as {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}
