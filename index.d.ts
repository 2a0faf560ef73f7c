/// <reference types="node" />

/**
 * AES-GCM on Buffers, in place, at the speed of the CPU's own instructions.
 *
 * Every method takes any `Uint8Array`, of any realm, as input, and is synchronous unless its name ends in `Async`. `aad` is
 * additional data that is authenticated but not encrypted. It is always the last data argument and always optional; `null`
 * and `undefined` mean the same as empty data.
 *
 * A wrong argument throws a `TypeError` or `RangeError` with one of Node's own codes (`ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE`, `ERR_OUT_OF_RANGE`, `ERR_INVALID_THIS`) or an {@link AesGcmError}. All arguments are checked
 * before the first byte is written, so a call that throws for an argument changes no buffer.
 */

import type { KeyObject } from 'node:crypto'

/** A Buffer over an `ArrayBuffer` of its own, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/**
 * The CPU instructions that a key uses. They decide how many AES blocks a register holds: `vaes512` (AVX-512) four,
 * `vaes256` (AVX2) two, `aesni` (SSE) one, `armv8` one, `armv8eor3` (with the three-way XOR of FEAT_SHA3) one.
 */
export type Backend = 'vaes512' | 'vaes256' | 'aesni' | 'armv8' | 'armv8eor3'

/** Length of a nonce in bytes. */
export declare const NONCE_BYTES: 12
/** Length of a tag in bytes. Tags are never truncated. */
export declare const TAG_BYTES: 16
/** Bytes that a frame adds to its plaintext: nonce and tag. */
export declare const OVERHEAD: 28

/**
 * A plain object, of which only own properties count. Unknown option names throw `ERR_INVALID_ARG_VALUE`; otherwise a
 * misspelt limit would silently not apply.
 */
export interface AesGcmOptions {
  /**
   * Where a frame carries its nonce. Sender and receiver must use the same value.
   * - `'start'` (default): `nonce(12) ‖ ciphertext ‖ tag(16)`
   * - `'end'`: `ciphertext ‖ tag(16) ‖ nonce(12)`
   */
  nonceAt?: 'start' | 'end' | undefined
  /**
   * Number of frames this object may encrypt, from 0 to 2^32 (SP 800-38D section 8.3). Default: 2^32. Further
   * encryptions into frames throw `ERR_AESGCM_KEY_EXHAUSTED`: make a new object with a new key.
   */
  maxMessages?: number | undefined
  /**
   * Number of messages this object may refuse as not authentic, from 1 to 2^32. Default: 2^32. After that, every
   * decryption throws `ERR_AESGCM_KEY_EXHAUSTED`, also of authentic messages; encryption still works.
   */
  maxFailures?: number | undefined
  /**
   * With `true`, decryption takes two passes, and writes plaintext only after the tag matched. Default: `false`, one
   * pass; if the tag does not match, the plaintext is removed again before the call returns.
   *
   * Two passes read the ciphertext twice. **Do not decrypt a Buffer that is still being written** (by `fs.read` before
   * its callback): bytes that change between the passes are decrypted without having been authenticated.
   */
  verifyFirst?: boolean | undefined
  /** Use this backend instead of the best one. Throws `ERR_AESGCM_UNSUPPORTED_CPU` if this CPU cannot run it. */
  backend?: Backend | undefined
  /** The memory for the expanded key. Default: `KeyArena.default`, which belongs to the thread and grows as needed. */
  arena?: KeyArena | undefined
}

/** A plain object, read as {@link AesGcmOptions} are. */
export interface BatchOptions {
  /** Additional data: the same for every frame, unless `aadEnds` is given. Must not overlap the frames. */
  aad?: Uint8Array | null | undefined
  /**
   * Where the additional data of each frame ends in `aad`, ascending: that of frame `i` is
   * `aad.subarray(aadEnds[i - 1] ?? 0, aadEnds[i])`. Has one element for each frame. Copied as `ends` are.
   */
  aadEnds?: Uint32Array | null | undefined
}

