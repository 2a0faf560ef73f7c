// The class Keyring: passes values to the raw functions of the key that is concerned. types/keyring.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type {
  Aad,
  KeyEntry,
  KeyInfo,
  KeyringOptions,
  KeyType,
  OpenTextOptions,
  RotateOptions,
  TokenTypes,
} from '../../types/keyring.d.ts'
import { allocateResult } from '../base/allocate-result.cjs'
import { dispose, markAsUncloneable, max, types, uncurried } from '../base/builtins.cjs'
import { messageTooLong, nodeError, wrongReceiver } from '../base/errors.cjs'
import { showAs } from '../base/inspection.cjs'
import { byteLength, wipe } from '../base/views.cjs'
import { openInto, openText, sealInto, sealText } from '../native/calls.cjs'
import { readByOthers, readersOf, readOrThrow } from './fallback.cjs'
import { isHeader } from './jwe-header.cjs'
import { keysOf } from './key-info.cjs'
import { type Key, Ring, ringDestroyed } from './key-table.cjs'
import { add, disable, enable, newRing, promote, remove, ringOf } from './mutations.cjs'
import { errorOf, opened, publishOrThrow, Unopened } from './opening.cjs'
import { prefixIn, prefixInBytes, prefixInText } from './prefix.cjs'
import { headerAsAad, OPEN, OPEN_TEXT, ringRefusal, SEAL, SEAL_TEXT, wrongKind } from './refusal.cjs'
import { backOf, checkedValue, needsRotation, rotationOf } from './rotation.cjs'
import { exported, parsed, unwrapped, wrapped } from './serialize.cjs'
import { openToken, sealToken, tryOpenToken } from './tokens.cjs'

const { isUint8Array } = types

export class Keyring implements Disposable {
  readonly #ring: Ring

