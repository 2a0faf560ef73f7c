// QUIC packets: limits of packets and failures, and calls that are refused, which must leave everything as it was.
import { KeyArena } from 'hardware-aes-gcm'
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { expect, test } from 'vitest'
import * as reference from '../../models/quic.js'
import { Random, refuses, thrown } from '../../tools/support.js'
import { BACKENDS, headerOf, randomDirection, unsealed } from './packets.js'

const EXHAUSTED = 'ERR_AESGCM_KEY_EXHAUSTED'
const RANGE = 'ERR_OUT_OF_RANGE'
const TYPE = 'ERR_INVALID_ARG_TYPE'
const OFFSET = 9
const { version, secret, phases } = randomDirection(new Random('quic limits'), 32, 2)
const [KEYS] = phases as [reference.Keys]
const HEADER = headerOf(0x41)
const LENGTH = HEADER.length
const plain = () => unsealed(HEADER, Buffer.alloc(30, 5))
const SIZE = plain().length
const good = (number: number) => reference.seal(KEYS, HEADER, Buffer.alloc(30, 5), number)
const forged = (number: number) => {
  const packet = good(number)
  packet[SIZE - 1] = (packet[SIZE - 1] as number) ^ 1
  return packet
}

test.each(BACKENDS)('maxPackets, %s', backend => {
  const sender = new PacketProtection(secret, { version, backend, maxPackets: 5 })
  for (let n = 0; n < 3; n++) sender.seal(plain(), LENGTH, n, n % 2)
  // A run beyond the limit is refused as a whole; one up to the limit is not.
  const run = Buffer.concat([plain(), plain(), plain()])
  const before = Buffer.from(run)
  refuses(() => sender.sealRun(run, SIZE, LENGTH, 3), EXHAUSTED)
  expect(run).toEqual(before)
  sender.sealRun(run.subarray(SIZE), SIZE, LENGTH, 3)
  expect(sender.packetsSealed).toBe(5)
  for (const path of [0, 1, 9]) {
    const packet = plain()
    refuses(() => sender.seal(packet, LENGTH, 100, path), EXHAUSTED)
    expect(packet).toEqual(plain())
  }
  sender.sealRun(Buffer.alloc(0), SIZE, LENGTH, 200)
  // The limit belongs to the keys, so the next ones begin anew, and under the same limit.
  const next = sender.nextKeys()
  for (let n = 5; n < 10; n++) next.seal(plain(), LENGTH, n)
  refuses(() => next.seal(plain(), LENGTH, 10), EXHAUSTED)
  // It does not stop opening.
  expect(sender.open(good(7), OFFSET, 6)).toBe(7)
})

test.each(BACKENDS)('maxFailures, %s', backend => {
  const receiver = new PacketProtection(secret, { version, backend, maxFailures: 3 })
  const short = Buffer.alloc(OFFSET + 19)
  for (let n = 0; n < 2; n++) {
    expect(receiver.open(forged(n), OFFSET, -1)).toBe(-1)
    // Packets without a sample are not counted.
    expect(receiver.open(short, OFFSET, -1)).toBe(-1)
    expect(receiver.open(good(n), OFFSET, -1)).toBe(n)
  }
  expect(receiver.failedOpens).toBe(2)
  expect(receiver.open(forged(5), OFFSET, 4)).toBe(-1)
  expect(receiver.failedOpens).toBe(3)
  const packet = good(5)
  refuses(() => receiver.open(packet, OFFSET, 4), EXHAUSTED)
  expect(packet).toEqual(good(5))
  expect(receiver.failedOpens).toBe(3)
  // It does not stop sealing.
  receiver.seal(plain(), LENGTH, 0)
})

test('failures are those of the connection: nextKeys takes them along', () => {
  const first = new PacketProtection(secret, { version, maxFailures: 4 })
  for (let n = 0; n < 3; n++) first.open(forged(n), OFFSET, -1)
  const second = first.nextKeys()
  expect([second.failedOpens, second.packetsSealed]).toEqual([3, 0])
  expect(second.open(good(1), OFFSET, -1)).toBe(-1)
  refuses(() => second.open(good(1), OFFSET, -1), EXHAUSTED)
  const third = second.nextKeys()
  expect(third.failedOpens).toBe(4)
  refuses(() => third.open(good(1), OFFSET, -1), EXHAUSTED)
})