/**
 * One AES-128 or AES-256 key, expanded once, in native memory.
 *
 * There are two ways to use it. **Frames**: the library makes the nonce, writes it beside the ciphertext and counts the
 * messages. **Detached**: you give nonce and tag, for protocols that define them.
 *
 * A frame's nonce is the sum of a 96-bit salt and a counter. The salt combines random bytes of the operating system with
 * those of {@link randomBytes}. An object draws a new salt before its next frame when a copy of this process might
 * otherwise use the same nonces: after a fork, after a restore of the virtual machine that a device reports (see
 * {@link randomInfo}), and after {@link reseed}, which you call after a restore if there is no such device.
 *
 * Every encryption and decryption also throws these errors, before it writes a byte: `ERR_AESGCM_DESTROYED` after
 * `destroy`, `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`, `ERR_AESGCM_BUFFER_OVERLAP`.
 *
 * An object belongs to the thread that made it. Send the key to another thread, not the object: `postMessage` and
 * `structuredClone` throw a `DataCloneError` for the object; on Node 20 they make an empty object of it. `util.inspect`
 * and `console.log` show backend, key bits, counts and `destroyed`; `JSON.stringify` gives `{}`.
 *
 * @example
 * const aes = new AesGcm(AesGcm.generateKey())
 * const frame = aes.encrypt(Buffer.from('attack at dawn'))
 * aes.decrypt(frame).toString() // 'attack at dawn'
 */
export declare class AesGcm implements Disposable {
  /**
   * Whether this machine has a binary for its platform and a CPU with the instructions. Never throws. A temporary lack
   * of memory, file descriptors or stack gives `false` too; a later call may then give `true`.
   */
  static isAvailable(): boolean

  /**
   * A new key: 32 random bytes, or 16 for `generateKey(128)`, from the generator of {@link randomBytes}. The key
   * does not lie on V8's heap, whose collector leaves copies behind, so `key.fill(0)` wipes it.
   * @throws as {@link randomBytes}; `ERR_OUT_OF_RANGE` for other `bits`.
   */
  static generateKey(bits?: 128 | 256): OwnBuffer

  /**
   * Copies and expands `key`. Your own bytes stay unchanged: wipe them when you no longer need them. Wiping is complete
   * only in memory that V8 does not move, such as {@link AesGcm.generateKey} or `Buffer.from(new ArrayBuffer(32))` give.
   * `key` is read once, and may lie in shared memory. If the constructor throws, its copies of the key are wiped.
   *
   * @param key 16 bytes (AES-128), 32 bytes (AES-256), or a secret `KeyObject` of that size
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for another length, such as the 24 bytes of AES-192, but
   * `ERR_AESGCM_SHARED_BUFFER` if that key lies in shared memory; `ERR_AESGCM_DETACHED_BUFFER` if its memory is gone.
   * @throws `ERR_AESGCM_UNSUPPORTED_CPU` if the CPU lacks the instructions; there is no software cipher.
   * @throws `ERR_AESGCM_UNSUPPORTED_PLATFORM`, `ERR_AESGCM_BINARY_NOT_FOUND`, `ERR_AESGCM_BINARY_LOAD_FAILED`,
   * `ERR_AESGCM_INCOMPATIBLE_BINARY` if the native binary cannot be used; `cause` has the system's error, if any.
   * @throws `ERR_AESGCM_SELF_TEST_FAILED` if the self-test at first use gave a wrong answer or lost a write.
   * @throws `EMFILE` or `ENFILE` if there is no free file descriptor at first use, and a `RangeError` without a `code` if
   * the stack overflows. Both are temporary: the next call tries again.
   * @throws `ERR_INVALID_ARG_VALUE` for a public or private `KeyObject`, and for an unknown option name.
   * @throws `ERR_AESGCM_ARENA_FULL` if `arena` has no free place, the operating system gives no memory for keys, or the
   * thread can have no more keys and arenas (2^24 at most); `ERR_AESGCM_DESTROYED` if `arena` was destroyed.
   */
  constructor(key: Uint8Array | KeyObject, options?: AesGcmOptions)

  /** The backend that this key uses. */
  readonly backend: Backend
  /** 128 for AES-128, 256 for AES-256. */
  readonly keyBits: 128 | 256
  /**
   * Number of frames that this object encrypted. Each object counts for itself, so two objects with one key may encrypt
   * twice as many, and a new object per request defeats the limit. Make one object per key and keep it.
   */
  readonly messagesEncrypted: number
  /** Bytes of plaintext that this object encrypted, in frames and detached. */
  readonly bytesEncrypted: number
  /** Number of messages that this object refused as not authentic. */
  readonly failedDecryptions: number
  /** Whether the key was wiped, by {@link destroy} or with its arena. Counters can still be read. */
  readonly destroyed: boolean

