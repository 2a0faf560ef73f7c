// The class PrivateKeyring, documented in types/hybrid.d.ts: opens what its public keys sealed.
import type { Buffer } from 'node:buffer'
import type { ContextInfo, HybridKeyInfo, HybridKeyOptions, HybridKeyType } from '../../../types/hybrid.d.ts'
import { dispose, markAsUncloneable, types } from '../../cipher/base/builtins.cjs'
import { fromBase64url } from '../../cipher/base/encoded.cjs'
import { wrongReceiver, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { textOfBytes } from '../../cipher/base/utf8.cjs'
import { kindOf, wipe } from '../../cipher/base/views.cjs'
import { enterReader } from '../../protocols/stream/recipients.cjs'
import { KeyTable, keyringDestroyed } from '../keyring/key-table.cjs'
import { addKey, disable, enable, promote, remove } from '../keyring/mutations.cjs'
import { exportKeyset, parseKeyset, unwrapKeyset, wrapKeyset } from '../keyring/serialize.cjs'
import { readerOf } from './file-keys.cjs'
import { hybridInfos } from './key-infos.cjs'
import { freshTable, newKey, publicKeysetOf } from './key-making.cjs'
import { type PrivateTable, privateTable } from './keys.cjs'
import { notConstructed } from './public-keyring.cjs'
import { checkedBytes, contextBytes, open, Unopened } from './sealing.cjs'

const { isUint8Array } = types

export class PrivateKeyring implements Disposable {
  readonly #table: PrivateTable

  static {
    showAs(
      PrivateKeyring,
      'PrivateKeyring',
      self => #table in self,
      self => ({ keys: hybridInfos(self.#table), destroyed: self.#table.destroyed }),
    )
  }

  static generate(type: HybridKeyType, options?: Omit<HybridKeyOptions, 'status'>): PrivateKeyring {
    return PrivateKeyring.#of(freshTable(type, options))
  }

  static parse(keyset: string | undefined): PrivateKeyring {
    const table = privateTable()
    parseKeyset(table, keyset)
    return PrivateKeyring.#of(table)
  }

  // Functions that are `async` turn every error into a rejection.

  static async unwrap(
    encrypted: string,
    decrypt: (wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array>,
  ): Promise<PrivateKeyring> {
    const table = privateTable()
    await unwrapKeyset(table, encrypted, decrypt)
    return PrivateKeyring.#of(table)
  }

  constructor(table: never) {
    if (!KeyTable.is(table))
      throw notConstructed('PrivateKeyring.generate makes, and PrivateKeyring.parse reads,')
    markAsUncloneable(this)
    this.#table = table
    enterReader(this, readerOf(table))
  }

  get keys(): readonly HybridKeyInfo[] {
    return hybridInfos(PrivateKeyring.#tableOf(this))
  }

  open(sealed: Uint8Array, contextInfo?: ContextInfo): Buffer<ArrayBuffer> {
    const plaintext = PrivateKeyring.#open(PrivateKeyring.#tableOf(this), sealed, contextInfo)
    if (plaintext instanceof Unopened) throw plaintext.toError()
    return plaintext
  }

  tryOpen(sealed: Uint8Array, contextInfo?: ContextInfo): Buffer<ArrayBuffer> | null {
    const plaintext = PrivateKeyring.#open(PrivateKeyring.#tableOf(this), sealed, contextInfo)
    if (!(plaintext instanceof Unopened)) return plaintext
    plaintext.toError()
    return null
  }

  openText(sealed: string, contextInfo?: ContextInfo): string {
    const text = PrivateKeyring.#openText(PrivateKeyring.#tableOf(this), sealed, contextInfo)
    if (text instanceof Unopened) throw text.toError()
    return text
  }

  tryOpenText(sealed: string, contextInfo?: ContextInfo): string | null {
    const text = PrivateKeyring.#openText(PrivateKeyring.#tableOf(this), sealed, contextInfo)
    if (!(text instanceof Unopened)) return text
    text.toError()
    return null
  }

  publicKeyset(): string {
    return publicKeysetOf(PrivateKeyring.#tableOf(this))
  }

  add(type: HybridKeyType, options?: HybridKeyOptions): number {
    const table = PrivateKeyring.#tableOf(this)
    return addKey(table, 'options', () => newKey(table, type, options))
  }

  promote(id: number): void {
    promote(PrivateKeyring.#tableOf(this), id)
  }

  enable(id: number): void {
    enable(PrivateKeyring.#tableOf(this), id)
  }

  disable(id: number): void {
    disable(PrivateKeyring.#tableOf(this), id)
  }

  delete(id: number): void {
    remove(PrivateKeyring.#tableOf(this), id)
  }

  export(): string {
    return exportKeyset(PrivateKeyring.#tableOf(this))
  }

  async wrap(encrypt: (keyset: Uint8Array) => Uint8Array | Promise<Uint8Array>): Promise<string> {
    return wrapKeyset(PrivateKeyring.#tableOf(this), encrypt)
  }

  get destroyed(): boolean {
    return PrivateKeyring.#anyOf(this).destroyed
  }

  destroy(): void {
    PrivateKeyring.#anyOf(this).destroy()
  }

  [dispose](): void {
    PrivateKeyring.#anyOf(this).destroy()
  }

  static #of(table: PrivateTable): PrivateKeyring {
    return new PrivateKeyring(table as never)
  }

  static #open(table: PrivateTable, sealed: unknown, contextInfo: unknown): Buffer<ArrayBuffer> | Unopened {
    const info = contextBytes(contextInfo)
    return open(table, checkedBytes('sealed', sealed), info)
  }

  static #openText(table: PrivateTable, sealed: unknown, contextInfo: unknown): string | Unopened {
    if (typeof sealed !== 'string') {
      const help = isUint8Array(sealed) ? ': open takes bytes' : ''
      throw wrongType(`"sealed" must be a string, got ${kindOf(sealed)}${help}`)
    }
    const info = contextBytes(contextInfo)
    const bytes = fromBase64url(sealed)
    if (bytes === undefined) return new Unopened(-1)
    const plaintext = open(table, bytes, info)
    if (plaintext instanceof Unopened) return plaintext
    const text = textOfBytes(plaintext)
    wipe(plaintext, 0)
    if (text !== undefined) return text
    const what =
      "is authentic, but its bytes are not UTF-8: open them as bytes, by open(Buffer.from(sealed, 'base64url'))"
    throw wrongValue(`"sealed" ${what}`)
  }

  static #tableOf(self: unknown): PrivateTable {
    const table = PrivateKeyring.#anyOf(self)
    if (table.destroyed) throw keyringDestroyed()
    return table
  }

  static #anyOf(self: unknown): PrivateTable {
    if (typeof self === 'object' && self !== null && #table in self) return self.#table
    throw wrongReceiver('PrivateKeyring')
  }
}
