// The class SecureStream: a Duplex over a socket. types/session.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { Duplex as DuplexType } from 'node:stream'
import type { Cipher, Count, SecureStreamOptions } from '../../types/session.d.ts'
import { define, markAsUncloneable } from '../builtins.cjs'
import { detached, mistake } from '../errors.cjs'
import { showAs } from '../inspection.cjs'
import { byteLength, isThere } from '../views.cjs'
import { type Agreement, Negotiation } from './agreement.cjs'
import { Gather } from './gather.cjs'
import { Inlet } from './inlet.cjs'
import { readStream, type StreamSettings } from './options.cjs'
import { handshakeFailed, type Sealer, truncated } from './records.cjs'
import { type Secrets, secretsOf } from './secrets.cjs'
import { attach, checkSocket, type Link } from './socket.cjs'

const { Duplex } = process.getBuiltinModule('node:stream')
const { nextTick } = process
const { setTimeout, clearTimeout } = globalThis

/** Bytes that are sealed before the socket has taken those before. */
const BATCH = 2 ** 18
const HIGH_WATER_MARK = 2 ** 17
const NO_BYTES = new Uint8Array(0)

type Callback = (error?: Error | null) => void
/** A write that was not handed to the socket as a whole. */
interface Job {
  readonly source: Gather
  readonly callback: Callback
}
/** A rekeying that waits for the handshake, or for the socket. */
interface Rekeying {
  readonly extra: Secrets | undefined
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class SecureStream extends Duplex {
  readonly #socket: DuplexType
  readonly #settings: StreamSettings
  readonly #link: Link
  readonly #inlet: Inlet
  #agreement: Agreement | undefined
  /** Whether both sides have proved that they have the keys. */
  #secure = false
  #job: Job | undefined
  #final: Callback | undefined
  /** Whether the end of our direction was handed to the socket, and whether the socket took it. */
  #ended = false
  #finished = false
  /** Whether the consumer wants more data. */
  #wanted = true
  #pumping = false
  /** Rekeyings that were not begun, and those whose record the socket has not taken. */
  #rekeyings: Rekeying[] = []
  readonly #underway = new Set<Rekeying>()
  #timer: NodeJS.Timeout | undefined

  static {
    showAs(
      SecureStream,
      'SecureStream',
      self => #socket in self,
      self => ({
        cipher: self.#agreement?.cipher ?? null,
        secure: self.#secure,
        stats: self.#stats(),
        destroyed: self.destroyed,
      }),
    )
  }

  constructor(socket: DuplexType, options: SecureStreamOptions) {
    checkSocket(socket)
    const settings = readStream(options)
    super({
      allowHalfOpen: socket.allowHalfOpen !== false,
      readableHighWaterMark: HIGH_WATER_MARK,
      writableHighWaterMark: HIGH_WATER_MARK,
    })
    markAsUncloneable(this)
    this.#socket = socket
    this.#settings = settings
    const negotiation = new Negotiation(settings)
    this.#inlet = new Inlet(negotiation, agreement => this.#agreed(agreement))
    // Before the socket has listeners: without memory for the keys, the constructor throws.
    if (settings.keibidrop) this.#inlet.agree(NO_BYTES)
    this.#link = attach(socket, {
      data: chunk => this.#received(chunk),
      end: () => this.#socketEnded(),
      error: error => this.destroy(error),
      close: () => this.#socketClosed(),
    })
    if (settings.keibidrop) nextTick(() => this.#pump())
    else {
      this.#startTimer(settings.handshakeTimeout, () =>
        handshakeFailed('it took longer than handshakeTimeout'),
      )
      this.#link.write(this.#inlet.hello())
    }
  }

  get cipher(): Cipher | null {
    SecureStream.#check(this)
    return this.#agreement?.cipher ?? null
  }

  get stats(): { sent: Count; received: Count } {
    SecureStream.#check(this)
    return this.#stats()
  }

  rekey(extra?: Uint8Array | readonly Uint8Array[]): Promise<void> {
    try {
      SecureStream.#check(this)
      if (this.destroyed || (this.#ended && (extra === undefined || this.readableEnded))) throw ended()
      const secrets = extra === undefined ? undefined : secretsOf('extra', extra)
      const done = new Promise<void>((resolve, reject) => {
        this.#rekeyings.push({ extra: secrets, resolve, reject })
      })
      // A stream that fails tells by its event. A caller who does not await the promise needs no second report.
      done.catch(() => {})
      if (this.#secure) this.#rekey()
      return done
    } catch (error) {
      return Promise.reject(error)
    }
  }

  override _write(chunk: Buffer<ArrayBuffer>, _encoding: BufferEncoding, callback: Callback): void {
    this.#submit([chunk], callback)
  }

  override _writev(chunks: { chunk: Buffer }[], callback: Callback): void {
    this.#submit(
      chunks.map(({ chunk }) => chunk),
      callback,
    )
  }

  override _final(callback: Callback): void {
    this.#final = callback
    if (this.#secure) this.#end()
  }

  override _read(): void {
    this.#wanted = true
    this.#pump()
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#stopTimer()
    this.#inlet.destroy()
    this.#agreement?.sealer.destroy()
    const reason = error ?? gone()
    const [rekeyings, job] = [[...this.#rekeyings, ...this.#underway], this.#job]
    this.#rekeyings = []
    this.#underway.clear()
    this.#job = undefined
    for (const { extra, reject } of rekeyings) {
      extra?.wipe()
      reject(reason)
    }
    this.#link.destroy()
    job?.callback(reason)
    callback(error)
  }

  // What the socket brings.

  #received(chunk: unknown): void {
    if (this.destroyed) return
    const error = this.#inlet.push(chunk)
    if (error !== undefined) this.destroy(error)
    else this.#pump()
  }

  #socketEnded(): void {
    this.#inlet.socketEnded = true
    this.#pump()
  }

  #socketClosed(): void {
    if (this.destroyed) return
    // An end that was authenticated stays one if the socket closes without an end of its own.
    if (!this.#inlet.socketEnded && this.#inlet.sawEnd) this.#socketEnded()
    if (this.#inlet.socketEnded && this.#finished) return
    this.destroy(this.#secure ? truncated() : handshakeFailed('the socket closed before it was complete'))
  }

  /** Opens records for as long as the consumer wants data. Callers' code runs inside `push` and `emit`. */
  #pump(): void {
    if (this.#pumping) return
    this.#pumping = true
    try {
      while (!this.destroyed && (this.#wanted || !this.#secure || this.#inlet.sawEnd)) {
        if (!this.#secure && this.#inlet.confirmed) {
          this.#becomeSecure()
          continue
        }
        const { data, error, state } = this.#inlet.next()
        if (error !== undefined) {
          this.destroy(error)
          return
        }
        if (data !== undefined && data.length > 0) {
          this.#wanted = false
          if (this.push(data)) this.#wanted = true
        }
        if (state === 'end') this.push(null)
        if (state !== 'more') break
      }
    } finally {
      this.#pumping = false
    }
    if (this.destroyed) return
    this.#awaitExtra()
    const flows = this.#wanted || !this.#secure || this.#inlet.sawEnd
    this.#link.flow(flows && !this.#inlet.awaitsExtra)
  }

  /** The peer's hello is there: our first record follows at once. */
  #agreed(agreement: Agreement): void {
    this.#agreement = agreement
    const record = agreement.sealer.begin()
    if (record.length > 0) this.#link.write(record)
  }

  #becomeSecure(): void {
    this.#secure = true
    this.#stopTimer()
    this.emit('secure')
    if (this.destroyed) return
    this.#rekey()
    this.#flush()
    if (this.#final !== undefined) this.#end()
  }

  // What goes to the socket.

  #submit(chunks: readonly Uint8Array[], callback: Callback): void {
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i] as Uint8Array
      if (byteLength(chunk) === 0 && !isThere(chunk)) {
        callback(detached('chunk'))
        return
      }
    }
    this.#job = { source: new Gather(chunks), callback }
    if (this.#secure) this.#flush()
  }

  /** Seals the next bytes of the current write. The socket's callback asks for those that follow. */
  #flush(): void {
    const job = this.#job
    if (job === undefined || this.destroyed) return
    const { source } = job
    if (source.left === 0) {
      this.#written(job, null)
      return
    }
    let records: Buffer<ArrayBuffer>
    try {
      records = this.#sealer().seal(source, source.left < BATCH ? source.left : BATCH)
    } catch (error) {
      this.#written(job, error as Error)
      return
    }
    this.#link.write(records, error => {
      if (this.#job !== job) return
      if (error || source.left === 0) this.#written(job, error)
      else this.#flush()
    })
  }

  #written({ callback }: Job, error: Error | null | undefined): void {
    this.#job = undefined
    callback(error)
  }

  #end(): void {
    const callback = this.#final as Callback
    const sealer = this.#sealer()
    let record: Buffer<ArrayBuffer>
    try {
      record = sealer.end()
    } catch (error) {
      callback(error as Error)
      return
    }
    this.#ended = true
    sealer.destroy()
    this.#link.end(record, error => {
      if (!error) this.#finished = true
      callback(error)
    })
  }

  /** Begins the rekeyings that wait. */
  #rekey(): void {
    const waiting = this.#rekeyings
    this.#rekeyings = []
    for (const rekeying of waiting) this.#rekeyOnce(rekeying)
    this.#pump()
  }

  #rekeyOnce(rekeying: Rekeying): void {
    const { extra, resolve, reject } = rekeying
    let record: Buffer<ArrayBuffer> | undefined
    try {
      if (!this.#ended) record = this.#sealer().rekey(extra)
    } catch (error) {
      extra?.wipe()
      reject(error as Error)
      // A wrong argument leaves the keys as they are.
      if ((error as { code?: unknown }).code !== 'ERR_INVALID_ARG_TYPE') this.destroy(error as Error)
      return
    }
    const error = extra === undefined ? undefined : this.#inlet.offer(extra)
    if (error !== undefined) reject(error)
    if (record === undefined || record.length === 0) resolve()
    else {
      this.#underway.add(rekeying)
      this.#link.write(record, error => {
        this.#underway.delete(rekeying)
        if (error) reject(error)
        else resolve()
      })
    }
  }

  #sealer(): Sealer {
    return (this.#agreement as Agreement).sealer
  }

  // Time.

  #awaitExtra(): void {
    if (!this.#secure) return
    if (!this.#inlet.awaitsExtra) this.#stopTimer()
    else if (this.#timer === undefined) {
      this.#startTimer(this.#settings.rekeyTimeout, () => this.#inlet.lateExtra())
    }
  }

  #startTimer(milliseconds: number, error: () => Error): void {
    this.#timer = setTimeout(() => this.destroy(error()), milliseconds)
    this.#timer.unref()
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #stats(): { sent: Count; received: Count } {
    const none = () => ({ bytes: 0, records: 0, epochs: 0 })
    if (this.#agreement === undefined) return { sent: none(), received: none() }
    const { sealer, opener } = this.#agreement
    return { sent: { ...sealer.counts }, received: { ...opener.counts } }
  }

  static #check(self: unknown): void {
    if (typeof self === 'object' && self !== null && #socket in self) return
    throw mistake(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type SecureStream')
  }
}

export function secureStream(socket: DuplexType, options: SecureStreamOptions): SecureStream {
  return new SecureStream(socket, options)
}

function ended(): Error {
  return mistake(Error, 'ERR_INVALID_STATE', 'this stream has ended or was destroyed')
}

/** For callbacks and promises of a stream that was destroyed without an error: Node's own code. */
function gone(): Error {
  const error = new Error('the stream was destroyed')
  define(error, 'code', 'ERR_STREAM_DESTROYED', true)
  return error
}
