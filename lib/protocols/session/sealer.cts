// Seals the records of one direction, in the default profile: docs/formats.md has the bytes.
import type { Buffer } from 'node:buffer'
import { min } from '../../cipher/base/builtins.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { allocateOffHeap, bytesOver } from '../../cipher/base/views.cjs'
import { outgoing } from './bytes/blocks.cjs'
import type { ChunkReader } from './bytes/chunk-reader.cjs'
import type { Ratchet } from './ratchet.cjs'
import { CUT, LENGTH_BYTES, noCounts, type Sealer } from './records.cjs'
import type { Secrets } from './secrets.cjs'

/** Length and type: the additional data of a record. */
export const HEADER_BYTES = LENGTH_BYTES + 1
/** The bytes that a record's length counts besides its ciphertext: type and tag. */
export const MIN_LENGTH = 1 + TAG_BYTES
const OVERHEAD = HEADER_BYTES + TAG_BYTES

export const CONFIRM = 0
export const DATA = 1
export const REKEY = 2
export const END = 3
export const PLAIN = 0
export const EXTRA = 1

export interface Limits {
  readonly rekeyAfterBytes: number
  readonly rekeyAfterRecords: number
  readonly maxRecord: number
}

const NO_SECRET = allocateOffHeap(0)
/** In a plan, instead of the bytes of a data record. */
const REKEYING = -1

export class RecordSealer implements Sealer {
  readonly counts = noCounts()
  readonly #ratchet: Ratchet
  readonly #limits: Limits
  readonly #cut: number
  readonly #header = allocateOffHeap(HEADER_BYTES)
  #begun = false
  /** Bytes of data in this epoch. */
  #bytes = 0

  constructor(ratchet: Ratchet, limits: Limits) {
    this.#ratchet = ratchet
    this.#limits = limits
    this.#cut = min(CUT, limits.maxRecord - MIN_LENGTH, limits.rekeyAfterBytes)
  }

  begin(): Buffer<ArrayBuffer> {
    return this.#whole(() => {
      const out = outgoing(this.#beginning())
      this.#begin(out)
      return out
    })
  }

  seal(source: ChunkReader, bytes: number, block?: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    return this.#whole(() => {
      const plan = this.#plan(bytes)
      const out = outgoing(this.#beginning() + sizeOf(plan), block)
      let at = this.#begin(out)
      for (let i = 0; i < plan.length; i++) {
        const step = plan[i] as number
        at = step === REKEYING ? this.#rekey(out, at, undefined) : this.#data(out, at, source, step)
      }
      return out
    })
  }

  rekey(extra: Secrets | undefined): Buffer<ArrayBuffer> {
    return this.#whole(() => {
      const out = outgoing(this.#beginning() + OVERHEAD + 1)
      this.#rekey(out, this.#begin(out), extra)
      return out
    })
  }

  end(): Buffer<ArrayBuffer> {
    return this.#whole(() => {
      const out = outgoing(this.#beginning() + OVERHEAD)
      this.#record(out, this.#begin(out), END, 0)
      return out
    })
  }

  destroy(): void {
    this.#ratchet.destroy()
  }

  /** Runs `body`. If it throws, counted records may never be sent, so the keys are wiped. */
  #whole(body: () => Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    // Not by `onFailure`, whose clean-up is a call deeper: a full stack may have no room for it.
    let whole = false
    try {
      const records = body()
      whole = true
      return records
    } finally {
      if (!whole) this.destroy()
    }
  }

  /** How `bytes` bytes of data are cut into records, and where a rekeying comes between them. */
  #plan(bytes: number): number[] {
    const { rekeyAfterBytes, rekeyAfterRecords } = this.#limits
    const plan: number[] = []
    let [epochBytes, epochRecords] = [this.#bytes, this.#begun ? this.#ratchet.number : 1]
    do {
      const some = min(this.#cut, bytes)
      if (epochBytes + some > rekeyAfterBytes || epochRecords >= rekeyAfterRecords) {
        plan[plan.length] = REKEYING
        epochBytes = epochRecords = 0
      }
      plan[plan.length] = some
      epochBytes += some
      epochRecords++
      bytes -= some
    } while (bytes > 0)
    return plan
  }

  #beginning(): number {
    return this.#begun ? 0 : OVERHEAD
  }

  /** Seals the confirm record, if there was none yet. Returns where the next record begins. */
  #begin(out: Buffer<ArrayBuffer>): number {
    if (this.#begun) return 0
    this.#begun = true
    return this.#record(out, 0, CONFIRM, 0)
  }

  #data(out: Buffer<ArrayBuffer>, at: number, source: ChunkReader, bytes: number): number {
    source.fill(out, at + HEADER_BYTES, bytes)
    this.#bytes += bytes
    this.counts.bytes += bytes
    return this.#record(out, at, DATA, bytes)
  }

  /** Derives the next keys first: if memory runs out, no unsent record has been counted. */
  #rekey(out: Buffer<ArrayBuffer>, at: number, extra: Secrets | undefined): number {
    const next = this.#ratchet.next(extra === undefined ? NO_SECRET : extra.prefixed)
    out[at + HEADER_BYTES] = extra === undefined ? PLAIN : EXTRA
    const end = this.#record(out, at, REKEY, 1)
    this.#ratchet.commit(next)
    this.#bytes = 0
    this.counts.epochs++
    return end
  }

  /** Seals the `bytes` bytes after the header, and writes header and tag around them. */
  #record(out: Buffer<ArrayBuffer>, at: number, type: number, bytes: number): number {
    const length = bytes + MIN_LENGTH
    const header = this.#header
    out[at] = header[0] = length >>> 24
    out[at + 1] = header[1] = length >>> 16
    out[at + 2] = header[2] = length >>> 8
    out[at + 3] = header[3] = length
    out[at + 4] = header[4] = type
    const { buffer, byteOffset } = out
    const start = byteOffset + at + HEADER_BYTES
    const data = bytesOver(buffer, start, bytes)
    const tag = bytesOver(buffer, start + bytes, TAG_BYTES)
    this.#ratchet.seal(data, tag, header)
    this.counts.records++
    return at + OVERHEAD + bytes
  }
}

/** Bytes of the records of a plan. */
function sizeOf(plan: readonly number[]): number {
  let bytes = 0
  for (let i = 0; i < plan.length; i++) {
    const step = plan[i] as number
    bytes += OVERHEAD + (step === REKEYING ? 1 : step)
  }
  return bytes
}
