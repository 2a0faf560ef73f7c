// Shared secrets: copies of the caller's bytes, wiped as soon as keys are derived from them.
import type { Buffer } from 'node:buffer'
import { types } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { DECODE, outOfRange, wrongType } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { allocateOffHeap, byteLength, bytesOver, copy, kindForBytes, wipe } from '../../cipher/base/views.cjs'
import { wipeWith } from '../../cipher/base/wipe-with.cjs'

const { isUint8Array } = types

/** The length before each secret (docs/formats.md, sessions). */
const LENGTH_BYTES = 4
const MIN_BYTES = 32
const MAX_BYTES = 2 ** 16
const LIST = { elements: 'secrets', least: 1, most: 16 }

/** One or several secrets, in one memory off V8's heap: each after its length in 32 bits. */
export class Secrets {
  readonly #memory: Buffer<ArrayBuffer>
  readonly #lengths: readonly number[]

  constructor(memory: Buffer<ArrayBuffer>, lengths: readonly number[]) {
    this.#memory = memory
    this.#lengths = lengths
    wipeWith(this, memory)
  }

  /** The secrets, each after its length: lists of equal concatenation stay distinct. */
  get prefixed(): Uint8Array {
    return this.#memory
  }

  /** The secrets one after the other. The caller wipes the result. */
  concatenated(): Buffer {
    const lengths = this.#lengths
    let bytes = 0
    for (let i = 0; i < lengths.length; i++) bytes += lengths[i] as number
    const whole = allocateOffHeap(bytes)
    for (let i = 0, from = LENGTH_BYTES, to = 0; i < lengths.length; i++) {
      const length = lengths[i] as number
      copy(bytesOver(whole.buffer, to, length), bytesOver(this.#memory.buffer, from, length))
      from += length + LENGTH_BYTES
      to += length
    }
    return whole
  }

  wipe(): void {
    wipe(this.#memory, 0)
  }
}

/** Copies the secret or secrets, each read once. Errors show no value: it may be a password. */
export function secretsOf(name: string, value: unknown): Secrets {
  if (!isList(value)) return copied([checked(name, value)])
  const list = elementsOf(name, value, lengthOfList(name, value, LIST))
  for (let i = 0; i < list.length; i++) checked(`${name}[${i}]`, list[i])
  return copied(list as readonly Uint8Array[])
}

function checked(name: string, value: unknown): Uint8Array {
  if (!isUint8Array(value)) {
    const help =
      typeof value === 'string'
        ? `: a password is not a secret; if it is random bytes as text, ${DECODE}`
        : ''
    const what = `"${name}" must be a Uint8Array of at least ${MIN_BYTES} bytes, got ${kindForBytes(value)}${help}`
    throw wrongType(what)
  }
  const length = lengthOf(name, value)
  if (length < MIN_BYTES || length > MAX_BYTES) {
    const what = `"${name}" must be a Uint8Array of ${MIN_BYTES} to ${MAX_BYTES} bytes, got length ${length}`
    throw outOfRange(what)
  }
  return value
}

function copied(secrets: readonly Uint8Array[]): Secrets {
  const lengths = secrets.map(byteLength)
  let bytes = 0
  for (let i = 0; i < lengths.length; i++) bytes += LENGTH_BYTES + (lengths[i] as number)
  const memory = allocateOffHeap(bytes)
  for (let i = 0, at = 0; i < secrets.length; i++) {
    const length = lengths[i] as number
    memory.writeUInt32BE(length, at)
    at += LENGTH_BYTES
    copy(bytesOver(memory.buffer, at, length), secrets[i] as Uint8Array)
    at += length
  }
  return new Secrets(memory, lengths)
}
