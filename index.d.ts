/// <reference types="node" />

/**
 * AES-GCM on Buffers, in place, at the speed of the CPU's own instructions.
 *
 * Every method is synchronous and takes any `Uint8Array`, of any realm, as input. `aad` (additional data that is
 * authenticated and not encrypted) is always the last data argument and always optional; `null` and `undefined`
 * mean none. All arguments are checked before the first byte is written.
 *
 * Every wrong argument is a `TypeError` or `RangeError` with one of Node's own codes (`ERR_INVALID_ARG_TYPE`,
 * `ERR_INVALID_ARG_VALUE`, `ERR_OUT_OF_RANGE`, `ERR_INVALID_THIS`) or an {@link AesGcmError}.
 */

import type { KeyObject } from 'node:crypto'

/** A Buffer over an `ArrayBuffer` of its own: WebCrypto and fetch take it. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>

/**
 * The instructions a key runs on, and so how many AES blocks a register holds:
 * `vaes512` (AVX-512, four), `vaes256` (AVX2, two), `aesni` (SSE, one), `armv8` (one) and
 * `armv8eor3` (one, with FEAT_SHA3's XOR of three).
 */
export type Backend = 'vaes512' | 'vaes256' | 'aesni' | 'armv8' | 'armv8eor3'

/** Bytes of a nonce. */
export declare const NONCE_BYTES: 12
/** Bytes of a tag: always whole, never truncated. */
export declare const TAG_BYTES: 16
/** What a frame adds to its plaintext: nonce and tag. */
export declare const OVERHEAD: 28

/**
 * Own properties of a plain object. Unknown option names throw `ERR_INVALID_ARG_VALUE`; otherwise a misspelt limit would
 * silently not apply.
 */
export interface AesGcmOptions {
  /**
   * Where a frame carries its nonce. Both sides must agree.
   * - `'start'` (default): `nonce(12) ‖ ciphertext ‖ tag(16)`
   * - `'end'`: `ciphertext ‖ tag(16) ‖ nonce(12)`
   */
  nonceAt?: 'start' | 'end' | undefined
  /**
   * Frames this object may encrypt before it throws `ERR_AESGCM_KEY_EXHAUSTED`: 0 (none) to 2^32, which
   * is the default (SP 800-38D section 8.3). The way on is a new key, in a new object.
   */
  maxMessages?: number | undefined
  /**
   * Messages this object may refuse before every further decryption throws `ERR_AESGCM_KEY_EXHAUSTED`: 1 to 2^32,
   * which is the default. Encryption goes on.
   */
  maxFailures?: number | undefined
  /**
   * Decrypt in two passes: plaintext comes into being only after the tag matched. Default `false`: one pass, and
   * what a bad tag leaves is put back before the call returns.
   *
   * The ciphertext is read twice. **Do not decrypt a Buffer that is still being written** (`fs.read` before its
   * callback): what changes between the passes is decrypted without having been authenticated.
   */
  verifyFirst?: boolean | undefined
  /** Run on this backend rather than the best. `ERR_AESGCM_UNSUPPORTED_CPU` where this CPU cannot. */
  backend?: Backend | undefined
  /** Where the expanded key lies. Default: `KeyArena.default`, the thread's own, which grows as needed. */
  arena?: KeyArena | undefined
}

/**
 * One AES-128 or AES-256 key, expanded once, in native memory.
 *
 * Two ways to use it. **Frames**: the library makes the nonce, writes it beside the ciphertext and counts the
 * messages; nothing to get wrong. **Detached**: nonce and tag are yours, for protocols that fix them.
 *
 * The nonces of an object's frames are a salt of 96 bits, drawn from the operating system and from the generator of
 * {@link randomBytes}, plus a count. Where this
 * process may have a twin that would go on with the same ones, every object takes a new salt before its next frame:
 * after a fork, after a virtual machine was restored that has a generation device ({@link randomInfo} tells), and
 * after {@link reseed}, which is for restored machines that have none.
 *
 * An object belongs to the thread that made it. Send the key to another thread, not the object: `postMessage` and
 * `structuredClone` throw a `DataCloneError` for it (on Node 20, which cannot be told to, they make an empty object of it).
 * `util.inspect` and `console.log` show backend, key bits, counts and `destroyed`; `JSON.stringify` shows an empty object.
 *
 * @example
 * const aes = new AesGcm(AesGcm.generateKey())
 * const frame = aes.encrypt(Buffer.from('attack at dawn'))
 * aes.decrypt(frame).toString() // 'attack at dawn'
 */
