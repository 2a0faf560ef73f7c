// Opens the records of one direction, in the default profile: docs/formats.md has the bytes.
import type { Buffer } from 'node:buffer'
import { wrongState } from '../../cipher/base/errors.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { allocateOffHeap } from '../../cipher/base/views.cjs'
import type { Ratchet } from './ratchet.cjs'
import {
  handshakeFailed,
  LENGTH_BYTES,
  MAX_EPOCH_BYTES,
  MAX_EPOCH_RECORDS,
  noCounts,
  type Opener,
  recordRefused,
} from './records.cjs'
import { CONFIRM, DATA, END, EXTRA, HEADER_BYTES, MIN_LENGTH, PLAIN, REKEY } from './sealer.cjs'
import type { Secrets } from './secrets.cjs'

/** Extra secrets that may wait for the peer's records. */
const MAX_OFFERS = 16
const NO_SECRET = allocateOffHeap(0)

export class RecordOpener implements Opener {
  readonly counts = noCounts()
  readonly endsByRecord = true
  confirmed = false
  ended = false
  awaitsExtra = false
  readonly head = allocateOffHeap(HEADER_BYTES)
  readonly tag = allocateOffHeap(TAG_BYTES)
  readonly #ratchet: Ratchet
  readonly #maxRecord: number
  #offers: readonly Secrets[] = []
  /** Bytes of data in this epoch. */
  #bytes = 0
  #failed = false

  constructor(ratchet: Ratchet, maxRecord: number) {
    this.#ratchet = ratchet
    this.#maxRecord = maxRecord
  }

  judge(length: number): void {
    const most = this.confirmed ? this.#maxRecord : MIN_LENGTH
    if (this.#failed || this.ended || length < MIN_LENGTH || length > most) throw this.refuse()
  }

  open(data: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> | undefined {
    const { head, tag } = this
    const type = head[LENGTH_BYTES] as number
    const bytes = data.length
    this.judge(bytes + MIN_LENGTH)
    if (!this.#mayCome(type, bytes)) throw this.refuse()
    if (!this.#ratchet.open(data, tag, head)) throw this.refuse()
    this.counts.records++
    if (type === DATA) {
      this.#bytes += bytes
      this.counts.bytes += bytes
      return data
    }
    this.#obey(type, data)
    return undefined
  }

  get isFull(): boolean {
    return this.#offers.length === MAX_OFFERS
  }

  offer(extra: Secrets): void {
    if (this.isFull) {
      extra.wipe()
      throw wrongState(`${MAX_OFFERS} extra secrets already wait for rekey records of the peer`)
    }
    this.#offers = [...this.#offers, extra]
    if (this.awaitsExtra) this.#takeOffer()
  }

  destroy(): void {
    this.#failed = true
    this.#ratchet.destroy()
    for (const offer of this.#offers) offer.wipe()
    this.#offers = []
  }

  /** Whether such a record is allowed here. The last one of an epoch carries no data. */
  #mayCome(type: number, bytes: number): boolean {
    const { number } = this.#ratchet
    if (!this.confirmed) return type === CONFIRM && bytes === 0
    if (type === DATA) return number < MAX_EPOCH_RECORDS && this.#bytes + bytes <= MAX_EPOCH_BYTES
    if (number > MAX_EPOCH_RECORDS) return false
    return (type === REKEY && bytes === 1) || (type === END && bytes === 0)
  }

  /** Does what an authentic record without data asks for. */
  #obey(type: number, data: Uint8Array): void {
    if (type === CONFIRM) this.confirmed = true
    else if (type === END) {
      this.ended = true
      this.#ratchet.destroy()
    } else if (data[0] === PLAIN) this.#rekey(NO_SECRET)
    else if (data[0] === EXTRA) {
      this.awaitsExtra = true
      if (this.#offers.length > 0) this.#takeOffer()
    } else throw this.refuse()
  }

  #takeOffer(): void {
    const [offer, ...others] = this.#offers
    this.#offers = others
    try {
      this.#rekey((offer as Secrets).prefixed)
    } finally {
      offer?.wipe()
    }
    this.awaitsExtra = false
  }

  #rekey(secret: Uint8Array): void {
    this.#ratchet.commit(this.#ratchet.next(secret))
    this.#bytes = 0
    this.counts.epochs++
  }

  refuse(): Error {
    this.destroy()
    if (this.confirmed) return recordRefused()
    return handshakeFailed("the peer's first record is wrong: its secret or a hello differs")
  }
}
