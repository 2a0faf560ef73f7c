// The place of a value: `context(table, column, key)`, the additional data of its seal.

import type { RowKey } from '../../../types/columns.d.ts'
import { apply, define, unitAt } from '../../cipher/base/builtins.cjs'
import { byteLength, bytesOver, copy, memoryOf } from '../../cipher/base/views.cjs'
import { context } from '../keyring/context.cjs'
import { beginsNoHeader } from '../keyring/jwe-header.cjs'
import { NUMBER_BYTES } from '../keyring/pae.cjs'
import { uuidInSmallLetters } from './uuid.cjs'

const { isSafeInteger } = Number
const { fromCharCode } = String

/** The bit that small letters, digits and hyphens of ASCII have, and capitals lack. */
const SMALL = 0x20

/** The longest key of a row that is written here: a UUID has 36 characters. */
const SHORT = 64

export class Place {
  /** The encoding up to the length of the key, for the short way; undefined if there is none. */
  readonly head: string | undefined
  readonly #table: string
  readonly #column: string
  /** The encoding up to the key, whose last number is the length of the key. */
  readonly #head: number
  /** The encoding, with room for a short key. Not secret, so not wiped. */
  readonly #memory: Uint8Array
  /** Views of it, by the length of the key. */
  readonly #views: readonly Uint8Array[]

  constructor(table: string, column: string, keyParts: number) {
    this.#table = table
    this.#column = column
    const head = keyParts === 0 ? context(table, column) : context(table, column, '')
    this.#head = byteLength(head)
    this.head = keyParts > 1 ? undefined : headOf(head, keyParts === 0 ? 0 : NUMBER_BYTES)
    this.#memory = new Uint8Array(new ArrayBuffer(this.#head + SHORT))
    copy(this.#memory, head)
    const memory = memoryOf(this.#memory)
    const most = keyParts === 1 ? SHORT : 0
    this.#views = Array.from({ length: most + 1 }, (_, n) => bytesOver(memory, 0, this.#head + n))
  }

  /** The place in a row, in memory of its own. */
  own(key: readonly RowKey[]): Uint8Array {
    const parts: RowKey[] = [this.#table, this.#column]
    for (let i = 0; i < key.length; i++) {
      const part = key[i] as RowKey
      define(parts, `${i + 2}`, typeof part === 'string' ? uuidInSmallLetters(part) : part, true)
    }
    return apply(context, undefined, parts)
  }

  /** The place in a row, in memory that the next call overwrites: for a call of native code. */
  of(key: readonly RowKey[]): Uint8Array {
    if (key.length === 0) return this.#views[0] as Uint8Array
    return (key.length === 1 ? this.#short(key[0]) : undefined) ?? this.own(key)
  }

  /** Fast path for a short key of ASCII, or a number; undefined for others. */
  #short(key: RowKey | undefined): Uint8Array | undefined {
    const text = typeof key === 'number' && isSafeInteger(key) ? `${key}` : key
    if (typeof text !== 'string' || text.length > SHORT) return undefined
    const memory = this.#memory
    const head = this.#head
    let someBits = 0
    let allBits = SMALL
    for (let i = 0; i < text.length; i++) {
      const code = unitAt(text, i)
      someBits |= code
      allBits &= code
      memory[head + i] = code
    }
    if (someBits >= 0x80) return undefined
    // Most keys have no capitals, and looking for a UUID would take a tenth of the time of a row.
    if (allBits !== SMALL) {
      const small = uuidInSmallLetters(text)
      if (small !== text) return this.#short(small)
    }
    memory[head - NUMBER_BYTES] = text.length
    return this.#views[text.length]
  }
}

/**
 * The beginning of a place as a text, without its last bytes; undefined unless these are characters
 * of ASCII that make every place here no header of a token, for which the keyring would look.
 */
function headOf(bytes: Uint8Array, last: number): string | undefined {
  let text = ''
  for (let i = 0; i < byteLength(bytes) - last; i++) {
    const byte = bytes[i] as number
    if (byte >= 0x80) return undefined
    text += fromCharCode(byte)
  }
  return beginsNoHeader(text) ? text : undefined
}