test.each(BACKENDS)('openRun stops where the failures are used up, and tells where, %s', backend => {
  const packets = [good(0), forged(1), good(2), forged(3), good(4), forged(5), good(6), good(7)]
  const open = (maxFailures: number, count = packets.length) => {
    const run = Buffer.concat(packets.slice(0, count))
    const receiver = new PacketProtection(secret, { version, backend, maxFailures })
    return { run, receiver, call: () => receiver.openRun(run, SIZE, OFFSET, -1) }
  }
  for (const [maxFailures, stoppedAt] of [
    [1, 2],
    [2, 4],
    [3, 6],
  ] as const) {
    const { run, receiver, call } = open(maxFailures)
    const error = refuses(call, EXHAUSTED) as Error & { stoppedAt?: number }
    expect(error.stoppedAt).toBe(stoppedAt)
    expect(receiver.failedOpens).toBe(maxFailures)
    for (const [n, packet] of packets.entries()) {
      const there = run.subarray(n * SIZE, (n + 1) * SIZE)
      expect(there.equals(packet), `packet ${n}`).toBe(n >= stoppedAt || n % 2 === 1)
    }
    // From then on at the first packet.
    const next = Buffer.concat([good(9), good(10)])
    const again = refuses(() => receiver.openRun(next, SIZE, OFFSET, 8), EXHAUSTED) as typeof error
    expect(again.stoppedAt).toBe(0)
    expect(next).toEqual(Buffer.concat([good(9), good(10)]))
  }
  // A run that ends with the last failure is complete.
  expect([...open(3, 6).call()]).toEqual([0, -1, 2, -1, 4, -1])
  expect([...open(4).call()]).toEqual([0, -1, 2, -1, 4, -1, 6, 7])
})

test('limits: their range and their ceilings of RFC 9001 6.6', () => {
  const make = (options: object) => () => new PacketProtection(secret, { version, ...options })
  for (const bad of [-1, 1.5, Number.NaN, 2 ** 23 + 1, 2 ** 53])
    refuses(make({ maxPackets: bad }), RANGE, `maxPackets ${bad}`)
  for (const bad of [-1, 1.5, Number.NaN, 2 ** 52 + 1, 2 ** 53])
    refuses(make({ maxFailures: bad }), RANGE, `maxFailures ${bad}`)
  for (const name of ['maxPackets', 'maxFailures'])
    for (const bad of ['5', 5n, null, {}]) refuses(make({ [name]: bad }), TYPE, name)
  make({ maxPackets: 2 ** 23, maxFailures: 2 ** 52 })()
})

/** Calls that are refused, each with the packet and its code. `sealed` is the number that the sender has sealed last. */
const sealed = 50
const TOO_LONG = Buffer.alloc(65_536)
const REFUSED: [string, Buffer, (sender: PacketProtection, packet: Buffer) => void, string][] = [
  ['the number sealed last', plain(), (s, p) => s.seal(p, LENGTH, sealed), RANGE],
  ['a number before the last', plain(), (s, p) => s.seal(p, LENGTH, 0), RANGE],
  ['a run from the number sealed last', plain(), (s, p) => s.sealRun(p, SIZE, LENGTH, sealed), RANGE],
  ['a number of 2^53', plain(), (s, p) => s.seal(p, LENGTH, 2 ** 53), RANGE],
  ['a number below 0', plain(), (s, p) => s.seal(p, LENGTH, -1), RANGE],
  ['half a number', plain(), (s, p) => s.seal(p, LENGTH, 60.5), RANGE],
  ['NaN as number', plain(), (s, p) => s.seal(p, LENGTH, Number.NaN), RANGE],
  ['a bigint as number', plain(), (s, p) => s.seal(p, LENGTH, 60n as never), TYPE],
  ['a path of 2^32', plain(), (s, p) => s.seal(p, LENGTH, 60, 2 ** 32), RANGE],
  ['a path below 0', plain(), (s, p) => s.seal(p, LENGTH, 60, -1), RANGE],
  ['a string as path', plain(), (s, p) => s.seal(p, LENGTH, 60, '0' as never), TYPE],
  ['a header without a place for the number', plain(), (s, p) => s.seal(p, 2, 60), RANGE],
  ['no header', plain(), (s, p) => s.seal(p, 0, 60), RANGE],
  ['a header of -1 bytes', plain(), (s, p) => s.seal(p, -1, 60), RANGE],
  ['a header that leaves no place for the tag', plain(), (s, p) => s.seal(p, SIZE - 15, 60), RANGE],
  ['a header of the whole packet', plain(), (s, p) => s.seal(p, SIZE, 60), RANGE],
  ['a header longer than the packet', plain(), (s, p) => s.seal(p, SIZE + 1, 60), RANGE],
  ['a header of 2^32 + 11 bytes', plain(), (s, p) => s.seal(p, 2 ** 32 + LENGTH, 60), RANGE],
  ['an empty packet', Buffer.alloc(0), (s, p) => s.seal(p, LENGTH, 60), RANGE],
  ['a packet of 65 536 bytes', TOO_LONG, (s, p) => s.seal(p, LENGTH, 60), RANGE],
  ['a string as packet', plain(), s => s.seal('packet' as never, LENGTH, 60), TYPE],
  ['packet sizes of 0', plain(), (s, p) => s.sealRun(p, 0, LENGTH, 60), RANGE],
  ['an array of ends', plain(), (s, p) => s.sealRun(p, [SIZE] as never, LENGTH, 60), TYPE],
  ['ends past the run', plain(), (s, p) => s.sealRun(p, Uint32Array.of(SIZE + 1), LENGTH, 60), RANGE],
]

