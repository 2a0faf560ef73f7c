/// <reference types="node" />

/**
 * AES-GCM on Buffers, in place, at the speed of the CPU's own instructions.
 *
 * Every method accepts any `Uint8Array`, from any realm, and is synchronous unless its name ends in `Async`. `aad` is additional
 * data: authenticated, but not encrypted. It is always the last data argument and always optional; `null` and `undefined` mean
 * empty data.
 *
 * A wrong argument throws a `TypeError` or `RangeError` with one of Node's own codes (`ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE`, `ERR_OUT_OF_RANGE`, `ERR_INVALID_THIS`) or an {@link AesGcmError}. All arguments are checked before
 * the first byte is written, so a call that throws for an argument changes no buffer.
 */

import type { KeyObject } from 'node:crypto'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/**
 * A Buffer that, up to 4 KiB, is a part of a larger `ArrayBuffer` with other ciphertexts. It keeps 32 KiB alive, `postMessage`
 * sends them all, and their memory cannot be transferred. `new Uint8Array(frame)` is a copy with separate memory, and
 * {@link Aead.encryptInto} writes into yours.
 */
type Ciphertext = ReturnType<typeof Buffer.alloc>

/**
 * The CPU instructions that a key uses.
 *
 * They determine how many AES blocks a register holds: `vaes512` (AVX-512) four, `vaes256` (AVX2) two, `aesni` (SSE) one, `armv8`
 * one, `armv8eor3` (with the three-way XOR of FEAT_SHA3) one.
 */
export type Backend = 'vaes512' | 'vaes256' | 'aesni' | 'armv8' | 'armv8eor3'

/** Length of a nonce in bytes. */
export declare const NONCE_BYTES: 12
/** Length of a tag in bytes; tags are never truncated. */
export declare const TAG_BYTES: 16
/** Bytes that a frame adds to its plaintext: nonce and tag. */
export declare const OVERHEAD: 28

/** Options of every key, a plain object: only own properties count, and an unknown name throws `ERR_INVALID_ARG_VALUE`. */
export interface AeadOptions {
  /**
   * Number of messages that may fail authentication under this object, from 1 to 2^32.
   *
   * Default: 2^32. After that, every decryption throws `ERR_AESGCM_KEY_EXHAUSTED`, even of authentic messages; encryption still
   * works.
   */
  maxFailures?: number | undefined
  /**
   * With `true`, decryption writes plaintext only after the tag has matched, in a second pass.
   *
   * Default: `false`, one pass; if the tag does not match, the plaintext is removed again before the call returns. Two passes
   * read the ciphertext twice. **Do not decrypt a Buffer that is still being written** (by `fs.read` before its callback): bytes
   * that change between the passes are decrypted without authentication.
   */
  verifyFirst?: boolean | undefined
  /** Use this backend instead of the best one; throws `ERR_AESGCM_UNSUPPORTED_CPU` if this CPU cannot run it. */
  backend?: Backend | undefined
  /** Memory for the expanded key: by default `KeyArena.default`, which belongs to the thread and grows as needed. */
  arena?: KeyArena | undefined
}

/** Options of an {@link AesGcm}: a plain object, read like {@link AeadOptions}. */
export interface AesGcmOptions extends AeadOptions {
  /**
   * Where a frame carries its nonce; sender and receiver must agree.
   * - `'start'` (default): `nonce(12) ‖ ciphertext ‖ tag(16)`
   * - `'end'`: `ciphertext ‖ tag(16) ‖ nonce(12)`
   */
  nonceAt?: 'start' | 'end' | undefined
  /**
   * Number of frames this object may encrypt, from 0 to 2^32 (SP 800-38D section 8.3).
   *
   * Default: 2^32. Further encryptions into frames throw `ERR_AESGCM_KEY_EXHAUSTED`: make a new object with a new key.
   */
  maxMessages?: number | undefined
}

/** Options of a batch in place: a plain object, read like {@link AesGcmOptions}. */
export interface BatchOptions {
  /** Additional data, the same for every frame unless `aadEnds` is set; must not overlap the frames. */
  aad?: Uint8Array | null | undefined
  /**
   * Where the additional data of each frame ends in `aad`: ascending, with one element for each frame.
   *
   * Frame `i` uses `aad.subarray(aadEnds[i - 1] ?? 0, aadEnds[i])`. The array is copied, like `ends`.
   */
  aadEnds?: Uint32Array | null | undefined
}

/** Options of a batch of rows: a plain object, read like {@link AesGcmOptions}. */
export interface RowOptions<Row extends Uint8Array = Uint8Array> {
  /**
   * Additional data: the same for every row, or a function that returns the data of each row.
   *
   * The function is called once for each row, in order, before anything is encrypted or decrypted. It must return a Uint8Array,
   * which is copied at once, so it may return the same array again with other bytes. `row` is the plaintext in `encryptBatch` but
   * **the frame in `decryptBatch`**: derive the additional data from the index, not from the row's bytes.
   */
  aad?: Uint8Array | null | ((row: Row, index: number) => Uint8Array) | undefined
}

/**
 * One AES-128 or AES-256 key, expanded once in native memory, that counts its messages.
 *
 * @example
 * const aes = new AesGcm(AesGcm.generateKey())
 * const frame = aes.encrypt(Buffer.from('attack at dawn'))
 * aes.decrypt(frame).toString() // 'attack at dawn'
 *
 * @remarks
 * Make one object per key and keep it. For a frame, this package generates the nonce and stores it next to the ciphertext; with
 * the detached methods, nonce and tag are yours. Nonces stay unique in a restored virtual machine if a device reports the restore
 * or you call {@link reseed} (docs/security.md, "Copies of a process").
 *
 * An object belongs to the thread that made it: send the key to another thread, not the object (docs/guide/keys.md). Every
 * encryption and decryption also throws errors about its arguments' memory, before it writes a byte (docs/errors.md).
 */
