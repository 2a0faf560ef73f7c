// The receiving side of a SecureStream: the peer's hello, then its records. Its methods return
// errors, which distinguishes them from errors of a consumer's code.
import type { Buffer } from 'node:buffer'
import { part } from '../../cipher/base/bytes.cjs'
import { AesGcmError } from '../../cipher/base/errors.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { allocateOffHeap, bytesOver, copy } from '../../cipher/base/views.cjs'
import type { Agreement, Negotiation } from './agreement.cjs'
import { ByteQueue } from './bytes/byte-queue.cjs'
import { HELLO_LENGTH_BYTES, judgeHelloLength } from './hello.cjs'
import {
  countedWithoutData,
  handshakeFailed,
  LENGTH_BYTES,
  type Opener,
  recordRefused,
  truncated,
} from './records.cjs'
import type { Secrets } from './secrets.cjs'

/** The longest first record: all that a peer without the secret can make this side keep. */
const MAX_FIRST = 2 ** 17

/**
 * The result of `next`. `more`: call again. `wait`: needs more bytes, or an extra secret. `end`:
 * once. Own members, so no data come from Object.prototype.
 */
interface Found {
  readonly state: 'more' | 'wait' | 'end'
  readonly data: Buffer<ArrayBuffer> | undefined
  readonly error: Error | undefined
}

const found = (state: Found['state']): Found => ({ state, data: undefined, error: undefined })
const MORE = found('more')
const WAIT = found('wait')
const ENDED = found('end')

export class Inlet {
  readonly #negotiation: Negotiation
  readonly #agreed: (agreement: Agreement) => void
  readonly #frames = new ByteQueue()
  #opener: Opener | undefined
  #told = false
  /** Records in a row without data, of those that came together. */
  #withoutData = 0
  socketEnded = false

  constructor(negotiation: Negotiation, agreed: (agreement: Agreement) => void) {
    this.#negotiation = negotiation
    this.#agreed = agreed
  }

  /** Our hello after its length. */
  hello(): Buffer<ArrayBuffer> {
    const { hello } = this.#negotiation
    const bytes = allocateOffHeap(HELLO_LENGTH_BYTES + hello.length)
    bytes.writeUInt16BE(hello.length, 0)
    copy(bytesOver(bytes.buffer, HELLO_LENGTH_BYTES, hello.length), hello)
    return bytes
  }

  get confirmed(): boolean {
    return this.#opener?.confirmed === true
  }

  /** Whether the peer's end record came. */
  get sawEnd(): boolean {
    return this.#opener?.ended === true
  }

  get awaitsExtra(): boolean {
    return this.#opener?.awaitsExtra === true
  }

  get isFull(): boolean {
    return this.#opener?.isFull === true
  }

  /** Takes a chunk of the socket's. */
  push(chunk: unknown): Error | undefined {
    return caught(() => this.#frames.push(chunk))
  }

  /** Takes an extra secret, and owns it. */
  offer(extra: Secrets): Error | undefined {
    return caught(() => (this.#opener as Opener).offer(extra))
  }

  /** Derives the keys from the peer's hello, which is empty on a wire without hellos. */
  agree(peerHello: Uint8Array): void {
    const agreement = this.#negotiation.finish(peerHello)
    this.#opener = agreement.opener
    this.#agreed(agreement)
  }

  /** The next step of what came in. */
  next(): Found {
    try {
      return this.#opener === undefined ? this.#hello() : this.#record(this.#opener)
    } catch (error) {
      return { ...WAIT, error: error as Error }
    }
  }

  #hello(): Found {
    const frames = this.#frames
    if (frames.bytes < HELLO_LENGTH_BYTES) return this.#starved()
    const length = (frames.byte(0) << 8) | frames.byte(1)
    judgeHelloLength(length)
    if (frames.bytes < HELLO_LENGTH_BYTES + length) return this.#starved()
    const whole = frames.take(HELLO_LENGTH_BYTES + length)
    this.agree(part(whole, HELLO_LENGTH_BYTES, length))
    return MORE
  }

  #record(opener: Opener): Found {
    const frames = this.#frames
    if (opener.awaitsExtra) return WAIT
    if (opener.ended && frames.bytes > 0) throw recordRefused()
    if (frames.bytes < LENGTH_BYTES) return this.#starved()
    const length = frames.length()
    opener.judge(length)
    if (!opener.confirmed && length > MAX_FIRST) throw opener.refuse()
    if (frames.bytes < LENGTH_BYTES + length) return this.#starved()
    const { head, tag } = opener
    frames.read(head)
    const ciphertext = frames.take(LENGTH_BYTES + length - head.length - TAG_BYTES)
    frames.read(tag)
    const data = opener.open(ciphertext)
    this.#withoutData = countedWithoutData(this.#withoutData, data)
    return data === undefined ? MORE : { state: 'more', data, error: undefined }
  }

  /** There is no whole record. If the socket has ended, there will not be one. */
  #starved(): Found {
    this.#withoutData = 0
    if (!this.socketEnded || this.#told) return WAIT
    const opener = this.#opener
    if (opener === undefined || (opener.endsByRecord && !opener.confirmed))
      throw handshakeFailed('the socket ended before it was complete')
    if (this.#frames.bytes > 0 || (opener.endsByRecord && !opener.ended)) throw truncated()
    this.#told = true
    return ENDED
  }

  lateExtra(): Error {
    const what = "this side did not answer the peer's rekey record with rekey(extra) within rekeyTimeout"
    return new AesGcmError('ERR_AESGCM_RECORD_REFUSED', what)
  }

  destroy(): void {
    this.#negotiation.destroy()
    this.#opener?.destroy()
    this.#frames.clear()
  }
}

function caught(body: () => void): Error | undefined {
  try {
    body()
    return undefined
  } catch (error) {
    return error as Error
  }
}
