// The vocabulary of records: both profiles seal and open them behind these interfaces.
import type { Buffer } from 'node:buffer'
import type { Count } from '../../../types/session.d.ts'
import { AesGcmError } from '../../cipher/base/errors.cjs'
import type { ChunkReader } from './bytes/chunk-reader.cjs'
import type { Secrets } from './secrets.cjs'

/** Every record begins with the number of its other bytes. */
export const LENGTH_BYTES = 4
/** Writers cut data into records of at most this many bytes. */
export const CUT = 2 ** 16
/** The most that one key may seal or open. */
export const MAX_EPOCH_BYTES = 2 ** 30
export const MAX_EPOCH_RECORDS = 2 ** 20
/** Most records without data in a row: they cost time. Honest writers send one or two. */
const MAX_WITHOUT_DATA = 256

/** The counts of one direction: changed in place. */
type Counts = { -readonly [Name in keyof Count]: Count[Name] }

/** Seals the records of one direction. Destroyed after any error except a limit. */
export interface Sealer {
  readonly counts: Counts
  /** The records that come before any data, if they were not sealed yet; otherwise no bytes. */
  begin(): Buffer<ArrayBuffer>
  /** Seals the next `bytes` bytes of `source`, in `block` if they fit; 0 for no data. */
  seal(source: ChunkReader, bytes: number, block?: Buffer<ArrayBuffer>): Buffer<ArrayBuffer>
  /** Continues with new keys, and returns the record for the peer, if the wire has one. */
  rekey(extra: Secrets | undefined): Buffer<ArrayBuffer>
  /** The record after which this direction carries no other, if the wire has one. */
  end(): Buffer<ArrayBuffer>
  destroy(): void
}

/** Opens the records of one direction. Refuses all records after any error except a limit. */
export interface Opener {
  readonly counts: Counts
  /** Whether the peer has proved that it has the keys. */
  readonly confirmed: boolean
  /** Whether the direction ended. */
  readonly ended: boolean
  /** Whether the wire has a record for the end: then an end without it is a truncation. */
  readonly endsByRecord: boolean
  /** Whether the records that follow need an extra secret, which was not offered yet. */
  readonly awaitsExtra: boolean
  /** Whether so many extra secrets wait that `offer` would throw. */
  readonly isFull: boolean
  /** Throws for a length that no record has. Called before its bytes are awaited. */
  judge(length: number): void
  /** The bytes before and after a ciphertext. The caller puts them here before each `open`. */
  readonly head: Uint8Array
  readonly tag: Uint8Array
  /** Opens the record in place. Returns its data; undefined if it carries none. */
  open(ciphertext: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> | undefined
  /** Takes an extra secret for the next rekeying that needs one, and owns it from then on. */
  offer(extra: Secrets): void
  /** Fails the direction, and returns the error for a record that does not come as a whole. */
  refuse(): Error
  destroy(): void
}

export function noCounts(): Counts {
  return { bytes: 0, records: 0, epochs: 1 }
}

/** One code and one message for every record that is not the peer's next one. */
export function recordRefused(): AesGcmError {
  const what = 'a record was refused: it is not the next one that the peer sealed for this direction'
  return new AesGcmError('ERR_AESGCM_RECORD_REFUSED', what)
}

/** Counts records without data in a row, including this one. Throws if there are too many. */
export function countedWithoutData(before: number, data: Uint8Array | undefined): number {
  if (data !== undefined && data.length > 0) return 0
  if (before < MAX_WITHOUT_DATA) return before + 1
  const what = `a record was refused: more than ${MAX_WITHOUT_DATA} in a row came without data`
  throw new AesGcmError('ERR_AESGCM_RECORD_REFUSED', what)
}

export function handshakeFailed(what: string): AesGcmError {
  return new AesGcmError('ERR_AESGCM_HANDSHAKE_FAILED', `the handshake failed: ${what}`)
}

export function truncated(): AesGcmError {
  const what = 'the peer ended the connection without an authenticated end: data may be missing'
  return new AesGcmError('ERR_AESGCM_STREAM_TRUNCATED', what)
}
