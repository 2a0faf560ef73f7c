/// <reference types="node" />

/**
 * Streams and files of any size, encrypted in separately authenticated chunks (C2SP chunked-encryption).
 *
 * @example
 * await encryptFile('backup.tar', 'backup.tar.enc', key)
 * await decryptFile('backup.tar.enc', 'restored.tar', key)
 *
 * @remarks
 * The format is Cobblestone-128 for a key of 16 bytes and Cobblestone-256 for a key of 32 bytes, both with SHA-512 and the label
 * `c2sp.org/chunked-encryption@v1`. A message is `salt(24) ‖ commitment(32)`, with the sealed keys in front of it if it has recipients, then the plaintext in encrypted chunks of 16 384
 * bytes, each with a tag of 16 bytes; the last chunk is always shorter. Each message has its own key, derived from the caller's
 * key, a random salt and the context. So one key may encrypt 2^55 messages of up to 32 MiB, 2^45 of 1 GiB, or 2^25 of 1 TiB (the
 * specification's table). A message has at most 2^52 - 1 bytes.
 *
 * Only whole, authenticated chunks come out. **If a call or a stream then fails, discard what came out before:** it is authentic,
 * but the message is not complete. An encrypted message reveals its size. It cannot be appended to, and interrupted encryption
 * cannot be resumed: split large data into several messages instead, whose contexts contain their numbers.
 *
 * Every function throws the errors of the class `AesGcm` for arguments of wrong kinds, and those of first use (docs/errors.md).
 */

import type { KeyObject } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Transform } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { URL } from 'node:url'
import type { Backend, KeyArena } from '../index.d.ts'
import type { PrivateKeyring, PublicKeyring } from './hybrid.d.ts'

// Web streams have the global types: those of `lib.dom` if the program includes it, and otherwise those of @types/node. So
// `pipeThrough`, `Response` and `fetch` accept them in both cases.

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/** Who may open a message: one to 50 keyrings of hardware-aes-gcm/hybrid, to each of whose primary keys it is encrypted. */
export type Recipients = PublicKeyring | readonly PublicKeyring[]

/**
 * The key of a message to be made: 16 or 32 uniformly random bytes, a secret `KeyObject`, or {@link Recipients}.
 *
 * A message to recipients has a new key, which is sealed to each of them in front of it. Anyone who has their public keysets can make
 * such a message: **no sender is authenticated**, and every recipient can replace its content. It shows how many recipients it has,
 * and the ids of their keys, which `'raw'` keys do not have. It costs a key exchange for each recipient, and bytes: see {@link encryptedSize}.
 */
export type EncryptionKey = Uint8Array | KeyObject | Recipients

/**
 * The key of a message to be opened: the one it was encrypted with, or the `PrivateKeyring` of one of its recipients.
 *
 * The kind is the caller's choice, and never the message's: a keyring opens only messages to recipients, and other keys open none of
 * them. Disabled keys open nothing. Destroying the keyring does not stop a message whose beginning was read.
 */
export type DecryptionKey = Uint8Array | KeyObject | PrivateKeyring

/** Options of every function and class here: a plain object, read like the options of an `AesGcm`. */
export interface StreamOptions {
  /**
   * The place of the message, such as the name of an object: a message opens only with the context that it was encrypted with.
   *
   * A string is encoded as UTF-8; one with a lone surrogate throws `ERR_INVALID_ARG_VALUE`. Default: empty. The message does not
   * contain the context.
   */
  context?: string | Uint8Array | null | undefined
  /**
   * The arena for the expanded key of the message.
   *
   * Default: `KeyArena.default`.
   */
  arena?: KeyArena | undefined
  /**
   * The instructions to use.
   *
   * Default: the best that this CPU has.
   */
  backend?: Backend | undefined
}

/** Options of Node's streams: {@link StreamOptions}, and two of Node's own. */
export interface TransformStreamOptions extends StreamOptions {
  /**
   * Bytes that each side of the stream holds before it asks its writer to wait.
   *
   * Default: 65 536.
   */
  highWaterMark?: number | undefined
  /** Destroys the stream when it aborts. */
  signal?: AbortSignal | undefined
}

