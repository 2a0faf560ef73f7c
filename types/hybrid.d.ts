/// <reference types="node" />

/**
 * Sealing to a public key: a program seals what it cannot open, in the keysets and the format of Google Tink (HPKE, RFC 9180).
 *
 * @example
 * const ours = PrivateKeyring.generate('X25519-AES-256-GCM')
 * const theirs = PublicKeyring.parse(ours.publicKeyset())
 * const sealed = theirs.sealText('attack at dawn', 'orders/7')
 * ours.openText(sealed, 'orders/7') // 'attack at dawn'
 *
 * @remarks
 * A sealed message is `01 ‖ id(4) ‖ encapsulated secret ‖ ciphertext ‖ tag(16)`. Tink for Python reads it with the same keyset, and
 * vice versa (docs/formats.md). As a string, it is the base64url of the same bytes, without padding.
 *
 * **No sender is authenticated**: everyone who has the public keyset can seal. A message that opens proves only that its sender
 * knew the public key and the context info.
 *
 * **A private key opens all earlier messages**: there is no forward secrecy if it is stolen.
 *
 * `contextInfo` is bytes, or a string, which is encoded as UTF-8; `undefined`, `null` and empty bytes are the same. A message opens
 * only with the context info that it was sealed with. `context` of hardware-aes-gcm/keyring joins several parts.
 *
 * For files, streams and data of any size, these keyrings are keys of every function of hardware-aes-gcm/stream.
 */

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** What a message is bound to, authenticated but not contained in it; a string is encoded as UTF-8. */
export type ContextInfo = string | Uint8Array | null

/**
 * The key exchange and the cipher of a pair of keys, with HKDF-SHA256.
 *
 * `X25519` runs everywhere. `X-WING` combines X25519 with ML-KEM-768: a message stays secret even if a quantum computer breaks
 * X25519. It needs Node 24.7 or later, and its encapsulated secret has 1120 bytes instead of 32. Use it for what must stay secret for
 * decades.
 */
export type HybridKeyType =
  | 'X25519-AES-256-GCM'
  | 'X25519-AES-128-GCM'
  | 'X-WING-AES-256-GCM'
  | 'X-WING-AES-128-GCM'

/** The bytes in front of a message: as `KeyPrefix` of hardware-aes-gcm/keyring. */
export type HybridKeyPrefix = 'tink' | 'raw' | 'crunchy' | 'legacy'

/** The place of a new key in a {@link PrivateKeyring}: a plain object. */
export interface HybridKeyOptions {
  /**
   * The id: a whole number from 0 to 2^32 - 1 that no other key of the keyring has.
   *
   * Default: a random one, not 0, whose first 28 bits no other id of the keyring has.
   */
  id?: number | undefined
  /**
   * The bytes in front of a message.
   *
   * Default: `'tink'`. At most 8 enabled keys may be `'raw'`.
   */
  prefix?: HybridKeyPrefix | undefined
  /**
   * Whether the key is in use.
   *
   * Default: `'enabled'`.
   */
  status?: 'enabled' | 'disabled' | undefined
}

/** Facts about a key of a keyring. */
export interface HybridKeyInfo {
  /** Its id, a whole number from 0 to 2^32 - 1. */
  readonly id: number
  /** Its type; null for a key that this package or this runtime cannot use but keeps for the export of the keyset. */
  readonly type: HybridKeyType | null
  /** Whether it is in use; only a parsed keyset has destroyed keys. */
  readonly status: 'enabled' | 'disabled' | 'destroyed'
  /** The bytes in front of its messages. */
  readonly prefix: HybridKeyPrefix
  /** Whether it is the one key that seals. */
  readonly primary: boolean
  /** The first six characters of every string sealed to this key: as `KeyInfo.textPrefix` of hardware-aes-gcm/keyring. */
  readonly textPrefix: string | null
}

/**
 * Private keys with ids; every enabled key opens.
 *
 * @example
 * const keyring = PrivateKeyring.parse(process.env.PRIVATE_KEYSET)
 * const plaintext = keyring.open(sealed, 'orders/7')
 *
 * @remarks
 * Only those who may read the messages have it.
 *
 * The keys are objects of node:crypto. `inspect` shows ids and statuses, and a keyring cannot be cloned.
 *
 * **To rotate**, add a key and deploy the private keyset. Then promote it, and hand out the new {@link publicKeyset}. Senders with the
 * old public keyset continue: its messages open as long as the old key is enabled.
 *
 * A keyring has at most 500 keys. A message that no prefix opens is tried with every enabled `'raw'` key.
 */
export declare class PrivateKeyring implements Disposable {
  /**
   * A keyring of one new random key.
   *
   * There is no default type: whether messages must resist quantum computers is the caller's decision.
   *
   * @example
   * const keyring = PrivateKeyring.generate('X25519-AES-256-GCM')
   *
   * @throws `ERR_INVALID_ARG_VALUE` for another type; `ERR_AESGCM_UNSUPPORTED_PLATFORM` for `X-WING` on a runtime without ML-KEM-768.
   * @throws as `randomBytes`.
   */
  static generate(type: HybridKeyType, options?: Omit<HybridKeyOptions, 'status'>): PrivateKeyring

