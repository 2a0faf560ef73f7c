/// <reference types="node" />

/**
 * Key services: a keyring's keyset, encrypted by AWS KMS, Google Cloud KMS, Azure Key Vault, Vault or OpenBao.
 *
 * @example
 * const { wrap, unwrap } = awsKms(new KMS({}), { keyId: 'alias/app', encryptionContext: { keyset: 'users' } })
 * const encrypted = await keyring.wrap(wrap)
 * const same = await Keyring.unwrap(encrypted, unwrap)
 *
 * @remarks
 * Each function accepts the client that the program already has, and needs no dependency: the types here describe the least of
 * each client. The service is called once at the start of a program, and once for each change of the keyset; values are sealed
 * without it.
 *
 * **Every keyset is bound to a context**, which names its purpose. The service refuses a keyset of another context, so no one can
 * replace one program's keyset by another's.
 *
 * If a service fails, does not answer in time, or answers with something else, `ERR_AESGCM_KEY_SERVICE` names the service, and its
 * `cause` is the error of the client. A caller's `signal` throws `ABORT_ERR`. docs/guide/keys.md shows each service.
 */

import type { KeysetWrapping } from './keyring.d.ts'

/** Options of every service: a plain object. */
export interface ServiceOptions {
  /**
   * Milliseconds for one call of the service, retries of its client included.
   *
   * Default: 10 000.
   */
  timeout?: number | undefined
  /** Ends calls in progress, and refuses new ones. */
  signal?: AbortSignal | undefined
}

/** The least of a client of AWS KMS: `new KMS({})` of `@aws-sdk/client-kms`, version 3. */
export interface AwsKms {
  /**
   * Encrypts at most 4096 bytes.
   *
   * @example
   * const { CiphertextBlob } = await client.encrypt(input, { abortSignal })
   */
  encrypt(
    input: { KeyId: string; Plaintext: Uint8Array; EncryptionContext: Record<string, string> },
    options: { abortSignal: AbortSignal },
  ): Promise<{ CiphertextBlob?: Uint8Array | undefined }>
  /**
   * Decrypts what `encrypt` returned.
   *
   * @example
   * const { Plaintext } = await client.decrypt(input, { abortSignal })
   */
  decrypt(
    input: { KeyId: string; CiphertextBlob: Uint8Array; EncryptionContext: Record<string, string> },
    options: { abortSignal: AbortSignal },
  ): Promise<{ Plaintext?: Uint8Array | undefined }>
}

/** Options of {@link awsKms}: a plain object. */
export interface AwsKmsOptions extends ServiceOptions {
  /** The id, ARN or alias of a symmetric key. */
  keyId: string
  /** What the keyset is for, such as `{ keyset: 'users' }`: AWS authenticates it, and CloudTrail shows it in the clear. */
  encryptionContext: Readonly<Record<string, string>>
}

/**
 * Functions that encrypt a keyset under a symmetric key of AWS KMS.
 *
 * @example
 * const { wrap, unwrap } = awsKms(new KMS({}), { keyId: 'alias/app', encryptionContext: { keyset: 'users' } })
 *
 * @throws `ERR_OUT_OF_RANGE`, from `wrap` and before the call, for a keyset of over 4096 bytes: about 40 keys.
 */
export declare function awsKms(client: AwsKms, options: AwsKmsOptions): KeysetWrapping

/** The least of a client of Google Cloud KMS: a `KeyManagementServiceClient` of `@google-cloud/kms`. */
export interface GoogleKms {
  /**
   * Encrypts at most 64 KiB: the response is the first element of the array.
   *
   * @example
   * const [{ ciphertext }] = await client.encrypt(request, { timeout })
   */
  encrypt(request: GoogleRequest, options: { timeout: number }): Promise<readonly unknown[]>
  /**
   * Decrypts what `encrypt` returned.
   *
   * @example
   * const [{ plaintext }] = await client.decrypt(request, { timeout })
   */
  decrypt(request: GoogleRequest, options: { timeout: number }): Promise<readonly unknown[]>
}

/** A CRC32C. */
interface Checksum {
  value: number
}

/** A request to Google Cloud KMS, with the CRC32C of everything that it sends. */
export interface GoogleRequest {
  /** The resource name of the key. */
  name: string
  /** The keyset, or undefined for `decrypt`. */
  plaintext?: Uint8Array
  /** Its checksum. */
  plaintextCrc32c?: Checksum
  /** The wrapped keyset, or undefined for `encrypt`. */
  ciphertext?: Uint8Array
  /** Its checksum. */
  ciphertextCrc32c?: Checksum
  /** The context. */
  additionalAuthenticatedData: Uint8Array
  /** Its checksum. */
  additionalAuthenticatedDataCrc32c: Checksum
}

/** Options of {@link googleKms}: a plain object. */
export interface GoogleKmsOptions extends ServiceOptions {
  /** The resource name of a symmetric key: `projects/…/locations/…/keyRings/…/cryptoKeys/…`. */
  name: string
  /** What the keyset is for, such as `'users'`: additional data of the service. */
  context: string
}