export declare class AesGcm implements Disposable {
  /**
   * Whether this machine has what it takes: a binary for the platform and a CPU with the instructions. Never throws; where
   * trouble that may pass is in the way (memory, file descriptors, stack), it is `false` for now.
   */
  static isAvailable(): boolean

  /**
   * A new key: 32 random bytes, or 16 for `generateKey(128)`, from the generator of {@link randomBytes}. They lie outside
   * of V8's heap, whose collector would leave copies: `key.fill(0)` wipes them.
   * @throws as {@link randomBytes}; `ERR_OUT_OF_RANGE` for other `bits`.
   */
  static generateKey(bits?: 128 | 256): OwnBuffer

  /**
   * Copies and expands `key`. The caller's bytes stay the caller's to wipe, which takes memory that V8 does not move:
   * that of {@link AesGcm.generateKey}, or `Buffer.from(new ArrayBuffer(32))`. They may lie in shared memory, and are read
   * once.
   *
   * @param key 16 bytes (AES-128), 32 bytes (AES-256), or a secret `KeyObject` of that size
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for every other length, AES-192 included.
   * @throws `ERR_AESGCM_UNSUPPORTED_CPU` where the CPU lacks the instructions: there is no software cipher.
   * @throws `ERR_AESGCM_UNSUPPORTED_PLATFORM`, `ERR_AESGCM_BINARY_NOT_FOUND`, `ERR_AESGCM_BINARY_LOAD_FAILED`,
   * `ERR_AESGCM_INCOMPATIBLE_BINARY` where the native binary is the trouble, with a `cause` where there is one.
   * @throws `ERR_AESGCM_SELF_TEST_FAILED` where a known answer came out wrong, or a write was lost, at first use.
   * @throws `EMFILE` or `ENFILE` at first use without a file descriptor, and a plain `RangeError` where the stack ends: the
   * next call tries again.
   * @throws `ERR_INVALID_ARG_VALUE` for a public or private `KeyObject`, and for an option that is none.
   * @throws `ERR_AESGCM_ARENA_FULL` where `arena` has no free place, the operating system gives no memory for keys, or
   * 2^24 keys are alive in this thread; `ERR_AESGCM_DESTROYED` where `arena` was destroyed.
   */
  constructor(key: Uint8Array | KeyObject, options?: AesGcmOptions)

  /** The backend this key runs on. */
  readonly backend: Backend
  /** AES-128 or AES-256. */
  readonly keyBits: 128 | 256
  /**
   * Frames encrypted by this object. Counts are per object: two objects on one key count apart, and a new object
   * per request defeats the limit. Make one object per key and keep it.
   */
  readonly messagesEncrypted: number
  /** Bytes of plaintext encrypted by this object, in frames and detached. */
  readonly bytesEncrypted: number
  /** Messages this object has refused. */
  readonly failedDecryptions: number
  /** Whether the key is gone, by {@link destroy} or with its arena. Counters can still be read. */
  readonly destroyed: boolean

  /**
   * Encrypts into a new frame of `plaintext.length + 28` bytes.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` at `maxMessages`, or at 2^48 blocks in all: rotate to a new key, in a new
   * object. This one still decrypts.
   * @throws `ERR_AESGCM_RNG_FAILURE` where a salt was due (at an object's first frame, in a copy of the process, after
   * {@link reseed}) and the operating system gave no random bytes; `ERR_AESGCM_ARENA_FULL` where it gave no memory for
   * the generator, at this thread's first frame. The message is not counted.
   * @throws `ERR_OUT_OF_RANGE` past 2^36 - 32 bytes (SP 800-38D section 5.2.1.1), or where this Node has no Buffer
   * that long (`buffer.constants.MAX_LENGTH`).
   */
  encrypt(plaintext: Uint8Array, aad?: Uint8Array | null): OwnBuffer

