// QUIC packets that were changed, cut off or made up: each gives -1 and keeps every byte.
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { expect, test } from 'vitest'
import * as reference from '../../models/quic.js'
import { must, Place, Random } from '../../tools/support.js'
import {
  BACKENDS,
  clear,
  headerOf,
  KEY_PHASE_BIT,
  numberLengthOf,
  offsetOf,
  randomDirection,
  SECRET_BYTES,
  withoutTag,
} from './packets.js'

const place = new Place()

/** Opens a copy between canaries. Throws unless the packet is dropped and the copy keeps its bytes. */
function drops(
  protection: PacketProtection,
  packet: Buffer,
  offset: number,
  largest: number,
  what: () => string,
  pathId?: number,
): void {
  const before = protection.keyPhase
  const copy = place.put(packet, packet.length % 64)
  const got = protection.open(copy, offset, largest, pathId)
  must(got === -1, () => `${what()}: gave ${got}`)
  must(copy.equals(packet) && place.intact, () => `${what()}: bytes were changed`)
  must(protection.keyPhase === before, () => `${what()}: the key phase changed`)
}

/** The packet with one bit changed. */
function flipped(packet: Buffer, bit: number): Buffer {
  const copy = Buffer.from(packet)
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7))
  return copy
}

test('every bit that flips in a packet', () => {
  const random = new Random('quic flips')
  for (const bits of SECRET_BYTES) {
    const { version, secret, phases } = randomDirection(random, bits, 2)
    for (const [firstByte, payloadLength] of [
      [0x40, 3],
      [0x40, 100],
      [0x41, 1171],
      [0x43 | KEY_PHASE_BIT, 33],
      [0xc0, 3],
      [0xc3, 200],
    ] as const) {
      const header = headerOf(firstByte)
      const offset = offsetOf(header)
      const keys = phases[firstByte & KEY_PHASE_BIT ? 1 : 0] as reference.Keys
      const payload = random.bytes(payloadLength)
      const packet = reference.seal(keys, header, payload, 500)
      for (const backend of BACKENDS) {
        const receiver = new PacketProtection(secret, { version, backend })
        for (let bit = 0; bit < packet.length * 8; bit++)
          drops(
            receiver,
            flipped(packet, bit),
            offset,
            499,
            () => `bit ${bit} of ${packet.length}, ${backend}`,
          )
        expect(receiver.failedOpens).toBe(packet.length * 8)
        // The packet itself is still good.
        const copy = Buffer.from(packet)
        expect(receiver.open(copy, offset, 499)).toBe(500)
        expect(withoutTag(copy).equals(clear(header, payload, 500))).toBe(true)
      }
    }
  }
})

test('every length to which a packet is cut off', () => {
  const random = new Random('quic cuts')
  for (const bits of SECRET_BYTES) {
    const { version, secret, phases } = randomDirection(random, bits)
    const [keys] = phases as [reference.Keys]
    for (const [firstByte, payloadLength] of [
      [0x40, 300],
      [0x43, 1],
      [0xc2, 90],
    ] as const) {
      const header = headerOf(firstByte)
      const offset = offsetOf(header)
      const packet = reference.seal(keys, header, random.bytes(payloadLength), 9)
      for (const backend of BACKENDS) {
        const receiver = new PacketProtection(secret, { version, backend })
        for (let length = 0; length < packet.length; length++)
          drops(receiver, packet.subarray(0, length), offset, 8, () => `${length} bytes, ${backend}`)
        // A packet that cannot be sampled is not an attempt at a forgery.
        expect(receiver.failedOpens).toBe(packet.length - (offset + 20))
        expect(receiver.open(Buffer.from(packet), offset, 8)).toBe(9)
      }
    }
  }
})

test('every packet of 0 to 64 bytes, with the number at every place in it and past it', () => {
  const random = new Random('quic sizes')
  for (const bits of SECRET_BYTES) {
    const { version, secret, phases } = randomDirection(random, bits)
    const [keys] = phases as [reference.Keys]
    for (const backend of BACKENDS) {
      const receiver = new PacketProtection(secret, { version, backend })
      let failures = 0
      for (let size = 0; size <= 64; size++) {
        for (let offset = 1; offset <= 66; offset++) {
          // Made up. The Key Phase bit under the mask is as random as the rest.
          const packet = random.bytes(size)
          drops(receiver, packet, offset, 1000, () => `${size} bytes, number at ${offset}, ${backend}`)
          if (size >= offset + 20) failures++
          if (size < offset + 20) continue
          // Authentic, and of the same size.
          const header = headerOf(0x40 | random.below(4), { idLength: offset - 1 })
          const payload = random.bytes(size - 16 - header.length)
          const sealed = reference.seal(keys, header, payload, 1001)
          expect(receiver.open(sealed, offset, 1000)).toBe(1001)
          expect(withoutTag(sealed).equals(clear(header, payload, 1001))).toBe(true)
        }
      }
      expect([failures, receiver.failedOpens]).toEqual([990, 990])
    }
  }
})

