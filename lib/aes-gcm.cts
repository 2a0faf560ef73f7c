// The class AesGcm: holds the handle of a native key, and passes it to the raw functions. index.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import type { AesGcmOptions, AsyncOptions, Backend, BatchOptions } from '../index.d.ts'
import { allocateResult } from './allocate-result.cjs'
import { decryptBatch, encryptBatch, tryDecryptBatch } from './batch.cjs'
import {
  crypto,
  dispose,
  getPrototypeOf,
  getterOf,
  markAsUncloneable,
  max,
  positionOf,
  rethrowOverflow,
  types,
  uncurried,
} from './builtins.cjs'
import { detached, messageTooLong, mistake, notBytes, shared, wrongLength } from './errors.cjs'
import { showAs } from './inspection.cjs'
import { run } from './jobs.cjs'
import { load } from './native/binary.cjs'
import type { KeyHandle } from './native/binding.cjs'
import {
  bytesEncrypted,
  create,
  decryptDetached,
  decryptInPlace,
  decryptInPlaceAsync,
  decryptInto,
  destroy,
  encryptDetached,
  encryptInPlace,
  encryptInPlaceAsync,
  encryptInto,
  encryptPiecesInto,
  failedDecryptions,
  isDestroyed,
  messagesEncrypted,
} from './native/calls.cjs'
import { publishForgeryOrThrow, refusal } from './native/refusal.cjs'
import { read } from './options.cjs'
import { shown } from './parse.cjs'
import { arePieces, bytesOf, piecesOf } from './pieces.cjs'
import { freshKey } from './random.cjs'
import { allocateApart, byteLength, copy, isThere, kindOf, viewOf, wipe } from './views.cjs'

const { isCryptoKey, isKeyObject, isProxy, isSharedArrayBuffer, isUint8Array } = types

export const NONCE_BYTES = 12
export const TAG_BYTES = 16
export const OVERHEAD = 28

const MAX_MESSAGE_BYTES = 2 ** 36 - 32
/** For `create`: not a position in `backendNames`. */
const BEST_BACKEND = 255

type Aad = Uint8Array | null
type Plaintext = Uint8Array | readonly Uint8Array[]

// The arguments of the raw functions, under the names that callers know.
const CREATE = ['backend', 'key']
const IN_PLACE = ['handle', 'frame', 'aad']
const ENCRYPT = ['handle', 'frame', 'plaintext', 'aad']
const ENCRYPT_PIECES = ['handle', 'frame', 'aad', 'plaintext']
const DECRYPT = ['handle', 'plaintext', 'frame', 'aad']
const ENCRYPT_INTO = ['handle', 'target', 'plaintext', 'aad']
const ENCRYPT_PIECES_INTO = ['handle', 'target', 'aad', 'plaintext']
const DECRYPT_INTO = ['handle', 'target', 'frame', 'aad']
const DETACHED = ['handle', 'data', 'nonce', 'tag', 'aad']

// Node does not export the class that has the method `export`.
const keyType = getterOf<KeyObject, string>(crypto.KeyObject.prototype, 'type')
const exportKey: (key: KeyObject) => Buffer = uncurried(
  getPrototypeOf(crypto.createSecretKey(new Uint8Array(1))).export,
)

export class AesGcm implements Disposable {
  readonly #handle: KeyHandle
  readonly #backend: Backend
  readonly #keyBits: 128 | 256
  readonly #nonceAtEnd: boolean