  /**
   * Decrypts a frame into a new Buffer.
   * @throws {@link AuthenticationError} for anything but a frame of this key and this `aad`, however short;
   * `ERR_AESGCM_KEY_EXHAUSTED` after `maxFailures` of those, which whoever sends frames can bring about: rotate to a new
   * key, in a new object. This one still encrypts. All this holds for every decryption, `try…` included.
   */
  decrypt(frame: Uint8Array, aad?: Uint8Array | null): OwnBuffer

  /**
   * {@link decrypt} for frames that may well be bad: `null` instead of an authentication error, which costs
   * microseconds to throw. Other errors are thrown as by {@link decrypt}.
   */
  tryDecrypt(frame: Uint8Array, aad?: Uint8Array | null): OwnBuffer | null

  /**
   * Encrypts into the first `plaintext.length + 28` bytes of `target`, in one pass, and gives that number.
   * `target` must not overlap any other argument.
   * @throws as {@link encrypt}; `ERR_OUT_OF_RANGE` where `target` is too short.
   */
  encryptInto(target: Uint8Array, plaintext: Uint8Array, aad?: Uint8Array | null): number

  /**
   * Decrypts into the first `frame.length - 28` bytes of `target`, in one pass, and gives that number. `target`
   * must not overlap any other argument.
   * @throws {@link AuthenticationError}: those bytes of `target` are then zero. `ERR_OUT_OF_RANGE` where `target` is too
   * short: nothing is written.
   */
  decryptInto(target: Uint8Array, frame: Uint8Array, aad?: Uint8Array | null): number

  /**
   * {@link decryptInto} with `null` instead of an authentication error. The number is 0 for an empty message, so compare
   * with `null`: `if (bytes === null)`.
   */
  tryDecryptInto(target: Uint8Array, frame: Uint8Array, aad?: Uint8Array | null): number | null

  /**
   * Encrypts the plaintext inside `frame` where it lies, and writes nonce and tag into the 28 bytes around it.
   * The plaintext's place is `plaintextOf(frame)`: from byte 12 to 16 before the end, or, with `nonceAt: 'end'`,
   * from byte 0 to 28 before the end.
   *
   * Fastest on a Buffer that is used again: a new small typed array costs the runtime more than the encryption. But
   * **whoever you hand a Buffer to may read it later** (`socket.write`, `fs.write`): put no new plaintext into it
   * before they are done, or the plaintext is what they send.
   * @throws as {@link encrypt}; `ERR_OUT_OF_RANGE` where `frame` has fewer than 28 bytes. `frame` is then as it was.
   */
  encryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): void

  /**
   * Decrypts the ciphertext inside `frame` where it lies, and gives a view of the plaintext (no copy).
   * @throws {@link AuthenticationError}: `frame` is then byte for byte as it was.
   */
  decryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): Buffer

  /**
   * {@link decryptInPlace} for frames that may well be bad: `false` instead of a throw, which costs microseconds.
   * On `true` the plaintext is at `plaintextOf(frame)`. A wrong type still throws.
   */
  tryDecryptInPlace(frame: Uint8Array, aad?: Uint8Array | null): boolean

  /**
   * The view of the plaintext inside a frame of this object's layout: fill it before {@link encryptInPlace}, read
   * it after {@link tryDecryptInPlace}. It is the frame's own memory.
   * @throws `ERR_OUT_OF_RANGE` where `frame` has fewer than 28 bytes; `ERR_AESGCM_DETACHED_BUFFER`,
   * `ERR_AESGCM_SHARED_BUFFER`.
   */
  plaintextOf(frame: Uint8Array): Buffer

  /**
   * Encrypts `data` in place and writes the tag. **The nonce must never repeat under one key**, or both messages
   * and the authentication key are lost; nothing here can notice.
   * @param data any length; must not overlap any other argument
   * @param nonce 12 bytes
   * @param tag 16 bytes, written; must not overlap any other argument
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` at 2^48 blocks; messages are the caller's to count. `ERR_OUT_OF_RANGE` for a nonce
   * or tag of another length. `data` is then as it was.
   */
  encryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): void

  /**
   * Decrypts `data` in place.
   * @param nonce 12 bytes
   * @param tag 16 bytes
   * @throws {@link AuthenticationError}: `data` is then byte for byte as it was. `ERR_OUT_OF_RANGE` for a nonce or tag of
   * another length.
   */
  decryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): void

  /** {@link decryptDetached} with `false` instead of an authentication error. */
  tryDecryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Uint8Array | null): boolean

  /**
   * Wipes the key from native memory. Every later encryption or decryption throws `ERR_AESGCM_DESTROYED`; the
   * counters stay readable, and a second `destroy` does nothing. Keys nobody destroys are wiped after they are
   * collected, between two turns of the event loop, or when their environment ends.
   */
  destroy(): void
  /** {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}

export interface KeyArenaOptions {
  /** Places for keys: 1 to 2^20, all of them mapped and locked at once, up to 1344 bytes each. */
  keys: number
}