export declare class AesGcm {
  /**
   * Whether this machine has a binary for its platform and a CPU with the instructions.
   *
   * @example
   * if (!AesGcm.isAvailable()) console.warn('no binary, or no AES instructions here')
   *
   * @remarks
   * Never throws: {@link cpu} throws the reason why the binary is missing, such as a bundler that left it out. A temporary lack
   * of memory, file descriptors or stack returns `false` too; a later call may return `true`.
   */
  static isAvailable(): boolean

  /**
   * A new random key: 32 bytes, or 16 for `generateKey(128)`, from the generator of {@link randomBytes}.
   *
   * @example
   * const key = AesGcm.generateKey()
   *
   * @remarks
   * The key is not on V8's heap, where the garbage collector leaves copies, so `key.fill(0)` wipes it.
   * @throws as {@link randomBytes}; `ERR_OUT_OF_RANGE` for other `bits`.
   */
  static generateKey(bits?: 128 | 256): OwnBuffer

  /**
   * Copies and expands a key of 16 bytes (AES-128) or 32 bytes (AES-256).
   *
   * @example
   * const aes = new AesGcm(Buffer.from(process.env.KEY, 'hex'))
   *
   * @remarks
   * **Decode a key that you store as a string.** Bytes that are all printable ASCII are accepted as a key, with one warning per
   * process (docs/guide/keys.md). Your own bytes stay unchanged: wipe them. They are read once, and may be in shared memory. If
   * the constructor throws, its copies of the key are wiped.
   * @param key bytes, or a secret `KeyObject`
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH`; `ERR_INVALID_ARG_VALUE` for any other `KeyObject`, or an unknown option name;
   * `ERR_AESGCM_DETACHED_BUFFER`.
   * @throws `ERR_AESGCM_UNSUPPORTED_CPU`, `ERR_AESGCM_BINARY_NOT_FOUND` and the other errors of first use (docs/errors.md).
   * @throws `ERR_AESGCM_ARENA_FULL` if there is no place or memory for the key; `ERR_AESGCM_DESTROYED` if `arena` was destroyed.
   */
  constructor(key: Uint8Array | KeyObject, options?: AesGcmOptions)
}
// Its methods are those of every class.
export interface AesGcm extends Aead {}

/**
 * The methods of every class of key: {@link AesGcm}, `XAesGcm` of `hardware-aes-gcm/xaes` and `AesGcmSiv` of
 * `hardware-aes-gcm/siv`.
 *
 * @remarks
 * `NONCE_BYTES` and `OVERHEAD` below are the constants exported by the entry of the class: 12 and 28 for `AesGcm` and
 * `AesGcmSiv`, 24 and 40 for `XAesGcm`. The limit of 2^48 blocks does not apply to `XAesGcm`, which derives a separate key for
 * each message.
 */
export interface Aead extends Disposable {
  /** The backend that this key uses. */
  readonly backend: Backend
  /** 128 for AES-128, 256 for AES-256. */
  readonly keyBits: 128 | 256
  /**
   * Number of frames encrypted by this object.
   *
   * Each object counts only its own frames, so a new object per request defeats the limit (docs/security.md, "One key in many
   * objects").
   */
  readonly messagesEncrypted: number
  /** Bytes of plaintext encrypted by this object, in frames and detached. */
  readonly bytesEncrypted: number
  /** Number of messages that failed authentication under this object. */
  readonly failedDecryptions: number
  /** Whether the key was wiped, by {@link destroy} or with its arena; counters stay readable. */
  readonly destroyed: boolean

  /**
   * Encrypts into a new frame of `plaintext.length + OVERHEAD` bytes.
   *
   * **A frame of up to 4 KiB shares its `ArrayBuffer` with other ciphertexts** (docs/guide/in-place.md).
   *
   * @example
   * const frame = aes.encrypt(Buffer.from('attack at dawn'))
   *
   * @remarks
   * `plaintext` may be an array of at most 2^16 pieces, even empty or overlapping: the frame is that of their concatenation.
   * A call that throws is not counted.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` after `maxMessages` frames, or 2^48 blocks of 16 bytes (not `XAesGcm`): make a new object
   * with a new key. This object still decrypts.
   * @throws `ERR_OUT_OF_RANGE` for more than 2^36 - 32 bytes (SP 800-38D section 5.2.1.1) or, with `AesGcmSiv`, 2^36 bytes (RFC
   * 8452 section 6), or if Node cannot allocate the frame.
   * @throws `ERR_AESGCM_RNG_FAILURE`, `ERR_AESGCM_ARENA_FULL` if the object needed a new salt, as for its first frame, and the
   * system had no random bytes, or no memory for the generator.
   */
  encrypt(plaintext: Uint8Array | readonly Uint8Array[], aad?: Uint8Array | null): Ciphertext

  /**
   * Decrypts a frame into a new Buffer of `frame.length - OVERHEAD` bytes, with its own `ArrayBuffer`.
   *
   * @example
   * const plaintext = aes.decrypt(frame)
   *
   * @throws {@link AuthenticationError} unless `frame` was made with this key, `aad` and `nonceAt`, and for a frame shorter than
   * `OVERHEAD` bytes.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED`, like every decryption, once `maxFailures` messages have failed authentication. An
   * attacker who can send frames can cause this: make a new object with a new key. This object still encrypts.
   * @throws `ERR_OUT_OF_RANGE` if Node cannot allocate the Buffer.
   */
  decrypt(frame: Uint8Array, aad?: Uint8Array | null): OwnBuffer

