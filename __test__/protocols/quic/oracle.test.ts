// Random QUIC packets against the reference in models/quic.ts, on every backend of this CPU.
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { expect, test } from 'vitest'
import * as reference from '../../models/quic.js'
import { must, Place, Random } from '../../tools/support.js'
import {
  BACKENDS,
  clear,
  headerOf,
  KEY_PHASE_BIT,
  LONG,
  largestNear,
  numberLengthOf,
  offsetOf,
  randomDirection,
  randomHeader,
  randomPayload,
  SECRET_BYTES,
  TAG,
  unsealed,
  withoutTag,
} from './packets.js'

const CONNECTIONS = 500
const PACKETS = 20
const MAX = Number.MAX_SAFE_INTEGER
const place = new Place()

/** Calls `run` for each protection, on a copy of the bytes between canaries. */
function onEach(
  protections: readonly PacketProtection[],
  bytes: Buffer,
  offset: number,
  run: (protection: PacketProtection, packet: Buffer) => void,
): void {
  for (const protection of protections) {
    run(protection, place.put(bytes, offset))
    must(place.intact, () => `${protection.backend}: bytes beside the packet were written`)
  }
}

const same = (a: Buffer, b: Buffer, what: () => string) => must(a.equals(b), () => `${what()}: other bytes`)

/** Every backend seals a packet to these bytes, and opens it. */
function agree(
  { version, secret }: { version: reference.Version; secret: Buffer },
  header: Buffer,
  payload: Buffer,
  number: number,
  wanted: Buffer,
): void {
  for (const backend of BACKENDS) {
    const protection = new PacketProtection(secret, { version, backend })
    const packet = unsealed(header, payload)
    protection.seal(packet, header.length, number)
    expect(packet.equals(wanted)).toBe(true)
    expect(protection.open(packet, offsetOf(header), number - 1)).toBe(number)
    expect(withoutTag(packet).equals(clear(header, payload, number))).toBe(true)
  }
}

test(`${CONNECTIONS * PACKETS} random packets`, () => {
  const random = new Random('quic oracle')
  const tally = { long: 0, short: 0, updates: 0, dropped: 0 } as Record<string, number>
  const count = (what: string) => {
    tally[what] = (tally[what] ?? 0) + 1
  }
  for (let connection = 0; connection < CONNECTIONS; connection++) {
    const bits = SECRET_BYTES[connection % 2] as 32 | 48
    const { version, secret, phases } = randomDirection(random, bits, 2)
    const fromSecret = random.below(3) > 0
    const make = () =>
      BACKENDS.map(backend => {
        const keys = fromSecret ? secret : (phases[0] as reference.Keys)
        return new PacketProtection(keys, { version, backend })
      })
    let senders = make()
    const receivers = make()
    let phase = 0
    let failures = 0
    // Packet numbers rise on each path by itself. Small ones, large ones, and those below 2^53.
    const paths = [0, 1, 0xffffffff, random.bytes(4).readUInt32BE()]
    const first = () => random.pick([0, 2 ** random.below(52), MAX - 9 * PACKETS])
    const last = new Map(paths.map(path => [path, first()]))

    for (let n = 0; n < PACKETS; n++) {
      const update = fromSecret && n === PACKETS / 2
      if (update) {
        for (const sender of senders) must(sender.keyPhase === phase, () => 'the phase of a sender')
        senders = senders.map(sender => sender.nextKeys())
        phase++
        count('updates')
      }
      const kind = update || random.below(2) === 0 ? 'short' : 'long'
      // Where the keys follow the Key Phase bit it must be right; in other headers it is any bit.
      const phaseBits = kind === 'short' && fromSecret ? KEY_PHASE_BIT : 0
      const set = (kind === 'long' ? LONG : 0) | (phase === 1 ? phaseBits : 0)
      const unset = (kind === 'short' ? LONG : 0) | (phase === 0 ? phaseBits : 0)
      const header = randomHeader(random, set, unset)
      const payload = randomPayload(random, header)
      const length = numberLengthOf(header[0] as number)
      const path = random.pick(paths)
      const before = last.get(path) as number
      const number = before + 1 + random.below(before > 2 ** 52 ? 9 : random.pick([1, 100, 2 ** 31]))
      last.set(path, number)
      count(kind)
      count(`${length} bytes of number, ${bits}`)
      const what = () =>
        `${kind} packet ${connection}.${n}, number ${number} in ${length} bytes, path ${path}`
      const keys = phases[phase] as reference.Keys

      const wanted = reference.seal(keys, header, payload, number, path)
      onEach(senders, unsealed(header, payload), random.below(64), (sender, packet) => {
        sender.seal(packet, header.length, number, path)
        same(packet, wanted, () => `${what()}, sealed on ${sender.backend}`)
      })

      // One time in three from a largest number that lets the receiver recover another number.
      const far = () => random.pick([-1, 0, number, Math.max(number - 2 ** random.below(53), -1), MAX])
      const largest = random.below(3) === 0 ? [far()] : []
      for (const from of [...largest, largestNear(random, number, length)]) {
        const read = reference.open(keys.hp, () => keys, wanted, offsetOf(header), from, path)
        if (read === 'not authentic') failures++
        if (typeof read === 'string') count('dropped')
        onEach(receivers, wanted, random.below(64), (receiver, packet) => {
          const got = receiver.open(packet, offsetOf(header), from, path)
          const where = () => `${what()}, opened on ${receiver.backend} from ${from}`
          must(got === (typeof read === 'string' ? -1 : read.number), () => `${where()}: ${got}`)
          if (typeof read === 'string') same(packet, wanted, where)
          else same(withoutTag(packet), Buffer.concat([read.header, read.payload]), where)
        })
      }
    }
    for (const sender of senders) expect(sender.packetsSealed).toBe(PACKETS / (phase + 1))
    for (const receiver of receivers) {
      expect([receiver.keyPhase, receiver.failedOpens]).toEqual([phase, failures])
      receiver.destroy()
    }
    for (const sender of senders) sender.destroy()
  }
  console.log(tally)
  // Each kind of packet must have come up often, or the loop shows less than it says.
  expect(Object.keys(tally)).toHaveLength(12)
  for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(100)
})

