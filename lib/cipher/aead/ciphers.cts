// The ciphers, one row each: everything that distinguishes their classes.
import type { Backend } from '../../../index.d.ts'
import { MAX_MESSAGE_BYTES, NONCE_BYTES, OVERHEAD } from '../base/sizes.cjs'

export interface CipherSpec {
  /** The name of the class. */
  readonly name: string
  /** The first argument of `create`. */
  readonly algorithm: number
  readonly nonceBytes: number
  /** The bytes of a frame round its plaintext: nonce and tag. */
  readonly overhead: number
  /** The lengths of keys. */
  readonly keyBytes: readonly (16 | 32)[]
  /** The largest value of the option `maxMessages`, and its default. */
  readonly maxMessages: number
  /** The limits of encryption, for an error message. */
  readonly limits: string
  /** The longest message. */
  readonly maxMessageBytes: number
  /** The longest message and the longest additional data, for an error message. */
  readonly longest: { readonly message: string; readonly aad: string }
}

/** SP 800-38D 5.2.1.1. */
const GCM_LENGTHS = {
  maxMessageBytes: MAX_MESSAGE_BYTES,
  longest: { message: '2^36 - 32', aad: '2^61 - 1' },
} as const

export const AES_GCM = {
  name: 'AesGcm',
  algorithm: 0,
  nonceBytes: NONCE_BYTES,
  overhead: OVERHEAD,
  keyBytes: [16, 32],
  // SP 800-38D 8.3.
  maxMessages: 2 ** 32,
  limits: 'messages (maxMessages) or blocks (2^48)',
  ...GCM_LENGTHS,
} as const satisfies CipherSpec

/** C2SP XAES-256-GCM, version 1. A key for each message, so blocks need no count over messages. */
export const XAES_256_GCM = {
  name: 'XAesGcm',
  algorithm: 1,
  nonceBytes: 24,
  overhead: 40,
  keyBytes: [32],
  // As much as a number can count: no limit in practice.
  maxMessages: 2 ** 53 - 1,
  limits: 'messages (maxMessages)',
  ...GCM_LENGTHS,
} as const satisfies CipherSpec

/** AES-GCM-SIV (RFC 8452). */
export const AES_GCM_SIV = {
  name: 'AesGcmSiv',
  algorithm: 2,
  nonceBytes: NONCE_BYTES,
  overhead: OVERHEAD,
  keyBytes: [16, 32],
  // Section 9: see `SIV` in src/key/ledger.rs.
  maxMessages: 2 ** 48,
  limits: 'messages (maxMessages) or blocks (2^48)',
  // Section 6.
  maxMessageBytes: 2 ** 36,
  longest: { message: '2^36', aad: '2^36' },
} as const satisfies CipherSpec

/** Properties that many keys have in common. Each key refers to the one layout that they share. */
export interface Layout {
  readonly cipher: CipherSpec
  /** The bytes of a frame before its text. */
  readonly before: number
  readonly backend: Backend
  readonly keyBits: 128 | 256
  readonly next: Layout | undefined
}

/** The layouts of a cipher's keys. */
export class Layouts {
  readonly cipher: CipherSpec
  #first: Layout | undefined

  constructor(cipher: CipherSpec) {
    this.cipher = cipher
  }

  /** That of keys of so many bytes, with the nonce at the end or the beginning of their frames. */
  of(nonceAtEnd: boolean, backend: Backend, keyBytes: number): Layout {
    const { cipher } = this
    const before = nonceAtEnd ? 0 : cipher.nonceBytes
    const keyBits = (keyBytes * 8) as 128 | 256
    for (let at = this.#first; at !== undefined; at = at.next)
      if (at.before === before && at.backend === backend && at.keyBits === keyBits) return at
    this.#first = { cipher, before, backend, keyBits, next: this.#first }
    return this.#first
  }
}
