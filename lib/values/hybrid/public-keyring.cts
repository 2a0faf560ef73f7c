// The class PublicKeyring, documented in types/hybrid.d.ts: seals what it cannot open.
import type { Buffer } from 'node:buffer'
import type { ContextInfo, HybridKeyInfo } from '../../../types/hybrid.d.ts'
import { types } from '../../cipher/base/builtins.cjs'
import { base64url } from '../../cipher/base/encoded.cjs'
import { wrongReceiver, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { bytesOfText, wellFormed } from '../../cipher/base/utf8.cjs'
import { byteLength, kindOf, wipe } from '../../cipher/base/views.cjs'
import { enterRecipient } from '../../protocols/stream/recipients.cjs'
import { KeyTable } from '../keyring/key-table.cjs'
import { exportKeyset, parseKeyset } from '../keyring/serialize.cjs'
import { recipientOf } from './file-keys.cjs'
import { hybridInfos } from './key-infos.cjs'
import { type PublicTable, publicTable } from './keys.cjs'
import { checkedBytes, contextBytes, refuseLongText, seal } from './sealing.cjs'

const { isUint8Array } = types

export class PublicKeyring {
  readonly #table: PublicTable

  static {
    showAs(
      PublicKeyring,
      'PublicKeyring',
      self => #table in self,
      self => ({ keys: hybridInfos(self.#table) }),
    )
  }

  static parse(keyset: string | undefined): PublicKeyring {
    const table = publicTable()
    parseKeyset(table, keyset)
    return new PublicKeyring(table as never)
  }

  constructor(table: never) {
    if (!KeyTable.is(table)) throw notConstructed('PublicKeyring.parse reads')
    this.#table = table
    enterRecipient(this, recipientOf(table))
  }

  get keys(): readonly HybridKeyInfo[] {
    return hybridInfos(PublicKeyring.#tableOf(this))
  }

  seal(plaintext: Uint8Array, contextInfo?: ContextInfo): Buffer<ArrayBuffer> {
    const table = PublicKeyring.#tableOf(this)
    const info = contextBytes(contextInfo)
    return seal(table, checkedBytes('plaintext', plaintext), info)
  }

  sealText(text: string, contextInfo?: ContextInfo): string {
    const table = PublicKeyring.#tableOf(this)
    if (typeof text !== 'string') {
      const help = isUint8Array(text) ? ': seal takes bytes' : ''
      throw wrongType(`"text" must be a string, got ${kindOf(text)}${help}`)
    }
    const info = contextBytes(contextInfo)
    // A text has at least as many bytes as units.
    refuseLongText(table, text.length)
    const bytes = bytesOfText(wellFormed('text', text))
    const sealed = orWipe(bytes, () => {
      refuseLongText(table, byteLength(bytes))
      return seal(table, bytes, info)
    })
    wipe(bytes, 0)
    return base64url(sealed)
  }

  export(): string {
    return exportKeyset(PublicKeyring.#tableOf(this))
  }

  static #tableOf(self: unknown): PublicTable {
    if (typeof self === 'object' && self !== null && #table in self) return self.#table
    throw wrongReceiver('PublicKeyring')
  }
}

/** The error of `new` with anything else than a table, which no caller has. */
export function notConstructed(how: string): Error {
  return wrongValue(`a keyring is not made by "new": ${how} a keyset`)
}