  /**
   * {@link decrypt} for frames that often fail authentication: returns `null` for them, which is faster than an error.
   *
   * @example
   * const opened = aes.tryDecrypt(Buffer.from(cookie, 'base64url'))
   * if (opened === null) throw new Error('please log in')
   *
   * @remarks
   * **Different strings can decode to one frame**, because `Buffer.from(text, 'base64url')` skips unknown characters, and `'hex'`
   * stops at one: compare bytes, not strings (docs/guide/text.md). Other errors are thrown as by {@link decrypt}.
   */
  tryDecrypt(frame: Uint8Array, aad?: Uint8Array | null): OwnBuffer | null

  /**
   * Encrypts into the first `plaintext.length + OVERHEAD` bytes of `target`, in one pass (two with `AesGcmSiv`), and returns that
   * number.
   *
   * @example
   * const bytes = aes.encryptInto(target, plaintext)
   * socket.write(target.subarray(0, bytes))
   *
   * @remarks
   * `target` must not overlap any other argument. `plaintext` may be an array of pieces as in {@link encrypt}.
   * @throws as {@link encrypt}; `ERR_OUT_OF_RANGE` if `target` is too short. `target` is then unchanged.
   */
  encryptInto(
    target: Uint8Array,
    plaintext: Uint8Array | readonly Uint8Array[],
    aad?: Uint8Array | null,
  ): number

  /**
   * Decrypts into the first `frame.length - OVERHEAD` bytes of `target` and returns that number.
   *
   * @example
   * const plaintext = target.subarray(0, aes.decryptInto(target, frame))
   *
   * @remarks
   * `target` must not overlap any other argument.
   * @throws {@link AuthenticationError}: those bytes of `target` are then zero.
   * @throws `ERR_OUT_OF_RANGE` if `target` is too short, and other errors as {@link decrypt}: `target` is then unchanged.
   */
  decryptInto(target: Uint8Array, frame: Uint8Array, aad?: Uint8Array | null): number

  /**
   * {@link decryptInto} that returns `null` for a message that fails authentication; those bytes of `target` are then zero.
   *
   * @example
   * const bytes = aes.tryDecryptInto(target, frame)
   * if (bytes === null) socket.destroy() // 0 is an empty message
   */
  tryDecryptInto(target: Uint8Array, frame: Uint8Array, aad?: Uint8Array | null): number | null