  /**
   * The keyring of a private keyset in the clear, as Tink's JSON.
   *
   * @example
   * const keyring = PrivateKeyring.parse(process.env.PRIVATE_KEYSET)
   *
   * @remarks
   * Destroyed keys, and disabled ones of other types, are kept for the {@link export}. Every private key must match its public one. A
   * string cannot be wiped: {@link unwrap} avoids it.
   * @param keyset `undefined`, as from an unset variable, throws a typed error
   * @throws `ERR_AESGCM_INVALID_KEYSET`, with the place in the keyset and never a character of it. A keyset of another class is
   * refused by the name of that class.
   * @throws `ERR_AESGCM_UNSUPPORTED_PLATFORM` for an enabled key of `X-WING` on a runtime without ML-KEM-768; `ERR_INVALID_ARG_TYPE`.
   */
  static parse(keyset: string | undefined): PrivateKeyring

  /**
   * The keyring of a keyset that {@link wrap} or Tink encrypted.
   *
   * @example
   * const keyring = await PrivateKeyring.unwrap(await readFile('private.json', 'utf8'), bytes => other.open(bytes))
   *
   * @param decrypt returns the bytes of the keyset: one call of a KMS, or of a `Keyring`. **They are wiped afterwards**
   * @throws as {@link parse}, and as `Keyring.unwrap`.
   */
  static unwrap(
    encrypted: string,
    decrypt: (wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array>,
  ): Promise<PrivateKeyring>

  private constructor()

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
  readonly keys: readonly HybridKeyInfo[]

  /**
   * Opens a message that {@link PublicKeyring.seal} sealed to an enabled key of this keyring.
   *
   * @example
   * const plaintext = keyring.open(sealed, 'orders/7')
   *
   * @throws `UnknownKeyError` of hardware-aes-gcm/keyring if the message names a key that the keyring does not have or that is not
   * enabled, unless the keyring has `'raw'` keys.
   * @throws `AuthenticationError` for every other message that fails authentication, of any length.
   * @throws `ERR_INVALID_ARG_TYPE` for other arguments; `ERR_INVALID_ARG_VALUE` for context info with a lone surrogate;
   * `ERR_AESGCM_SHARED_BUFFER`; `ERR_AESGCM_DETACHED_BUFFER`; `ERR_AESGCM_DESTROYED`.
   */
  open(sealed: Uint8Array, contextInfo?: ContextInfo): OwnBuffer

  /**
   * As {@link open}, but returns null for a message that fails authentication or names an unknown key.
   *
   * @example
   * const plaintext = keyring.tryOpen(sealed, 'orders/7')
   *
   * @throws every other error of {@link open}.
   */
  tryOpen(sealed: Uint8Array, contextInfo?: ContextInfo): OwnBuffer | null

  /**
   * Opens a string that {@link PublicKeyring.sealText} sealed to an enabled key of this keyring.
   *
   * @example
   * const line = keyring.openText(row.line, 'audit')
   *
   * @throws as {@link open}, even for a string that is not base64url.
   * @throws `ERR_INVALID_ARG_VALUE` if authentic bytes are not UTF-8.
   */
  openText(sealed: string, contextInfo?: ContextInfo): string

  /**
   * As {@link openText}, but returns null for a string that fails authentication or names an unknown key.
   *
   * @example
   * const line = keyring.tryOpenText(row.line, 'audit') ?? '(not ours)'
   *
   * @throws every other error of {@link openText}.
   */
  tryOpenText(sealed: string, contextInfo?: ContextInfo): string | null

  /**
   * The keyset of the public keys, as Tink's JSON.
   *
   * It is not secret, but **whoever replaces it can read what is sealed from then on**. It has the ids, statuses and prefixes of the private keys, without the keys that this package cannot use.
   *
   * @example
   * await writeFile('public.json', keyring.publicKeyset())
   *
   * @throws `ERR_AESGCM_DESTROYED`.
   */
  publicKeyset(): string

  /**
   * Adds a new random key as the newest, which opens at once, and returns its id.
   *
   * @example
   * const id = keyring.add('X25519-AES-256-GCM')
   *
   * @throws as {@link generate}; `ERR_INVALID_ARG_VALUE` for a taken id; `ERR_OUT_OF_RANGE` for more than 500 keys, or more than 8
   * enabled `'raw'` keys; `ERR_AESGCM_DESTROYED`. The keyring is then unchanged.
   */
  add(type: HybridKeyType, options?: HybridKeyOptions): number

  /**
   * Makes a key the primary one, to which the next {@link publicKeyset} seals.
   *
   * @example
   * keyring.promote(id)
   *
   * @throws `ERR_INVALID_ARG_VALUE` if no key has this id; `ERR_INVALID_STATE` unless the key is enabled.
   */
  promote(id: number): void

  /**
   * Enables a disabled key.
   *
   * @example
   * keyring.enable(id)
   *
   * @throws `ERR_INVALID_ARG_VALUE` if no key has this id; `ERR_INVALID_STATE` for a key that this package or this runtime cannot
   * use; `ERR_OUT_OF_RANGE` for more than 8 enabled `'raw'` keys.
   */
  enable(id: number): void

  /**
   * Disables a key, which stays in the keyset.
   *
   * Its messages are then refused, until {@link enable}.
   *
   * @example
   * keyring.disable(oldId)
   *
   * @throws `ERR_INVALID_ARG_VALUE` if no key has this id; `ERR_INVALID_STATE` for the primary key.
   */
  disable(id: number): void

  /**
   * Deletes a key.
   *
   * **The messages sealed to it are lost**, unless another keyset has the key.
   *
   * @example
   * keyring.delete(oldId)
   *
   * @throws as {@link disable}.
   */
  delete(id: number): void

  /**
   * The private keyset in the clear, as Tink's JSON.
   *
   * **It is a secret, and the only way to get the keys out.**
   *
   * @example
   * await writeFile('private.json', keyring.export(), { mode: 0o600 })
   *
   * @throws `ERR_AESGCM_DESTROYED`.
   */
  export(): string

  /**
   * The private keyset, encrypted by `encrypt`, as Tink's JSON of encrypted keysets.
   *
   * @example
   * const encrypted = await keyring.wrap(bytes => other.seal(bytes))
   *
   * @param encrypt returns the ciphertext: one call of a KMS, or of a `Keyring`. Its argument is wiped afterwards
   * @throws as `Keyring.wrap`.
   */
  wrap(encrypt: (keyset: Uint8Array) => Uint8Array | Promise<Uint8Array>): Promise<string>

  /** Whether {@link destroy} was called. */
  readonly destroyed: boolean

  /**
   * Forgets every key.
   *
   * The runtime wipes the keys when it collects their objects. Every later call of another method throws `ERR_AESGCM_DESTROYED`.
   *
   * @example
   * keyring.destroy()
   */
  destroy(): void

  /** The same as {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}

/**
 * Public keys with ids; the primary key seals.
 *
 * @example
 * const keyring = PublicKeyring.parse(process.env.PUBLIC_KEYSET)
 * const sealed = keyring.seal(await readFile('upload.pdf'), 'uploads/17')
 *
 * @remarks
 * Nothing in it is secret, and it opens nothing. It has no `destroy`.
 */
export declare class PublicKeyring {
  /**
   * The keyring of a public keyset, as Tink's JSON.
   *
   * @example
   * const keyring = PublicKeyring.parse(process.env.PUBLIC_KEYSET)
   *
   * @param keyset what {@link PrivateKeyring.publicKeyset} returned. A private keyset is refused, with that reason: it does not belong
   * where messages are sealed
   * @throws `ERR_AESGCM_INVALID_KEYSET`, with the place in the keyset and never a character of it, even for a point of low order.
   * @throws `ERR_AESGCM_UNSUPPORTED_PLATFORM` for an enabled key of `X-WING` on a runtime without ML-KEM-768; `ERR_INVALID_ARG_TYPE`.
   */
  static parse(keyset: string | undefined): PublicKeyring

  private constructor()

  /**
   * Facts about every key, from the oldest to the newest.
   *
   * A new array on each read.
   *
   * @example
   * for (const { id, type } of keyring.keys) console.log(id, type)
   */
  readonly keys: readonly HybridKeyInfo[]

  /**
   * Seals `plaintext` to the primary key.
   *
   * Whoever seals cannot open the result.
   *
   * @example
   * const sealed = keyring.seal(body, 'webhooks/payments')
   *
   * @returns 53 bytes more than the plaintext, 1141 for `X-WING`, and 5 fewer for `'raw'`
   * @throws `ERR_INVALID_ARG_TYPE` for other arguments; `ERR_AESGCM_SHARED_BUFFER`; `ERR_AESGCM_DETACHED_BUFFER`.
   * @throws `ERR_OUT_OF_RANGE` for a message that is too long; `ERR_INVALID_ARG_VALUE` for context info with a lone surrogate.
   */
  seal(plaintext: Uint8Array, contextInfo?: ContextInfo): OwnBuffer

  /**
   * Seals the UTF-8 of `text`.
   *
   * The result is the base64url, without padding, of what {@link seal} returns for these bytes.
   *
   * @example
   * const line = keyring.sealText(JSON.stringify(event), 'audit')
   *
   * @throws `ERR_INVALID_ARG_VALUE` for a string with a lone surrogate; otherwise as {@link seal}.
   */
  sealText(text: string, contextInfo?: ContextInfo): string

  /**
   * The public keyset, as Tink's JSON.
   *
   * @example
   * console.log(keyring.export())
   */
  export(): string
}