/**
 * Memory for expanded keys: pages of their own between guard pages, left out of core dumps where the system can, and
 * locked against being swapped out where the process may.
 *
 * Keys live in {@link KeyArena.default} unless told otherwise. An arena of its own bounds how many keys there can be,
 * and destroys all of them at once.
 *
 * An arena, like a key, belongs to the thread that made it.
 *
 * @example
 * using arena = new KeyArena({ keys: 1000 }) // where the runtime or the compiler knows `using`; or arena.destroy()
 * const aes = new AesGcm(key, { arena })
 */
export declare class KeyArena implements Disposable {
  /**
   * The arena of this thread, which grows as needed; each worker thread has its own. It cannot be destroyed: `destroy`
   * throws `ERR_INVALID_THIS`.
   */
  static get default(): KeyArena

  /**
   * @throws `ERR_OUT_OF_RANGE`, `ERR_INVALID_ARG_TYPE` for other `keys`; `ERR_INVALID_ARG_VALUE` for any other option;
   * `ERR_AESGCM_ARENA_FULL` where the operating system gives no memory for them; and, as the constructor of {@link AesGcm}, where the native binary is the trouble.
   */
  constructor(options: KeyArenaOptions)

  /** Places for keys; `Infinity` for the default arena. */
  readonly capacity: number
  /**
   * Keys that have a place here: those neither destroyed nor, after nobody had them any more, collected. None once the
   * arena is destroyed.
   */
  readonly used: number
  /**
   * Whether all of its pages are locked in memory. `false` where a limit (`ulimit -l`) forbids it; keys then work, and
   * may be swapped out. A forked child inherits no locks.
   */
  readonly locked: boolean
  /** Whether {@link destroy} was called. */
  readonly destroyed: boolean