  /**
   * Encrypts the plaintext inside `frame` in place, and writes nonce and tag into the other `OVERHEAD` bytes.
   *
   * @example
   * const frame = Buffer.alloc(1024 + OVERHEAD)
   * aes.plaintextOf(frame).fill('attack at dawn')
   * aes.encryptInPlace(frame)
   *
   * @remarks
   * The plaintext is `frame.subarray(NONCE_BYTES, -TAG_BYTES)`, or `frame.subarray(0, -OVERHEAD)` with `nonceAt: 'end'`. Fastest
   * on a Buffer that you reuse. But **`socket.write` and `fs.write` still read a Buffer after they return**: write no new
   * plaintext into it before their callback, or they may send that plaintext.
   * @throws as {@link encrypt}; `ERR_OUT_OF_RANGE` if `frame` has fewer than `OVERHEAD` bytes. `frame` is then unchanged.
   */
  encryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): void

  /**
   * Decrypts the ciphertext inside `frame` in place, and returns a view of the plaintext, without a copy.
   *
   * @example
   * const plaintext = aes.decryptInPlace(frame)
   *
   * @throws {@link AuthenticationError}, and other errors as {@link decrypt}: every byte of `frame` is then unchanged.
   */
  decryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): Buffer

  /**
   * {@link decryptInPlace} for frames that often fail authentication: returns `false` for them and leaves `frame` unchanged.
   *
   * @example
   * if (aes.tryDecryptInPlace(frame)) handle(aes.plaintextOf(frame))
   *
   * @throws other errors as {@link decrypt}.
   */
  tryDecryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): boolean

  /**
   * A view of the plaintext inside a frame of this object's layout: `frame.length - OVERHEAD` bytes of the frame's own memory.
   *
   * @example
   * aes.plaintextOf(frame).set(message)
   * aes.encryptInPlace(frame)
   *
   * @throws `ERR_OUT_OF_RANGE` if `frame` has fewer than `OVERHEAD` bytes; `ERR_AESGCM_DETACHED_BUFFER`,
   * `ERR_AESGCM_SHARED_BUFFER`.
   */
  plaintextOf(frame: Uint8Array): Buffer

  /**
   * Encrypts `data` in place under your nonce, and writes the tag, for protocols that define both.
   *
   * @example
   * const tag = Buffer.alloc(16)
   * aes.encryptDetached(data, nonce, tag) // a new nonce each time
   *
   * @remarks
   * **Never repeat a nonce under one key**: a repetition breaks the secrecy of both messages and reveals the authentication key,
   * and this package cannot detect it. With `AesGcmSiv`, a repetition reveals only whether the messages are equal. Messages are
   * not counted; `AesGcm` and `AesGcmSiv` count blocks.
   * @param data as many bytes as {@link encrypt} accepts; must not overlap any other argument
   * @param nonce `NONCE_BYTES` bytes
   * @param tag 16 bytes, into which the tag is written; must not overlap any other argument
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` if an `AesGcm` or `AesGcmSiv` would pass 2^48 blocks of 16 bytes in all;
   * `ERR_OUT_OF_RANGE` for a wrong length. `data` and `tag` are then unchanged.
   */
  encryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): void

  /**
   * Decrypts `data` in place with the nonce and the tag of its encryption.
   *
   * @example
   * aes.decryptDetached(data, nonce, tag)
   *
   * @param nonce `NONCE_BYTES` bytes
   * @param tag 16 bytes, only read
   * @throws {@link AuthenticationError}, `ERR_AESGCM_KEY_EXHAUSTED` as {@link decrypt}, and `ERR_OUT_OF_RANGE` for a wrong
   * length: every byte of `data` is then unchanged. `layoutReader` of `hardware-aes-gcm/legacy` opens messages with IVs of 16 bytes.
   */
  decryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): void

  /**
   * {@link decryptDetached} that returns `false` for a message that fails authentication; `data` is then unchanged.
   *
   * @example
   * if (!aes.tryDecryptDetached(data, nonce, tag)) socket.destroy()
   */
  tryDecryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): boolean

  /**
   * {@link encryptInPlace} on another thread: the promise resolves with the encrypted frame, and **only the result is
   * encrypted**.
   *
   * @example
   * const sealed = await aes.encryptInPlaceAsync(frame) // a Buffer of any origin and size
   * socket.write(sealed) // not frame, which is empty or still the plaintext
   *
   * @remarks
   * A frame that fills its `ArrayBuffer` is transferred, as by `postMessage` with a transfer list; the bytes of any other frame
   * are copied. docs/guide/off-thread.md lists both cases, and what an aborted call leaves. The call pays off from somewhere
   * between 256 KiB and 1 MiB.
   *
   * Every error is a rejection. An error found during the call itself leaves `frame` with you, uncounted:
   * @throws as {@link encryptInPlace}; `ERR_OUT_OF_RANGE`, `ERR_AESGCM_ARENA_FULL` if there is no memory for a copy, or with 2^24
   * calls in progress; `ERR_INVALID_STATE` if the runtime cannot transfer memory.
   * @throws {@link AbortError}: if the work had not begun, its `frame` contains the plaintext, unchanged.
   */
  encryptInPlaceAsync(frame: Uint8Array, aad?: Uint8Array | null, options?: AsyncOptions): Promise<OwnBuffer>

  /**
   * {@link decryptInPlace} on another thread: the promise resolves with the plaintext.
   *
   * @example
   * const opened = await aes.decryptInPlaceAsync(await readFile('sealed'))
   *
   * @remarks
   * Use the result, not `frame`, which is transferred or copied, as {@link encryptInPlaceAsync} explains. A failure is counted
   * when the promise rejects, so calls in progress may exceed `maxFailures`, at most by their number.
   * @throws {@link AuthenticationError} as {@link decryptInPlace}, even for a short frame: its `frame` contains the bytes,
   * unchanged.
   * @throws other errors as {@link decryptInPlace} and {@link encryptInPlaceAsync}. `ERR_AESGCM_KEY_EXHAUSTED` has `frame` only
   * if `maxFailures` was reached during the work.
   */
  decryptInPlaceAsync(frame: Uint8Array, aad?: Uint8Array | null, options?: AsyncOptions): Promise<OwnBuffer>

  /**
   * Encrypts many messages of any lengths in one call, each into a separate frame: `frames[i]` is that of `rows[i]`.
   *
   * @example
   * const frames = aes.encryptBatch(rows, { aad: (_, i) => Buffer.from(ids[i]) })
   *
   * @remarks
   * For short messages, one call needs about half the time of a loop over {@link encrypt}. **All frames share one new
   * `ArrayBuffer`**: keeping one keeps the memory of all, so copy a frame that you keep for long, `new Uint8Array(frame)`.
   * @param rows at most 2^24 Uint8Arrays, whose frames have at most 2^32 - 1 bytes in all. They are read once, so they may
   * overlap and be in shared memory.
   * @throws as {@link encrypt}, before anything is encrypted or counted, with the index of a wrong row in the message.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` if the batch as a whole exceeds a limit; the exceptions of the function `aad`.
   */
  encryptBatch<Row extends Uint8Array>(rows: readonly Row[], options?: RowOptions<Row>): OwnBuffer[]

  /**
   * Decrypts many frames in one call, such as those of {@link encryptBatch}, and returns their plaintexts, in order.
   *
   * @example
   * const plaintexts = aes.decryptBatch(frames, { aad: (_, i) => Buffer.from(ids[i]) })
   *
   * @remarks
   * `frames` stay unchanged. **All plaintexts share one new `ArrayBuffer`**: `plaintexts[0].buffer` exposes the others too, so
   * pass a copy, `new Uint8Array(plaintext)`, to code that must not see them.
   * @throws {@link AuthenticationError} if any frame fails authentication: `failed` lists the indexes of such frames, ascending.
   * The other plaintexts are wiped: use {@link tryDecryptBatch} to get them.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` if `maxFailures` is reached before the end of the batch, with `failed` and `stoppedAt` as
   * in {@link decryptBatchInPlace}; other errors as {@link encryptBatch}.
   */
  decryptBatch<Row extends Uint8Array>(frames: readonly Row[], options?: RowOptions<Row>): OwnBuffer[]

  /**
   * {@link decryptBatch} for frames that often fail authentication: returns `null` in their places, and the other plaintexts.
   *
   * @example
   * const plaintexts = aes.tryDecryptBatch(frames) // null where a frame is not authentic
   *
   * @throws other errors as {@link decryptBatch}, including `ERR_AESGCM_KEY_EXHAUSTED`.
   */
  tryDecryptBatch<Row extends Uint8Array>(
    frames: readonly Row[],
    options?: RowOptions<Row>,
  ): (OwnBuffer | null)[]

  /**
   * Encrypts many frames, one after the other in `frames`, in place and in one call.
   *
   * @example
   * const frames = Buffer.alloc(1000 * (64 + OVERHEAD)) // the plaintext of each lies at plaintextOf
   * aes.encryptBatchInPlace(frames, 64 + OVERHEAD)
   *
   * @remarks
   * Each frame is encrypted as by {@link encryptInPlace}; for frames of 64 bytes, a batch needs a fifth to a quarter of the time.
   * @param ends where each frame ends, in bytes from the beginning of `frames`, ascending: bytes after the last end stay
   * unencrypted. Or the length of every frame; the last may be shorter. An array is copied first, so it may overlap `frames`. A
   * batch without frames has no effect.
   * @throws `ERR_OUT_OF_RANGE` if `ends` descend or exceed `frames`, or `aadEnds` do not fit; `ERR_AESGCM_KEY_EXHAUSTED` if the
   * batch as a whole exceeds a limit.
   * @throws other errors as {@link encryptInPlace}, for a short frame with its index in the message. After any error, `frames` is
   * unchanged.
   */
  encryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): void

  /**
   * Decrypts many frames in place and in one call: each as {@link decryptInPlace} does.
   *
   * @example
   * aes.decryptBatchInPlace(frames, 64 + OVERHEAD)
   *
   * @remarks
   * The arguments are those of {@link encryptBatchInPlace}; `plaintextOf` then returns the plaintext of each frame.
   * @throws {@link AuthenticationError} after the whole batch, if frames failed authentication or were shorter than `OVERHEAD`.
   * They stay unchanged, `failed` lists their indexes, ascending, and all others are decrypted.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` if `maxFailures` is reached before the end of the batch: `failed` lists the frames that
   * failed, and those from index `stoppedAt` on are unchanged.
   * @throws other errors as {@link encryptBatchInPlace}, and `ERR_AESGCM_ARENA_FULL` without memory for the list of failures:
   * `frames` is then unchanged.
   */
  decryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): void

  /**
   * {@link decryptBatchInPlace} that returns the indexes of frames that fail authentication, ascending, and does not throw for
   * them.
   *
   * @example
   * const failed = aes.tryDecryptBatchInPlace(frames, 64 + OVERHEAD)
   * if (failed.length > 0) console.warn(`${failed.length} frames were refused`)
   */
  tryDecryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): Uint32Array

  /**
   * Wipes the key from native memory.
   *
   * @example
   * aes.destroy()
   *
   * @remarks
   * Later encryptions and decryptions throw `ERR_AESGCM_DESTROYED`; the counters stay readable. A second `destroy` has no
   * effect. Without `destroy`, the key is wiped after its object is garbage-collected, between two turns of the event loop, or
   * when the thread ends.
   */
  destroy(): void
  /** {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}

/** Options of an `Async` call: a plain object, read like {@link AesGcmOptions}. */
export interface AsyncOptions {
  /**
   * Cancels a call whose work has not begun: its promise then rejects with an {@link AbortError}.
   *
   * Work that has begun runs to its end. All calls in progress with the same signal share one listener.
   */
  signal?: AbortSignal | undefined
}