  static {
    showAs(
      Keyring,
      'Keyring',
      self => #ring in self,
      self => ({ keys: keysOf(self.#ring), destroyed: self.#ring.destroyed }),
    )
  }

  static generate(type: KeyType = 'AES-256-GCM', options?: Omit<KeyringOptions, 'primary'>): Keyring {
    return new Keyring(newRing(type, options) as never)
  }

  static parse(keyset: string | undefined, options?: Omit<KeyringOptions, 'primary'>): Keyring {
    return new Keyring(parsed(keyset, options) as never)
  }

  // Functions that are `async` turn every error into a rejection.

  static async unwrap(
    encrypted: string,
    decrypt: (wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array>,
    options?: Omit<KeyringOptions, 'primary'>,
  ): Promise<Keyring> {
    return new Keyring((await unwrapped(encrypted, decrypt, options)) as never)
  }

  constructor(keys: readonly KeyEntry[], options?: KeyringOptions) {
    markAsUncloneable(this)
    // Only this class has a Ring, and passes it from its static methods.
    this.#ring = Ring.is(keys) ? keys : ringOf(keys, options)
  }

  seal(plaintext: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> {
    const { handle, head, skip, cipher } = Keyring.#primaryOf(this)
    if (!isUint8Array(plaintext)) throw wrongKind(SEAL, 'plaintext', plaintext)
    if (isHeader(aad)) throw headerAsAad()
    const length = byteLength(plaintext)
    if (length > cipher.maxMessageBytes) throw messageTooLong(cipher.longest.message)
    const sealed = allocateResult(
      length + cipher.overhead + skip,
      'seal it in several values, or as a stream',
    )
    const status = sealInto(handle, head, sealed, plaintext, aad)
    if (!(status >= 0)) {
      const key = Keyring.#primaryOf(this)
      throw ringRefusal(key, status, SEAL, [handle, head, sealed, plaintext, aad])
    }
    return sealed
  }

  open(sealed: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> {
    const plaintext = Keyring.#open(Keyring.#ringOf(this), sealed, aad)
    if (plaintext instanceof Unopened) throw errorOf(plaintext, OPEN, [undefined, 0, undefined, sealed, aad])
    return plaintext
  }

  tryOpen(sealed: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> | null {
    const plaintext = Keyring.#open(Keyring.#ringOf(this), sealed, aad)
    if (!(plaintext instanceof Unopened)) return plaintext
    publishOrThrow(plaintext, OPEN, [undefined, 0, undefined, sealed, aad])
    return null
  }

  sealText(text: string, aad?: Aad): string {
    const { handle, head } = Keyring.#primaryOf(this)
    if (isHeader(aad)) throw headerAsAad()
    const sealed = sealText(handle, head, text, aad)
    if (typeof sealed === 'string') return sealed
    throw ringRefusal(Keyring.#primaryOf(this), sealed, SEAL_TEXT, [handle, head, text, aad])
  }

  openText(sealed: string, aad?: Aad, options?: OpenTextOptions): string {
    const ring = Keyring.#ringOf(this)
    const readers = readersOf(options)
    const text = Keyring.#openText(ring, sealed, aad)
    if (typeof text === 'string') return text
    return readOrThrow(text, readers, sealed, aad)
  }

  tryOpenText(sealed: string, aad?: Aad, options?: OpenTextOptions): string | null {
    const ring = Keyring.#ringOf(this)
    const readers = readersOf(options)
    const text = Keyring.#openText(ring, sealed, aad)
    if (typeof text === 'string') return text
    const read = readByOthers(text, readers, sealed, aad)
    if (read === null) publishOrThrow(text, OPEN_TEXT, [undefined, 0, sealed, aad])
    return read
  }

  sealJwe(payload: string | Uint8Array, header?: TokenTypes): string {
    return sealToken(Keyring.#ringOf(this), payload, header)
  }

  openJwe(token: string, expected?: TokenTypes): Buffer<ArrayBuffer> {
    return openToken(Keyring.#ringOf(this), token, expected)
  }

  tryOpenJwe(token: string, expected?: TokenTypes): Buffer<ArrayBuffer> | null {
    return tryOpenToken(Keyring.#ringOf(this), token, expected)
  }

  keyIdOf(sealed: string | Uint8Array): number | null {
    Keyring.#ringOf(this)
    const prefix = prefixIn(checkedValue(sealed))
    return prefix < 0 || prefix >= 2 ** 33 ? null : prefix % 2 ** 32
  }

  needsRotation(sealed: string | Uint8Array, options?: Pick<RotateOptions, 'back'>): boolean {
    const ring = Keyring.#ringOf(this)
    const value = checkedValue(sealed)
    return needsRotation(ring, value, backOf(options))
  }

  rotate<Sealed extends string | Uint8Array>(
    sealed: Sealed,
    aad?: Aad,
    options?: RotateOptions,
  ): Sealed extends string ? string : Sealed | Buffer<ArrayBuffer>
  rotate(sealed: string | Uint8Array, aad?: Aad, options?: RotateOptions): string | Uint8Array {
    const ring = Keyring.#ringOf(this)
    const { back, readers } = rotationOf(options)
    if (typeof sealed !== 'string' && readers !== undefined && readers.length > 0) {
      const what = '"options.fallback" reads texts: give the value as a text, or open it with its reader'
      throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
    }
    if (!needsRotation(ring, checkedValue(sealed), back)) return sealed
    // The methods of this class, since a subclass may replace them.
    const { open, seal, sealText } = METHODS
    if (typeof sealed === 'string') {
      const text = Keyring.#openText(ring, sealed, aad)
      return sealText(this, typeof text === 'string' ? text : readOrThrow(text, readers, sealed, aad), aad)
    }
    const plaintext = open(this, sealed, aad)
    try {
      return seal(this, plaintext, aad)
    } finally {
      wipe(plaintext, 0)
    }
  }

  get keys(): readonly KeyInfo[] {
    return keysOf(Keyring.#ringOf(this))
  }

  add(entry: KeyEntry): number {
    return add(Keyring.#ringOf(this), entry)
  }

  promote(id: number): void {
    promote(Keyring.#ringOf(this), id)
  }

  enable(id: number): void {
    enable(Keyring.#ringOf(this), id)
  }

  disable(id: number): void {
    disable(Keyring.#ringOf(this), id)
  }

  delete(id: number): void {
    remove(Keyring.#ringOf(this), id)
  }

  export(): string {
    return exported(Keyring.#ringOf(this))
  }

  async wrap(encrypt: (keyset: Uint8Array) => Uint8Array | Promise<Uint8Array>): Promise<string> {
    return wrapped(Keyring.#ringOf(this), encrypt)
  }

  get destroyed(): boolean {
    return Keyring.#anyOf(this).destroyed
  }

  destroy(): void {
    Keyring.#anyOf(this).destroy()
  }

  [dispose](): void {
    Keyring.#anyOf(this).destroy()
  }

  static #open(ring: Ring, sealed: unknown, aad: unknown): Buffer<ArrayBuffer> | Unopened {
    if (!isUint8Array(sealed)) throw wrongKind(OPEN, 'sealed', sealed)
    // No value has such data, and a token is none.
    if (isHeader(aad)) return new Unopened(undefined, 0, -1)
    const attempt = ({ handle, skip, cipher }: Key) => {
      const length = max(0, byteLength(sealed) - cipher.overhead - skip)
      const plaintext = allocateResult(length, 'seal it in several values, or as a stream')
      const status = openInto(handle, skip, plaintext, sealed, aad)
      return status >= 0 ? plaintext : status
    }
    const prefix = prefixInBytes(sealed)
    const key = ring.keyOf(prefix)
    if (key === undefined) return opened(ring, prefix, undefined, 0, attempt)
    const result = attempt(key)
    return typeof result === 'object' ? result : opened(ring, prefix, key, result, attempt)
  }

  static #openText(ring: Ring, sealed: unknown, aad: unknown): string | Unopened {
    if (typeof sealed !== 'string') throw wrongKind(OPEN_TEXT, 'sealed', sealed)
    if (isHeader(aad)) return new Unopened(undefined, 0, -1)
    const prefix = prefixInText(sealed)
    const key = ring.keyOf(prefix)
    if (key !== undefined) {
      const result = openText(key.handle, key.skip, sealed, aad)
      if (typeof result === 'string') return result
      return opened(ring, prefix, key, result, ({ handle, skip }) => openText(handle, skip, sealed, aad))
    }
    return opened(ring, prefix, undefined, 0, ({ handle, skip }) => openText(handle, skip, sealed, aad))
  }

  /** The primary key of `self`. */
  static #primaryOf(self: unknown): Key {
    return Keyring.#ringOf(self).primary as Key
  }

  /** The keys of `self`; throws if `self` is no keyring, or was destroyed. */
  static #ringOf(self: unknown): Ring {
    const ring = Keyring.#anyOf(self)
    if (ring.destroyed) throw ringDestroyed()
    return ring
  }

  static #anyOf(self: unknown): Ring {
    if (typeof self === 'object' && self !== null && #ring in self) return self.#ring
    throw wrongReceiver('Keyring')
  }
}

const { open, seal, sealText: sealAText } = Keyring.prototype
/** The methods as they were when this file was loaded. */
const METHODS = {
  open: uncurried(open),
  seal: uncurried(seal),
  sealText: uncurried(sealAText),
}
