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
 * A sealed value is `01 ‖ id(4) ‖ frame`: a version, the id of its key as a big-endian number, and a frame of `AesGcm`, `XAesGcm`
 * or `AesGcmSiv`. Tink for Python, Go, Java and C++ reads it with the same keyset, and vice versa (docs/formats.md). As a string,
 * it is the base64url of the same bytes, without padding. **The id is readable and not authenticated**: it only finds the key.
 *
 * Every method is synchronous, except those that leave the work to the caller's function. Additional data is bytes, or a string,
 * which is encoded as UTF-8; `undefined`, `null` and empty data are the same. {@link context} joins several parts. A value opens
 * only with the data that it was sealed with, so it does not open in another row or column.
 *
 * Wrong arguments throw as in the main entry, and change no buffer and no keyring.
 */

import type { KeyObject } from 'node:crypto'
import type { AuthenticationError, Backend, KeyArena } from '../index.d.ts'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** A Buffer whose `ArrayBuffer` other ciphertexts may share: see {@link Keyring.seal}. */
type Ciphertext = ReturnType<typeof Buffer.alloc>

/** Additional data, authenticated but not contained in the sealed value; a string is encoded as UTF-8. */
export type Aad = string | Uint8Array | null

/**
 * The cipher of a key, and the length of the key.
 *
 * Tink's types are `AesGcmKey`, `XAesGcmKey` (with 12 bytes of salt) and `AesGcmSivKey`. docs/guide/ciphers.md compares the ciphers.
 */
export type KeyType = 'AES-256-GCM' | 'AES-128-GCM' | 'XAES-256-GCM' | 'AES-256-GCM-SIV' | 'AES-128-GCM-SIV'

/**
 * The bytes in front of a frame.
 *
 * - `'tink'`: `01 ‖ id(4)`
 * - `'crunchy'` and `'legacy'`: `00 ‖ id(4)`; keysets of old programs have them
 * - `'raw'`: none. Such a key reads and writes the frames of its cipher's class, such as those of `AesGcm.encrypt`
 */
export type KeyPrefix = 'tink' | 'raw' | 'crunchy' | 'legacy'

/** A key for a {@link Keyring}: a plain object, read like the options of an `AesGcm`. */
export interface KeyEntry {
  /**
   * The id: a whole number from 0 to 2^32 - 1 that no other key of the keyring has.
   *
   * Choose ids 16 or more apart, or the sealed strings of two keys begin alike: see {@link KeyInfo.textPrefix}.
   *
   * Default: a random one, not 0, whose first 28 bits no other id of the keyring has.
   */
  id?: number | undefined
  /**
   * The key, which is copied: bytes, or a secret `KeyObject`.
   *
   * Two keys of different ciphers must not have the same bytes. Two keys of the same cipher may, for a program that adds a prefix
   * to its only key. A value then opens under each id, so others can change its sealed form.
   */
  key: Uint8Array | KeyObject
  /**
   * The type of the key, which must have the length of that type.
   *
   * Default: `'AES-256-GCM'` for 32 bytes and `'AES-128-GCM'` for 16 bytes.
   */
  type?: KeyType | undefined
  /**
   * The bytes in front of a frame.
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
  /** Its type; null for a key that this package cannot use but keeps for the export of its keyset. */
  readonly type: KeyType | null
  /** Whether it is in use; only a parsed keyset has destroyed keys. */
  readonly status: 'enabled' | 'disabled' | 'destroyed'
  /** The bytes in front of its frames. */
  readonly prefix: KeyPrefix
  /** Whether it is the one key that seals. */
  readonly primary: boolean
  /**
   * The first six characters of every string sealed under this key: `WHERE substr(col, 1, 6) = …` finds its rows.
   *
   * Compare them exactly: `LIKE` treats `_` as any character, and some databases ignore case. They encode the version and the
   * first 28 bits of the id, which differ among ids drawn by this package. **Ids that you choose must be 16 or more apart**: 7
   * and 6 have one prefix, and a count finds the rows of both. Null for a key without a prefix, and for one that this package
   * cannot use.
   */
  readonly textPrefix: string | null
  /** Messages sealed by this object under the key. */
  readonly messagesEncrypted: number
  /** Messages opened by this object under the key. */
  readonly messagesDecrypted: number
}

/** What a {@link Keyring} counted since it was made, over all keys. */
export interface KeyringCounts {
  /** Values that failed authentication, other than those of unknown keys. */
  readonly failedDecryptions: number
  /** Values that name a key missing from the keyring, or not enabled. */
  readonly unknownKeys: number
  /** Values that {@link Keyring.rotate} re-encrypted. */
  readonly rotated: number
}