/** Options of {@link encryptBuffer} and {@link decryptBuffer}. */
export interface BufferOptions extends StreamOptions {
  /**
   * Memory for the result, at least as long, which does not overlap the input.
   *
   * Reused memory saves the time that new memory costs, which may exceed the time of the cipher. Default: a new Buffer.
   */
  target?: Uint8Array | undefined
}

/** Options of {@link encryptFile} and {@link decryptFile}. */
export interface FileOptions extends StreamOptions {
  /**
   * Whether to replace an existing file of this name.
   *
   * Default: false.
   */
  force?: boolean | undefined
  /**
   * Ends the work when it aborts; no file then appears.
   *
   * The signal is checked after every run of 2 MiB. So a pending read, as of a FIFO, ends first.
   */
  signal?: AbortSignal | undefined
  /**
   * Called after every 2 MiB or less with the processed bytes of `from`, and the size of `from`.
   *
   * The size is null if `from` is not a regular file. An exception ends the work, and is passed on.
   */
  onProgress?: ((done: number, total: number | null) => void) | undefined
}

/** Options of {@link DecryptionReader.open}. */
export interface ReaderOptions extends StreamOptions {
  /**
   * Whether `open` reads and authenticates the last chunk, which proves the size.
   *
   * Default: true. With false, `size` is not authenticated until a read reaches the end or counts from it.
   */
  verifyEnd?: boolean | undefined
}

/** Anything that supplies bytes at a position. */
export interface Source {
  /** Its number of bytes. */
  readonly size: number
  /**
   * Returns the `length` bytes from `position` on, all of them within `size`.
   *
   * @example
   * const source = { size: message.length, read: (position, length) => message.subarray(position, position + length) }
   *
   * @remarks
   * If there are fewer bytes, the message counts as truncated. Extra bytes are not used. The bytes must not change afterwards.
   */
  read(position: number, length: number): Uint8Array | Promise<Uint8Array>
}

/**
 * A Node stream that encrypts what is written to it into one message.
 *
 * @example
 * await pipeline(createReadStream('a'), createEncryptStream(key), createWriteStream('a.enc'))
 *
 * @remarks
 * Every Buffer that comes out has its own memory, which the stream does not reuse. The key is wiped when the stream ends or is
 * destroyed.
 * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for bytes of any other length than 16 or 32; `ERR_OUT_OF_RANGE` for no recipient, or more
 * than 50. The stream fails with `ERR_OUT_OF_RANGE` after 2^52 - 1 bytes.
 */
export declare function createEncryptStream(key: EncryptionKey, options?: TransformStreamOptions): Transform

/**
 * A Node stream that decrypts a message.
 *
 * @example
 * await pipeline(createReadStream('a.enc'), createDecryptStream(key), createWriteStream('a.part'))
 *
 * @remarks
 * A consumer receives authentic chunks before the stream has seen the end of the message, and **must discard them if the stream
 * fails**. Write to a temporary name and rename the file at the end, as {@link decryptFile} does.
 *
 * The stream fails with
 * - `ERR_AESGCM_WRONG_KEY`, before any data, for another key or context, or a damaged beginning; for a keyring, also if the message is
 *   not to one of its enabled keys
 * - an `AuthenticationError` for a chunk that fails authentication; its `position` is the offset of the chunk's first byte in the
 *   plaintext
 * - `ERR_AESGCM_STREAM_TRUNCATED` for a message that ends between two chunks, or in front of the first one
 * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` unless the key has 16 or 32 bytes; `ERR_AESGCM_DESTROYED` for a destroyed keyring.
 */
export declare function createDecryptStream(key: DecryptionKey, options?: TransformStreamOptions): Transform

/**
 * A web stream that encrypts, for `pipeThrough`.
 *
 * @example
 * const body = blob.stream().pipeThrough(new EncryptionStream(key))
 *
 * @remarks
 * It accepts chunks that are Uint8Arrays, and otherwise behaves like {@link createEncryptStream}.
 */
export declare class EncryptionStream {
  /**
   * Accepts a key and options as {@link createEncryptStream} does, and throws its errors.
   *
   * @example
   * const { readable, writable } = new EncryptionStream(key, { context: 'photo 17' })
   */
  constructor(key: EncryptionKey, options?: StreamOptions)
  /** The encrypted message; cancelling it wipes the key. */
  readonly readable: ReadableStream<OwnBuffer>
  /** Accepts the plaintext; aborting it wipes the key. */
  readonly writable: WritableStream<Uint8Array>
}