test.each(REFUSED)('seal refuses %s, and does not write', (_, packet, call, code) => {
  for (const backend of BACKENDS) {
    const sender = new PacketProtection(secret, { version, backend })
    sender.sealRun(Buffer.concat([plain(), plain()]), SIZE, LENGTH, sealed - 1)
    const before = Buffer.from(packet)
    refuses(() => call(sender, packet), code)
    expect(packet.equals(before)).toBe(true)
    expect(sender.packetsSealed).toBe(2)
    // The number was not used up.
    sender.seal(plain(), LENGTH, sealed + 1)
  }
})

test('a payload too short for the sample is refused, for every length of the number', () => {
  const sender = new PacketProtection(secret, { version })
  for (let length = 1; length <= 4; length++) {
    const header = headerOf(0x40 | (length - 1))
    for (let payload = 0; payload < 4 - length; payload++) {
      const packet = unsealed(header, Buffer.alloc(payload))
      const before = Buffer.from(packet)
      refuses(() => sender.seal(packet, header.length, 10 * length), RANGE)
      expect(packet).toEqual(before)
    }
    sender.seal(unsealed(header, Buffer.alloc(4 - length)), header.length, 10 * length)
  }
})

test('sealRun refuses a run with one bad packet, names it, and does not write', () => {
  const tooLong = Buffer.alloc(65_536, 0x41)
  const headerTooShort = Buffer.alloc(SIZE, 0x43)
  const payloadTooShort = plain()
    .fill(0x40, 0, 1)
    .subarray(0, LENGTH + 16 + 2)
  for (const [bad, header] of [
    [tooLong, LENGTH],
    [headerTooShort, 4],
    [payloadTooShort, LENGTH],
    [Buffer.alloc(0), LENGTH],
  ] as const) {
    for (const at of [0, 3, 6]) {
      const packets = Array.from({ length: 7 }, (_, n) => (n === at ? bad : plain().fill(0x41, 0, 1)))
      const ends = packets.map((_, n) => Buffer.concat(packets.slice(0, n + 1)).length)
      const run = Buffer.concat(packets)
      const before = Buffer.from(run)
      for (const backend of BACKENDS) {
        const sender = new PacketProtection(secret, { version, backend })
        const error = refuses(() => sender.sealRun(run, Uint32Array.from(ends), header, 0), RANGE)
        expect(error.message).toMatch(new RegExp(`\\b${at}\\b`))
        expect(run.equals(before)).toBe(true)
        expect(sender.packetsSealed).toBe(0)
      }
    }
  }
})