/** Options of a {@link Keyring}: a plain object, read like the options of an `AesGcm`. */
export interface KeyringOptions {
  /**
   * The id of the key that seals, which must be enabled.
   *
   * Default: the id of the first key. Name an older one until every program knows the newest.
   */
  primary?: number | undefined
  /**
   * The arena for the expanded keys.
   *
   * Default: `KeyArena.default`. A key of `AES-…-GCM` occupies one place in it, other keys two.
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
   * Default: the limit of the type, which is 2^32 for `AES-…-GCM`. Each object counts only its own messages, like an `AesGcm`.
   */
  maxMessages?: number | undefined
}

/** A reader of another format, such as those of `hardware-aes-gcm/legacy`. */
export interface TextReader {
  /**
   * The plaintext of a value in the reader's format; null for any other value, and for one that fails authentication.
   *
   * @example
   * const reader = { tryOpen: sealed => (sealed.startsWith('old:') ? openOld(sealed) : null) }
   */
  tryOpen(sealed: string, aad?: Aad): string | null
}

/** Options of {@link Keyring.openText}: a plain object. */
export interface OpenTextOptions {
  /**
   * Readers of other formats, tried in order if the keyring cannot open a value.
   *
   * Default: none. Such a reader must itself refuse every value that fails authentication: if a reader passes values through,
   * everyone who can write a value chooses the plaintext.
   */
  fallback?: TextReader | readonly TextReader[] | undefined
}

/** Options of {@link Keyring.rotate}: a plain object. */
export interface RotateOptions extends OpenTextOptions {
  /**
   * Whether to re-encrypt even values under keys newer than the primary key.
   *
   * Default: false, so a process with the keyset from before a promotion does not undo it.
   */
  back?: boolean | undefined
}

/** The types that a token declares: a plain object. */
export interface TokenTypes {
  /** The type of the token, such as `'password-reset+jwt'`: 1 to 127 printable ASCII characters. */
  typ?: string | undefined
  /** The type of its payload, such as `'json'`: 1 to 127 printable ASCII characters. */
  cty?: string | undefined
}

/** Functions for {@link Keyring.wrap} and {@link Keyring.unwrap}, as `hardware-aes-gcm/kms` and `/passphrase` make them. */
export interface KeysetWrapping {
  /** Encrypts a keyset. */
  readonly wrap: (keyset: Uint8Array) => Promise<Uint8Array>
  /**
   * Decrypts what `wrap` returned.
   *
   * The caller wipes the keyset, as {@link Keyring.unwrap} does.
   */
  readonly unwrap: (wrapped: Uint8Array) => Promise<Uint8Array>
}

/**
 * The error for a message that names a key missing from the keyring, or not enabled.
 *
 * The message contains the id in the clear, so the error reveals nothing to an attacker. The id is not authenticated: anyone can
 * write it.
 */
export declare class UnknownKeyError extends AuthenticationError {
  /** Makes the error for this id. */
  constructor(keyId: number)
  /** The id that the message names. */
  readonly keyId: number
}

