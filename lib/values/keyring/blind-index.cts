// The class BlindIndex, documented in types/keyring.d.ts.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import { copiedKey } from '../../cipher/aead/copied-key.cjs'
import { dispose, markAsUncloneable } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import {
  AesGcmError,
  keyDestroyed,
  mustBe,
  outOfRange,
  wrongReceiver,
  wrongValue,
} from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { adviceFor } from '../../cipher/base/key-text.cjs'
import { count, optionsOf } from '../../cipher/base/parse.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { wipeWith } from '../../cipher/base/wipe-with.cjs'
import { freshKey } from '../../cipher/machine/random.cjs'
import { KeyedHmac } from './keyed-hmac.cjs'
import { lengthOfPart, pae } from './pae.cjs'

const NAMES = ['purpose', 'bits'] as const
const KINDS = 'a string or a Uint8Array'
const MIN_KEY_BYTES = 32
const MAX_KEY_BYTES = 1024
const MIN_BITS = 32
const MAX_BITS = 256
const DEFAULT_BITS = 128

export class BlindIndex implements Disposable {
  /** Wiped by `destroy`. OpenSSL wipes its copies of what it hashes. */
  readonly #hmac: KeyedHmac
  readonly #purpose: string
  readonly #bits: number
  #destroyed = false

  static {
    showAs(
      BlindIndex,
      'BlindIndex',
      self => #hmac in self,
      self => ({ purpose: self.#purpose, bits: self.#bits, destroyed: self.#destroyed }),
    )
  }

  static generateKey(): Buffer<ArrayBuffer> {
    return freshKey(MIN_KEY_BYTES)
  }

  constructor(key: Uint8Array | KeyObject, options: { purpose: string; bits?: number }) {
    markAsUncloneable(this)
    const option = optionsOf(options, NAMES)
    this.#purpose = purposeOf(option('purpose'))
    this.#bits = bitsOf(option('bits', DEFAULT_BITS))
    const own = copiedKey('key', key, lengthOfKey)
    try {
      this.#hmac = new KeyedHmac(own, headOf(this.#purpose))
    } finally {
      wipe(own, 0)
    }
    wipeWith(this, this.#hmac.inner)
    wipeWith(this, this.#hmac.outer)
  }

  get purpose(): string {
    return BlindIndex.#own(this).#purpose
  }

  get bits(): number {
    return BlindIndex.#own(this).#bits
  }

  get destroyed(): boolean {
    return BlindIndex.#own(this).#destroyed
  }

  of(value: string | Uint8Array): string {
    const self = BlindIndex.#own(this)
    if (self.#destroyed) throw keyDestroyed()
    return self.#hmac.of(value, lengthOfPart('value', value, KINDS), self.#bits / 8)
  }

  destroy(): void {
    BlindIndex.#destroy(this)
  }

  [dispose](): void {
    BlindIndex.#destroy(this)
  }

  static #destroy(self: unknown): void {
    const own = BlindIndex.#own(self)
    own.#destroyed = true
    wipe(own.#hmac.inner, 0)
    wipe(own.#hmac.outer, 0)
  }

  /** Throws if `self` is not a BlindIndex. */
  static #own(self: unknown): BlindIndex {
    if (typeof self === 'object' && self !== null && #hmac in self) return self
    throw wrongReceiver('BlindIndex')
  }
}

function purposeOf(purpose: unknown): string {
  if (typeof purpose !== 'string') throw mustBe('options.purpose', 'a string', purpose)
  if (purpose !== '') return purpose
  throw wrongValue('"options.purpose" must not be empty')
}

function bitsOf(bits: unknown): number {
  const number = count('options.bits', bits, MIN_BITS, MAX_BITS)
  if (number % 8 === 0) return number
  throw outOfRange(`"options.bits" must be a multiple of 8, got ${number}`)
}

/** PASETO's encoding of the purpose and the value, up to the length of the value. */
function headOf(purpose: string): Buffer<ArrayBuffer> {
  return pae([purpose, ''], [lengthOfPart('options.purpose', purpose, KINDS), 0])
}

/** The length of a key, if a key may have it. */
function lengthOfKey(name: string, key: Uint8Array): number {
  const length = lengthOf(name, key)
  if (length >= MIN_KEY_BYTES && length <= MAX_KEY_BYTES) return length
  const range = `${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes`
  const what = `"${name}" of a blind index must be ${range}, got length ${length}${adviceFor(key)}`
  throw new AesGcmError('ERR_AESGCM_INVALID_KEY_LENGTH', what)
}
