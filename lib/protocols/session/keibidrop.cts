// KeibiDrop's wire, as of its commit c79aa2a: length in 32 bits, nonce of 12 bytes, ciphertext,
// tag. One key serves both directions; prefixes of nonces separate them. types/session.d.ts says
// what this wire lacks.
import type { Buffer } from 'node:buffer'
import { min } from '../../cipher/base/builtins.cjs'
import { keyExhausted as publishExhausted } from '../../cipher/base/diagnostics.cjs'
import { AesGcmError, keyDestroyed, wrongType } from '../../cipher/base/errors.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { allocateOffHeap, bytesOver, copy, wipe } from '../../cipher/base/views.cjs'
import { randomFillSync } from '../../cipher/machine/random.cjs'
import { outgoing } from './bytes/blocks.cjs'
import type { ChunkReader } from './bytes/chunk-reader.cjs'
import type { SessionCipher } from './ciphers.cjs'
import type { Role } from './hello.cjs'
import { type RecordCipher, recordCipherOf } from './record-cipher.cjs'
import {
  CUT,
  LENGTH_BYTES,
  MAX_EPOCH_BYTES,
  MAX_EPOCH_RECORDS,
  noCounts,
  type Opener,
  recordRefused,
  type Sealer,
} from './records.cjs'
import { keibidropKey } from './schedule.cjs'
import type { Limits } from './sealer.cjs'
import type { Secrets } from './secrets.cjs'

const { ceil } = Math

const NONCE_BYTES = 12
const PREFIX_BYTES = 4
const HEADER_BYTES = LENGTH_BYTES + NONCE_BYTES
/** The bytes that a record's length counts besides its ciphertext. */
const MIN_LENGTH = NONCE_BYTES + TAG_BYTES
const OVERHEAD = LENGTH_BYTES + MIN_LENGTH

/** An original peer writes `OUTB` in both roles, so our prefix differs. */
const PREFIXES = { initiator: [0x48, 0x41, 0x47, 0x49], responder: [0x48, 0x41, 0x47, 0x52] } as const // HAGI, HAGR

/** The key of both directions. Wipes neither the secrets nor the caller's other copies. */
function keyOf(cipher: SessionCipher, secrets: Secrets): RecordCipher {
  const whole = secrets.concatenated()
  try {
    const key = keibidropKey(cipher, whole)
    try {
      return recordCipherOf(cipher, key)
    } finally {
      wipe(key, 0)
    }
  } finally {
    wipe(whole, 0)
  }
}

function exhausted(): Error {
  publishExhausted('encryptions')
  const what = 'this key has reached its limit of bytes or records: call rekey(secrets) on both sides'
  return new AesGcmError('ERR_AESGCM_KEY_EXHAUSTED', what)
}

/** Adds one to a nonce's counter, the last 8 bytes. Whether it fits. */
function advance(nonce: Buffer<ArrayBuffer>): boolean {
  const low = nonce.readUInt32BE(8)
  nonce.writeUInt32BE((low + 1) >>> 0, 8)
  if (low !== 0xffffffff) return true
  const high = nonce.readUInt32BE(PREFIX_BYTES)
  nonce.writeUInt32BE((high + 1) >>> 0, PREFIX_BYTES)
  return high !== 0xffffffff
}

export class KeibidropSealer implements Sealer {
  readonly counts = noCounts()
  readonly #cipher: SessionCipher
  readonly #limits: Limits
  readonly #cut: number
  readonly #nonce = allocateOffHeap(NONCE_BYTES)
  #recordCipher: RecordCipher | undefined
  #bytes = 0
  #records = 0