  /**
   * Encrypts into a new frame of `plaintext.length + 28` bytes. A call that throws is not counted.
   *
   * `plaintext` may be an array of at most 2^16 pieces (header, body, trailer): the frame is that of their concatenation.
   * The elements are read once, in order, before anything is written; a sparse array or another element throws
   * `ERR_INVALID_ARG_TYPE`. Pieces may be empty, and may overlap each other.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` after `maxMessages` frames, or if the object would pass 2^48 blocks of 16 bytes in
   * all: make a new object with a new key. This object still decrypts.
   * @throws `ERR_AESGCM_RNG_FAILURE` if the object needed a new salt (at its first frame, in a copy of the process, after
   * {@link reseed}) and the operating system gave no random bytes; `ERR_AESGCM_ARENA_FULL` if this thread's first frame
   * found no memory for the generator.
   * @throws `ERR_OUT_OF_RANGE` for more than 2^36 - 32 bytes (SP 800-38D section 5.2.1.1), or if Node cannot allocate a
   * Buffer for the frame (`buffer.constants.MAX_LENGTH`).
   */
  encrypt(plaintext: Uint8Array | readonly Uint8Array[], aad?: Uint8Array | null): OwnBuffer

  /**
   * Decrypts a frame into a new Buffer of `frame.length - 28` bytes.
   * @throws {@link AuthenticationError} unless `frame` was made with this key, `aad` and `nonceAt`; also for a frame of
   * fewer than 28 bytes.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED`, for every decryption method, after `maxFailures` refused messages. An attacker who
   * can send frames can cause this: make a new object with a new key. This object still encrypts.
   * @throws `ERR_OUT_OF_RANGE` if Node cannot allocate the Buffer.
   */
  decrypt(frame: Uint8Array, aad?: Uint8Array | null): OwnBuffer

  /**
   * {@link decrypt} for frames that are often not authentic: returns `null` for them, since throwing an error takes
   * microseconds. Other errors are thrown as by {@link decrypt}.
   */
  tryDecrypt(frame: Uint8Array, aad?: Uint8Array | null): OwnBuffer | null

  /**
   * Encrypts into the first `plaintext.length + 28` bytes of `target`, in one pass, and returns that number.
   * `target` must not overlap any other argument. `plaintext` may be an array of pieces as in {@link encrypt}.
   * @throws as {@link encrypt}; `ERR_OUT_OF_RANGE` if `target` is too short. `target` is then unchanged.
   */
  encryptInto(
    target: Uint8Array,
    plaintext: Uint8Array | readonly Uint8Array[],
    aad?: Uint8Array | null,
  ): number

  /**
   * Decrypts into the first `frame.length - 28` bytes of `target` and returns that number. `target` must not overlap any
   * other argument.
   * @throws {@link AuthenticationError}: those bytes of `target` are then zero.
   * @throws `ERR_OUT_OF_RANGE` if `target` is too short, and other errors as {@link decrypt}: `target` is then unchanged.
   */
  decryptInto(target: Uint8Array, frame: Uint8Array, aad?: Uint8Array | null): number

  /**
   * {@link decryptInto}, but a message that is not authentic gives `null`; those bytes of `target` are then zero. An
   * empty message gives 0, so compare with `null`: `if (bytes === null)`.
   */
  tryDecryptInto(target: Uint8Array, frame: Uint8Array, aad?: Uint8Array | null): number | null