  /**
   * Wipes every key in it. Their objects throw `ERR_AESGCM_DESTROYED` from then on, and so does `new AesGcm` with this
   * arena; the counters of both stay readable. A second `destroy` does nothing.
   */
  destroy(): void
  /** {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}

/**
 * `size` random bytes: 0 to `buffer.constants.MAX_LENGTH`.
 *
 * They come from a generator of this thread's own: AES-256 in counter mode, each key used once. A seed always takes
 * entropy of the operating system, and of the CPU where that has a source (RDSEED, RNDRRS) which passes the health tests
 * of SP 800-90B section 4.4. There is a new one every gibibyte, every ten minutes, after a fork, after a restored
 * virtual machine's generation device said so, and after {@link reseed}.
 *
 * No other process gives them, unless both were restored from one image and nothing told ({@link reseed}). A forked child
 * finds its parent's generator wiped where `randomInfo().copyDetection.fork` is `'wiped page'`. Elsewhere the child gives
 * bytes of its own, but its memory holds those that the parent goes on with, until the parent's next seed.
 *
 * They are here at once, so there is no form with a callback (`ERR_INVALID_ARG_VALUE`).
 *
 * @throws `ERR_AESGCM_RNG_FAILURE` where a seed is due and the operating system gives no entropy;
 * `ERR_AESGCM_ARENA_FULL` where it gives no memory for the generator itself; `ERR_AESGCM_UNSUPPORTED_CPU`;
 * `ERR_INVALID_ARG_TYPE` for what is no number; `ERR_OUT_OF_RANGE` for any other number, and where there is no memory
 * for that many bytes; and, as the constructor of {@link AesGcm}, where the native binary is the trouble.
 */
export declare function randomBytes(size: number): OwnBuffer

/**
 * Fills a view, of any type, or an ArrayBuffer with random bytes, and gives it back: `crypto.randomFillSync`, from this
 * package's generator. Fastest for a whole `Uint8Array` that is used again.
 * @param offset where to begin, in elements of the view (bytes of a DataView or ArrayBuffer); 0 by default
 * @param size how much to fill, in elements; up to the end by default
 * @throws as {@link randomBytes}: what was to be filled is then as it was, or zero where the trouble came half way.
 * `ERR_INVALID_ARG_TYPE` for what is no view; `ERR_OUT_OF_RANGE` for an `offset` or `size` that is no whole number or
 * leaves the view; `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`.
 */
export declare function randomFillSync<T extends NodeJS.ArrayBufferView | ArrayBuffer>(
  view: T,
  offset?: number,
  size?: number,
): T

/**
 * Renews what random bytes and nonces are made of, in every thread of this process: a new seed for each generator, a
 * new salt for each object, before its next use. A call for random bytes that is in progress in another thread is made
 * again, up to three times.
 *
 * **Call it after this process was restored from an image** (a virtual machine, a checkpoint), before anything else,
 * unless `randomInfo().copyDetection.vm` names a device: two machines restored from one image otherwise give the same
 * random bytes and nonces. A fork needs no call. What is drawn anew is the operating system's, which must have been
 * given new entropy before (docs/security.md, "Copies of a process").
 *
 * @throws as {@link randomBytes}. Where the operating system gives no entropy, random bytes and frames are refused until
 * it does.
 */
export declare function reseed(): void

export interface RandomInfo {
  /** Seeds so far. The first is taken when this thread first asks for random bytes or encrypts a frame, or by {@link reseed}. */
  seedings: number
  /** The last seed; `null` before the first. */
  lastSeed: {
    /**
     * First use, a gibibyte given, ten minutes gone, a fork or a restored machine (and, in every other thread, a
     * {@link reseed}), or {@link reseed}.
     */
    cause: 'first use' | 'bytes' | 'time' | 'copy' | 'reseed'
    /** What really went into it. */
    sources: ('os' | 'rdseed' | 'rndrrs')[]
    /** Whole seconds. */
    secondsAgo: number
    /** Bytes given since. */
    bytesSince: number
  } | null
  /** The CPU's entropy source, and how it does in the tests of SP 800-90B section 4.4: each thread has its own. */
  cpuSource: {
    /** `null` where the CPU has none. */
    name: 'rdseed' | 'rndrrs' | null
    /**
     * `testing` until the start-up test has 1024 words, which a slow source gives in dozens of seeds; only words of a
     * `healthy` one go into a seed.
     */
    state: 'absent' | 'untested' | 'testing' | 'healthy' | 'dropped'
    /**
     * Why it was dropped, for good: it gave one word twice running, or the first of 512 again, or one of nothing but
     * zeros or ones, or no word at all.
     */
    reason: 'repeated' | 'recurring' | 'stuck' | 'silent' | null
    /** Words of 64 bits tested. */
    wordsTested: number
  }
  /** By what a copy of this process is noticed. */
  copyDetection: {
    /**
     * A fork: by a page that the kernel wipes in the child, or the process id; by a handler in both cases. With
     * `'wiped page'`, the generator's own memory is wiped in the child, too.
     */
    fork: 'wiped page' | 'process id' | 'none'
    /** A restored virtual machine: by this device, or not at all, and {@link reseed} is yours to call. */
    vm: '/dev/sysgenid' | '/dev/vmclock0' | null
  }
}

/**
 * What seeded the generator of this thread, and what guards it.
 * @throws an {@link AesGcmError} where the native binary cannot be loaded.
 */
export declare function randomInfo(): RandomInfo

/**
 * What is published, and on which channels of `node:diagnostics_channel`: rare events, in the thread in which they
 * happen. The messages are frozen, and carry no secret and no object of yours. Nobody pays for a channel without
 * subscribers, nor for success. What a subscriber throws changes nothing for the call; Node reports it as uncaught.
 *
 * @example
 * const channel = 'hardware-aes-gcm:key-exhausted'
 * subscribe(channel, message => {
 *   const { limit } = message as DiagnosticsMessages[typeof channel]
 * })
 */
export interface DiagnosticsMessages {
  /** A message was refused as not authentic, whether by a throw or by `false`. */
  'hardware-aes-gcm:authentication-failed': { readonly code: 'ERR_AESGCM_AUTHENTICATION_FAILED' }
  /** A call was refused because its object is at a limit: `maxMessages` or 2^48 blocks, or `maxFailures`. */
  'hardware-aes-gcm:key-exhausted': {
    readonly code: 'ERR_AESGCM_KEY_EXHAUSTED'
    readonly limit: 'encryptions' | 'failures'
  }
  /**
   * The CPU's entropy source failed its tests and is not used again in this thread; see {@link RandomInfo}. Told by the
   * call for random bytes that noticed it, or by the next one where a frame's salt did.
   */
  'hardware-aes-gcm:entropy-source-dropped': {
    readonly source: 'rdseed' | 'rndrrs'
    readonly reason: 'repeated' | 'recurring' | 'stuck' | 'silent'
  }
}

export interface CpuInfo {
  /** `process.arch`. */
  arch: string
  /** What a key runs on by default; `null` where nothing runs. */
  backend: Backend | null
  /** Every backend this CPU can run, best first. */
  backends: Backend[]
  /** The CPU features that backends of this architecture ask for, and whether each is there. */
  features: Record<string, boolean>
}

/**
 * What this machine can run.
 * @throws an {@link AesGcmError} where the native binary cannot be loaded.
 */
export declare function cpu(): CpuInfo

export type ErrorCode =
  /** The CPU lacks the instructions, or those of the backend asked for. */
  | 'ERR_AESGCM_UNSUPPORTED_CPU'
  /** There is no binary for this operating system, architecture or C library. */
  | 'ERR_AESGCM_UNSUPPORTED_PLATFORM'
  /** The package that holds this platform's binary is not installed. */
  | 'ERR_AESGCM_BINARY_NOT_FOUND'
  /** The binary is there and would not load. */
  | 'ERR_AESGCM_BINARY_LOAD_FAILED'
  /** The binary is of another release. */
  | 'ERR_AESGCM_INCOMPATIBLE_BINARY'
  | 'ERR_AESGCM_SELF_TEST_FAILED'
  /** The key is neither 16 nor 32 bytes. */
  | 'ERR_AESGCM_INVALID_KEY_LENGTH'
  /** The message is not what was encrypted, or not with this key, nonce and `aad`: one code for every cause. */
  | 'ERR_AESGCM_AUTHENTICATION_FAILED'
  /** The key has done as much as one key may: rotate to a new key, in a new object. */
  | 'ERR_AESGCM_KEY_EXHAUSTED'
  /** The key, or the arena it was to live in, was destroyed. */
  | 'ERR_AESGCM_DESTROYED'
  /** An argument's memory is gone: detached, or shrunk away under its view. */
  | 'ERR_AESGCM_DETACHED_BUFFER'
  /** An argument lies on a SharedArrayBuffer. */
  | 'ERR_AESGCM_SHARED_BUFFER'
  /** An argument that is written shares memory with another. */
  | 'ERR_AESGCM_BUFFER_OVERLAP'
  /** The operating system gave no random bytes. */
  | 'ERR_AESGCM_RNG_FAILURE'
  /** There is no place for another key: in its arena, in memory, or among the 2^24 of a thread. */
  | 'ERR_AESGCM_ARENA_FULL'

/** Every failure of this package's own. `code` says which; no message carries a byte of key or data. */
export declare class AesGcmError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown })
  readonly code: ErrorCode
}

/**
 * The one error for a message that is not authentic: one code and one text for every cause. A frame of the other layout
 * is not authentic either: look at `nonceAt` on both sides first.
 */
export declare class AuthenticationError extends AesGcmError {
  constructor()
}
