// The class SecureStream: a Duplex over a socket. types/session.d.ts documents it.
import type { Buffer } from 'node:buffer'
import type { DuplexOptions, Duplex as DuplexType } from 'node:stream'
import type { Cipher, Count, SecureStreamOptions } from '../../../types/session.d.ts'
import { define, markAsUncloneable, nextTick } from '../../cipher/base/builtins.cjs'
import { wrongReceiver, wrongState } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { type Agreement, Negotiation } from './agreement.cjs'
import { later, spend } from './bytes/turns.cjs'
import { Inlet } from './inlet.cjs'
import { readStream, type StreamSettings } from './options.cjs'
import { type Callback, Outlet } from './outlet.cjs'
import { handshakeFailed, truncated } from './records.cjs'
import { secretsOf } from './secrets.cjs'
import { attach, checkSocket, type Link } from './socket.cjs'
import { Timer } from './timer.cjs'

const { Duplex } = process.getBuiltinModule('node:stream')

const HIGH_WATER_MARK = 2 ** 17
const NO_BYTES = new Uint8Array(0)

export class SecureStream extends Duplex {
  readonly #socket: DuplexType
  readonly #settings: StreamSettings
  readonly #link: Link
  readonly #inlet: Inlet
  readonly #outlet: Outlet
  #agreement: Agreement | undefined
  /** Whether both sides have proved that they have the keys. */
  #secure = false
  /** Whether the consumer wants more data. */
  #wanted = true
  #pumping = false
  /** Whether records wait for a later turn, and whether the socket closed meanwhile. */
  #waits = false
  #closed = false
  readonly #goOn = () => {
    this.#waits = false
    this.#pump()
  }
  readonly #timer = new Timer()

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
    // Without a prototype: a polluted `Object.prototype` would add methods.
    super({
      __proto__: null,
      allowHalfOpen: socket.allowHalfOpen !== false,
      readableHighWaterMark: HIGH_WATER_MARK,
      writableHighWaterMark: HIGH_WATER_MARK,
    } as DuplexOptions)
    markAsUncloneable(this)
    this.#socket = socket
    this.#settings = settings
    let inlet: Inlet | undefined
    try {
      inlet = new Inlet(new Negotiation(settings), agreement => this.#agreed(agreement))
      this.#inlet = inlet
      // Calls that may throw come before the socket's listeners: keys, the hello and its write.
      if (settings.keibidrop) this.#inlet.agree(NO_BYTES)
      else socket.write(this.#inlet.hello())
      this.#link = attach(socket, {
        data: chunk => this.#received(chunk),
        end: () => this.#socketEnded(),
        error: error => this.destroy(error),
        close: () => this.#socketClosed(),
      })
    } catch (error) {
      settings.secrets.wipe()
      inlet?.destroy()
      this.#agreement?.sealer.destroy()
      throw error
    }
    this.#outlet = new Outlet(this.#link, {
      isFull: () => this.#inlet.isFull,
      offer: extra => {
        const error = this.#inlet.offer(extra)
        if (error !== undefined) return error
        // The next record that waits for an extra secret has a separate time.
        this.#awaitExtra()
        this.#pump()
        return undefined
      },
      fail: error => this.destroy(error),
    })
    // This wire has no confirm record: if both sides waited for a first record, none would come.
    if (settings.keibidrop) this.#send()
    const late = settings.keibidrop
      ? 'no authentic record of the peer came within handshakeTimeout'
      : 'it took longer than handshakeTimeout'
    this.#timer.start(settings.handshakeTimeout, () => this.destroy(handshakeFailed(late)))
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
      if (this.destroyed || (this.#outlet.ended && (extra === undefined || this.readableEnded)))
        throw wrongState('this stream has ended or was destroyed')
      return this.#outlet.rekey(extra === undefined ? undefined : secretsOf('extra', extra))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  override _write(chunk: Buffer<ArrayBuffer>, _encoding: BufferEncoding, callback: Callback): void {
    this.#outlet.write([chunk], callback)
  }

  override _writev(chunks: { chunk: Buffer }[], callback: Callback): void {
    this.#outlet.write(
      chunks.map(({ chunk }) => chunk),
      callback,
    )
  }

  override _final(callback: Callback): void {
    this.#outlet.final(callback)
  }

  override _read(): void {
    this.#wanted = true
    this.#pump()
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#timer.stop()
    this.#inlet.destroy()
    this.#agreement?.sealer.destroy()
    this.#link.destroy()
    this.#outlet.destroy(error ?? gone())
    callback(error)
  }

  // Bytes and events of the socket.

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
    // The socket's last records may wait for their turn.
    this.#closed = this.#waits
    if (this.#closed) return
    // An authenticated end remains one if the socket closes without its own end.
    if (!this.#inlet.socketEnded && this.#inlet.sawEnd) this.#socketEnded()
    if (this.#inlet.socketEnded && this.#outlet.finished) return
    this.destroy(
      this.#secure || this.#settings.keibidrop
        ? truncated()
        : handshakeFailed('the socket closed before it was complete'),
    )
  }

  /**
   * Opens records while the consumer wants data and this turn has time. Callers' code runs inside
   * `push` and `emit`: its exceptions pass through, and the stream continues in the next tick, as a
   * `net.Socket` does.
   */
  #pump(): void {
    if (this.#pumping || this.#waits) return
    this.#pumping = true
    let threw = true
    try {
      while (!this.destroyed && (this.#wanted || !this.#secure || this.#inlet.sawEnd)) {
        const { data, error, state } = this.#inlet.next()
        if (error !== undefined) {
          this.destroy(error)
          break
        }
        if (state === 'more' && !spend(data)) {
          this.#waits = true
          later(this.#goOn)
        }
        this.#deliver(data)
        if (state === 'end') {
          this.#timer.stop()
          this.push(null)
        }
        if (state !== 'more' || this.#waits) break
      }
      threw = false
    } finally {
      this.#pumping = false
      if (threw) {
        // A listener of 'data' has its data, and wants more. If it paused, one record waits for it.
        this.#wanted = true
        nextTick(() => this.#pump())
      }
    }
    if (this.destroyed) return
    this.#awaitExtra()
    const flows = this.#wanted || !this.#secure || this.#inlet.sawEnd
    this.#link.flow(flows && !this.#inlet.awaitsExtra && !this.#waits)
    if (this.#closed) this.#socketClosed()
  }

  /** Delivers a record's data, if any. On KeibiDrop's wire, the first record proves the secret. */
  #deliver(data: Buffer<ArrayBuffer> | undefined): void {
    try {
      if (!this.#secure && this.#inlet.confirmed) this.#becomeSecure()
    } finally {
      if (data !== undefined && data.length > 0 && !this.destroyed) {
        this.#wanted = false
        if (this.push(data)) this.#wanted = true
      }
    }
  }

  /** The peer's hello is there: our first record follows at once. */
  #agreed(agreement: Agreement): void {
    this.#agreement = agreement
    const record = agreement.sealer.begin()
    if (record.length > 0) this.#link.write(record)
  }

  #becomeSecure(): void {
    this.#secure = true
    this.#timer.stop()
    try {
      this.emit('secure')
    } finally {
      if (!this.destroyed && !this.#settings.keibidrop) this.#send()
    }
  }

  /** Data may go out from now on. */
  #send(): void {
    this.#outlet.open((this.#agreement as Agreement).sealer)
  }

  // Time.

  #awaitExtra(): void {
    if (!this.#secure) return
    if (!this.#inlet.awaitsExtra) this.#timer.stop()
    else if (!this.#timer.runs) {
      this.#timer.start(this.#settings.rekeyTimeout, () => this.destroy(this.#inlet.lateExtra()))
    }
  }

  #stats(): { sent: Count; received: Count } {
    const none = () => ({ bytes: 0, records: 0, epochs: 0 })
    if (this.#agreement === undefined) return { sent: none(), received: none() }
    const { sealer, opener } = this.#agreement
    return { sent: { ...sealer.counts }, received: { ...opener.counts } }
  }

  static #check(self: unknown): void {
    if (typeof self === 'object' && self !== null && #socket in self) return
    throw wrongReceiver('SecureStream')
  }
}

export function secureStream(socket: DuplexType, options: SecureStreamOptions): SecureStream {
  return new SecureStream(socket, options)
}

/** For callbacks and promises of a stream destroyed without an error: Node's own code. */
function gone(): Error {
  const error = new Error('the stream was destroyed')
  define(error, 'code', 'ERR_STREAM_DESTROYED', true)
  return error
}