  /**
   * Encrypts the plaintext inside `frame` where it lies, and writes nonce and tag into the other 28 bytes.
   * The plaintext lies at `plaintextOf(frame)`: `frame.subarray(12, -16)`, or `frame.subarray(0, -28)` with
   * `nonceAt: 'end'`.
   *
   * Fastest on a Buffer that you use again, because a new small typed array takes longer than its encryption. But
   * **`socket.write` and `fs.write` still read a Buffer after they return**: if you put new plaintext into the Buffer
   * before their callback, they may send that plaintext.
   * @throws as {@link encrypt}; `ERR_OUT_OF_RANGE` if `frame` has fewer than 28 bytes. `frame` is then unchanged.
   */
  encryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): void

  /**
   * Decrypts the ciphertext inside `frame` where it lies, and returns a view of the plaintext (no copy).
   * @throws {@link AuthenticationError}, and other errors as {@link decrypt}: every byte of `frame` is then unchanged.
   */
  decryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): Buffer

  /**
   * {@link decryptInPlace} for frames that are often not authentic: returns `false` for them and leaves `frame`
   * unchanged. After `true`, the plaintext is at `plaintextOf(frame)`. Other errors are thrown as by {@link decrypt}.
   */
  tryDecryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): boolean

  /**
   * A view of the plaintext inside a frame of this object's layout, `frame.length - 28` bytes of the frame's own memory:
   * fill the view before {@link encryptInPlace}, read it after {@link tryDecryptInPlace}.
   * @throws `ERR_OUT_OF_RANGE` if `frame` has fewer than 28 bytes; `ERR_AESGCM_DETACHED_BUFFER`,
   * `ERR_AESGCM_SHARED_BUFFER`.
   */
  plaintextOf(frame: Uint8Array): Buffer

  /**
   * Encrypts `data` in place and writes the tag. **A nonce must never repeat under one key**: a repetition breaks the
   * secrecy of both messages and reveals the authentication key, and this package cannot detect it.
   * @param data at most 2^36 - 32 bytes; must not overlap any other argument
   * @param nonce 12 bytes
   * @param tag 16 bytes, which receive the tag; must not overlap any other argument
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` if the object would pass 2^48 blocks of 16 bytes in all; you must count the
   * messages yourself. `ERR_OUT_OF_RANGE` for a wrong length. `data` and `tag` are then unchanged.
   */
  encryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): void

  /**
   * Decrypts `data` in place.
   * @param nonce 12 bytes
   * @param tag 16 bytes, only read
   * @throws {@link AuthenticationError}, `ERR_AESGCM_KEY_EXHAUSTED` as {@link decrypt}, and `ERR_OUT_OF_RANGE` for a wrong
   * length: every byte of `data` is then unchanged.
   */
  decryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): void

  /** {@link decryptDetached}, but a message that is not authentic gives `false`; `data` is then unchanged. */
  tryDecryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): boolean

  /**
   * {@link encryptInPlace} on another thread: the call returns at once, and the promise resolves with a Buffer over the
   * frame, in the same memory. Nothing is copied but `aad`.
   *
   * The call takes `frame`'s memory away from you, as `postMessage` does with a transfer list: every view of the memory is
   * then detached, so that its length is 0. Therefore `frame` must cover the whole of an `ArrayBuffer` of its own:
   * `Buffer.from(new ArrayBuffer(n))`, `Buffer.allocUnsafeSlow(n)`, and the results of {@link encrypt} and
   * {@link randomBytes} do; most results of `Buffer.from(text)` and `Buffer.concat` do not.
   *
   * Nonce and count are taken in the call. They stay taken if the call is aborted. A key that is destroyed meanwhile
   * finishes its calls and is wiped with the last. The work runs on the threads of libuv, which also serve files, DNS and
   * zlib: four, unless the environment variable `UV_THREADPOOL_SIZE` says otherwise. A call costs the main thread 15
   * to 25 microseconds up to a mebibyte, so it pays for frames longer than about half a mebibyte (docs/benchmarks.md);
   * shorter ones are encrypted sooner than they are handed over.
   *
   * Every error is a rejection. Errors known in the call leave `frame` with you and count nothing:
   * @throws as {@link encryptInPlace}; `ERR_INVALID_ARG_VALUE` if `frame` does not cover the whole of its memory, or if this
   * memory cannot be transferred: memory of the pool, of WebAssembly, or marked as untransferable; `ERR_AESGCM_ARENA_FULL` if
   * the system gives no memory for a copy of `aad`, or if 2^24 calls are in work.
   * @throws {@link AbortError} if `signal` was aborted before.
   *
   * Later errors have the property `frame`, a Buffer over the memory with its bytes **unchanged: the plaintext**. It is
   * not enumerable, so that loggers do not print it.
   * @throws {@link AbortError} if `signal` is aborted before the work begins. Work that has begun goes on to its end.
   */
  encryptInPlaceAsync(frame: Uint8Array, aad?: Uint8Array | null, options?: AsyncOptions): Promise<OwnBuffer>

  /**
   * {@link decryptInPlace} on another thread: resolves with a view of the plaintext, in the memory of `frame`. Takes the
   * memory away from you, under the conditions of {@link encryptInPlaceAsync}.
   *
   * A failure is counted when the promise rejects. So calls that begin while others are in work may pass `maxFailures`,
   * at most by the number of those calls; failures beyond `maxFailures` reject with `ERR_AESGCM_KEY_EXHAUSTED`.
   * @throws {@link AuthenticationError} as {@link decryptInPlace}, also for a short frame. The memory, unchanged, is in
   * the error's `frame`.
   * @throws other errors as {@link decryptInPlace} and {@link encryptInPlaceAsync}. `ERR_AESGCM_KEY_EXHAUSTED` has `frame`
   * only if `maxFailures` was reached during the work.
   */
  decryptInPlaceAsync(frame: Uint8Array, aad?: Uint8Array | null, options?: AsyncOptions): Promise<OwnBuffer>

  /**
   * Encrypts many frames, which lie one after the other in `frames`, in place and in one call: each as
   * {@link encryptInPlace} does, with a nonce of its own. Short frames take about a third of the time.
   *
   * @param ends where each frame ends, in bytes from the beginning of `frames`, ascending; bytes after the last end stay
   * as they are, unencrypted. Or the length of every frame, of which the last may be shorter. An array is copied before the work begins, so
   * it may overlap `frames`. A batch without frames has no effect.
   * @throws as {@link encryptInPlace}. `ERR_OUT_OF_RANGE` if a frame has fewer than 28 bytes (the message has its index), if
   * `ends` descend or lie past `frames`, or if `aadEnds` do not fit; `ERR_INVALID_ARG_TYPE` for `ends` of another type;
   * `ERR_AESGCM_KEY_EXHAUSTED` if the batch as a whole exceeds a limit. `frames` is then unchanged.
   *
   * @example
   * const frames = Buffer.alloc(1000 * 92)
   * for (let i = 0; i < 1000; i++) aes.plaintextOf(frames.subarray(i * 92, (i + 1) * 92)).set(messages[i]) // 64 bytes each
   * aes.encryptBatchInPlace(frames, 92)
   */
  encryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): void

  /**
   * Decrypts many frames in place and in one call: each as {@link decryptInPlace} does. The arguments are those of
   * {@link encryptBatchInPlace}; the plaintexts are then at `plaintextOf` of each frame.
   *
   * A frame that is not authentic, or has fewer than 28 bytes, stays as it was; all other frames are decrypted.
   * @throws {@link AuthenticationError} after the whole batch, if frames failed: their indexes are in `failed`, ascending.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` if `maxFailures` is reached before the end of the batch: `failed` has the indexes of
   * the frames that failed, and frames from index `stoppedAt` on are unchanged.
   * @throws other errors as {@link encryptBatchInPlace}: `frames` is then unchanged. `ERR_AESGCM_ARENA_FULL` if there is no
   * memory for the list of failures.
   */
  decryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): void

  /**
   * {@link decryptBatchInPlace}, but frames that are not authentic do not throw: returns their indexes, ascending. The array is
   * empty if every frame was authentic. Other errors are thrown as by {@link decryptBatchInPlace}.
   */
  tryDecryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): Uint32Array

  /**
   * Wipes the key from native memory. Later encryptions and decryptions throw `ERR_AESGCM_DESTROYED`; the counters stay
   * readable. A second `destroy` has no effect. Without `destroy`, the key is wiped after its object is garbage-collected,
   * between two turns of the event loop, or when the thread ends.
   */
  destroy(): void
  /** {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}

/** A plain object, of which only own properties count. Unknown option names are refused with `ERR_INVALID_ARG_VALUE`. */
export interface AsyncOptions {
  /**
   * Cancels a call whose work has not begun: its promise then rejects with an {@link AbortError}. All calls in work with the
   * same signal share one listener.
   */
  signal?: AbortSignal | undefined
}

