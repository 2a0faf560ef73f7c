// Protocol Buffers as bytes: the fields of a message that this package knows, and nothing else.
//
// Tink also accepts unknown fields, repeated fields, and numbers with more bytes than needed. No
// writer of keysets makes the last two, and the next export would lose an unknown field: this
// package refuses all three.
import type { Buffer } from 'node:buffer'
import { allocateOffHeap, byteLength, copy } from '../../../cipher/base/views.cjs'
import { invalidKeyset } from './errors.cjs'
import { MAX_ID } from './model.cjs'

/** The types of fields: a number of up to 32 bits, bytes, or bytes that may repeat. */
export type FieldType = 'number' | 'bytes' | 'repeated'

const VARINT = 0
const BYTES = 2

/**
 * Reads the message from `start` to `end`. `fields[n]` is the type of field number n. `number` gets
 * each number; `bytes` gets the start and end of each other field.
 */
export function readMessage(
  message: Uint8Array,
  start: number,
  end: number,
  place: string,
  fields: readonly (FieldType | undefined)[],
  number: (field: number, value: number) => void,
  bytes: (field: number, start: number, end: number) => void,
): void {
  let at = start
  let seen = 0
  const varint = (): number => {
    let value = 0
    for (let i = 0; i < 5; i++) {
      if (at >= end) throw cutOff(place)
      const byte = message[at++] as number
      value += (byte & 0x7f) * 2 ** (7 * i)
      if (byte >= 0x80) continue
      if (value > MAX_ID || (i > 0 && byte === 0)) break
      return value
    }
    throw invalidKeyset(place, 'has a number of more than 32 bits, or with more bytes than it needs')
  }
  while (at < end) {
    const tag = varint()
    const field = tag >>> 3
    const type = field < fields.length ? fields[field] : undefined
    if (type === undefined) throw invalidKeyset(place, 'has an unknown field')
    if ((tag & 7) !== (type === 'number' ? VARINT : BYTES))
      throw invalidKeyset(place, 'has a field of the wrong type')
    if (type !== 'repeated' && (seen & (1 << field)) !== 0) throw invalidKeyset(place, 'has a field twice')
    seen |= 1 << field
    const value = varint()
    if (type === 'number') {
      number(field, value)
      continue
    }
    if (value > end - at) throw cutOff(place)
    at += value
    bytes(field, at - value, at)
  }
}

function cutOff(place: string): Error {
  return invalidKeyset(place, 'is cut off')
}

/** Encoded size of a number. */
function sizeOf(value: number): number {
  let size = 1
  for (let rest = value; rest >= 0x80; rest = (rest - (rest % 0x80)) / 0x80) size++
  return size
}

/** Encoded size of a field with a one-byte tag (number below 16). Zero is not written. */
export function sizeOfNumber(value: number): number {
  return value === 0 ? 0 : 1 + sizeOf(value)
}
export function sizeOfBytes(length: number): number {
  return length === 0 ? 0 : sizeOfMessage(length)
}
export function sizeOfMessage(length: number): number {
  return 1 + sizeOf(length) + length
}

/** Writes messages into its own memory, whose size the caller has counted. */
export class Writer {
  readonly memory: Buffer<ArrayBuffer>
  #at = 0

  constructor(size: number) {
    this.memory = allocateOffHeap(size)
  }

  /** A number. As in Protocol Buffers, 0 is left out. */
  number(field: number, value: number): void {
    if (value === 0) return
    this.#varint((field << 3) | VARINT)
    this.#varint(value)
  }

  /** The beginning of a message of `length` bytes, which the next calls write. */
  begin(field: number, length: number): void {
    this.#varint((field << 3) | BYTES)
    this.#varint(length)
  }

  /** Bytes. As in Protocol Buffers, no bytes are left out. */
  bytes(field: number, bytes: Uint8Array): void {
    const length = byteLength(bytes)
    if (length === 0) return
    this.begin(field, length)
    copy(this.memory, bytes, this.#at)
    this.#at += length
  }

  #varint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = (rest - (rest % 0x80)) / 0x80) {
      this.memory[this.#at++] = (rest % 0x80) | 0x80
    }
    this.memory[this.#at++] = rest
  }
}