/**
 * Keys with ids: one, the primary key, seals, and all enabled keys open.
 *
 * @example
 * const stored = keyring.sealText('attack at dawn', 'orders/7')
 * const id = keyring.add({ key: AesGcm.generateKey() })
 * keyring.promote(id)
 * const renewed = keyring.rotate(stored, 'orders/7')
 *
 * @remarks
 * The keys are in native memory, like those of an `AesGcm`. A keyring cannot be cloned, and `inspect` shows ids and counts.
 *
 * **To rotate** in a program of many processes, add a key and deploy the keyset everywhere: every process then opens values of
 * the new key. Promote it, and deploy again. Rewrite the values for which {@link needsRotation} is true, and count those with the
 * old {@link KeyInfo.textPrefix}. Disable the old key for a while, and then delete it.
 *
 * A value that no prefix opens is tried with every enabled `'raw'` key.
 *
 * **Keys have an order, from the oldest to the newest**, and {@link rotate} moves values only to newer ones.
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
   * The line is `id:key,id:key`. The first key is the primary one, **a greater id means a newer key**, and ids are 16 or more
   * apart. A key is hex or base64, as its length shows. docs/formats.md describes both forms.
   *
   * A leading byte order mark is ignored. Tink for Go and for Python must both be able to read the keyset. Keys that are
   * destroyed, or disabled and of another type, are kept for the {@link export}. A string cannot be wiped: {@link unwrap} avoids
   * it.
   * @param keyset `undefined`, as from an unset variable, throws a typed error
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
   * Such a keyset also contains facts about its keys in the clear, which are neither authenticated nor used.
   * @param decrypt returns the bytes of the keyset: one call of a KMS, or `bytes => other.open(bytes)`. **They are wiped
   * afterwards**
   * @throws as {@link parse}, and the errors of `decrypt`.
   * @throws `ERR_AESGCM_INVALID_KEYSET`, with a cause, if `decrypt` returns no keyset; `ERR_INVALID_ARG_TYPE` if it returns no
   * Uint8Array; `ERR_AESGCM_DETACHED_BUFFER`.
   */
  static unwrap(
    encrypted: string,
    decrypt: (wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array>,
    options?: Omit<KeyringOptions, 'primary'>,
  ): Promise<Keyring>

  /**
   * Copies and expands 1 to 1000 keys, **from the newest to the oldest**.
   *
   * @example
   * const keyring = new Keyring([{ id: 20270100, key: newKey }, { id: 20260100, key: oldKey }, { key: veryOld, prefix: 'raw' }])
   *
   * @remarks
   * Each key is read and wiped as by the constructor of `AesGcm`, which also lists the errors. If this constructor throws, it
   * keeps no key.
   * @throws `ERR_INVALID_ARG_VALUE` if two keys have one id, or the same bytes and two ciphers, or no key has the id `primary`.
   * @throws `ERR_INVALID_STATE` if the primary key is not enabled; `ERR_OUT_OF_RANGE` for more than 8 enabled `'raw'` keys.
   */
  constructor(keys: readonly KeyEntry[], options?: KeyringOptions)

  /**
   * Seals `plaintext` with the primary key.
   *
   * **A value of up to 4 KiB is a part of a larger `ArrayBuffer`** with other ciphertexts, like the frames of `AesGcm.encrypt`:
   * `new Uint8Array(sealed)` is a copy with separate memory.
   *
   * @example
   * const sealed = keyring.seal(await readFile('avatar.png'), 'users/17/avatar')
   *
   * @returns the prefix of the key and a frame: 33 bytes more than the plaintext, 45 for `XAES-256-GCM`, and 5 fewer for `'raw'`
   * @throws `ERR_INVALID_ARG_VALUE` if the additional data is the header of a token, which would make the value a token (see
   * {@link sealJwe}).
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` if the primary key reached its limit; `ERR_AESGCM_DESTROYED`.
   */
  seal(plaintext: Uint8Array, aad?: Aad): Ciphertext

  /**
   * Opens a value that {@link seal} made with an enabled key of the keyring.
   *
   * @example
   * const avatar = keyring.open(sealed, 'users/17/avatar')
   *
   * @throws {@link UnknownKeyError} if the value names a key that the keyring does not have or that is not enabled, unless the
   * keyring has `'raw'` keys.
   * @throws {@link AuthenticationError} for every other value that fails authentication, of any length, and for every value if
   * `aad` is the header of a token.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` once a key has refused 2^32 values; `ERR_AESGCM_DESTROYED`.
   */
  open(sealed: Uint8Array, aad?: Aad): OwnBuffer

  /**
   * As {@link open}, but returns null for a value that fails authentication or names an unknown key.
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
   * A string of n bytes of UTF-8 becomes `ceil(4 (n + 33) / 3)` characters: letters, digits, `-` and `_`. They fit into cookies,
   * URLs and JSON. No Buffer is made, and the memory that the plaintext passes through is wiped. `text` itself is a string, which
   * JavaScript cannot wipe: pass a secret that must be wiped to `seal`.
   * @throws `ERR_INVALID_ARG_VALUE` for a string with a lone surrogate, which would not come back; `ERR_OUT_OF_RANGE` if the
   * result were longer than a string can be; otherwise as {@link seal}.
   */
  sealText(text: string, aad?: Aad): string

  /**
   * Opens a string that {@link sealText} made with an enabled key of the keyring.
   *
   * @example
   * const token = keyring.openText(row.token, context('users', 'token', row.id))
   *
   * @remarks
   * The string must be exactly what `sealText` returns: no padding, no white space, no other alphabet, no bits after the last
   * byte. An unsealed string never passes through.
   * @throws {@link UnknownKeyError} and {@link AuthenticationError} as {@link open}, the latter even for a string that is not
   * base64url.
   * @throws `ERR_INVALID_ARG_VALUE` if authentic bytes are not UTF-8; `open(Buffer.from(sealed, 'base64url'))` opens such a
   * value.
   */
  openText(sealed: string, aad?: Aad, options?: OpenTextOptions): string

  /**
   * As {@link openText}, but returns null for a string that fails authentication or names an unknown key.
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
   * `enc` is "A256GCM" or "A128GCM", and `kid` the id of the key as a decimal number. The header is the only additional data.
   * Expiry and audience are members of the payload, which the caller sets and checks. {@link sealText} makes shorter strings, in
   * less time.
   *
   * **Use a separate `typ` for each kind of token**, as RFC 8725 asks: {@link openJwe} then opens it only where this type is
   * expected.
   * @throws `ERR_INVALID_STATE` if the primary key is not of AES-GCM; `ERR_OUT_OF_RANGE` for a payload of over 384 MiB - 1 KiB.
   * @throws `ERR_INVALID_ARG_VALUE` for a `typ` or `cty` that is not 1 to 127 printable characters; otherwise as {@link seal}.
   */
  sealJwe(payload: string | Uint8Array, header?: TokenTypes): string

  /**
   * Opens a token with `alg` "dir" and `enc` "A256GCM" or "A128GCM".
   *
   * @example
   * const claims = JSON.parse(keyring.openJwe(token, { typ: 'session+jwt' }).toString())
   *
   * @remarks
   * **A token opens only as what it declares to be.** Its header must have the expected `typ` and `cty`; case does not count, nor
   * does a leading `application/`. Where none is expected it must have none, except for a `typ` of `JWT` or `JOSE`.
   *
   * `kid` must be the id of an enabled key, and `enc` must match its type. A token without a `kid`, or with one that is no id, is
   * tried with the `'raw'` keys. Tokens with `crit` or `zip` are refused.
   * @throws {@link UnknownKeyError} and {@link AuthenticationError} as {@link open}, the latter even for an authentic token of
   * another type.
   * @throws `ERR_INVALID_ARG_VALUE` for an expected type that {@link sealJwe} does not accept.
   */
  openJwe(token: string, expected?: TokenTypes): OwnBuffer

  /**
   * As {@link openJwe}, but returns null for a token that fails authentication, is of another type or names an unknown key.
   *
   * @example
   * const payload = keyring.tryOpenJwe(token, { typ: 'session+jwt' })
   *
   * @throws every other error of {@link openJwe}.
   */
  tryOpenJwe(token: string, expected?: TokenTypes): OwnBuffer | null

  /**
   * The key id in the first bytes of a sealed value, whether or not the keyring has the key; null without a prefix.
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
   * Whether a value needs re-encryption: it begins with the prefix of neither the primary key nor a newer one.
   *
   * Opens nothing. Values of other formats and of keys that are not enabled return true. **So do all values without a prefix**,
   * even if the primary key is `'raw'`: they do not name their key.
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
   * `fallback` works as in {@link openText}: it reads only strings, and is refused for bytes.
   *
   * **Never goes back**: a process that still has an older primary key leaves values of newer keys as they are. With `back: true`
   * it seals them with the primary key, for a planned return to an older one.
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
  ): Sealed extends string ? string : Sealed | Ciphertext

  /**
   * Facts about every key, from the oldest to the newest.
   *
   * A new array on each read.
   *
   * @example
   * for (const { id, primary, status } of keyring.keys) console.log(id, status, primary)
   *
   * @throws `ERR_AESGCM_DESTROYED`.
   */
  readonly keys: readonly KeyInfo[]

  /**
   * Counts of refused and rotated values.
   *
   * They only grow, and survive {@link replace}. A value that a `fallback` reads is not counted as refused. {@link keys} has the
   * counts of each key.
   *
   * @example
   * if (keyring.counts.unknownKeys > 0) console.warn('this process lacks a key')
   *
   * @throws `ERR_AESGCM_DESTROYED`.
   */
  readonly counts: KeyringCounts

  /**
   * Replaces the keyset with another keyring's, which is destroyed, in one step: every holder of this object sees it at once.
   *
   * Remaining keys keep their counts, and others are wiped. New keys have `maxMessages`, `backend` and `arena` of `newer`: parse it
   * with the same options.
   *
   * @example
   * keyring.replace(Keyring.parse(await readFile('keys.json', 'utf8')))
   *
   * @remarks
   * **An older keyset is refused**: one that lacks the primary key or a newer one, has an older primary key, brings back a destroyed
   * key or one older than the primary one, or has another order. Additions at the end, promotions, other statuses and deletions of
   * older keys are newer. `back: true` accepts older ones, too.
   *
   * @returns whether keys, statuses or primary key changed
   * @throws `ERR_AESGCM_OLDER_KEYSET`. Every error leaves both keyrings unchanged.
   * @throws `ERR_AESGCM_INVALID_KEYSET` if a known id has other bytes, another type or another prefix.
   */
  replace(newer: Keyring, options?: Pick<RotateOptions, 'back'>): boolean

  /**
   * Adds a key as the newest, which opens at once and seals after {@link promote}, and returns its id.
   *
   * @example
   * const id = keyring.add({ key: AesGcm.generateKey() })
   *
   * @throws as the constructor. The keyring is then unchanged.
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
   * Enables a disabled key.
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
   * Its values are then refused like those of an unknown key, until {@link enable}.
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
   * **The values that it sealed are lost**, unless another keyset has the key.
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
   * **It is a secret, and the only way to get the keys out.**
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
   * @param encrypt returns the ciphertext: one call of a KMS, or of another keyring. **Its argument contains the keys until its
   * promise settles**, even if the keyring is destroyed meanwhile, and is then wiped
   * @throws `ERR_INVALID_ARG_TYPE` if `encrypt` returns no Uint8Array, `ERR_INVALID_ARG_VALUE` if it returns keys in the clear,
   * `ERR_OUT_OF_RANGE` if it returns no bytes or too many.
   * @throws `ERR_AESGCM_DESTROYED`; `ERR_AESGCM_DETACHED_BUFFER`; and the errors of `encrypt`.
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

/** Options of {@link followKeyset}: a plain object, with `file` or `load`. */
export interface FollowOptions extends Omit<KeyringOptions, 'primary'> {
  /**
   * The file of the keyset, opened again at each read, so renamed files and symbolic links are followed.
   *
   * A plain file of at most 4 MiB. Replace it by renaming another file to it, as the command does.
   */
  file?: string | URL | undefined
  /**
   * Returns the keyset as a string.
   *
   * `signal` is aborted after `timeout`, and by {@link FollowedKeyset.close}. A later answer is dropped, and until it comes, no other
   * call begins.
   *
   * @example
   * const load = async ({ signal }) => (await fetch('https://vault.internal/keyset', { signal })).text()
   */
  load?: ((context: { readonly signal: AbortSignal }) => string | Promise<string>) | undefined
  /**
   * Decrypts an encrypted keyset, as for {@link Keyring.unwrap}: whenever the source returns another text than that in use, so again
   * while its keyset is refused.
   *
   * An answer after `timeout` is dropped, and until it comes, no other call begins.
   *
   * Default: none, so the keyset must be in the clear.
   */
  unwrap?: ((wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array>) | undefined
  /**
   * Milliseconds between two attempts; 0 leaves them to {@link FollowedKeyset.refresh}.
   *
   * Default: 60 000. Use the same in all processes. Each wait is 75 to 100 % of it. After a failure, the waits begin at a second at
   * most, and double up to the interval.
   */
  interval?: number | undefined
  /**
   * Milliseconds that the source may need, and then again `unwrap`.
   *
   * Default: 30 000.
   */
  timeout?: number | undefined
  /** Called after the keyring changed. */
  onChange?: ((keyring: Keyring) => void) | undefined
  /**
   * Called with the reason of each failed attempt.
   *
   * Default: a process warning with the code `AESGCM_KEYSET_NOT_TAKEN`, once for each reason in a row.
   */
  onError?: ((error: Error) => void) | undefined
}

/** What {@link followKeyset} returns. */
export interface FollowedKeyset extends Disposable {
  /** The keyring, which stays the same object: pass it to columns, cookies and requests. */
  readonly keyring: Keyring
  /** Why the last attempt failed; null if it did not. */
  readonly lastError: Error | null
  /** When the source last returned a keyset that is in use, whether or not it was a new one. */
  readonly lastSuccess: Date
  /**
   * Begins an attempt now, or after the one in progress, and returns whether it succeeded: false after {@link close}.
   *
   * **Never rejects**: `onError` receives the reason. The process stays alive until the answer. `back: true` accepts an older keyset,
   * as in {@link Keyring.replace}, and lets a new key seal at once.
   *
   * @example
   * process.on('SIGHUP', () => followed.refresh())
   */
  refresh(options?: Pick<RotateOptions, 'back'>): Promise<boolean>
  /**
   * Stops following, and leaves the keyring as it is.
   *
   * An attempt in progress ends at once: its `signal` is aborted, and its {@link refresh} returns false.
   *
   * @example
   * followed.close()
   */
  close(): void
  /** The same as {@link close}, for `using`. */
  [Symbol.dispose](): void
}

/**
 * A keyring that accepts newer keysets from a file, or from a function, while the program runs.
 *
 * @example
 * const { keyring } = await followKeyset({ file: process.env.KEYSET_FILE, interval: 10_000 })
 *
 * @remarks
 * The first attempt makes the keyring, or rejects. In later ones, {@link Keyring.replace} accepts each new keyset. **A malformed,
 * truncated or older keyset changes nothing**, and `onError` receives the reason. It must be JSON: a line could be truncated
 * unnoticed.
 *
 * **A primary key that this process never had** opens at once and seals two intervals later, at the first attempt that succeeds. A
 * newer one restarts the wait. It seals at once if today's is not enabled.
 *
 * No timer keeps the process alive. docs/guide/reload.md has the order of a rotation.
 * @throws as {@link Keyring.parse} or {@link Keyring.unwrap}; errors of the file or of `load`.
 * @throws `ERR_AESGCM_KEYSET_TIMEOUT` if `load` or `unwrap` does not answer in time.
 */
export declare function followKeyset(options: FollowOptions): Promise<FollowedKeyset>

/**
 * Additional data of several parts, encoded so that no other parts produce it: PASETO's pre-authentication encoding.
 *
 * @example
 * keyring.sealText(token, context('users', 'token', row.id))
 *
 * @remarks
 * Each part follows its length, so `context('ab', 'c')` and `context('a', 'bc')` differ. Numbers and bigints are written in
 * decimal: 17, 17n and '17' are the same part. A string is encoded as UTF-8.
 * @param parts 1 to 1000 strings, whole numbers, bigints or Uint8Arrays
 * @throws `ERR_INVALID_ARG_TYPE` and `ERR_INVALID_ARG_VALUE` for other parts, and for a string with a lone surrogate.
 * @throws `ERR_OUT_OF_RANGE` for numbers that are not whole or not safe, and for any other number of parts.
 */
export declare function context(...parts: readonly (string | number | bigint | Uint8Array)[]): OwnBuffer

/**
 * For `WHERE` on an encrypted column: a second column, with an index of the value.
 *
 * @example
 * const index = new BlindIndex(indexKey, { purpose: 'users.email' })
 * db.prepare('SELECT * FROM users WHERE email_index = ?').get(index.of(email.toLowerCase()))
 *
 * @remarks
 * **Equal values have equal indexes.** Everyone who reads the column sees which rows are equal, and how many. If there are few
 * possible values, as with birth dates, their frequencies reveal them: do not index such a column.
 *
 * The index is the base64url of the first `bits` of HMAC-SHA-256 over `context(purpose, value)`: Tink's `HmacPrfKey` produces the
 * same bytes. Only exact matches are found: bring values into one form first, as by `toLowerCase()` and `normalize()`. The key is
 * for indexes alone, and is no key of the keyring. To rotate it, fill a second column, or search for both,
 * `IN (old.of(v), new.of(v))`.
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
   * Copies the key into memory that {@link destroy} wipes, or the collector with the object.
   *
   * @example
   * const index = new BlindIndex(Buffer.from(process.env.INDEX_KEY, 'base64'), { purpose: 'users.email', bits: 64 })
   *
   * @param key 32 to 1024 bytes, or a secret `KeyObject`
   * @param options `purpose`: the column, such as `'users.email'`, which makes equal values of two columns have different
   * indexes. `bits`: the length of the index, a multiple of 8 from 32 to 256, default 128. With few bits, different values share
   * an index: compare the values of the rows found after opening them
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for any other length; `ERR_INVALID_ARG_VALUE` for an empty purpose.
   */
  constructor(key: Uint8Array | KeyObject, options: { purpose: string; bits?: number })

  /** The purpose. */
  readonly purpose: string
  /** Length of an index in bits. */
  readonly bits: number
  /** Whether {@link destroy} was called. */
  readonly destroyed: boolean

  /**
   * The index of a value; a string is encoded as UTF-8.
   *
   * @example
   * index.of('alice@example.com')
   *
   * @throws `ERR_INVALID_ARG_VALUE` for a string with a lone surrogate; `ERR_AESGCM_DESTROYED`.
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
