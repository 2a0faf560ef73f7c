// The base of the classes of keys: holds a native handle and passes it to the raw functions.
// index.d.ts documents it as the interface Aead. A handle knows its cipher, so a method of one
// class also works on an object of another.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import type { AsyncOptions, Backend, BatchOptions, RowOptions } from '../../../index.d.ts'
import { dispose, markAsUncloneable, positionOf, types } from '../base/builtins.cjs'
import { detached, shared, wrongLength, wrongReceiver } from '../base/errors.cjs'
import { showAs } from '../base/inspection.cjs'
import { warnIfText } from '../base/key-text.cjs'
import { arePieces } from '../base/pieces.cjs'
import { byteLength, isAttached, viewOf, wipe } from '../base/views.cjs'
import { load } from '../native/binary.cjs'
import type { KeyHandle } from '../native/binding.cjs'
import {
  BEST_BACKEND,
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
  failedDecryptions,
  isDestroyed,
  messagesEncrypted,
} from '../native/calls.cjs'
import { numberOf } from '../native/slate.cjs'
import { decryptBatch, encryptBatch, tryDecryptBatch } from './batch.cjs'
import type { Layout, Layouts } from './ciphers.cjs'
import {
  encryptPieces,
  encryptPiecesTo,
  frameFor,
  lengthOf,
  plaintextFor,
  separateFrameFor,
} from './frames.cjs'
import { run } from './jobs.cjs'
import { bytesOfKey, copied } from './key.cjs'
import { parseAeadOptions } from './options.cjs'
import { aeadRefusal, needsSeparate, publishForgeryOrThrow } from './refusal.cjs'
import { decryptRows, encryptRows, tryDecryptRows } from './rows.cjs'

const { isSharedArrayBuffer, isUint8Array } = types

type Aad = Uint8Array | null
type Plaintext = Uint8Array | readonly Uint8Array[]

// The arguments of the raw functions, under the names that callers know.
const CREATE = ['algorithm', 'backend', 'key']
const IN_PLACE = ['handle', 'frame', 'aad']
const ENCRYPT = ['handle', 'frame', 'plaintext', 'aad']
const DECRYPT = ['handle', 'plaintext', 'frame', 'aad']
const ENCRYPT_INTO = ['handle', 'target', 'plaintext', 'aad']
const DECRYPT_INTO = ['handle', 'target', 'frame', 'aad']
const DETACHED = ['handle', 'data', 'nonce', 'tag', 'aad']

type Keys = abstract new (...values: never) => Aead

/** Shows objects of a class of keys under its name. Set by Aead, which alone reads its fields. */
export let showAsKeys: (Class: Keys, name: string) => void

export abstract class Aead implements Disposable {
  readonly #handle: KeyHandle
  readonly #layout: Layout
  // Its number, for the short way.
  readonly #low: number
  readonly #high: number