/**
 * A web stream that decrypts, for `pipeThrough`.
 *
 * @example
 * const text = response.body.pipeThrough(new DecryptionStream(key))
 *
 * @remarks
 * It behaves like {@link createDecryptStream}: **discard what came out if the stream fails.**
 */
export declare class DecryptionStream {
  /**
   * Accepts a key and options as {@link createDecryptStream} does, and throws its errors.
   *
   * @example
   * const { readable, writable } = new DecryptionStream(key, { context: 'photo 17' })
   */
  constructor(key: DecryptionKey, options?: StreamOptions)
  /** The plaintext; cancelling it wipes the key. */
  readonly readable: ReadableStream<OwnBuffer>
  /** Accepts the encrypted message; aborting it wipes the key. */
  readonly writable: WritableStream<Uint8Array>
}

/**
 * The size of the encrypted message of a plaintext of `bytes` bytes: `56 + bytes + 16 · (⌊bytes / 16384⌋ + 1)`.
 *
 * @example
 * const headers = { 'Content-Length': String(encryptedSize(size)) }
 *
 * @param recipients makes it the size of a message to them: 6 bytes more, and 87 for each key of X25519, 1175 for one of X-Wing, or 5
 * fewer for a `'raw'` key
 * @throws `ERR_OUT_OF_RANGE` unless `bytes` is a whole number from 0 to 2^52 - 1, and for no recipient or more than 50;
 * `ERR_INVALID_ARG_TYPE` for other recipients.
 */
export declare function encryptedSize(bytes: number, recipients?: Recipients): number

/**
 * The size of the plaintext in an encrypted message of `bytes` bytes.
 *
 * @example
 * const size = decryptedSize(encryptedSize(5)) // 5
 *
 * @remarks
 * A size proves nothing: only decryption does. The message has no recipients; of others, `DecryptionReader` has the size.
 * @throws `ERR_OUT_OF_RANGE` for a size that no message has.
 */
export declare function decryptedSize(bytes: number): number

/**
 * The range of the encrypted message whose chunks contain the plaintext from `start` up to, but not including, `end`.
 *
 * @example
 * const { start, end } = encryptedRange(0, 20_000) // 56 and 32856
 *
 * @remarks
 * The range ends with a whole chunk, so it may extend past the message, where servers cut a `Range` short themselves. The first
 * 56 bytes of the message are also needed. The message has no recipients; of others, open a `DecryptionReader` over a {@link Source}.
 * @throws `ERR_OUT_OF_RANGE` unless both are whole numbers up to 2^52 - 1, and `start` is at most `end`.
 */
export declare function encryptedRange(start: number, end: number): { start: number; end: number }

/**
 * Encrypts bytes in memory, in one call.
 *
 * @example
 * const message = encryptBuffer(Buffer.from('attack at dawn'), key)
 *
 * @returns the message: a new Buffer, or the beginning of `target`
 * @throws `ERR_OUT_OF_RANGE` if `target` is too short, `ERR_AESGCM_BUFFER_OVERLAP` if it overlaps the plaintext; both leave it
 * unchanged. `ERR_AESGCM_INVALID_KEY_LENGTH` unless the key has 16 or 32 bytes.
 */
export declare function encryptBuffer(
  plaintext: Uint8Array,
  key: EncryptionKey,
  options?: BufferOptions,
): OwnBuffer

/**
 * Decrypts a message in memory, in one call.
 *
 * @example
 * const text = decryptBuffer(message, key).toString() // 'attack at dawn'
 *
 * @returns the plaintext: a new Buffer, or the beginning of `target`
 * @throws the failures of {@link createDecryptStream}. The place of the plaintext in `target` is then zero, or unchanged if the
 * failure was found before the first chunk. Other errors as {@link encryptBuffer}.
 */
export declare function decryptBuffer(
  message: Uint8Array,
  key: DecryptionKey,
  options?: BufferOptions,
): OwnBuffer

