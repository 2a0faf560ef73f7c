// The keys of one direction: those of the current epoch, its nonces, and the chain to the next.
import { keyDestroyed } from '../../cipher/base/errors.cjs'
import { allocateOffHeap, bytesOver, copy, wipe } from '../../cipher/base/views.cjs'
import { wipeWith } from '../../cipher/base/wipe-with.cjs'
import type { SessionCipher } from './ciphers.cjs'
import { type RecordCipher, recordCipherOf } from './record-cipher.cjs'
import { type Direction, type DirectionKeys, directionKeys, extract, IV_BYTES } from './schedule.cjs'

const CHAIN_BYTES = 64

/** The keys of the epoch after the current one. */
interface Next {
  readonly recordCipher: RecordCipher
  readonly keys: DirectionKeys
}

export class Ratchet {
  readonly #cipher: SessionCipher
  readonly #direction: Direction
  /** Memory kept besides the expanded key: replaced in place, so it can be wiped. */
  readonly #memory = allocateOffHeap(2 * IV_BYTES + CHAIN_BYTES)
  readonly #iv = bytesOver(this.#memory.buffer, 0, IV_BYTES)
  readonly #chain = bytesOver(this.#memory.buffer, IV_BYTES, CHAIN_BYTES)
  readonly #nonce = bytesOver(this.#memory.buffer, IV_BYTES + CHAIN_BYTES, IV_BYTES)
  #recordCipher: RecordCipher | undefined
  /** The number of the next record of this epoch. */
  number = 0

  constructor(cipher: SessionCipher, direction: Direction, prk: Uint8Array) {
    this.#cipher = cipher
    this.#direction = direction
    this.commit(this.#derive(prk))
    wipeWith(this, this.#memory)
  }

  /** Derives the next keys from the chain and `secret`, never from a cipher's key. */
  next(secret: Uint8Array): Next {
    if (this.#recordCipher === undefined) throw keyDestroyed()
    const prk = extract(this.#chain, secret)
    try {
      return this.#derive(prk)
    } finally {
      wipe(prk, 0)
    }
  }

  #derive(prk: Uint8Array): Next {
    const keys = directionKeys(this.#cipher, this.#direction, prk)
    try {
      return { recordCipher: recordCipherOf(this.#cipher, keys.key), keys }
    } catch (error) {
      wipe(keys.iv, 0)
      wipe(keys.chain, 0)
      throw error
    } finally {
      wipe(keys.key, 0)
    }
  }

  /** Begins the next epoch, and wipes the keys of this one. */
  commit({ recordCipher, keys }: Next): void {
    this.#recordCipher?.destroy()
    this.#recordCipher = recordCipher
    copy(this.#iv, keys.iv)
    copy(this.#nonce, keys.iv)
    copy(this.#chain, keys.chain)
    wipe(keys.iv, 0)
    wipe(keys.chain, 0)
    this.number = 0
  }

  /** Seals the next record in place. */
  seal(data: Uint8Array, tag: Uint8Array, header: Uint8Array): void {
    const recordCipher = this.#recordCipher
    if (recordCipher === undefined) throw keyDestroyed()
    recordCipher.seal(data, this.#nextNonce(), tag, header)
    this.number++
  }

  /** Opens the next record in place. On failure, its bytes and the number stay unchanged. */
  open(data: Uint8Array, tag: Uint8Array, header: Uint8Array): boolean {
    const recordCipher = this.#recordCipher
    if (recordCipher === undefined || !recordCipher.open(data, this.#nextNonce(), tag, header)) return false
    this.number++
    return true
  }

  /** The IV, its end XORed with the record's number (RFC 8446 section 5.3), below 2^32. */
  #nextNonce(): Uint8Array {
    const [iv, nonce, number] = [this.#iv, this.#nonce, this.number]
    nonce[8] = (iv[8] as number) ^ (number >>> 24)
    nonce[9] = (iv[9] as number) ^ (number >>> 16)
    nonce[10] = (iv[10] as number) ^ (number >>> 8)
    nonce[11] = (iv[11] as number) ^ number
    return nonce
  }

  destroy(): void {
    this.#recordCipher?.destroy()
    this.#recordCipher = undefined
    wipe(this.#memory, 0)
  }
}
