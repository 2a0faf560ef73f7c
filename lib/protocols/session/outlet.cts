// The sending side of a SecureStream: writes, rekeyings and the end await handshake and socket.
import type { Buffer } from 'node:buffer'
import { nextTick } from '../../cipher/base/builtins.cjs'
import { detached, wrongState } from '../../cipher/base/errors.cjs'
import { byteLength, isAttached } from '../../cipher/base/views.cjs'
import { BATCH, blockFor, giveBack } from './bytes/blocks.cjs'
import { ChunkReader } from './bytes/chunk-reader.cjs'
import type { Sealer } from './records.cjs'
import type { Secrets } from './secrets.cjs'
import type { Link } from './socket.cjs'

export type Callback = (error?: Error | null) => void

/** A write not yet handed to the socket as a whole. */
interface Job {
  readonly source: ChunkReader
  readonly callback: Callback
}

/** A rekeying that waits for the handshake, or for the socket. */
interface Rekeying {
  readonly extra: Secrets | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The other parts of a stream, as its sending side needs them. */
interface Host {
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
  /** Rekeyings not yet begun, and those whose record the socket has not taken. */
  #rekeyings: Rekeying[] = []
  readonly #underway = new Set<Rekeying>()
  /** Whether our end was handed to the socket, and whether the socket took it. */
  ended = false
  finished = false

  constructor(link: Link, host: Host) {
    this.#link = link
    this.#host = host
  }

  /**
   * Data may be sent from now on: starts what was waiting, a write or the end after the last one.
   * Callers' code runs meanwhile; what it writes or ends goes out by itself.
   */
  open(sealer: Sealer): void {
    const [job, final] = [this.#job, this.#final]
    this.#sealer = sealer
    this.#rekey()
    if (job !== undefined) this.#flush(job)
    else if (final !== undefined) this.#end(final)
  }

  /**
   * Writes chunks, one write at a time. `destroy` calls back a failed write: if Node did before the
   * stream is destroyed, a caller's `uncork()` in a callback would begin the waiting writes, whose
   * callbacks would then come twice.
   */
  write(chunks: readonly Uint8Array[], callback: Callback): void {
    const job = { source: new ChunkReader(chunks), callback }
    this.#job = job
    if (chunks.some(chunk => byteLength(chunk) === 0 && !isAttached(chunk)))
      this.#host.fail(detached('chunk'))
    else this.#flush(job)
  }

  /** Ends the direction after the writes. */
  final(callback: Callback): void {
    this.#final = callback
    this.#end(callback)
  }

  /** Owns `extra`. */
  rekey(extra: Secrets | undefined): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      this.#rekeyings.push({ extra, resolve, reject })
    })
    // A stream that fails reports it by its event. Callers may ignore the promise.
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

  /** Seals the next bytes of a write. The socket's callback asks for those that follow. */
  #flush(job: Job): void {
    const sealer = this.#sealer
    if (sealer === undefined) return
    const { source } = job
    if (source.left === 0) {
      // Node reports a callback within the call a tick later, perhaps after the next write.
      nextTick(() => {
        if (this.#job === job) this.#written(job)
      })
      return
    }
    const bytes = source.left < BATCH ? source.left : BATCH
    const block = this.#link.takesCopies() ? blockFor(bytes) : undefined
    let records: Buffer<ArrayBuffer>
    try {
      records = sealer.seal(source, bytes, block)
    } catch (error) {
      // The block may hold plaintext, so it is not used again.
      this.#host.fail(error as Error)
      return
    }
    this.#link.write(records, error => {
      if (block !== undefined && !error) giveBack(block)
      if (this.#job !== job) return
      if (error) this.#host.fail(error)
      else if (source.left === 0) this.#written(job)
      else this.#flush(job)
    })
  }

  #written({ callback }: Job): void {
    this.#job = undefined
    callback(null)
  }

  #end(callback: Callback): void {
    const sealer = this.#sealer
    if (sealer === undefined) return
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

  /** Begins the waiting rekeyings. If the stream fails meanwhile, `destroy` reports the others. */
  #rekey(): void {
    while (this.#sealer !== undefined) {
      const rekeying = this.#rekeyings.shift()
      if (rekeying === undefined) return
      this.#rekeyOnce(rekeying, this.#sealer)
    }
  }

  #rekeyOnce(rekeying: Rekeying, sealer: Sealer): void {
    const { extra, resolve, reject } = rekeying
    if (extra !== undefined && this.#host.isFull()) {
      extra.wipe()
      reject(wrongState('too many extra secrets already wait for the peer'))
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
