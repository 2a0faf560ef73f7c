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
declare module 'hardware-aes-gcm' {
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
  export const NONCE_BYTES: 12
  /** Bytes of a tag: always whole, never truncated. */
  export const TAG_BYTES: 16
  /** What a frame adds to its plaintext: nonce and tag. */
  export const OVERHEAD: 28

  export interface AesGcmOptions {
    /**
     * Where a frame carries its nonce. Both sides must agree.
     * - `'start'` (default): `nonce(12) ‖ ciphertext ‖ tag(16)`
     * - `'end'`: `ciphertext ‖ tag(16) ‖ nonce(12)`
     */
    nonceAt?: 'start' | 'end' | undefined
    /**
     * Frames this object may encrypt before it throws `ERR_AESGCM_KEY_EXHAUSTED`: 0 (none) to 2^32, which
     * is the default (SP 800-38D section 8.3).
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
     */
    verifyFirst?: boolean | undefined
    /** Run on this backend rather than the best. `ERR_AESGCM_UNSUPPORTED_CPU` where this CPU cannot. */
    backend?: Backend | undefined
  }

  /**
   * One AES-128 or AES-256 key, expanded once, in native memory.
   *
   * Two ways to use it. **Frames**: the library makes the nonce, writes it beside the ciphertext and counts the
   * messages; nothing to get wrong. **Detached**: nonce and tag are yours, for protocols that fix them.
   *
   * An object belongs to the thread that made it; `structuredClone` and `JSON.stringify` see an empty object.
   *
   * @example
   * const aes = new AesGcm(AesGcm.generateKey())
   * const frame = aes.encrypt(Buffer.from('attack at dawn'))
   * aes.decrypt(frame).toString() // 'attack at dawn'
   */
  export class AesGcm implements Disposable {
    /** Whether this machine has what it takes: a binary for the platform and a CPU with the instructions. Never throws. */
    static isAvailable(): boolean

    /**
     * A new key from the operating system's entropy: 32 bytes, or 16 for `generateKey(128)`.
     * @throws `ERR_AESGCM_RNG_FAILURE` where the operating system gives none; `ERR_OUT_OF_RANGE` for other `bits`; and,
     * as the constructor, where the native binary is the trouble.
     */
    static generateKey(bits?: 128 | 256): OwnBuffer

    /**
     * Copies and expands `key`. The caller's bytes stay the caller's to wipe; `Buffer.alloc` keeps them out of the
     * shared pool.
     *
     * Options are read from the object itself, not from its prototype.
     *
     * @param key 16 bytes (AES-128), 32 bytes (AES-256), or a secret `KeyObject` of that size
     * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for every other length, AES-192 included.
     * @throws `ERR_AESGCM_UNSUPPORTED_CPU` where the CPU lacks the instructions: there is no software cipher.
     * @throws `ERR_AESGCM_UNSUPPORTED_PLATFORM`, `ERR_AESGCM_BINARY_NOT_FOUND`, `ERR_AESGCM_BINARY_LOAD_FAILED`,
     * `ERR_AESGCM_INCOMPATIBLE_BINARY` where the native binary is the trouble, with a `cause` where there is one.
     * @throws `ERR_AESGCM_SELF_TEST_FAILED` where a known answer came out wrong, or a write was lost, at first use.
     * @throws `ERR_INVALID_ARG_VALUE` for a public or private `KeyObject`; `ERR_AESGCM_ARENA_FULL` at 2^24 live keys.
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

    /**
     * Encrypts into a new frame of `plaintext.length + 28` bytes.
     * @throws `ERR_AESGCM_KEY_EXHAUSTED` at `maxMessages`, or at 2^48 blocks in all.
     * @throws `ERR_OUT_OF_RANGE` past 2^36 - 32 bytes (SP 800-38D section 5.2.1.1), or where this Node has no Buffer
     * that long (`buffer.constants.MAX_LENGTH`).
     */
    encrypt(plaintext: Uint8Array, aad?: Uint8Array | null): OwnBuffer

    /**
     * Decrypts a frame into a new Buffer.
     * @throws {@link AuthenticationError} for anything but a frame of this key and this `aad`, however short;
     * `ERR_AESGCM_KEY_EXHAUSTED` after `maxFailures` of those, which whoever sends frames can bring about. This holds for
     * every decryption, `try…` included.
     */
    decrypt(frame: Uint8Array, aad?: Uint8Array | null): OwnBuffer

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
  export function cpu(): CpuInfo

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
    /** The key has done as much as one key may. */
    | 'ERR_AESGCM_KEY_EXHAUSTED'
    /** The key was destroyed. */
    | 'ERR_AESGCM_DESTROYED'
    /** An argument's memory is gone: detached, or shrunk away under its view. */
    | 'ERR_AESGCM_DETACHED_BUFFER'
    /** An argument lies on a SharedArrayBuffer. */
    | 'ERR_AESGCM_SHARED_BUFFER'
    /** An argument that is written shares memory with another. */
    | 'ERR_AESGCM_BUFFER_OVERLAP'
    /** The operating system gave no random bytes. */
    | 'ERR_AESGCM_RNG_FAILURE'
    /** As many keys are alive as there are places for: 2^24. */
    | 'ERR_AESGCM_ARENA_FULL'

  /** Every failure of this package's own. `code` says which; no message carries a byte of key or data. */
  export class AesGcmError extends Error {
    constructor(code: ErrorCode, message: string, options?: { cause?: unknown })
    readonly code: ErrorCode
  }

  /** The one error for a message that is not authentic: one code and one text for every cause. */
  export class AuthenticationError extends AesGcmError {
    constructor()
  }
}
