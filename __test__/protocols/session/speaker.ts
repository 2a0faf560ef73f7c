// One side of a random conversation over a SecureStream: what it writes, in which ways, and how it ends.
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { SecureStream } from 'hardware-aes-gcm/session'
import type { Random } from '../../conformance/random.mjs'

type Callback = (error?: Error | null) => void

export interface Manners {
  /** Whether this side may destroy its stream. */
  destroys: boolean
  /** Whether a side may do so, after which callbacks and promises may bring errors. */
  mayFail: boolean
  rekeys: boolean
  pipes: boolean
}

const ENCODINGS = ['utf8', 'latin1', 'hex', 'base64', 'utf16le'] as const

export class Speaker {
  /** The calls so far, for the report of a failure. */
  readonly log: string[] = []
  readonly sent: Buffer[] = []
  /** What a callback or a promise did that it must not do. */
  readonly faults: string[] = []
  /** Callbacks and promises that have not come yet. */
  awaited = 0
  readonly #random: Random
  readonly #stream: SecureStream
  readonly #manners: Manners
  /** Buffers of the caller, and copies: a session only reads them. */
  readonly #chunks: [Buffer, Buffer][] = []
  #left: number
  #piped = false
  #made = 0
  #last = -1

  constructor(random: Random, stream: SecureStream, manners: Manners) {
    this.#random = random
    this.#stream = stream
    this.#manners = manners
    this.#left = random.below(12)
  }

  get changed(): boolean {
    return this.#chunks.some(([chunk, copy]) => !chunk.equals(copy))
  }

  /** Speaks until the stream has ended. */
  async speak(): Promise<void> {
    while (!this.#over) {
      if (this.#left-- > 0) await this.#act()
      else this.#end()
      if (this.#random.below(3) === 0) await this.#pause()
    }
  }

  get #over(): boolean {
    return this.#piped || this.#stream.writableEnded || this.#stream.destroyed
  }

  async #act(): Promise<void> {
    const [stream, random] = [this.#stream, this.#random]
    switch (random.below(12)) {
      case 0:
        this.#note('cork')
        stream.cork()
        return
      case 1:
        this.#note('uncork')
        stream.uncork()
        return
      case 2:
        if (this.#manners.rekeys) this.#rekey()
        return
      case 3:
        if (this.#manners.pipes) this.#pipe()
        return
      case 4:
        if (this.#manners.destroys) this.#destroy()
        return
      case 5:
        if (stream.writableNeedDrain) await this.#drained()
        return
      default:
        this.#write()
    }
  }

  /** Waits a little, or for 'secure'. */
  async #pause(): Promise<void> {
    const most = this.#random.pick([1, 1, 2, 10])
    for (let turns = this.#random.below(most + 1); turns >= 0; turns--) await turn()
  }

  async #drained(): Promise<void> {
    this.#uncork()
    this.#note('drain')
    const abort = new AbortController()
    const events = ['drain', 'close', 'finish'].map(name => once(this.#stream, name, abort))
    await Promise.race(events.map(event => event.catch(() => {})))
    abort.abort()
  }

  #note(what: string): void {
    this.log.push(`${what}${this.#stream.cipher === null ? ' (early)' : ''}`)
  }

  /** A chunk as callers have them: a string, a Buffer of Node's pool, one of its own, or a view; and its bytes. */
  #chunk(): { chunk: string | Uint8Array; encoding?: BufferEncoding; bytes: Buffer; what: string } {
    const random = this.#random
    const length = random.pick([0, 0, 0, 1, 5, 100, 100, 4000, 30_000, random.below(300_000)])
    const encoding = random.pick(ENCODINGS)
    let chunk: string | Uint8Array = Buffer.from(random.bytes(length))
    switch (random.below(6)) {
      case 0: {
        chunk = random.bytes(length >> 1).toString(encoding)
        const bytes = Buffer.from(chunk, encoding)
        return { chunk, encoding, bytes, what: `${encoding} of ${bytes.length}` }
      }
      case 1:
        chunk = Buffer.allocUnsafeSlow(length + 9).subarray(5, 5 + length)
        random.bytes(length).copy(chunk as Buffer)
        break
      case 2:
        chunk = new Uint8Array(random.bytes(length))
        break
    }
    const bytes = Buffer.from(chunk as Uint8Array)
    const { buffer, byteOffset } = chunk as Uint8Array
    this.#chunks.push([Buffer.from(buffer as ArrayBuffer, byteOffset, length), bytes])
    return { chunk, bytes, what: `${length}` }
  }

  #write(): void {
    const { chunk, encoding, bytes, what } = this.#chunk()
    this.sent.push(bytes)
    this.#note(`write ${what}`)
    const callback = this.#random.below(2) === 0 ? this.#callback() : undefined
    if (encoding !== undefined) this.#stream.write(chunk, encoding, callback)
    else this.#stream.write(chunk, callback)
  }

  /** A callback that must come once, and in order and without an error unless a side destroys. It may go on speaking. */
  #callback(): Callback {
    const number = this.#made++
    let called = false
    this.awaited++
    return error => {
      this.awaited--
      if (called) this.faults.push(`callback ${number} came twice`)
      called = true
      if (error) this.#fault(`callback ${number}`, error)
      else if (!this.#manners.mayFail && number < this.#last) this.faults.push(`callback ${number} came late`)
      this.#last = number
      if (this.#over) return
      const next = this.#random.below(8)
      if (next < 2) this.#write()
      else if (next === 2) this.#end()
      else if (next === 3 && this.#manners.destroys) this.#destroy()
      else if (next === 4) this.#uncork()
    }
  }

  #fault(what: string, error: Error): void {
    if (!this.#manners.mayFail) this.faults.push(`${what}: ${error}`)
  }

  #uncork(): void {
    while (this.#stream.writableCorked > 0) this.#stream.uncork()
  }

  #rekey(): void {
    this.#note('rekey')
    this.awaited++
    this.#stream
      .rekey()
      .catch(error => this.#fault('rekey', error))
      .finally(() => this.awaited--)
  }

  #destroy(): void {
    this.#note('destroy')
    if (this.#random.below(2) === 0) this.#stream.destroy()
    else this.#stream.destroy(new Error('of the caller'))
  }

  #pipe(): void {
    this.#uncork()
    const chunks = Array.from({ length: this.#random.below(5) }, () => this.#chunk())
    this.sent.push(...chunks.map(({ bytes }) => bytes))
    this.#note(`pipe ${chunks.map(({ what }) => what)}`)
    this.#piped = true
    Readable.from(chunks.map(({ bytes }) => bytes)).pipe(this.#stream)
  }

  #end(): void {
    const [stream, random] = [this.#stream, this.#random]
    const callback = random.below(2) === 0 ? this.#callback() : undefined
    switch (random.below(5)) {
      case 0:
        this.#note('end')
        if (callback) stream.end(callback)
        else stream.end()
        return
      case 1:
        this.#note("end ''")
        stream.end('', callback)
        return
      case 2:
        this.#note('end Buffer.alloc(0)')
        stream.end(Buffer.alloc(0), callback)
        return
      default: {
        const { chunk, encoding, bytes, what } = this.#chunk()
        this.sent.push(bytes)
        this.#note(`end ${what}`)
        if (encoding !== undefined) stream.end(chunk, encoding, callback)
        else stream.end(chunk, callback)
      }
    }
  }
}