/**
 * Encrypts a file into a new file.
 *
 * @example
 * await encryptFile('backup.tar', 'backup.tar.enc', key, { context: 'backup of 2026-11-23' })
 *
 * @remarks
 * The new file gets its name only when it is complete and on the disk. Until then it is `.hardware-aes-gcm-….part` in the same
 * folder, and remains if the process is killed. Only its owner can read it (mode 0600; on Windows, the folder decides). At most 9
 * MiB of memory are used.
 * @param from a path or `file:` URL
 * @param to a path or `file:` URL, of another file
 * @returns the number of bytes of the new file
 * @throws Node's errors of files and URLs: `EEXIST` if the name exists and `force` is not set, or if anything but a file has the
 * name. `ERR_INVALID_ARG_VALUE` for one file as both. `ERR_AESGCM_STREAM_TRUNCATED` if `from` became shorter meanwhile. An
 * `AbortError` if the signal aborted. Other errors as {@link encryptBuffer}.
 */
export declare function encryptFile(
  from: string | URL,
  to: string | URL,
  key: EncryptionKey,
  options?: FileOptions,
): Promise<{ bytes: number }>

/**
 * Decrypts a file into a new file.
 *
 * @example
 * await decryptFile('backup.tar.enc', 'restored.tar', key, { context: 'backup of 2026-11-23' })
 *
 * @remarks
 * The new file appears as in {@link encryptFile}: only when the whole message has been authenticated. If a signal ends the
 * process, a temporary file with plaintext may remain: this function handles no signal.
 * @param from a path or `file:` URL
 * @param to a path or `file:` URL, of another file
 * @returns the number of bytes of the new file
 * @throws the failures of {@link createDecryptStream}, and the errors of {@link encryptFile}.
 */
export declare function decryptFile(
  from: string | URL,
  to: string | URL,
  key: DecryptionKey,
  options?: FileOptions,
): Promise<{ bytes: number }>

/**
 * Reads any part of an encrypted message.
 *
 * @example
 * const reader = await DecryptionReader.open(await open('film.enc'), key)
 * const part = await reader.read(1_000_000, 2_000_000)
 * reader.destroy()
 *
 * @remarks
 * A read decrypts the chunks that contain the part, and fails unless all of them are authentic. Reads may run at the same time.
 */
export declare class DecryptionReader implements Disposable {
  private constructor()

  /**
   * Reads the beginning of a message, and by default also its last chunk.
   *
   * @example
   * const reader = await DecryptionReader.open({ size, read: (at, length) => download(at, length) }, key)
   *
   * @param source a FileHandle, Blob or Uint8Array, or any {@link Source}. It must not change, and stays the caller's: `destroy` does not
   * close it.
   * @throws the failures of `createDecryptStream`, here for the beginning and the last chunk; the errors of the source. For a size that
   * no message has, `ERR_AESGCM_STREAM_TRUNCATED` or an `AuthenticationError`.
   */
  static open(
    source: Source | FileHandle | Blob | Uint8Array,
    key: DecryptionKey,
    options?: ReaderOptions,
  ): Promise<DecryptionReader>

  /** Number of bytes of the plaintext, authenticated unless `verifyEnd` is false. */
  readonly size: number

  /**
   * The bytes from `start` up to, but not including, `end`.
   *
   * @example
   * const last = await reader.read(-100) // the last 100 bytes
   *
   * @param start default: 0. A negative number counts from the end, as in `Buffer.subarray`; numbers outside are moved to the
   * nearest end.
   * @param end default: the size. Read like `start`.
   * @throws an `AuthenticationError` with the `position` of a chunk that fails authentication; `ERR_AESGCM_STREAM_TRUNCATED` if
   * the source returns fewer bytes than asked for.
   * @throws `ERR_AESGCM_DESTROYED` after `destroy`, even for an empty range; the errors of the source.
   */
  read(start?: number, end?: number): Promise<OwnBuffer>

  /**
   * The same bytes as a stream, such as the body of a response with status 206.
   *
   * @example
   * const response = new Response(reader.stream(start, end), { status: 206 })
   *
   * @remarks
   * The stream reads at most 1 MiB ahead. It fails with the errors of `read`; what came out before is authentic. Its type is that
   * of `lib.dom` and of Node, so `Response` and `Readable.fromWeb` both accept it.
   */
  stream(start?: number, end?: number): ReadableStream<OwnBuffer> & NodeReadableStream<OwnBuffer>

  /**
   * Wipes the key.
   *
   * @example
   * reader.destroy()
   *
   * @remarks
   * Later reads throw `ERR_AESGCM_DESTROYED`. The source is not closed.
   */
  destroy(): void
  /** As `destroy`. */
  [Symbol.dispose](): void
}