/** The rejection of an aborted call, shaped like Node's own; its class is `Error`. */
export interface AbortError extends Error {
  /** The name that Node's own rejections have. */
  readonly name: 'AbortError'
  /** The code that Node's own rejections have. */
  readonly code: 'ABORT_ERR'
  /** The `reason` of the signal. */
  readonly cause?: unknown
  /**
   * The bytes of the call's frame, unchanged, in the transferred memory or the copy.
   *
   * Missing if the signal was aborted before the call, which then leaves the frame with its caller. Not enumerable, so loggers do
   * not print it.
   */
  readonly frame?: OwnBuffer
}

/** Options of an arena: a plain object, read like {@link AesGcmOptions}. */
export interface KeyArenaOptions {
  /**
   * Number of places for keys, from 1 to 2^20: all are allocated at once, up to 1344 bytes each.
   *
   * A key of an `AesGcm` occupies one place, that of an `XAesGcm` or `AesGcmSiv` two.
   */
  keys: number
}

/**
 * Memory for expanded keys between guard pages, locked into RAM and left out of core dumps where the system allows it.
 *
 * @example
 * const arena = new KeyArena({ keys: 1000 })
 * const aes = new AesGcm(key, { arena })
 * arena.destroy() // wipes all of its keys at once
 *
 * @remarks
 * Keys are in {@link KeyArena.default} unless the option `arena` names another arena, which then bounds their number. An arena,
 * like a key, belongs to the thread that made it. docs/security.md, "Keys in memory", lists what each system protects.
 */
export declare class KeyArena implements Disposable {
  /**
   * The arena of this thread, which grows as needed; each worker thread has another.
   *
   * It cannot be destroyed: its `destroy` throws `ERR_INVALID_THIS`.
   */
  static get default(): KeyArena

  /**
   * Allocates the memory for `keys` keys.
   *
   * @example
   * using arena = new KeyArena({ keys: 1000 }) // where the runtime or the compiler knows `using`
   *
   * @throws `ERR_OUT_OF_RANGE`, `ERR_INVALID_ARG_TYPE` for other `keys`; `ERR_INVALID_ARG_VALUE` for an unknown option name;
   * `ERR_AESGCM_ARENA_FULL` if the operating system has no memory for so many keys; the errors of first use (docs/errors.md).
   */
  constructor(options: KeyArenaOptions)

