// The sending side of a SecureStream: writes, rekeyings and the end, which wait for the handshake and for the socket.
import type { Buffer } from 'node:buffer'
import { detached, mistake } from '../errors.cjs'
import { byteLength, isThere } from '../views.cjs'
import { Gather } from './gather.cjs'
import type { Sealer } from './records.cjs'
import type { Secrets } from './secrets.cjs'
import type { Link } from './socket.cjs'

/** Bytes that are sealed before the socket has taken those before. */
const BATCH = 2 ** 18

export type Callback = (error?: Error | null) => void

/** A write that was not handed to the socket as a whole. */
interface Job {
  readonly source: Gather
  readonly callback: Callback
}

/** A rekeying that waits for the handshake, or for the socket. */
interface Rekeying {
  readonly extra: Secrets | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The other parts of a stream, as its sending side needs them. */
export interface Host {
  /** Whether no more extra secrets may wait for the peer. */
  isFull(): boolean
  /** Gives the receiving side an extra secret, which it owns from then on. */
  offer(extra: Secrets): Error | undefined
  fail(error: Error): void
}

export class Outlet {
  readonly #link: Link
  readonly #host: Host
  /** Undefined before data may be sent, and after `destroy`. */
  #sealer: Sealer | undefined
  #job: Job | undefined
  #final: Callback | undefined
  /** Rekeyings that were not begun, and those whose record the socket has not taken. */
  #rekeyings: Rekeying[] = []
  readonly #underway = new Set<Rekeying>()
  /** Whether our end was handed to the socket, and whether the socket took it. */
  ended = false
  finished = false

  constructor(link: Link, host: Host) {
    this.#link = link
    this.#host = host
  }

  /** Data may be sent from now on: what waited goes out. */
  open(sealer: Sealer): void {
    this.#sealer = sealer
    this.#rekey()
    this.#flush()
    if (this.#final !== undefined) this.#end()
  }

  /** Writes chunks. There is one write at a time. */
  write(chunks: readonly Uint8Array[], callback: Callback): void {
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i] as Uint8Array
      if (byteLength(chunk) === 0 && !isThere(chunk)) {
        callback(detached('chunk'))
        return
      }
    }
    this.#job = { source: new Gather(chunks), callback }
    this.#flush()
  }

  /** Ends the direction after the writes. */
  final(callback: Callback): void {
    this.#final = callback
    if (this.#sealer !== undefined) this.#end()
  }

  /** Owns `extra`. */
  rekey(extra: Secrets | undefined): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      this.#rekeyings.push({ extra, resolve, reject })
    })
    // A stream that fails tells by its event. A caller who does not await the promise needs no second report.
    done.catch(() => {})
    this.#rekey()
    return done
  }

  /** Tells every caller that waits. */
  destroy(reason: Error): void {
    const [rekeyings, job] = [[...this.#rekeyings, ...this.#underway], this.#job]
    this.#rekeyings = []
    this.#underway.clear()
    this.#job = this.#sealer = undefined
    for (const { extra, reject } of rekeyings) {
      extra?.wipe()
      reject(reason)
    }
    job?.callback(reason)
  }

  /** Seals the next bytes of the current write. The socket's callback asks for those that follow. */
  #flush(): void {
    const [job, sealer] = [this.#job, this.#sealer]
    if (job === undefined || sealer === undefined) return
    const { source } = job
    if (source.left === 0) {
      this.#written(job, null)
      return
    }
    let records: Buffer<ArrayBuffer>
    try {
      records = sealer.seal(source, source.left < BATCH ? source.left : BATCH)
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
    const [callback, sealer] = [this.#final as Callback, this.#sealer as Sealer]
    let record: Buffer<ArrayBuffer>
    try {
      record = sealer.end()
    } catch (error) {
      callback(error as Error)
      return
    }
    this.ended = true
    sealer.destroy()
    this.#link.end(record, error => {
      if (!error) this.finished = true
      callback(error)
    })
  }

  /** Begins the rekeyings that wait. */
  #rekey(): void {
    if (this.#sealer === undefined) return
    const waiting = this.#rekeyings
    this.#rekeyings = []
    for (const rekeying of waiting) this.#rekeyOnce(rekeying, this.#sealer)
  }

  #rekeyOnce(rekeying: Rekeying, sealer: Sealer): void {
    const { extra, resolve, reject } = rekeying
    if (extra !== undefined && this.#host.isFull()) {
      extra.wipe()
      reject(mistake(Error, 'ERR_INVALID_STATE', 'too many extra secrets already wait for the peer'))
      return
    }
    let record: Buffer<ArrayBuffer> | undefined
    try {
      if (!this.ended) record = sealer.rekey(extra)
    } catch (error) {
      extra?.wipe()
      reject(error)
      // A wrong argument leaves the keys as they are.
      if ((error as { code?: unknown }).code !== 'ERR_INVALID_ARG_TYPE') this.#host.fail(error as Error)
      return
    }
    if (record === undefined || record.length === 0) resolve()
    else {
      this.#underway.add(rekeying)
      this.#link.write(record, error => {
        this.#underway.delete(rekeying)
        if (error) reject(error)
        else resolve()
      })
    }
    const error = extra === undefined ? undefined : this.#host.offer(extra)
    if (error !== undefined) this.#host.fail(error)
  }
}