test('samples whose last 32-bit word is ffffffff', () => {
  const random = new Random('quic samples')
  for (const bits of SECRET_BYTES) {
    for (const firstByte of [0x40, 0x41, 0x42, 0x43, 0xc0, 0xc1, 0xc2, 0xc3]) {
      for (const sample of [Buffer.alloc(16, 0xff), Buffer.alloc(16).fill(0xff, 12)]) {
        const { version, secret, phases } = randomDirection(random, bits)
        const [keys] = phases as [reference.Keys]
        const header = headerOf(firstByte)
        // The ciphertext of zeros is the keystream, from which the payload with the wanted ciphertext follows.
        const payload = Buffer.alloc(20)
        const skipped = 4 - numberLengthOf(firstByte)
        const keystream = reference.seal(keys, header, payload, 7).subarray(header.length)
        for (let n = 0; n < 16; n++)
          payload[skipped + n] = (keystream[skipped + n] as number) ^ (sample[n] as number)
        const wanted = reference.seal(keys, header, payload, 7)
        expect(wanted.subarray(offsetOf(header) + 4, offsetOf(header) + 20)).toEqual(sample)
        agree({ version, secret }, header, payload, 7, wanted)
      }
    }
  }
})

test('packet numbers at the ends of every window are recovered as RFC 9000 A.3 says', () => {
  const random = new Random('quic windows')
  const { version, secret, phases } = randomDirection(random, 32)
  const [keys] = phases as [reference.Keys]
  const tally = { recovered: 0, other: 0 }
  // The last case of RFC 9000 A.3, both ends of the numbers, and powers of two.
  const largests = [
    0xa82f30ea,
    -1,
    0,
    1,
    126,
    127,
    128,
    254,
    255,
    256,
    2 ** 16,
    2 ** 32 - 2,
    2 ** 32 - 1,
    2 ** 32,
  ]
  const near = [MAX, MAX - 1, MAX - 127, MAX - 128, MAX - 129, MAX - 2 ** 31, MAX - 2 ** 32]
  for (const backend of BACKENDS) {
    const receiver = new PacketProtection(secret, { version, backend })
    let failures = 0
    for (const largest of [...largests, ...near]) {
      for (let length = 1; length <= 4; length++) {
        const half = 256 ** length / 2
        const steps = [-half - 1, -half, 1 - half, -1, 0, 1, half - 1, half, half + 1, 2 * half, -2 * half]
        const numbers = steps.map(step => largest + 1 + step).filter(number => number >= 0 && number <= MAX)
        for (const number of length === 2 && largest === 0xa82f30ea ? [...numbers, 0xa82f9b32] : numbers) {
          const header = headerOf(0x40 | (length - 1))
          const packet = reference.seal(keys, header, Buffer.alloc(3), number)
          const read = reference.open(keys.hp, () => keys, packet, offsetOf(header), largest)
          if (read === 'not authentic') failures++
          if (typeof read === 'string') tally.other++
          else tally.recovered++
          const got = receiver.open(Buffer.from(packet), offsetOf(header), largest)
          expect(got, `${number} after ${largest}`).toBe(typeof read === 'string' ? -1 : number)
        }
      }
    }
    expect(receiver.failedOpens).toBe(failures)
  }
  for (const times of Object.values(tally)) expect(times).toBeGreaterThan(4)
})

test('the numbers 2^53 - 1 and 0 are sealed and opened, with nonces of path 0 and path 2^32 - 1', () => {
  const random = new Random('quic ends')
  for (const bits of SECRET_BYTES) {
    const { version, secret, phases } = randomDirection(random, bits)
    const header = headerOf(0x43)
    for (const [number, path] of [
      [0, 0],
      [0, 2 ** 32 - 1],
      [MAX, 0],
      [MAX, 2 ** 32 - 1],
    ] as const) {
      for (const backend of BACKENDS) {
        const protection = new PacketProtection(secret, { version, backend })
        const packet = unsealed(header, Buffer.of(1))
        protection.seal(packet, header.length, number, path)
        const wanted = reference.seal(phases[0] as reference.Keys, header, Buffer.of(1), number, path)
        expect(packet.equals(wanted)).toBe(true)
        expect(protection.open(packet, offsetOf(header), number - 1, path)).toBe(number)
      }
    }
  }
})

test('the longest packet is sealed and opened, with any part of it as header', () => {
  const random = new Random('quic longest')
  for (const bits of SECRET_BYTES) {
    for (const headerLength of [5, 1200, 65_535 - TAG - 3]) {
      const { version, secret, phases } = randomDirection(random, bits)
      const header = random.bytes(headerLength)
      header[0] = 0xc0
      const payload = random.bytes(65_535 - TAG - headerLength)
      const wanted = reference.seal(phases[0] as reference.Keys, header, payload, 1)
      agree({ version, secret }, header, payload, 1, wanted)
    }
  }
})
