// Sessions over transports that carry whole messages in order, documented in types/session.d.ts:
// Handshake, RecordWriter, RecordReader.
import type { Buffer } from 'node:buffer'
import type { Cipher, Count, SessionOptions } from '../../../types/session.d.ts'
import { markAsUncloneable, types } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import {
  detached,
  keyDestroyed,
  shared,
  wrongReceiver,
  wrongState,
  wrongType,
} from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import {
  allocateOffHeap,
  byteLength,
  bytesOver,
  copy,
  copyShort,
  spanOf,
  viewOf,
} from '../../cipher/base/views.cjs'
import { Negotiation } from './agreement.cjs'
import { ChunkReader } from './bytes/chunk-reader.cjs'
import { readSession } from './options.cjs'
import { countedWithoutData, LENGTH_BYTES, type Opener, type Sealer } from './records.cjs'
import { type Secrets, secretsOf } from './secrets.cjs'

const { isSharedArrayBuffer } = types

type Extra = Uint8Array | readonly Uint8Array[]
type Bytes = Uint8Array<ArrayBuffer>

/** The argument of the constructors of RecordWriter and RecordReader: callers cannot make one. */
class Ticket<Side> {
  readonly #side: Side
  constructor(side: Side) {
    this.#side = side
  }
  static redeem<Side>(ticket: unknown, Class: string): Side {
    if (typeof ticket === 'object' && ticket !== null && #side in ticket)
      return (ticket as never as Ticket<Side>).#side
    throw wrongType(`a ${Class} comes from the method finish of a Handshake`)
  }
}

/** A view of all of a Uint8Array, over attached memory that is not shared. */
function whole(name: string, value: unknown): Bytes {
  lengthOf(name, value)
  const span = spanOf(value)
  if (span === undefined || span === 'detached') throw detached(name)
  if (isSharedArrayBuffer(span.buffer)) throw shared(name)
  return bytesOver(span.buffer, span.start, span.length) as Bytes
}

export class Handshake {
  #negotiation: Negotiation | undefined
  readonly #hello: Buffer<ArrayBuffer>