test('sealRun refuses numbers that would pass 2^53 - 1', () => {
  const sender = new PacketProtection(secret, { version })
  const run = Buffer.concat([plain(), plain(), plain()])
  const before = Buffer.from(run)
  refuses(() => sender.sealRun(run, SIZE, LENGTH, Number.MAX_SAFE_INTEGER - 1), RANGE)
  expect(run).toEqual(before)
  sender.sealRun(run, SIZE, LENGTH, Number.MAX_SAFE_INTEGER - 2)
  // After the last number there is no other.
  for (const number of [Number.MAX_SAFE_INTEGER, 0])
    refuses(() => sender.seal(plain(), LENGTH, number), RANGE)
  sender.seal(plain(), LENGTH, 0, 1)
})

test('open and openRun refuse wrong arguments, and do not write', () => {
  const receiver = new PacketProtection(secret, { version })
  const packet = good(3)
  const open = receiver.open.bind(receiver) as (...values: unknown[]) => unknown
  const openRun = receiver.openRun.bind(receiver) as (...values: unknown[]) => unknown
  for (const bad of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    refuses(() => open(packet, bad, 2), RANGE, `offset ${bad}`)
  for (const bad of [-2, 0.5, Number.NaN, 2 ** 53])
    refuses(() => open(packet, OFFSET, bad), RANGE, `largest ${bad}`)
  for (const bad of [-1, 0.5, 2 ** 32]) refuses(() => open(packet, OFFSET, 2, bad), RANGE, `path ${bad}`)
  for (const bad of ['9', 9n, null, undefined]) {
    refuses(() => open(packet, bad, 2), TYPE)
    refuses(() => open(packet, OFFSET, bad), TYPE)
  }
  for (const bad of ['packet', [1, 2], new Uint16Array(30), null]) refuses(() => open(bad, OFFSET, 2), TYPE)
  for (const bad of [0, -1, 1.5]) refuses(() => openRun(packet, bad, OFFSET, 2), RANGE, `ends ${bad}`)
  refuses(() => openRun(packet, Uint32Array.of(SIZE + 1), OFFSET, 2), RANGE)
  refuses(() => openRun(packet, Uint32Array.of(SIZE, SIZE - 1), OFFSET, 2), RANGE)
  for (const bad of ['9', 9n, null, undefined, [SIZE]]) refuses(() => openRun(packet, bad, OFFSET, 2), TYPE)
  expect(packet).toEqual(good(3))
  expect([receiver.failedOpens, receiver.open(packet, OFFSET, 2)]).toEqual([0, 3])
})

test('after destroy, and after the arena is gone', () => {
  const arena = new KeyArena({ keys: 8 })
  const destroyed = new PacketProtection(secret, { version })
  destroyed.seal(plain(), LENGTH, 4)
  destroyed.destroy()
  destroyed.destroy()
  const withArena = new PacketProtection(secret, { version, arena })
  expect(arena.used).toBeGreaterThan(0)
  arena.destroy()
  for (const one of [destroyed, withArena]) {
    expect(one.destroyed).toBe(true)
    const packet = good(3)
    for (const call of [
      () => one.seal(packet, LENGTH, 9),
      () => one.sealRun(packet, SIZE, LENGTH, 9),
      () => one.open(packet, OFFSET, 2),
      () => one.openRun(packet, SIZE, OFFSET, 2),
      () => one.headerProtectionMask(Buffer.alloc(16)),
      () => one.nextKeys(),
    ])
      refuses(call, 'ERR_AESGCM_DESTROYED')
    // A timer may call this when the connection is gone.
    one.dropPreviousKeys()
    expect(packet).toEqual(good(3))
  }
  expect(destroyed.packetsSealed).toBe(1)
  expect(thrown(() => new PacketProtection(secret, { version, arena })).message).not.toBe('')
})

test('a run may end with the largest number, and not go beyond it', () => {
  const largest = Number.MAX_SAFE_INTEGER
  const two = () => Buffer.concat([plain(), plain()])
  refuses(() => new PacketProtection(secret, { version }).sealRun(two(), SIZE, LENGTH, largest), RANGE)
  const run = two()
  new PacketProtection(secret, { version }).sealRun(run, SIZE, LENGTH, largest - 1)
  const reader = new PacketProtection(secret, { version })
  expect(reader.open(run.subarray(SIZE), OFFSET, largest - 1)).toBe(largest)
})