  constructor(cipher: SessionCipher, role: Role, secrets: Secrets, limits: Limits) {
    this.#cipher = cipher
    this.#limits = limits
    this.#cut = min(CUT, limits.maxRecord - MIN_LENGTH, limits.rekeyAfterBytes)
    copy(this.#nonce, Uint8Array.from(PREFIXES[role]))
    this.#begin(keyOf(cipher, secrets))
  }

  /** A static secret repeats its key: the counter begins at random, below 2^62. */
  #begin(recordCipher: RecordCipher): void {
    this.#recordCipher?.destroy()
    this.#recordCipher = recordCipher
    randomFillSync(this.#nonce, PREFIX_BYTES, NONCE_BYTES - PREFIX_BYTES)
    this.#nonce[PREFIX_BYTES] = (this.#nonce[PREFIX_BYTES] as number) & 0x3f
    this.#bytes = this.#records = 0
  }

  begin(): Buffer<ArrayBuffer> {
    return allocateOffHeap(0)
  }

  seal(source: ChunkReader, bytes: number, block?: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    const { rekeyAfterBytes, rekeyAfterRecords } = this.#limits
    const records = bytes === 0 ? 1 : ceil(bytes / this.#cut)
    if (this.#bytes + bytes > rekeyAfterBytes || this.#records + records > rekeyAfterRecords)
      throw exhausted()
    const out = outgoing(bytes + records * OVERHEAD, block)
    for (let i = 0, at = 0; i < records; i++) {
      const some = min(this.#cut, bytes)
      source.fill(out, at + HEADER_BYTES, some)
      at = this.#record(out, at, some)
      bytes -= some
    }
    return out
  }

  #record(out: Buffer<ArrayBuffer>, at: number, bytes: number): number {
    const recordCipher = this.#recordCipher
    if (recordCipher === undefined) throw keyDestroyed()
    out.writeUInt32BE(bytes + MIN_LENGTH, at)
    out.set(this.#nonce, at + LENGTH_BYTES)
    const start = out.byteOffset + at + HEADER_BYTES
    const data = bytesOver(out.buffer, start, bytes)
    recordCipher.seal(data, this.#nonce, bytesOver(out.buffer, start + bytes, TAG_BYTES), undefined)
    advance(this.#nonce)
    this.#bytes += bytes
    this.#records++
    this.counts.bytes += bytes
    this.counts.records++
    return at + OVERHEAD + bytes
  }

  rekey(secrets: Secrets | undefined): Buffer<ArrayBuffer> {
    if (this.#recordCipher === undefined) throw keyDestroyed()
    this.#begin(keyOf(this.#cipher, secretsFor(secrets)))
    this.counts.epochs++
    return allocateOffHeap(0)
  }

  end(): Buffer<ArrayBuffer> {
    return allocateOffHeap(0)
  }

  destroy(): void {
    this.#recordCipher?.destroy()
    this.#recordCipher = undefined
  }
}

export class KeibidropOpener implements Opener {
  readonly counts = noCounts()
  readonly head = allocateOffHeap(HEADER_BYTES)
  readonly tag = allocateOffHeap(TAG_BYTES)
  readonly endsByRecord = false
  confirmed = false
  readonly ended = false
  readonly awaitsExtra = false
  readonly isFull = false
  readonly #cipher: SessionCipher
  readonly #maxRecord: number
  readonly #ownPrefix: readonly number[]
  /** The next nonce; none before the first record under a key. */
  readonly #nonce = allocateOffHeap(NONCE_BYTES)
  #begun = false
  #recordCipher: RecordCipher | undefined
  #bytes = 0
  #records = 0

  constructor(cipher: SessionCipher, role: Role, secrets: Secrets, maxRecord: number) {
    this.#cipher = cipher
    this.#maxRecord = maxRecord
    this.#ownPrefix = PREFIXES[role]
    this.#recordCipher = keyOf(cipher, secrets)
  }

  judge(length: number): void {
    if (this.#recordCipher === undefined || length < MIN_LENGTH || length > this.#maxRecord)
      throw this.refuse()
  }

  open(data: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> | undefined {
    const bytes = data.length
    this.judge(bytes + MIN_LENGTH)
    if (this.#bytes + bytes > MAX_EPOCH_BYTES || this.#records >= MAX_EPOCH_RECORDS) throw exhausted()
    const nonce = bytesOver(this.head.buffer, LENGTH_BYTES, NONCE_BYTES)
    if (!this.#isNext(nonce)) throw this.refuse()
    // Before the first record, any nonce is the next one.
    copy(this.#nonce, nonce)
    if (!(this.#recordCipher as RecordCipher).open(data, this.#nonce, this.tag, undefined))
      throw this.refuse()
    this.confirmed = true
    this.#begun = advance(this.#nonce)
    if (!this.#begun) this.#records = MAX_EPOCH_RECORDS
    this.#bytes += bytes
    this.#records++
    this.counts.bytes += bytes
    this.counts.records++
    return data
  }

  /** Whether a nonce follows the last one; at first, whether it came from another writer. */
  #isNext(nonce: Uint8Array): boolean {
    if (this.#begun) return this.#nonce.equals(nonce)
    for (let i = 0; i < PREFIX_BYTES; i++) if (nonce[i] !== this.#ownPrefix[i]) return true
    return false
  }

  offer(secrets: Secrets): void {
    try {
      if (this.#recordCipher === undefined) return
      const recordCipher = keyOf(this.#cipher, secrets)
      this.#recordCipher.destroy()
      this.#recordCipher = recordCipher
    } finally {
      secrets.wipe()
    }
    this.#begun = false
    this.#bytes = this.#records = 0
    this.counts.epochs++
  }

  destroy(): void {
    this.#recordCipher?.destroy()
    this.#recordCipher = undefined
  }

  refuse(): Error {
    this.destroy()
    return recordRefused()
  }
}

function secretsFor(secrets: Secrets | undefined): Secrets {
  if (secrets !== undefined) return secrets
  throw wrongType('"extra" must be the new secrets: this wire has no key chain')
}