  static {
    showAs(
      Handshake,
      'Handshake',
      self => #hello in self,
      self => ({ finished: self.#negotiation === undefined }),
    )
  }

  constructor(options: SessionOptions) {
    markAsUncloneable(this)
    this.#negotiation = new Negotiation(readSession(options))
    this.#hello = this.#negotiation.hello
  }

  get hello(): Buffer<ArrayBuffer> {
    Handshake.#check(this)
    const hello = allocateOffHeap(byteLength(this.#hello))
    copy(hello, this.#hello)
    return hello
  }

  finish(peerHello: Uint8Array): { cipher: Cipher; writer: RecordWriter; reader: RecordReader } {
    Handshake.#check(this)
    const hello = whole('peerHello', peerHello)
    const negotiation = this.#negotiation
    if (negotiation === undefined) throw wrongState('this handshake has ended: make a new one')
    this.#negotiation = undefined
    const { cipher, sealer, opener } = negotiation.finish(hello)
    return {
      cipher,
      writer: new RecordWriter(new Ticket(sealer) as never),
      reader: new RecordReader(new Ticket(opener) as never),
    }
  }

  destroy(): void {
    Handshake.#check(this)
    this.#negotiation?.destroy()
    this.#negotiation = undefined
  }

  static #check(self: unknown): void {
    if (typeof self !== 'object' || self === null || !(#hello in self)) throw wrongReceiver('Handshake')
  }
}

export class RecordWriter {
  readonly #sealer: Sealer
  #destroyed = false
  #ended = false

  static {
    showAs(
      RecordWriter,
      'RecordWriter',
      self => #sealer in self,
      self => ({ stats: { ...self.#sealer.counts }, ended: self.#ended, destroyed: self.#destroyed }),
    )
  }

  constructor(ticket: never) {
    this.#sealer = Ticket.redeem<Sealer>(ticket, 'RecordWriter')
    markAsUncloneable(this)
  }

  get stats(): Count {
    RecordWriter.#check(this)
    return { ...this.#sealer.counts }
  }

  seal(data: Uint8Array): Buffer<ArrayBuffer> {
    RecordWriter.#check(this)
    const bytes = whole('data', data)
    return this.#open().seal(new ChunkReader([bytes]), bytes.length)
  }

  rekey(extra?: Extra): Buffer<ArrayBuffer> {
    RecordWriter.#check(this)
    const secrets = extra === undefined ? undefined : secretsOf('extra', extra)
    try {
      return this.#open().rekey(secrets)
    } finally {
      secrets?.wipe()
    }
  }

  end(): Buffer<ArrayBuffer> {
    RecordWriter.#check(this)
    const sealer = this.#open()
    const record = sealer.end()
    this.#ended = true
    sealer.destroy()
    return record
  }

  destroy(): void {
    RecordWriter.#check(this)
    this.#destroyed = true
    this.#sealer.destroy()
  }

  #open(): Sealer {
    if (this.#destroyed) throw keyDestroyed()
    if (this.#ended) throw wrongState('this direction has ended: end() was called')
    return this.#sealer
  }

  static #check(self: unknown): void {
    if (typeof self !== 'object' || self === null || !(#sealer in self)) throw wrongReceiver('RecordWriter')
  }
}

export class RecordReader {
  readonly #opener: Opener
  #destroyed = false
  /** The error of every call after a record was refused. */
  #error: unknown
  /** The rest of a message in which a record waits for an extra secret. */
  #rest: Bytes | undefined

  static {
    showAs(
      RecordReader,
      'RecordReader',
      self => #opener in self,
      self => ({
        stats: { ...self.#opener.counts },
        awaitsRekey: self.#opener.awaitsExtra,
        ended: self.#opener.ended,
        destroyed: self.#destroyed,
      }),
    )
  }

  constructor(ticket: never) {
    this.#opener = Ticket.redeem<Opener>(ticket, 'RecordReader')
    markAsUncloneable(this)
  }

  get stats(): Count {
    RecordReader.#check(this)
    return { ...this.#opener.counts }
  }

  get ended(): boolean {
    RecordReader.#check(this)
    return this.#opener.ended
  }

  get awaitsRekey(): boolean {
    RecordReader.#check(this)
    return this.#opener.awaitsExtra && !this.#destroyed
  }

  open(message: Uint8Array): Buffer<ArrayBuffer>[] {
    RecordReader.#check(this)
    const bytes = whole('message', message)
    const opener = this.#usable()
    if (opener.awaitsExtra)
      throw wrongState('a rekey record of the peer waits for an extra secret: call rekey(extra) first')
    return this.#records(opener, bytes)
  }

  rekey(extra: Extra): Buffer<ArrayBuffer>[] {
    RecordReader.#check(this)
    const secrets: Secrets = secretsOf('extra', extra)
    let opener: Opener
    try {
      opener = this.#usable()
    } catch (error) {
      secrets.wipe()
      throw error
    }
    opener.offer(secrets)
    const rest = this.#rest
    this.#rest = undefined
    return rest === undefined || opener.awaitsExtra ? [] : this.#records(opener, rest)
  }

  destroy(): void {
    RecordReader.#check(this)
    this.#destroyed = true
    this.#rest = undefined
    this.#opener.destroy()
  }

  #usable(): Opener {
    if (this.#destroyed) throw keyDestroyed()
    if (this.#error !== undefined) throw this.#error
    return this.#opener
  }

  /** The data of whole records, up to one that waits for an extra secret. */
  #records(opener: Opener, bytes: Bytes): Buffer<ArrayBuffer>[] {
    const opened: Buffer<ArrayBuffer>[] = []
    const { length: end } = bytes
    let at = 0
    let withoutData = 0
    try {
      while (at < end) {
        if (opener.awaitsExtra) {
          this.#rest = bytesOver(bytes.buffer, bytes.byteOffset + at, end - at) as Bytes
          return opened
        }
        if (end - at < LENGTH_BYTES) throw opener.refuse()
        const length = lengthAt(bytes, at)
        opener.judge(length)
        if (length > end - at - LENGTH_BYTES) throw opener.refuse()
        const { head, tag } = opener
        const next = at + LENGTH_BYTES + length
        const start = at + head.length
        copyShort(head, bytes, at)
        copyShort(tag, bytes, next - TAG_BYTES)
        const data = viewOf(bytes, start, next - TAG_BYTES - start)
        if (data === undefined) throw opener.refuse()
        const part = opener.open(data)
        if (part !== undefined) opened[opened.length] = part
        withoutData = countedWithoutData(withoutData, part)
        at = next
      }
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ERR_AESGCM_KEY_EXHAUSTED') throw error
      this.#error = error
      opener.destroy()
      throw error
    }
    return opened
  }

  static #check(self: unknown): void {
    if (typeof self !== 'object' || self === null || !(#opener in self)) throw wrongReceiver('RecordReader')
  }
}

/** The length of the record that begins at `at`. */
function lengthAt(bytes: Uint8Array, at: number): number {
  const [a, b] = [bytes[at] as number, bytes[at + 1] as number]
  return ((a << 24) | (b << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0
}