  static {
    // Reads the fields directly, since a subclass may replace the getters.
    showAs(
      AesGcm,
      'AesGcm',
      self => #handle in self,
      self => ({
        backend: self.#backend,
        keyBits: self.#keyBits,
        messagesEncrypted: messagesEncrypted(self.#handle),
        bytesEncrypted: bytesEncrypted(self.#handle),
        failedDecryptions: failedDecryptions(self.#handle),
        destroyed: isDestroyed(self.#handle),
      }),
    )
  }

  static isAvailable(): boolean {
    try {
      return load().backends.length > 0
    } catch {
      return false
    }
  }

  static generateKey(bits: 128 | 256 = 256): Buffer<ArrayBuffer> {
    if (bits !== 128 && bits !== 256) {
      throw mistake(RangeError, 'ERR_OUT_OF_RANGE', `"bits" must be 128 or 256, got ${numberOrKind(bits)}`)
    }
    return freshKey(bits === 128 ? 16 : 32)
  }

  constructor(key: Uint8Array | KeyObject, options?: AesGcmOptions) {
    markAsUncloneable(this)
    const { backendNames, backends } = load()
    const { nonceAt, maxMessages, maxFailures, verifyFirst, backend, arena } = read(options, backendNames)
    this.#nonceAtEnd = nonceAt === 'end'
    const bytes = isUint8Array(key) ? key : secretBytes(key)
    if (!isUint8Array(bytes)) {
      const what = `"key" must be a Uint8Array or KeyObject, got ${kindOfKey(bytes)}`
      throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', what)
    }
    const chosen = backend === undefined ? BEST_BACKEND : positionOf(backendNames, backend)
    let passed = bytes
    let handle: KeyHandle | number
    try {
      // A key of a wrong length is returned as it is, and refused by the binding.
      passed = copied(bytes)
      handle = create(chosen, passed, this.#nonceAtEnd, verifyFirst, maxMessages, maxFailures, arena)
    } finally {
      // Wipes the copies also if the call overflows the stack.
      if (passed !== bytes) wipe(passed, 0)
      if (bytes !== key) wipe(bytes, 0)
    }
    if (typeof handle === 'number') throw refusal(handle, CREATE, chosen, bytes)
    this.#handle = handle
    this.#backend = (backend ?? backends[0]) as Backend
    this.#keyBits = (byteLength(bytes) * 8) as 128 | 256
  }

  get backend(): Backend {
    AesGcm.#handleOf(this)
    return this.#backend
  }

  get keyBits(): 128 | 256 {
    AesGcm.#handleOf(this)
    return this.#keyBits
  }

  get messagesEncrypted(): number {
    return messagesEncrypted(AesGcm.#handleOf(this))
  }

  get bytesEncrypted(): number {
    return bytesEncrypted(AesGcm.#handleOf(this))
  }

  get failedDecryptions(): number {
    return failedDecryptions(AesGcm.#handleOf(this))
  }

  get destroyed(): boolean {
    return isDestroyed(AesGcm.#handleOf(this))
  }

  encrypt(plaintext: Plaintext, aad?: Aad): Buffer<ArrayBuffer> {
    const handle = AesGcm.#handleOf(this)
    if (arePieces(plaintext)) return encryptPieces(handle, plaintext, aad)
    const length = lengthOf('plaintext', plaintext)
    const frame = frameFor(length)
    const status = encryptInto(handle, frame, plaintext, aad)
    if (!(status >= 0)) throw refusal(status, ENCRYPT, handle, frame, plaintext, aad)
    return frame
  }

  decrypt(frame: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> {
    const handle = AesGcm.#handleOf(this)
    const plaintext = allocateResult(
      max(0, lengthOf('frame', frame) - OVERHEAD),
      'decryptInPlace needs no new Buffer',
    )
    const status = decryptInto(handle, plaintext, frame, aad)
    if (!(status >= 0)) throw refusal(status, DECRYPT, handle, plaintext, frame, aad)
    return plaintext
  }

  tryDecrypt(frame: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> | null {
    const handle = AesGcm.#handleOf(this)
    const plaintext = allocateResult(
      max(0, lengthOf('frame', frame) - OVERHEAD),
      'tryDecryptInPlace needs no new Buffer',
    )
    const status = decryptInto(handle, plaintext, frame, aad)
    if (status >= 0) return plaintext
    publishForgeryOrThrow(status, DECRYPT, handle, plaintext, frame, aad)
    return null
  }

  encryptInto(target: Uint8Array, plaintext: Plaintext, aad?: Aad): number {
    const handle = AesGcm.#handleOf(this)
    if (arePieces(plaintext)) return encryptPiecesTo(handle, target, plaintext, aad)
    const status = encryptInto(handle, target, plaintext, aad)
    if (!(status >= 0)) throw refusal(status, ENCRYPT_INTO, handle, target, plaintext, aad)
    return status
  }

  decryptInto(target: Uint8Array, frame: Uint8Array, aad?: Aad): number {
    const handle = AesGcm.#handleOf(this)
    const status = decryptInto(handle, target, frame, aad)
    if (!(status >= 0)) throw refusal(status, DECRYPT_INTO, handle, target, frame, aad)
    return status
  }

  tryDecryptInto(target: Uint8Array, frame: Uint8Array, aad?: Aad): number | null {
    const handle = AesGcm.#handleOf(this)
    const status = decryptInto(handle, target, frame, aad)
    if (status >= 0) return status
    publishForgeryOrThrow(status, DECRYPT_INTO, handle, target, frame, aad)
    return null
  }

  encryptInPlace(frame: Uint8Array, aad?: Aad): void {
    const handle = AesGcm.#handleOf(this)
    const status = encryptInPlace(handle, frame, aad)
    if (!(status >= 0)) throw refusal(status, IN_PLACE, handle, frame, aad)
  }

  decryptInPlace(frame: Uint8Array, aad?: Aad): Buffer {
    const handle = AesGcm.#handleOf(this)
    // Made first, because making the view may run user code. A short frame has no view, and the binding refuses it.
    const plaintext =
      isUint8Array(frame) && byteLength(frame) >= OVERHEAD ? this.#plaintextOf(frame) : undefined
    const status = decryptInPlace(handle, frame, aad)
    if (!(status >= 0)) throw refusal(status, IN_PLACE, handle, frame, aad)
    return plaintext as Buffer
  }

  tryDecryptInPlace(frame: Uint8Array, aad?: Aad): boolean {
    const handle = AesGcm.#handleOf(this)
    const status = decryptInPlace(handle, frame, aad)
    if (status >= 0) return true
    publishForgeryOrThrow(status, IN_PLACE, handle, frame, aad)
    return false
  }

  plaintextOf(frame: Uint8Array): Buffer {
    AesGcm.#handleOf(this)
    const length = lengthOf('frame', frame)
    if (length === 0 && !isThere(frame)) throw detached('frame')
    if (length < OVERHEAD) throw wrongLength('frame', 'at least 28 bytes', frame)
    const plaintext = this.#plaintextOf(frame)
    if (isSharedArrayBuffer(plaintext.buffer)) throw shared('frame')
    return plaintext
  }

  encryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Aad): void {
    const handle = AesGcm.#handleOf(this)
    const status = encryptDetached(handle, data, nonce, tag, aad)
    if (!(status >= 0)) throw refusal(status, DETACHED, handle, data, nonce, tag, aad)
  }

  decryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Aad): void {
    const handle = AesGcm.#handleOf(this)
    const status = decryptDetached(handle, data, nonce, tag, aad)
    if (!(status >= 0)) throw refusal(status, DETACHED, handle, data, nonce, tag, aad)
  }

  tryDecryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Aad): boolean {
    const handle = AesGcm.#handleOf(this)
    const status = decryptDetached(handle, data, nonce, tag, aad)
    if (status >= 0) return true
    publishForgeryOrThrow(status, DETACHED, handle, data, nonce, tag, aad)
    return false
  }

  encryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): void {
    encryptBatch(AesGcm.#handleOf(this), frames, ends, options)
  }

  decryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): void {
    decryptBatch(AesGcm.#handleOf(this), frames, ends, options)
  }

  tryDecryptBatchInPlace(
    frames: Uint8Array,
    ends: Uint32Array | number,
    options?: BatchOptions,
  ): Uint32Array {
    return tryDecryptBatch(AesGcm.#handleOf(this), frames, ends, options)
  }

  // Functions that are `async` turn every error into a rejection.

  async encryptInPlaceAsync(
    frame: Uint8Array,
    aad?: Aad,
    options?: AsyncOptions,
  ): Promise<Buffer<ArrayBuffer>> {
    return run(encryptInPlaceAsync, AesGcm.#handleOf(this), frame, aad, options)
  }

  async decryptInPlaceAsync(
    frame: Uint8Array,
    aad?: Aad,
    options?: AsyncOptions,
  ): Promise<Buffer<ArrayBuffer>> {
    const whole = await run(decryptInPlaceAsync, AesGcm.#handleOf(this), frame, aad, options)
    return this.#plaintextOf(whole)
  }

  destroy(): void {
    destroy(AesGcm.#handleOf(this))
  }

  [dispose](): void {
    destroy(AesGcm.#handleOf(this))
  }

  #plaintextOf(frame: Uint8Array): Buffer<ArrayBuffer> {
    const plaintext = viewOf(frame, this.#nonceAtEnd ? 0 : NONCE_BYTES, byteLength(frame) - OVERHEAD)
    if (plaintext === undefined) throw detached('frame')
    return plaintext
  }

  /** The handle of `self`; throws if `self` is not an AesGcm. */
  static #handleOf(self: unknown): KeyHandle {
    if (typeof self === 'object' && self !== null && #handle in self) return self.#handle
    throw mistake(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type AesGcm')
  }
}

/** A new Buffer for the frame of a plaintext of `length` bytes. */
function frameFor(length: number): Buffer<ArrayBuffer> {
  if (length > MAX_MESSAGE_BYTES) throw messageTooLong()
  return allocateResult(length + OVERHEAD, 'encryptInPlace needs no new Buffer')
}

function encryptPieces(handle: KeyHandle, plaintext: readonly Uint8Array[], aad?: Aad): Buffer<ArrayBuffer> {
  const pieces = piecesOf(plaintext)
  const frame = frameFor(bytesOf(pieces))
  const status = encryptPiecesInto(handle, frame, aad, pieces)
  if (!(status >= 0)) throw refusal(status, ENCRYPT_PIECES, handle, frame, aad, pieces)
  return frame
}

function encryptPiecesTo(
  handle: KeyHandle,
  target: Uint8Array,
  plaintext: readonly Uint8Array[],
  aad?: Aad,
): number {
  const pieces = piecesOf(plaintext)
  const status = encryptPiecesInto(handle, target, aad, pieces)
  if (!(status >= 0)) throw refusal(status, ENCRYPT_PIECES_INTO, handle, target, aad, pieces)
  return status
}

// V8 keeps the bytes of a typed array of up to 64 bytes on its heap. When native code asks for their address, V8 moves them
// off the heap, but leaves a copy there that cannot be wiped. So native code gets keys in these Buffers, which lie off the
// heap and are wiped before other code runs.
const copyOfShortKey = allocateApart(16)
const copyOfLongKey = allocateApart(32)

/** Copies a key of 16 or 32 bytes into its Buffer; returns other keys as they are. A key is read once, here. */
function copied(key: Uint8Array): Uint8Array {
  const length = byteLength(key)
  if (length !== 16 && length !== 32) return key
  const place = length === 16 ? copyOfShortKey : copyOfLongKey
  copy(place, key)
  return place
}

/** A copy of the bytes of a secret KeyObject; undefined if inspecting `key` throws. Returns other values as they are. */
function secretBytes(key: unknown): unknown {
  let type: string
  try {
    if (isProxy(key) || !isKeyObject(key)) return key
    type = keyType(key)
    if (type === 'secret') return exportKey(key)
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
  const got = shown(type)
  throw mistake(TypeError, 'ERR_INVALID_ARG_VALUE', `"key" must be a secret KeyObject, its type is ${got}`)
}

/** The kind of a value that is not a key, with advice how to make a key of it. */
function kindOfKey(value: unknown): string {
  if (typeof value === 'string') return "string: decode it, as in Buffer.from(text, 'base64')"
  if (!isProxy(value) && isCryptoKey?.(value)) return 'CryptoKey: pass KeyObject.from(key)'
  return kindOf(value)
}

/** Shows only numbers: a string may be a key that was passed to the wrong function. */
function numberOrKind(value: unknown): string {
  return typeof value === 'number' ? `${value}` : kindOf(value)
}

function lengthOf(name: string, value: unknown): number {
  if (!isUint8Array(value)) throw notBytes(name, value)
  return byteLength(value)
}
