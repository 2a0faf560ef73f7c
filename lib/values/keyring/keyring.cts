// The class Keyring, documented in types/keyring.d.ts: passes values to their key's raw functions.
import type { Buffer } from 'node:buffer'
import type {
  Aad,
  Keyring as AnyKeyring,
  KeyEntry,
  KeyInfo,
  KeyringCounts,
  KeyringOptions,
  KeyType,
  OpenTextOptions,
  RotateOptions,
  TokenTypes,
} from '../../../types/keyring.d.ts'
import { needsSeparate } from '../../cipher/aead/refusal.cjs'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { dispose, markAsUncloneable, types, uncurried } from '../../cipher/base/builtins.cjs'
import { messageTooLong, wrongReceiver, wrongValue } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { allocateCiphertext } from '../../cipher/base/slab.cjs'
import { byteLength, wipe } from '../../cipher/base/views.cjs'
import { sealInto, sealText } from '../../cipher/native/calls.cjs'
import { sealShortly, sealTextShortly } from '../../cipher/native/sealed-calls.cjs'
import { INSTEAD } from './attempts.cjs'
import { readByOthers, readersOf, readOrThrow } from './fallback.cjs'
import { isHeader } from './jwe-header.cjs'
import { aeadTable, ownSettings } from './key-entry.cjs'
import { countsOf, keyInfos } from './key-info.cjs'
import { type AeadTable, type Key, KeyTable, keyringDestroyed } from './key-table.cjs'
import { add, disable, enable, newTable, promote, remove, tableOfEntries } from './mutations.cjs'
import { OpenFailure, openBytes, openText, publishOrThrow, toError } from './opening.cjs'
import { prefixIn } from './prefix.cjs'
import { headerAsAad, keyringRefusal, OPEN, OPEN_TEXT, SEAL, SEAL_TEXT, wrongKind } from './refusal.cjs'
import { notAKeyring, replaceKeys } from './replace.cjs'
import { backOf, checkedValue, needsRotation, rotationOf } from './rotation.cjs'
import { exportKeyset, parseKeyset, unwrapKeyset, wrapKeyset } from './serialize.cjs'
import { openToken, sealToken, tryOpenToken } from './tokens.cjs'

const { isUint8Array } = types

/** The keys of a keyring, even of one that was destroyed. */
export let tableOf: (keyring: Keyring) => AeadTable

export class Keyring implements Disposable {
  readonly #table: AeadTable