test('a packet number that lies past the packet', () => {
  const { secret, version, phases } = randomDirection(new Random('quic past'), 32)
  const header = headerOf(0x40)
  const packet = reference.seal(phases[0] as reference.Keys, header, Buffer.alloc(60), 0)
  const ends = [packet.length - 20, packet.length - 19, packet.length, packet.length + 1]
  const far = [2 ** 16, 2 ** 31, 2 ** 32 - 20, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 9, Number.MAX_SAFE_INTEGER]
  for (const backend of BACKENDS) {
    const receiver = new PacketProtection(secret, { version, backend })
    for (const offset of [...ends, ...far]) drops(receiver, packet, offset, -1, () => `number at ${offset}`)
    // Only the first of them can be sampled.
    expect(receiver.failedOpens).toBe(1)
  }
})

test('a number recovered above 2^53 - 1, which the packet does not have, makes a failed open', () => {
  const { secret, version, phases } = randomDirection(new Random('quic above'), 32)
  for (let firstByte = 0x40; firstByte <= 0x43; firstByte++) {
    const header = headerOf(firstByte)
    // Its truncated number is 0, which comes next after 2^53 - 1.
    const number = 2 ** 53 - 256 ** numberLengthOf(firstByte)
    const packet = reference.seal(phases[0] as reference.Keys, header, Buffer.alloc(9), number)
    for (const backend of BACKENDS) {
      const receiver = new PacketProtection(secret, { version, backend })
      drops(receiver, packet, offsetOf(header), Number.MAX_SAFE_INTEGER, () => `first byte ${firstByte}`)
      expect(receiver.failedOpens).toBe(1)
      expect(receiver.open(Buffer.from(packet), offsetOf(header), number - 1)).toBe(number)
    }
  }
})

test('every bit that flips in a packet whose number is above 2^53 - 1', () => {
  const { secret, version, phases } = randomDirection(new Random('quic flips above'), 32)
  const header = headerOf(0x41)
  // Long enough for its tag to lie behind the sample, so that a flipped bit of the tag changes no number.
  const packet = reference.seal(phases[0] as reference.Keys, header, Buffer.alloc(30), 2 ** 53 + 2)
  for (const backend of BACKENDS) {
    const receiver = new PacketProtection(secret, { version, backend })
    const largest = Number.MAX_SAFE_INTEGER
    // It is authentic, and therefore not a failure.
    drops(receiver, packet, offsetOf(header), largest, () => 'the packet')
    expect(receiver.failedOpens).toBe(0)
    for (let bit = 0; bit < packet.length * 8; bit++)
      drops(receiver, flipped(packet, bit), offsetOf(header), largest, () => `bit ${bit}`)
    expect(receiver.failedOpens).toBe(packet.length * 8)
  }
})

test('packets of another path, version, key or direction', () => {
  const random = new Random('quic others')
  const { secret, version, phases } = randomDirection(random, 48)
  const [keys] = phases as [reference.Keys]
  // Four bytes of number: another key for the header takes all of them for right once in 2^37 runs.
  const header = headerOf(0x43)
  const packet = reference.seal(keys, header, Buffer.alloc(30), 3, 7)
  const other = version === 1 ? 0x6b3343cf : 1
  for (const backend of BACKENDS) {
    const receiver = new PacketProtection(secret, { version, backend })
    for (const path of [undefined, 0, 6, 8, 7 * 256, 0xffffffff]) {
      const copy = Buffer.from(packet)
      expect(receiver.open(copy, 9, 2, path)).toBe(-1)
      expect(copy.equals(packet)).toBe(true)
    }
    for (const wrong of [
      new PacketProtection(secret, { version: other, backend }),
      new PacketProtection(random.bytes(48), { version, backend }),
      new PacketProtection(random.bytes(32), { version, backend }),
      new PacketProtection({ ...keys, hp: random.bytes(32) }, { backend }),
      new PacketProtection({ ...keys, iv: random.bytes(12) }, { backend }),
      new PacketProtection({ ...keys, key: random.bytes(32) }, { backend }),
    ])
      drops(wrong, packet, 9, 2, () => 'a packet of others', 7)
    expect(receiver.open(Buffer.from(packet), 9, 2, 7)).toBe(3)
  }
})