  /** Number of places for keys; `Infinity` for the default arena. */
  readonly capacity: number
  /**
   * Number of occupied places, two for each key of `XAesGcm` or `AesGcmSiv`; 0 after {@link destroy}.
   *
   * A key frees its place when it is destroyed, or after its object is garbage-collected.
   */
  readonly used: number
  /**
   * Whether all pages of the arena are locked into RAM.
   *
   * `false` if the system refuses, as under a limit (`ulimit -l`): keys then work, but may be swapped out. A forked child does
   * not inherit the locks.
   */
  readonly locked: boolean
  /**
   * Whether the system leaves all pages of the arena out of core dumps.
   *
   * `false` on macOS, which has no such request; where a sandbox or an emulator refuses or ignores the request; and after
   * {@link destroy}. On Windows, this applies to the dumps of Windows Error Reporting.
   */
  readonly excludedFromDumps: boolean
  /** Whether {@link destroy} was called. */
  readonly destroyed: boolean

  /**
   * Wipes every key in this arena.
   *
   * @example
   * arena.destroy()
   *
   * @remarks
   * Objects of these keys then throw `ERR_AESGCM_DESTROYED`, and so does `new AesGcm` with this arena; counters stay readable. A
   * second `destroy` has no effect.
   */
  destroy(): void
  /** {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}

/**
 * A new Buffer of `size` random bytes, from 0 to `buffer.constants.MAX_LENGTH`.
 *
 * @example
 * const token = randomBytes(32).toString('base64url')
 *
 * @remarks
 * Each thread has its own generator: AES-256 in counter mode with fast key erasure, seeded by the operating system and the CPU
 * (docs/security.md, "Random bytes"). No other process produces the same bytes, unless both were restored from one image without
 * a device that reports it: see {@link reseed}. The call is synchronous: a callback throws `ERR_INVALID_ARG_VALUE`.
 * @throws `ERR_AESGCM_RNG_FAILURE` if a seed is due and the operating system has no entropy; `ERR_AESGCM_ARENA_FULL` if it has no
 * memory for the generator.
 * @throws `ERR_INVALID_ARG_TYPE`, `ERR_OUT_OF_RANGE` for any other `size`, or without memory for so many bytes; the errors of
 * first use (docs/errors.md).
 */
export declare function randomBytes(size: number): OwnBuffer

/**
 * Fills a view of any type, or an ArrayBuffer, with random bytes and returns it, like `crypto.randomFillSync`.
 *
 * @example
 * randomFillSync(buffer) // fastest for a whole Uint8Array that you use again
 *
 * @param offset where to begin, in elements of the view (bytes of a DataView or ArrayBuffer); 0 by default
 * @param size how much to fill, in elements; up to the end by default
 * @throws as {@link randomBytes}: the bytes to fill are then unchanged, or zero if the call failed partway.
 * @throws `ERR_INVALID_ARG_TYPE` if `view` is neither a view nor an ArrayBuffer; `ERR_OUT_OF_RANGE` for an `offset` or `size`
 * that is not a whole number or exceeds the view; `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`.
 */
export declare function randomFillSync<T extends NodeJS.ArrayBufferView | ArrayBuffer>(
  view: T,
  offset?: number,
  size?: number,
): T

/**
 * Makes each generator of this process draw a new seed, and each key object a new salt, before its next use, in every thread.
 *
 * @example
 * reseed() // first of all after a restore from an image, if no device reports it
 *
 * @remarks
 * **Call `reseed` after this process is restored from an image** (of a virtual machine, a checkpoint), unless
 * `randomInfo().copyDetection.vm` names a device. Otherwise two machines restored from one image produce the same random bytes
 * and nonces. The operating system must have new entropy first (docs/security.md, "Copies of a process"). A child of a bare
 * `fork` needs no call; Node on Linux does not survive in one.
 * @throws as {@link randomBytes}. If the operating system has no entropy, calls for random bytes and encryptions into frames
 * throw until it does.
 */
export declare function reseed(): void

/** Facts about a thread's generator, as returned by {@link randomInfo}. */
export interface RandomInfo {
  /**
   * Number of seeds so far.
   *
   * The thread draws its first one for random bytes, for a frame, or on {@link reseed}.
   */
  seedings: number
  /** The last seed; `null` before the first. */
  lastSeed: {
    /**
     * Why the generator drew this seed.
     * - `'first use'`: the generator had no seed
     * - `'bytes'`: the generator had produced a gibibyte
     * - `'time'`: ten minutes had passed
     * - `'copy'`: a fork, a restored machine, or a {@link reseed} in another thread
     * - `'reseed'`: {@link reseed} in this thread
     */
    cause: 'first use' | 'bytes' | 'time' | 'copy' | 'reseed'
    /** The sources of entropy that went into this seed. */
    sources: ('os' | 'rdseed' | 'rndrrs')[]
    /** Age of the seed in whole seconds. */
    secondsAgo: number
    /** Bytes produced by the generator since this seed. */
    bytesSince: number
  } | null
  /** The CPU's entropy source, and its results in this thread's tests (SP 800-90B section 4.4). */
  cpuSource: {
    /** The instruction that produces words; `null` if the CPU has no source. */
    name: 'rdseed' | 'rndrrs' | null
    /**
     * Whether words of the source go into seeds: while it is `testing` or `healthy`.
     *
     * `testing` until the start-up test has seen 1024 words, for which a slow source needs dozens of seeds.
     */
    state: 'absent' | 'untested' | 'testing' | 'healthy' | 'dropped'
    /**
     * Why this thread dropped the source for good.
     *
     * `repeated`: two equal words in a row. `recurring`: the first of 512 words came again. `stuck`: a word with all bits 0 or
     * all bits 1. `silent`: 4096 tries in a row without a word.
     */
    reason: 'repeated' | 'recurring' | 'stuck' | 'silent' | null
    /** Number of 64-bit words tested. */
    wordsTested: number
  }
  /** How this package detects that this process became a copy of another. */
  copyDetection: {
    /**
     * How forks are detected.
     * - `'wiped page'`: by a page that the kernel wipes in the child, as it wipes the memory of the generator
     * - `'process id'`: by a changed process id
     * - `'none'`: not at all, so every frame draws a new salt, and every call for random bytes a new seed
     *
     * The first two also use a handler of `pthread_atfork`, except on Windows, which has no fork. Node on Linux does not survive
     * in a child of a bare `fork` (docs/security.md, "Copies of a process"); `child_process` and `cluster` start new programs.
     */
    fork: 'wiped page' | 'process id' | 'none'
    /** The device that reports a restored virtual machine; if `null`, call {@link reseed} after a restore yourself. */
    vm: '/dev/sysgenid' | '/dev/vmclock0' | null
  }
}

/**
 * Facts about the generator of this thread: its last seed, its sources, and how copies of this process are detected.
 *
 * @example
 * if (randomInfo().copyDetection.vm === null) reseed() // after a restore that no device reports
 *
 * @throws the errors of first use (docs/errors.md).
 */
export declare function randomInfo(): RandomInfo

/**
 * The messages that this package publishes for rare events, by channel of `node:diagnostics_channel`.
 *
 * @example
 * const channel = 'hardware-aes-gcm:key-exhausted'
 * subscribe(channel, message => {
 *   console.warn((message as DiagnosticsMessages[typeof channel]).limit)
 * })
 *
 * @remarks
 * A message arrives in the thread of its event, in the `AsyncLocalStorage` context of the call. Messages are frozen, and contain
 * neither secrets nor your objects. Calls that succeed publish only `entropy-source-dropped`. If a subscriber throws, the call
 * continues unchanged, and Node reports the error as uncaught.
 */
export interface DiagnosticsMessages {
  /**
   * A message failed authentication, whether the method threw or returned `false`, `null`, its index or, for a packet, -1.
   *
   * Not published for a value that a reader of `hardware-aes-gcm/legacy` refuses by its layout alone.
   */
  'hardware-aes-gcm:authentication-failed': {
    /** The code of the error, even if the method did not throw, and even for an `UnknownKeyError`. */
    readonly code: 'ERR_AESGCM_AUTHENTICATION_FAILED'
  }
  /** A call was refused because its object is at a limit: `maxMessages`, `maxPackets` or 2^48 blocks, or `maxFailures`. */
  'hardware-aes-gcm:key-exhausted': {
    /** The code of the error. */
    readonly code: 'ERR_AESGCM_KEY_EXHAUSTED'
    /** The kind of calls that the object refuses from now on: encryptions, or decryptions after too many failures. */
    readonly limit: 'encryptions' | 'failures'
  }
  /**
   * The CPU's entropy source failed its tests and is not used again in this thread; see {@link RandomInfo}.
   *
   * Published by the call for random bytes in which it failed, or by the next such call if it failed while a frame drew its salt.
   */
  'hardware-aes-gcm:entropy-source-dropped': {
    /** The instruction that produced the words. */
    readonly source: 'rdseed' | 'rndrrs'
    /** The test that failed, as in {@link RandomInfo}. */
    readonly reason: 'repeated' | 'recurring' | 'stuck' | 'silent'
  }
}

/** Facts about this machine's CPU, as returned by {@link cpu}. */
export interface CpuInfo {
  /** The architecture: `process.arch`. */
  arch: string
  /** The backend that keys use by default; `null` if this CPU can run none. */
  backend: Backend | null
  /** Every backend this CPU can run, best first. */
  backends: Backend[]
  /** The CPU features that backends of this architecture need, and whether this CPU has each. */
  features: Record<string, boolean>
}

/**
 * The backends that this machine can run, and the CPU features that decide it.
 *
 * @example
 * const { backend } = cpu() // such as 'vaes512', or null
 *
 * @throws the errors of first use (docs/errors.md).
 */
export declare function cpu(): CpuInfo

/**
 * The codes of {@link AesGcmError}.
 *
 * docs/errors.md also lists the codes of other errors.
 */
export type ErrorCode =
  /** The CPU lacks the instructions of every backend, or of the backend named in the options. */
  | 'ERR_AESGCM_UNSUPPORTED_CPU'
  /** There is no binary for this operating system, architecture or C library. */
  | 'ERR_AESGCM_UNSUPPORTED_PLATFORM'
  /** The package with this platform's binary is not installed, or a bundler left it out. */
  | 'ERR_AESGCM_BINARY_NOT_FOUND'
  /** The system could not load the binary; `cause` is its error. */
  | 'ERR_AESGCM_BINARY_LOAD_FAILED'
  /** The binary belongs to another release of this package. */
  | 'ERR_AESGCM_INCOMPATIBLE_BINARY'
  /** The self-test at first use computed a wrong answer, or the runtime lost a write. */
  | 'ERR_AESGCM_SELF_TEST_FAILED'
  /** The key is neither 16 nor 32 bytes (not 32 for `XAesGcm`), or the secret of `hardware-aes-gcm/quic` neither 32 nor 48. */
  | 'ERR_AESGCM_INVALID_KEY_LENGTH'
  /** Ciphertext, tag, key, nonce or `aad` differ from the encryption: one code for every cause. */
  | 'ERR_AESGCM_AUTHENTICATION_FAILED'
  /** No enabled key of a keyring has the id that a message names; `keyId` is this id. */
  | 'ERR_AESGCM_UNKNOWN_KEY'
  /** A keyset is older than the keyring's; see `Keyring.replace` of `hardware-aes-gcm/keyring`. */
  | 'ERR_AESGCM_OLDER_KEYSET'
  /** The source of a followed keyset, or its key service, did not answer in time. */
  | 'ERR_AESGCM_KEYSET_TIMEOUT'
  /** A value does not have the layout of the `hardware-aes-gcm/legacy` reader asked to open it. */
  | 'ERR_AESGCM_UNKNOWN_LAYOUT'
  /** A column of `hardware-aes-gcm/columns` contains a value that is not sealed, such as clear text; `column` names the column. */
  | 'ERR_AESGCM_NOT_SEALED'
  /** An encrypted stream belongs to another key or context, or its beginning was damaged. */
  | 'ERR_AESGCM_WRONG_KEY'
  /** The object reached a limit of what one key may do: make a new object with a new key. */
  | 'ERR_AESGCM_KEY_EXHAUSTED'
  /** The key was destroyed, or the arena in which it was to be made. */
  | 'ERR_AESGCM_DESTROYED'
  /** An argument's memory was detached, or shrunk so far that its view is out of bounds. */
  | 'ERR_AESGCM_DETACHED_BUFFER'
  /** An argument is in a SharedArrayBuffer. */
  | 'ERR_AESGCM_SHARED_BUFFER'
  /** An argument that the call writes to shares memory with another argument. */
  | 'ERR_AESGCM_BUFFER_OVERLAP'
  /** The operating system returned no random bytes. */
  | 'ERR_AESGCM_RNG_FAILURE'
  /** The arena is full, the system has no memory, or the thread can have no more keys and arenas. */
  | 'ERR_AESGCM_ARENA_FULL'
  /** The handshake of a session failed: another secret, no cipher in common, a changed hello, a timeout, an early end. */
  | 'ERR_AESGCM_HANDSHAKE_FAILED'
  /** A record of a session is not the peer's next one: one code for every cause. */
  | 'ERR_AESGCM_RECORD_REFUSED'
  /** A stream ended without an authenticated end: a session's peer broke off, or an encrypted message was truncated. */
  | 'ERR_AESGCM_STREAM_TRUNCATED'
  /** A share of `hardware-aes-gcm/shamir` is wrong; `index` and `indexes` identify it. */
  | 'ERR_AESGCM_INVALID_SHARE'
  /** Shares do not belong together, or do not agree on a key. */
  | 'ERR_AESGCM_SHARES_MISMATCH'
  /** This package does not accept a keyset of `hardware-aes-gcm/keyring`; the message names the place. */
  | 'ERR_AESGCM_INVALID_KEYSET'
  /** A key or keyset is not one that a passphrase protects, or asks scrypt for more memory than allowed. */
  | 'ERR_AESGCM_INVALID_KEY_FILE'
  /** A passphrase is wrong, or the key or keyset that it protects was changed: one code for both causes. */
  | 'ERR_AESGCM_WRONG_PASSPHRASE'
  /** A key service failed, timed out, or returned an unexpected answer; `cause` is the error of its client. */
  | 'ERR_AESGCM_KEY_SERVICE'

/**
 * An error of this package; `code` names the failure.
 *
 * Error messages never contain bytes of keys or data.
 */
export declare class AesGcmError extends Error {
  /** Makes an error of this class. */
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown })
  /** The name of the failure. */
  readonly code: ErrorCode
  /** The indexes of the frames of a batch that failed authentication, ascending; see {@link AesGcm.decryptBatchInPlace}. */
  readonly failed?: readonly number[]
  /** The index of the first frame of a batch, or packet of a run, left untouched because a limit was reached before it. */
  readonly stoppedAt?: number
  /** The position of the first share concerned, or of the row that did not open; see `combineKey` and `openAll`. */
  readonly index?: number
  /** The positions of all shares concerned, ascending. */
  readonly indexes?: readonly number[]
  /** Where the chunk that failed authentication begins in the plaintext, in bytes; see `hardware-aes-gcm/stream`. */
  readonly position?: number
  /** The id that a message names and no enabled key of a keyring has; see `hardware-aes-gcm/keyring`. */
  readonly keyId?: number
  /** The name of the column whose value did not open; see `hardware-aes-gcm/columns`. */
  readonly column?: string
  /**
   * The bytes of the frame, unchanged, if a method whose name ends in `Async` had already transferred or copied its memory.
   *
   * Not enumerable, since they may be plaintext.
   */
  readonly frame?: OwnBuffer
}

/**
 * The only error for a message that fails authentication, with one code and one wording for every cause.
 *
 * There are three subclasses. A keyring throws `UnknownKeyError` for a value that names a key unknown to it. A reader of
 * `hardware-aes-gcm/legacy` throws `UnknownLayoutError` for a value without its layout. `hardware-aes-gcm/columns` throws
 * `NotSealedError` for a value that is not sealed, such as clear text.
 *
 * If every frame is refused, check first that both sides use the same `nonceAt`.
 */
export declare class AuthenticationError extends AesGcmError {
  /** Makes an error with the one code and the one wording. */
  constructor()
}