  static {
    tableOf = keyring => Keyring.#anyOf(keyring)
    showAs(
      Keyring,
      'Keyring',
      self => #table in self,
      self => ({ keys: keyInfos(self.#table), destroyed: self.#table.destroyed }),
    )
  }

  static generate(type: KeyType = 'AES-256-GCM', options?: Omit<KeyringOptions, 'primary'>): Keyring {
    return new Keyring(newTable(type, options) as never)
  }

  static parse(keyset: string | undefined, options?: Omit<KeyringOptions, 'primary'>): Keyring {
    return new Keyring(parseKeyset(aeadTable(ownSettings(options)), keyset) as never)
  }

  // Functions that are `async` turn every error into a rejection.

  static async unwrap(
    encrypted: string,
    decrypt: (wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array>,
    options?: Omit<KeyringOptions, 'primary'>,
  ): Promise<Keyring> {
    const table = aeadTable(ownSettings(options))
    return new Keyring((await unwrapKeyset(table, encrypted, decrypt)) as never)
  }

  constructor(keys: readonly KeyEntry[], options?: KeyringOptions) {
    markAsUncloneable(this)
    // Only this class has a KeyTable, and passes it from its static methods.
    this.#table = KeyTable.is(keys) ? (keys as never) : tableOfEntries(keys, options)
  }

  seal(plaintext: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> {
    const { handle, numbers, valuePrefix, prefixBytes, cipher } = Keyring.#primaryOf(this)
    if (!isUint8Array(plaintext)) throw wrongKind(SEAL, 'plaintext', plaintext)
    if (isHeader(aad)) throw headerAsAad()
    const length = byteLength(plaintext)
    if (length > cipher.maxMessageBytes) throw messageTooLong(cipher.longest.message)
    const bytes = length + cipher.overhead + prefixBytes
    let sealed = allocateCiphertext(bytes, INSTEAD)
    let status = sealShortly(numbers, sealed, plaintext, aad)
    if (status === bytes) return sealed
    if (!(status >= 0)) status = sealInto(handle, valuePrefix, sealed, plaintext, aad)
    if (needsSeparate(status)) {
      sealed = allocateResult(bytes, INSTEAD)
      status = sealInto(handle, valuePrefix, sealed, plaintext, aad)
    }
    if (status !== bytes) {
      const key = Keyring.#primaryOf(this)
      throw keyringRefusal(key, status, SEAL, [handle, valuePrefix, sealed, plaintext, aad])
    }
    return sealed
  }

  open(sealed: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> {
    const table = Keyring.#tableOf(this)
    const plaintext = openBytes(table, sealed, aad)
    if (plaintext instanceof OpenFailure)
      throw toError(table, plaintext, OPEN, [undefined, 0, undefined, sealed, aad])
    return plaintext
  }

  tryOpen(sealed: Uint8Array, aad?: Aad): Buffer<ArrayBuffer> | null {
    const table = Keyring.#tableOf(this)
    const plaintext = openBytes(table, sealed, aad)
    if (!(plaintext instanceof OpenFailure)) return plaintext
    publishOrThrow(table, plaintext, OPEN, [undefined, 0, undefined, sealed, aad])
    return null
  }

  sealText(text: string, aad?: Aad): string {
    const { handle, numbers, valuePrefix } = Keyring.#primaryOf(this)
    if (isHeader(aad)) throw headerAsAad()
    const shortly = sealTextShortly(numbers, text, aad)
    if (typeof shortly === 'string') return shortly
    const sealed = sealText(handle, valuePrefix, text, aad)
    if (typeof sealed === 'string') return sealed
    throw keyringRefusal(Keyring.#primaryOf(this), sealed, SEAL_TEXT, [handle, valuePrefix, text, aad])
  }

  openText(sealed: string, aad?: Aad, options?: OpenTextOptions): string {
    const table = Keyring.#tableOf(this)
    const readers = readersOf(options)
    const text = openText(table, sealed, aad)
    if (typeof text === 'string') return text
    return readOrThrow(table, text, readers, sealed, aad)
  }

  tryOpenText(sealed: string, aad?: Aad, options?: OpenTextOptions): string | null {
    const table = Keyring.#tableOf(this)
    const readers = readersOf(options)
    const text = openText(table, sealed, aad)
    if (typeof text === 'string') return text
    const read = readByOthers(text, readers, sealed, aad)
    if (read === null) publishOrThrow(table, text, OPEN_TEXT, [undefined, 0, sealed, aad])
    return read
  }

  sealJwe(payload: string | Uint8Array, header?: TokenTypes): string {
    return sealToken(Keyring.#tableOf(this), payload, header)
  }

  openJwe(token: string, expected?: TokenTypes): Buffer<ArrayBuffer> {
    return openToken(Keyring.#tableOf(this), token, expected)
  }

  tryOpenJwe(token: string, expected?: TokenTypes): Buffer<ArrayBuffer> | null {
    return tryOpenToken(Keyring.#tableOf(this), token, expected)
  }

  keyIdOf(sealed: string | Uint8Array): number | null {
    Keyring.#tableOf(this)
    const prefix = prefixIn(checkedValue(sealed))
    return prefix < 0 || prefix >= 2 ** 33 ? null : prefix % 2 ** 32
  }

  needsRotation(sealed: string | Uint8Array, options?: Pick<RotateOptions, 'back'>): boolean {
    const table = Keyring.#tableOf(this)
    const value = checkedValue(sealed)
    return needsRotation(table, value, backOf(options))
  }

  rotate<Sealed extends string | Uint8Array>(
    sealed: Sealed,
    aad?: Aad,
    options?: RotateOptions,
  ): Sealed extends string ? string : Sealed | Buffer<ArrayBuffer>
  rotate(sealed: string | Uint8Array, aad?: Aad, options?: RotateOptions): string | Uint8Array {
    const table = Keyring.#tableOf(this)
    const { back, readers } = rotationOf(options)
    if (typeof sealed !== 'string' && readers !== undefined && readers.length > 0)
      throw wrongValue('"options.fallback" reads texts: give the value as a text, or open it with its reader')
    if (!needsRotation(table, checkedValue(sealed), back)) return sealed
    // The methods of this class, since a subclass may replace them.
    const { open, seal, sealText } = METHODS
    if (typeof sealed === 'string') {
      const opened = openText(table, sealed, aad)
      const text = typeof opened === 'string' ? opened : readOrThrow(table, opened, readers, sealed, aad)
      const renewed = sealText(this, text, aad)
      table.rotated++
      return renewed
    }
    const plaintext = open(this, sealed, aad)
    try {
      const renewed = seal(this, plaintext, aad)
      table.rotated++
      return renewed
    } finally {
      wipe(plaintext, 0)
    }
  }

  get keys(): readonly KeyInfo[] {
    return keyInfos(Keyring.#tableOf(this))
  }

  get counts(): KeyringCounts {
    return countsOf(Keyring.#tableOf(this))
  }

  replace(newer: AnyKeyring, options?: Pick<RotateOptions, 'back'>): boolean {
    Keyring.#tableOf(this)
    const back = backOf(options)
    // A getter of the options may have destroyed the keyring.
    const table = Keyring.#tableOf(this)
    if (typeof newer !== 'object' || newer === null || !(#table in newer)) throw notAKeyring(newer)
    return replaceKeys(table, Keyring.#tableOf(newer), back)
  }

  add(entry: KeyEntry): number {
    return add(Keyring.#tableOf(this), entry)
  }

  promote(id: number): void {
    promote(Keyring.#tableOf(this), id)
  }

  enable(id: number): void {
    enable(Keyring.#tableOf(this), id)
  }

  disable(id: number): void {
    disable(Keyring.#tableOf(this), id)
  }

  delete(id: number): void {
    remove(Keyring.#tableOf(this), id)
  }

  export(): string {
    return exportKeyset(Keyring.#tableOf(this))
  }

  async wrap(encrypt: (keyset: Uint8Array) => Uint8Array | Promise<Uint8Array>): Promise<string> {
    return wrapKeyset(Keyring.#tableOf(this), encrypt)
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

  /** The primary key of `self`. */
  static #primaryOf(self: unknown): Key {
    return Keyring.#tableOf(self).primary as Key
  }

  /** The keys of `self`; throws if `self` is no keyring, or was destroyed. */
  static #tableOf(self: unknown): AeadTable {
    const table = Keyring.#anyOf(self)
    if (table.destroyed) throw keyringDestroyed()
    return table
  }

  static #anyOf(self: unknown): AeadTable {
    if (typeof self === 'object' && self !== null && #table in self) return self.#table
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