/**
 * Functions that encrypt a keyset under a symmetric key of Google Cloud KMS.
 *
 * The CRC32C of every plaintext and ciphertext is sent and checked, as Google advises. In its REST mode, the client puts the request
 * into its errors, and so the keyset: the members `config` and `response` of the `cause` are deleted.
 *
 * @example
 * const { wrap, unwrap } = googleKms(new KeyManagementServiceClient(), { name, context: 'users' })
 *
 * @throws `ERR_AESGCM_KEY_SERVICE` for a checksum that does not match; `ERR_OUT_OF_RANGE`, from `wrap` and before the call, for a
 * keyset of over 64 KiB.
 */
export declare function googleKms(client: GoogleKms, options: GoogleKmsOptions): KeysetWrapping

/** The least of a client of Azure Key Vault: a `CryptographyClient` of `@azure/keyvault-keys`. */
export interface AzureKeyVault {
  /**
   * Wraps a key of 32 bytes.
   *
   * @example
   * const { result } = await client.wrapKey('A256KW', key, { abortSignal })
   */
  wrapKey(
    algorithm: string,
    key: Uint8Array,
    options: { abortSignal: AbortSignal },
  ): Promise<{ result: Uint8Array }>
  /**
   * Unwraps what `wrapKey` returned.
   *
   * @example
   * const { result } = await client.unwrapKey('A256KW', wrapped, { abortSignal })
   */
  unwrapKey(
    algorithm: string,
    encryptedKey: Uint8Array,
    options: { abortSignal: AbortSignal },
  ): Promise<{ result: Uint8Array }>
}

/** Options of {@link azureKeyVault}: a plain object. */
export interface AzureKeyVaultOptions extends ServiceOptions {
  /**
   * How the key vault wraps: `'A256KW'` with a symmetric key of a Managed HSM, `'RSA-OAEP-256'` with an RSA key.
   *
   * **Whoever has the public key of an RSA key can make a keyset that the program accepts.** Guard who can write the file.
   */
  algorithm: string
  /** What the keyset is for, such as `'users'`: additional data of the seal. */
  context: string
}

/**
 * Functions that seal a keyset under a fresh key, which Azure Key Vault wraps: it wraps only keys.
 *
 * docs/formats.md specifies the bytes. Make the client with the id of the key **and its version**, or unwrapping fails after the
 * vault rotates it.
 *
 * @example
 * const { wrap, unwrap } = azureKeyVault(client, { algorithm: 'A256KW', context: 'users' })
 *
 * @throws {@link AuthenticationError}, from `unwrap`, for a changed keyset, or one of another context.
 */
export declare function azureKeyVault(client: AzureKeyVault, options: AzureKeyVaultOptions): KeysetWrapping

/** The least of `fetch`. */
export type VaultFetch = (
  url: string,
  init: {
    method: 'POST'
    headers: Record<string, string>
    body: string
    redirect: 'error'
    signal: AbortSignal
  },
) => Promise<{ readonly ok: boolean; readonly status: number; text(): Promise<string> }>

/** Options of {@link vaultTransit}: a plain object. */
export interface VaultTransitOptions extends ServiceOptions {
  /** The address of the server: an `https:` URL, or an `http:` URL of this machine, such as that of an agent; without a user. */
  address: string
  /** The name of a key of the transit engine, of a type with associated data, such as the default `aes256-gcm96`. */
  key: string
  /** The token, or a function that returns the one of this moment: visible ASCII characters, without a line break at the end. */
  token: string | (() => string | Promise<string>)
  /** What the keyset is for, such as `'users'`: associated data of the service. */
  context: string
  /**
   * Where the transit engine is mounted.
   *
   * Default: `'transit'`.
   */
  mount?: string | undefined
  /** The namespace, if there are several. */
  namespace?: string | undefined
  /**
   * The function that makes the request, for a private certificate authority, say.
   *
   * Default: the global `fetch`.
   */
  fetch?: VaultFetch | undefined
}

/**
 * Functions that encrypt a keyset by the transit engine of HashiCorp Vault or OpenBao.
 *
 * **The version of the server must document `associated_data` for encrypt.** An older one ignores it, so the keyset is bound to no
 * context. If such a server warns about the parameter, `wrap` and `unwrap` throw `ERR_AESGCM_KEY_SERVICE`.
 *
 * The keyset is base64 in a request and a response: these strings cannot be wiped.
 *
 * @example
 * const { wrap, unwrap } = vaultTransit({ address, key: 'app', token, context: 'users' })
 *
 * @throws `ERR_INVALID_ARG_VALUE` for an address without TLS, except of this machine, or with a user or password, for a token with
 * other characters, and for a segment `.` or `..` in `key` or `mount`.
 */
export declare function vaultTransit(options: VaultTransitOptions): KeysetWrapping
