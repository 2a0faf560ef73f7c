// Shared by the tests of QUIC packets: packets before and after protection, on every backend of this CPU.
import { type Backend, cpu } from 'hardware-aes-gcm'
import type { Random } from '../../conformance/random.mjs'
import * as reference from '../../models/quic.js'

export const BACKENDS: readonly Backend[] = cpu().backends
/** Secrets of these lengths belong to AES-128-GCM and to AES-256-GCM. */
export const SECRET_BYTES = [32, 48] as const

export const KEY_PHASE_BIT = 0x04
export const LONG = 0x80
export const TAG = 16

export const numberLengthOf = (firstByte: number): number => (firstByte & 3) + 1
/** Where the packet number begins in a header that ends with it. */
export const offsetOf = (header: Uint8Array): number => header.length - numberLengthOf(header[0] as number)

/** A first byte, then a connection id of 0xc5 bytes, then room for the number, which holds garbage. */
export function headerOf(firstByte: number, { idLength = 8 } = {}): Buffer {
  return Buffer.concat([
    Buffer.of(firstByte),
    Buffer.alloc(idLength, 0xc5),
    Buffer.alloc(numberLengthOf(firstByte), 0xee),
  ])
}

/** An argument of `seal`: the header, the payload, and 16 free bytes, which hold garbage. */
export const unsealed = (header: Buffer, payload: Buffer): Buffer =>
  Buffer.concat([header, payload, Buffer.alloc(TAG, 0xdd)])

/** The packet after `open`, without the 16 bytes of the tag. */
export function clear(header: Buffer, payload: Buffer, number: number): Buffer {
  const length = numberLengthOf(header[0] as number)
  const bytes = Buffer.concat([header, payload])
  bytes.writeUIntBE(number % 256 ** length, offsetOf(header), length)
  return bytes
}

export const withoutTag = (packet: Buffer): Buffer => packet.subarray(0, -TAG)

/** A header of random kind and length. Its first byte has the bits of `set`, and not those of `unset`. */
export function randomHeader(random: Random, set = 0, unset = 0): Buffer {
  const header = random.bytes(5 + random.below(random.below(10) === 0 ? 200 : 40))
  header[0] = ((header[0] as number) | set) & ~unset
  return header
}

/** A payload that can be sampled behind this header. Most are short. */
export function randomPayload(random: Random, header: Buffer): Buffer {
  const least = 4 - numberLengthOf(header[0] as number)
  return random.bytes(least + random.below(random.pick([4, 40, 300, 1500])))
}

/** A `largestReceived` from which the number is recovered (RFC 9000 A.3: the window around its successor). */
export function largestNear(random: Random, number: number, numberLength: number): number {
  const half = 256 ** numberLength / 2
  const largest = number - 1 - half + random.below(2 * half)
  return Math.min(Math.max(largest, -1), Number.MAX_SAFE_INTEGER)
}

/** One direction of a connection in the reference, with the keys of its first phases. */
export interface Direction {
  version: reference.Version
  secret: Buffer
  phases: reference.Keys[]
}

export function randomDirection(random: Random, secretBytes: 32 | 48, phases = 1): Direction {
  const version = random.pick(reference.VERSIONS)
  const secret = random.bytes(secretBytes)
  return { version, secret, phases: reference.phasesOf(version, secret, phases) }
}