/** The rejection of an aborted call, of the same shape as those of Node. Its class is `Error`. */
export interface AbortError extends Error {
  readonly name: 'AbortError'
  readonly code: 'ABORT_ERR'
  /** The `reason` of the signal. */
  readonly cause?: unknown
  /**
   * The memory of the call's frame, unchanged. Missing if the signal was aborted before the call, which then leaves the
   * frame with its caller. Not enumerable.
   */
  readonly frame?: OwnBuffer
}

export interface KeyArenaOptions {
  /** Number of keys the arena has places for, from 1 to 2^20. All are allocated at once, up to 1344 bytes each. */
  keys: number
}

/**
 * Memory for expanded keys: separate pages between guard pages, left out of core dumps on Linux and of error reports on
 * Windows, and locked into RAM, so that they are not swapped out, if the system allows it.
 *
 * Keys lie in {@link KeyArena.default} unless the option `arena` names another arena. An arena that you make bounds the
 * number of its keys, and its `destroy` wipes all of them at once.
 *
 * An arena, like a key, belongs to the thread that made it.
 *
 * @example
 * using arena = new KeyArena({ keys: 1000 }) // where the runtime or the compiler knows `using`; or arena.destroy()
 * const aes = new AesGcm(key, { arena })
 */
export declare class KeyArena implements Disposable {
  /**
   * The arena of this thread, which grows as needed; each worker thread has another. It cannot be destroyed: its
   * `destroy` throws `ERR_INVALID_THIS`.
   */
  static get default(): KeyArena