  static {
    // Reads the fields directly, since a subclass may replace the getters.
    const isKey = (self: object) => #handle in self
    const facts = (self: Aead) => ({
      backend: self.#layout.backend,
      keyBits: self.#layout.keyBits,
      messagesEncrypted: messagesEncrypted(self.#handle),
      bytesEncrypted: bytesEncrypted(self.#handle),
      failedDecryptions: failedDecryptions(self.#handle),
      destroyed: isDestroyed(self.#handle),
    })
    showAsKeys = (Class, name) => showAs(Class, name, isKey, facts)
  }

  constructor(layouts: Layouts, key: Uint8Array | KeyObject, options: unknown) {
    markAsUncloneable(this)
    const { cipher } = layouts
    const { backendNames, backends } = load()
    const { nonceAt, maxMessages, maxFailures, verifyFirst, backend, arena } = parseAeadOptions(
      cipher,
      options,
      backendNames,
    )
    const nonceAtEnd = nonceAt === 'end'
    const bytes = bytesOfKey(key)
    const chosen = backend === undefined ? BEST_BACKEND : positionOf(backendNames, backend)
    let passed = bytes
    let handle: KeyHandle | number
    try {
      // A key of a wrong length is returned as it is, and refused by the binding.
      passed = copied(bytes)
      handle = create(
        cipher.algorithm,
        chosen,
        passed,
        nonceAtEnd,
        verifyFirst,
        maxMessages,
        maxFailures,
        arena,
      )
    } finally {
      // Wipes the copies even if the call overflows the stack.
      if (passed !== bytes) wipe(passed, 0)
      if (bytes !== key) wipe(bytes, 0)
    }
    if (typeof handle === 'number') throw aeadRefusal(cipher, handle, CREATE, cipher.algorithm, chosen, bytes)
    this.#handle = handle
    const { low, high } = numberOf(handle)
    this.#low = low
    this.#high = high
    this.#layout = layouts.of(nonceAtEnd, (backend ?? backends[0]) as Backend, byteLength(bytes))
    if (bytes === key) warnIfText(bytes)
  }

  get backend(): Backend {
    Aead.#handleOf(this)
    return this.#layout.backend
  }

  get keyBits(): 128 | 256 {
    Aead.#handleOf(this)
    return this.#layout.keyBits
  }

  get messagesEncrypted(): number {
    return messagesEncrypted(Aead.#handleOf(this))
  }

  get bytesEncrypted(): number {
    return bytesEncrypted(Aead.#handleOf(this))
  }

  get failedDecryptions(): number {
    return failedDecryptions(Aead.#handleOf(this))
  }

  get destroyed(): boolean {
    return isDestroyed(Aead.#handleOf(this))
  }

  encrypt(plaintext: Plaintext, aad?: Aad): Buffer<ArrayBuffer> {
    const handle = Aead.#handleOf(this)
    if (arePieces(plaintext)) return encryptPieces(handle, this.#layout.cipher, plaintext, aad)
    const { cipher } = this.#layout
    const length = lengthOf('plaintext', plaintext)
    let frame = frameFor(cipher, length)
    let status = encryptInto(handle, frame, plaintext, aad)
    if (needsSeparate(status)) {
      frame = separateFrameFor(cipher, length)
      status = encryptInto(handle, frame, plaintext, aad)
    }
    if (status !== byteLength(frame))
      throw aeadRefusal(cipher, status, ENCRYPT, handle, frame, plaintext, aad)
    return frame
  }

  decrypt(frame: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> {
    const handle = Aead.#handleOf(this)
    const plaintext = plaintextFor(this.#layout.cipher, frame, 'decryptInPlace')
    const status = decryptInto(handle, plaintext, frame, aad)
    if (status !== byteLength(plaintext))
      throw aeadRefusal(this.#layout.cipher, status, DECRYPT, handle, plaintext, frame, aad)
    return plaintext
  }

  tryDecrypt(frame: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> | null {
    const handle = Aead.#handleOf(this)
    const plaintext = plaintextFor(this.#layout.cipher, frame, 'tryDecryptInPlace')
    const status = decryptInto(handle, plaintext, frame, aad)
    if (status === byteLength(plaintext)) return plaintext
    publishForgeryOrThrow(this.#layout.cipher, status, DECRYPT, handle, plaintext, frame, aad)
    return null
  }

  encryptInto(target: Uint8Array, plaintext: Plaintext, aad?: Aad): number {
    const handle = Aead.#handleOf(this)
    if (arePieces(plaintext)) return encryptPiecesTo(handle, this.#layout.cipher, target, plaintext, aad)
    const status = encryptInto(handle, target, plaintext, aad)
    if (!(status >= 0))
      throw aeadRefusal(this.#layout.cipher, status, ENCRYPT_INTO, handle, target, plaintext, aad)
    return status
  }

  decryptInto(target: Uint8Array, frame: Uint8Array, aad?: Aad): number {
    const handle = Aead.#handleOf(this)
    const status = decryptInto(handle, target, frame, aad)
    if (!(status >= 0))
      throw aeadRefusal(this.#layout.cipher, status, DECRYPT_INTO, handle, target, frame, aad)
    return status
  }

  tryDecryptInto(target: Uint8Array, frame: Uint8Array, aad?: Aad): number | null {
    const handle = Aead.#handleOf(this)
    const status = decryptInto(handle, target, frame, aad)
    if (status >= 0) return status
    publishForgeryOrThrow(this.#layout.cipher, status, DECRYPT_INTO, handle, target, frame, aad)
    return null
  }

  encryptInPlace(frame: Uint8Array, aad?: Aad): void {
    const handle = Aead.#handleOf(this)
    const status = encryptInPlace(handle, this.#low, this.#high, frame, aad)
    if (!(status >= 0)) throw aeadRefusal(this.#layout.cipher, status, IN_PLACE, handle, frame, aad)
  }

  decryptInPlace(frame: Uint8Array, aad?: Aad): Buffer {
    const handle = Aead.#handleOf(this)
    // Made first, so that no failure to make it comes after the decryption. A short frame has no
    // view; the binding refuses it.
    const plaintext =
      isUint8Array(frame) && byteLength(frame) >= this.#layout.cipher.overhead
        ? this.#plaintextOf(frame)
        : undefined
    const status = decryptInPlace(handle, this.#low, this.#high, frame, aad)
    if (!(status >= 0)) throw aeadRefusal(this.#layout.cipher, status, IN_PLACE, handle, frame, aad)
    return plaintext as Buffer
  }

  tryDecryptInPlace(frame: Uint8Array, aad?: Aad): boolean {
    const handle = Aead.#handleOf(this)
    const status = decryptInPlace(handle, this.#low, this.#high, frame, aad)
    if (status >= 0) return true
    publishForgeryOrThrow(this.#layout.cipher, status, IN_PLACE, handle, frame, aad)
    return false
  }

  plaintextOf(frame: Uint8Array): Buffer {
    Aead.#handleOf(this)
    const length = lengthOf('frame', frame)
    if (length === 0 && !isAttached(frame)) throw detached('frame')
    const { overhead } = this.#layout.cipher
    if (length < overhead) throw wrongLength('frame', `at least ${overhead} bytes`, frame)
    const plaintext = this.#plaintextOf(frame)
    if (isSharedArrayBuffer(plaintext.buffer)) throw shared('frame')
    return plaintext
  }

  encryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Aad): void {
    const handle = Aead.#handleOf(this)
    const status = encryptDetached(handle, data, nonce, tag, aad)
    if (!(status >= 0))
      throw aeadRefusal(this.#layout.cipher, status, DETACHED, handle, data, nonce, tag, aad)
  }

  decryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Aad): void {
    const handle = Aead.#handleOf(this)
    const status = decryptDetached(handle, data, nonce, tag, aad)
    if (!(status >= 0))
      throw aeadRefusal(this.#layout.cipher, status, DETACHED, handle, data, nonce, tag, aad)
  }

  tryDecryptDetached(data: Uint8Array, nonce: Uint8Array, tag: Uint8Array, aad?: Aad): boolean {
    const handle = Aead.#handleOf(this)
    const status = decryptDetached(handle, data, nonce, tag, aad)
    if (status >= 0) return true
    publishForgeryOrThrow(this.#layout.cipher, status, DETACHED, handle, data, nonce, tag, aad)
    return false
  }

  encryptBatch<Row extends Uint8Array>(
    rows: readonly Row[],
    options?: RowOptions<Row>,
  ): Buffer<ArrayBuffer>[] {
    return encryptRows(Aead.#handleOf(this), this.#layout, rows, options)
  }

  decryptBatch<Row extends Uint8Array>(
    frames: readonly Row[],
    options?: RowOptions<Row>,
  ): Buffer<ArrayBuffer>[] {
    return decryptRows(Aead.#handleOf(this), this.#layout, frames, options)
  }

  tryDecryptBatch<Row extends Uint8Array>(
    frames: readonly Row[],
    options?: RowOptions<Row>,
  ): (Buffer<ArrayBuffer> | null)[] {
    return tryDecryptRows(Aead.#handleOf(this), this.#layout, frames, options)
  }

  encryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): void {
    encryptBatch(Aead.#handleOf(this), this.#layout.cipher, frames, ends, options)
  }

  decryptBatchInPlace(frames: Uint8Array, ends: Uint32Array | number, options?: BatchOptions): void {
    decryptBatch(Aead.#handleOf(this), this.#layout.cipher, frames, ends, options)
  }

  tryDecryptBatchInPlace(
    frames: Uint8Array,
    ends: Uint32Array | number,
    options?: BatchOptions,
  ): Uint32Array {
    return tryDecryptBatch(Aead.#handleOf(this), this.#layout.cipher, frames, ends, options)
  }

  // Functions that are `async` turn every error into a rejection.

  async encryptInPlaceAsync(
    frame: Uint8Array,
    aad?: Aad,
    options?: AsyncOptions,
  ): Promise<Buffer<ArrayBuffer>> {
    return run(encryptInPlaceAsync, Aead.#handleOf(this), this.#layout.cipher, frame, aad, options)
  }

  async decryptInPlaceAsync(
    frame: Uint8Array,
    aad?: Aad,
    options?: AsyncOptions,
  ): Promise<Buffer<ArrayBuffer>> {
    const whole = await run(
      decryptInPlaceAsync,
      Aead.#handleOf(this),
      this.#layout.cipher,
      frame,
      aad,
      options,
    )
    return this.#plaintextOf(whole)
  }

  destroy(): void {
    destroy(Aead.#handleOf(this))
  }

  [dispose](): void {
    destroy(Aead.#handleOf(this))
  }

  #plaintextOf(frame: Uint8Array): Buffer<ArrayBuffer> {
    const plaintext = viewOf(frame, this.#layout.before, byteLength(frame) - this.#layout.cipher.overhead)
    if (plaintext === undefined) throw detached('frame')
    return plaintext
  }

  /** The handle of `self`. Throws for another receiver: all classes of keys share these methods. */
  static #handleOf(self: unknown): KeyHandle {
    if (typeof self === 'object' && self !== null && #handle in self) return self.#handle
    throw wrongReceiver('AesGcm, XAesGcm or AesGcmSiv')
  }
}