  /**
   * @throws `ERR_OUT_OF_RANGE`, `ERR_INVALID_ARG_TYPE` for other `keys`; `ERR_INVALID_ARG_VALUE` for an unknown option
   * name; `ERR_AESGCM_ARENA_FULL` if the operating system gives no memory for so many keys; the errors of the constructor
   * of {@link AesGcm} if the native binary cannot be used.
   */
  constructor(options: KeyArenaOptions)

  /** Number of places for keys; `Infinity` for the default arena. */
  readonly capacity: number
  /**
   * Number of keys that occupy a place. A key leaves its place when it is destroyed, or after its object was
   * garbage-collected. 0 after {@link destroy}.
   */
  readonly used: number
  /**
   * Whether all pages of the arena are locked into RAM. `false` if the system refuses, as under a limit (`ulimit -l`): keys
   * then work, but may be swapped out. A forked child does not inherit the locks.
   */
  readonly locked: boolean
  /** Whether {@link destroy} was called. */
  readonly destroyed: boolean

  /**
   * Wipes every key in this arena. Their objects then throw `ERR_AESGCM_DESTROYED`, and so does `new AesGcm` with this
   * arena; counters stay readable. A second `destroy` has no effect.
   */
  destroy(): void
  /** {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}

/**
 * A new Buffer of `size` random bytes, from 0 to `buffer.constants.MAX_LENGTH`.
 *
 * Threads do not share generators. A generator is AES-256 in counter mode, and uses each key once. Every seed takes
 * entropy of the operating system, and of the CPU (RDSEED, RNDRRS) if the CPU has a source that passes the health tests
 * of SP 800-90B section 4.4. The generator takes a new seed every gibibyte, every ten minutes, after a fork, after a
 * device reported a restore of the virtual machine, and after {@link reseed}.
 *
 * No other process gives the same bytes, unless both were restored from one image without a device that reports it (see
 * {@link reseed}). If `randomInfo().copyDetection.fork` is `'wiped page'`, the kernel wipes the generator in a forked
 * child. Otherwise the child seeds before it gives bytes, but until the parent's next seed the child's memory holds the
 * state from which the parent's next bytes come.
 *
 * The call is synchronous: a callback as second argument throws `ERR_INVALID_ARG_VALUE`.
 *
 * @throws `ERR_AESGCM_RNG_FAILURE` if a seed is due and the operating system gives no entropy; `ERR_AESGCM_ARENA_FULL` if
 * it gives no memory for the generator; `ERR_AESGCM_UNSUPPORTED_CPU`; `ERR_INVALID_ARG_TYPE` if `size` is not a number;
 * `ERR_OUT_OF_RANGE` if `size` is outside its range, or if there is no memory for that many bytes; the errors of the
 * constructor of {@link AesGcm} if the native binary cannot be used.
 */
export declare function randomBytes(size: number): OwnBuffer

/**
 * Fills a view of any type, or an ArrayBuffer, with random bytes of {@link randomBytes}'s generator, and returns `view`,
 * like `crypto.randomFillSync`. Fastest for a whole `Uint8Array` that you use again.
 * @param offset where to begin, in elements of the view (bytes of a DataView or ArrayBuffer); 0 by default
 * @param size how much to fill, in elements; up to the end by default
 * @throws as {@link randomBytes}: the bytes to fill are then unchanged, or zero if the call failed half way.
 * @throws `ERR_INVALID_ARG_TYPE` if `view` is neither a view nor an ArrayBuffer; `ERR_OUT_OF_RANGE` for an `offset` or
 * `size` that is not a whole number or exceeds the view; `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`.
 */
export declare function randomFillSync<T extends NodeJS.ArrayBufferView | ArrayBuffer>(
  view: T,
  offset?: number,
  size?: number,
): T

/**
 * In every thread of this process, gives each generator a new seed and each object a new salt before its next use. A
 * call for random bytes that is in progress in another thread starts again, up to three times.
 *
 * **Call `reseed` after this process was restored from an image** (of a virtual machine, a checkpoint), before anything
 * else, unless `randomInfo().copyDetection.vm` names a device: otherwise two machines restored from one image give the
 * same random bytes and nonces. A fork needs no call. Seeds and salts come from the operating system, which must have got
 * new entropy first (docs/security.md, "Copies of a process").
 *
 * @throws as {@link randomBytes}. If the operating system gives no entropy, calls for random bytes and encryptions into
 * frames throw until it does.
 */
export declare function reseed(): void

export interface RandomInfo {
  /** Number of seeds so far. This thread takes its first one for random bytes, for a frame, or by {@link reseed}. */
  seedings: number
  /** The last seed; `null` before the first. */
  lastSeed: {
    /**
     * - `'first use'`: the generator had no seed
     * - `'bytes'`: the generator had given a gibibyte
     * - `'time'`: ten minutes had passed
     * - `'copy'`: a fork, a restored machine, or a {@link reseed} in another thread
     * - `'reseed'`: {@link reseed} in this thread
     */
    cause: 'first use' | 'bytes' | 'time' | 'copy' | 'reseed'
    /** The sources of entropy that went into this seed. */
    sources: ('os' | 'rdseed' | 'rndrrs')[]
    /** Age of the seed in whole seconds. */
    secondsAgo: number
    /** Bytes that the generator gave since this seed. */
    bytesSince: number
  } | null
  /** The CPU's entropy source, and its results in the tests of SP 800-90B section 4.4. Each thread tests for itself. */
  cpuSource: {
    /** `null` if the CPU has no source. */
    name: 'rdseed' | 'rndrrs' | null
    /**
     * `testing` until the start-up test has seen 1024 words, which takes dozens of seeds if the source is slow. Words go
     * into a seed only while the source is `healthy`.
     */
    state: 'absent' | 'untested' | 'testing' | 'healthy' | 'dropped'
    /**
     * Why this thread dropped the source for good. `repeated`: two equal words in a row. `recurring`: the first of 512
     * words came again. `stuck`: a word with all bits 0 or all bits 1. `silent`: 4096 tries in a row without a word.
     */
    reason: 'repeated' | 'recurring' | 'stuck' | 'silent' | null
    /** Number of 64-bit words tested. */
    wordsTested: number
  }
  /** How this package detects that this process became a copy of another. */
  copyDetection: {
    /**
     * How forks are detected. `'wiped page'`: by a page that the kernel wipes in the child, as it wipes the memory of
     * the generator. `'process id'`: by a changed process id. Both also use a handler of `pthread_atfork`, except on
     * Windows, which has no fork. `'none'`: not at all, so every frame draws a new salt, and every call for random bytes
     * a new seed.
     */
    fork: 'wiped page' | 'process id' | 'none'
    /** The device that reports a restored virtual machine; if `null`, call {@link reseed} after a restore yourself. */
    vm: '/dev/sysgenid' | '/dev/vmclock0' | null
  }
}

/**
 * Facts about the generator of this thread: its last seed, its sources, and how copies of this process are detected.
 * @throws the errors of the constructor of {@link AesGcm} if the native binary cannot be used.
 */
export declare function randomInfo(): RandomInfo

/**
 * The messages that this package publishes for rare events, by channel of `node:diagnostics_channel`, in the thread in
 * which an event happens. Messages are frozen, and carry neither secrets nor your objects. Calls that succeed publish only
 * `entropy-source-dropped`. If a subscriber throws, the call goes on unchanged, and Node reports the error as uncaught.
 *
 * @example
 * const channel = 'hardware-aes-gcm:key-exhausted'
 * subscribe(channel, message => {
 *   const { limit } = message as DiagnosticsMessages[typeof channel]
 * })
 */
export interface DiagnosticsMessages {
  /** A message was refused as not authentic, whether the method threw or returned `false`, `null` or, for a packet, -1. */
  'hardware-aes-gcm:authentication-failed': { readonly code: 'ERR_AESGCM_AUTHENTICATION_FAILED' }
  /** A call was refused because its object is at a limit: `maxMessages`, `maxPackets` or 2^48 blocks, or `maxFailures`. */
  'hardware-aes-gcm:key-exhausted': {
    readonly code: 'ERR_AESGCM_KEY_EXHAUSTED'
    readonly limit: 'encryptions' | 'failures'
  }
  /**
   * The CPU's entropy source failed its tests and is not used again in this thread; see {@link RandomInfo}. Published by
   * the call for random bytes in which it failed, or by the next such call if it failed while a frame drew its salt.
   */
  'hardware-aes-gcm:entropy-source-dropped': {
    readonly source: 'rdseed' | 'rndrrs'
    readonly reason: 'repeated' | 'recurring' | 'stuck' | 'silent'
  }
}

export interface CpuInfo {
  /** `process.arch`. */
  arch: string
  /** The backend that keys use by default; `null` if this CPU cannot run any. */
  backend: Backend | null
  /** Every backend this CPU can run, best first. */
  backends: Backend[]
  /** The CPU features that backends of this architecture need, and whether this CPU has each. */
  features: Record<string, boolean>
}

/**
 * The backends that this machine can run, and the CPU features that decide it.
 * @throws the errors of the constructor of {@link AesGcm} if the native binary cannot be used.
 */
export declare function cpu(): CpuInfo

export type ErrorCode =
  /** The CPU lacks the instructions of every backend, or of the backend named in the options. */
  | 'ERR_AESGCM_UNSUPPORTED_CPU'
  /** There is no binary for this operating system, architecture or C library. */
  | 'ERR_AESGCM_UNSUPPORTED_PLATFORM'
  /** The package that holds this platform's binary is not installed. */
  | 'ERR_AESGCM_BINARY_NOT_FOUND'
  /** The system could not load the binary; `cause` has its error. */
  | 'ERR_AESGCM_BINARY_LOAD_FAILED'
  /** The binary belongs to another release of this package. */
  | 'ERR_AESGCM_INCOMPATIBLE_BINARY'
  /** The self-test at first use gave a wrong answer, or the runtime lost a write. */
  | 'ERR_AESGCM_SELF_TEST_FAILED'
  /** The key is neither 16 nor 32 bytes, or the secret of `hardware-aes-gcm/quic` neither 32 nor 48. */
  | 'ERR_AESGCM_INVALID_KEY_LENGTH'
  /** Ciphertext, tag, key, nonce or `aad` differ from those of the encryption: one code for every cause. */
  | 'ERR_AESGCM_AUTHENTICATION_FAILED'
  /** The object reached a limit of what one key may do: make a new object with a new key. */
  | 'ERR_AESGCM_KEY_EXHAUSTED'
  /** The key was destroyed, or the arena in which it was to be made. */
  | 'ERR_AESGCM_DESTROYED'
  /** An argument's memory was detached, or shrunk so that its view lies outside. */
  | 'ERR_AESGCM_DETACHED_BUFFER'
  /** An argument lies in a SharedArrayBuffer. */
  | 'ERR_AESGCM_SHARED_BUFFER'
  /** An argument that the call writes to shares memory with another argument. */
  | 'ERR_AESGCM_BUFFER_OVERLAP'
  /** The operating system gave no random bytes. */
  | 'ERR_AESGCM_RNG_FAILURE'
  /** The arena is full, the system gave no memory, or the thread can have no more keys and arenas. */
  | 'ERR_AESGCM_ARENA_FULL'
  /** The handshake of a session failed: another secret, no cipher in common, a hello that was changed, a timeout, an early end. */
  | 'ERR_AESGCM_HANDSHAKE_FAILED'
  /** A record of a session is not the next one of the peer: one code for every cause. */
  | 'ERR_AESGCM_RECORD_REFUSED'
  /** The peer of a session, or the network, ended the connection without an authenticated end. */
  | 'ERR_AESGCM_STREAM_TRUNCATED'
  /** A share of `hardware-aes-gcm/shamir` is wrong; `index` and `indexes` tell which. */
  | 'ERR_AESGCM_INVALID_SHARE'
  /** Shares do not belong together, or do not agree on a key. */
  | 'ERR_AESGCM_SHARES_MISMATCH'

/** An error of this package; `code` names the failure. Error texts never contain bytes of keys or data. */
export declare class AesGcmError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown })
  readonly code: ErrorCode
  /** The indexes of the frames of a batch that are not authentic, ascending; see {@link AesGcm.decryptBatchInPlace}. */
  readonly failed?: readonly number[]
  /** The index of the first frame of a batch, or packet of a run, that was not touched, because a limit was reached before it. */
  readonly stoppedAt?: number
  /** The position of the first share concerned, in the array of shares; see `combineKey` of `hardware-aes-gcm/shamir`. */
  readonly index?: number
  /** The positions of all shares concerned, ascending. */
  readonly indexes?: readonly number[]
  /**
   * The memory of the frame, unchanged, if a method whose name ends in `Async` had already transferred the memory. Not
   * enumerable, since the memory may be plaintext.
   */
  readonly frame?: OwnBuffer
}

/**
 * The only error for a message that is not authentic, with one code and one text for every cause. If every frame is
 * refused, check first that both sides use the same `nonceAt`.
 */
export declare class AuthenticationError extends AesGcmError {
  constructor()
}
