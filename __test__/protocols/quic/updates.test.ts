// Key updates (RFC 9001 6): phases of both sides, reordering, forged phase bits, keys that were dropped.
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { expect, test } from 'vitest'
import * as reference from '../../models/quic.js'
import { must, Random, thrown } from '../../tools/support.js'
import {
  BACKENDS,
  clear,
  headerOf,
  KEY_PHASE_BIT,
  LONG,
  offsetOf,
  randomDirection,
  SECRET_BYTES,
  unsealed,
  withoutTag,
} from './packets.js'

const PAYLOAD = Buffer.from('a payload of a packet')

/** One direction with four phases, a receiver for it, and packets in it that the reference sealed. */
function connection(purpose: string, backend = BACKENDS[0], secretBytes: 32 | 48 = 32) {
  const { version, secret, phases } = randomDirection(new Random(purpose), secretBytes, 5)
  const receiver = new PacketProtection(secret, { version, ...(backend && { backend }) })
  /** A short header whose bit may belong to another phase than its keys. */
  const sealed = (phase: number, number: number, { bit = phase & 1, path = 0 } = {}) => {
    const header = headerOf(0x41 | (bit ? KEY_PHASE_BIT : 0))
    return reference.seal(phases[phase] as reference.Keys, header, PAYLOAD, number, path)
  }
  /** Opens a copy, which must then hold the payload or, after -1, the bytes that it had. */
  const open = (packet: Buffer, largest = 100, path = 0) => {
    const copy = Buffer.from(packet)
    const number = receiver.open(copy, 9, largest, path)
    if (number === -1) must(copy.equals(packet), 'a dropped packet was changed')
    else must(withoutTag(copy).subarray(-PAYLOAD.length).equals(PAYLOAD), 'another payload')
    return number
  }
  return { version, secret, phases, receiver, sealed, open }
}

test('a sender goes from phase to phase, with the header key of the first', () => {
  const random = new Random('quic sender')
  for (const bits of SECRET_BYTES) {
    for (const backend of BACKENDS) {
      const { version, secret, phases } = randomDirection(random, bits, 4)
      let sender = new PacketProtection(secret, { version, backend })
      for (const [phase, keys] of phases.entries()) {
        expect([sender.keyPhase, sender.packetsSealed, sender.keyBits]).toEqual([
          phase,
          0,
          bits === 48 ? 256 : 128,
        ])
        expect(sender.backend).toBe(backend)
        const header = headerOf(phase & 1 ? 0x40 | KEY_PHASE_BIT : 0x40)
        const packet = unsealed(header, PAYLOAD)
        sender.seal(packet, header.length, 10 + phase)
        expect(packet).toEqual(reference.seal(keys, header, PAYLOAD, 10 + phase))
        const before = sender
        sender = sender.nextKeys()
        before.destroy()
      }
    }
  }
})

test('the sender of a phase can go on until it is destroyed', () => {
  const { version, secret, phases } = randomDirection(new Random('quic old sender'), 32, 2)
  const sender = new PacketProtection(secret, { version })
  const next = sender.nextKeys()
  const header = headerOf(0x40)
  for (const [n, one] of [sender, next].entries()) {
    const packet = unsealed(header, PAYLOAD)
    one.seal(packet, header.length, 4)
    expect(packet).toEqual(reference.seal(phases[n] as reference.Keys, header, PAYLOAD, 4))
  }
})

test.each(BACKENDS)('packets that come late after a key update open under the previous keys, %s', backend => {
  for (const bits of SECRET_BYTES) {
    const { receiver, sealed, open } = connection('quic late', backend, bits)
    expect(open(sealed(0, 101))).toBe(101)
    expect(open(sealed(1, 103))).toBe(103)
    expect(receiver.keyPhase).toBe(1)
    expect(open(sealed(0, 102), 103)).toBe(102)
    expect(open(sealed(1, 105), 103)).toBe(105)
    expect(open(sealed(0, 100), 105)).toBe(100)
    expect([receiver.keyPhase, receiver.failedOpens]).toEqual([1, 0])
  }
})

test('RFC 9001 6.4: a packet under previous keys, numbered above one under the current keys, is dropped', () => {
  const { receiver, sealed, open } = connection('quic too high')
  expect(open(sealed(1, 110))).toBe(110)
  // The lowest number under the current keys counts, not the first.
  expect(open(sealed(1, 105), 110)).toBe(105)
  for (const number of [105, 106, 109, 111, 300]) expect(open(sealed(0, number), 110)).toBe(-1)
  expect(open(sealed(0, 104), 110)).toBe(104)
  // Also after packets with higher numbers.
  expect(open(sealed(1, 120), 110)).toBe(120)
  expect(open(sealed(0, 107), 120)).toBe(-1)
  expect(open(sealed(0, 103), 120)).toBe(103)
  // They are authentic, so they are no attempts at a forgery.
  expect([receiver.keyPhase, receiver.failedOpens]).toEqual([1, 0])
})

test('RFC 9001 6.4: a key update that goes backwards is not followed', () => {
  const { receiver, sealed, open } = connection('quic backwards')
  for (const number of [100, 103, 101]) expect(open(sealed(0, number))).toBe(number)
  // Next keys, but a number that is not above all those opened under current keys.
  for (const number of [50, 100, 102, 103]) expect(open(sealed(1, number), 103)).toBe(-1)
  expect([receiver.keyPhase, receiver.failedOpens]).toEqual([0, 0])
  // The packets in flight are opened, in any order, and so is an update that goes forwards.
  for (const number of [104, 102]) expect(open(sealed(0, number), 103)).toBe(number)
  expect(open(sealed(1, 106), 104)).toBe(106)
  expect(open(sealed(0, 105), 106)).toBe(105)
  expect([receiver.keyPhase, receiver.failedOpens]).toEqual([1, 0])
})

test('RFC 9001 6.4: keys open no number at or below those under older keys', () => {
  const { receiver, sealed, open } = connection('quic too low')
  expect(open(sealed(0, 101))).toBe(101)
  expect(open(sealed(1, 110), 101)).toBe(110)
  expect(open(sealed(0, 104), 110)).toBe(104)
  for (const number of [90, 101, 103, 104]) expect(open(sealed(1, number), 110)).toBe(-1)
  expect(open(sealed(1, 105), 110)).toBe(105)
  receiver.dropPreviousKeys()
  for (const number of [90, 104]) expect(open(sealed(1, number), 110)).toBe(-1)
  for (const number of [109, 110]) expect(open(sealed(2, number), 110)).toBe(-1)
  expect(open(sealed(2, 111), 110)).toBe(111)
  // Now the previous keys: above the keys before them, below the current ones.
  for (const number of [104, 111]) expect(open(sealed(1, number), 111)).toBe(-1)
  expect(open(sealed(1, 106), 111)).toBe(106)
  expect([receiver.keyPhase, receiver.failedOpens]).toEqual([2, 0])
})

test('RFC 9001 6.4: in a run, a key update that goes backwards is not followed', () => {
  const { receiver, sealed } = connection('quic backwards in a run')
  const order: [phase: number, number: number][] = [
    [0, 101],
    [0, 103],
    [1, 102],
    [0, 104],
    [1, 106],
    [0, 105],
    [1, 104],
    [0, 107],
  ]
  const run = Buffer.concat(order.map(([phase, number]) => sealed(phase, number)))
  const before = Buffer.from(run)
  const size = run.length / order.length
  expect([...receiver.openRun(run, size, 9, 100)]).toEqual([101, 103, -1, 104, 106, 105, -1, -1])
  expect([receiver.keyPhase, receiver.failedOpens]).toEqual([1, 0])
  for (const dropped of [2, 6, 7]) {
    const at = dropped * size
    expect(run.subarray(at, at + size)).toEqual(before.subarray(at, at + size))
  }
})

test('a path that saw no packet of a key update keeps the order of its keys', () => {
  const { receiver, sealed, open } = connection('quic paths in order')
  expect(open(sealed(0, 40, { path: 1 }), 39, 1)).toBe(40)
  for (const phase of [1, 2]) {
    expect(open(sealed(phase, 100 + phase))).toBe(100 + phase)
    receiver.dropPreviousKeys()
  }
  for (const number of [39, 40]) expect(open(sealed(2, number, { path: 1 }), 40, 1)).toBe(-1)
  // The keys of phase 1 are gone, and the next ones must go on above phase 0, too.
  for (const number of [39, 40]) expect(open(sealed(3, number, { path: 1 }), 40, 1)).toBe(-1)
  expect(open(sealed(3, 41, { path: 1 }), 40, 1)).toBe(41)
  expect(open(sealed(2, 40, { path: 1 }), 41, 1)).toBe(-1)
  expect(receiver.keyPhase).toBe(3)
})

test('every bit that flips in a packet under previous keys, numbered above one under the current keys', () => {
  const { receiver, sealed, open } = connection('quic too high flips')
  expect(open(sealed(1, 110))).toBe(110)
  const packet = sealed(0, 120)
  for (let bit = 0; bit < packet.length * 8; bit++) {
    const copy = Buffer.from(packet)
    copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7))
    must(open(copy, 110) === -1, () => `bit ${bit}`)
  }
  expect(receiver.failedOpens).toBe(packet.length * 8)
})

test('each path has packet numbers of its own, also for previous keys', () => {
  const { receiver, sealed, open } = connection('quic paths')
  expect(open(sealed(1, 5, { path: 1 }), 4, 1)).toBe(5)
  // A late packet of path 0, whose numbers have risen further than those of path 1.
  expect(open(sealed(0, 90), 89)).toBe(90)
  expect(open(sealed(0, 6, { path: 1 }), 5, 1)).toBe(-1)
  expect(open(sealed(0, 4, { path: 1 }), 5, 1)).toBe(4)
  // The next update, on path 0, begins anew on path 1.
  receiver.dropPreviousKeys()
  expect(open(sealed(2, 200), 199)).toBe(200)
  expect(open(sealed(1, 30, { path: 1 }), 29, 1)).toBe(30)
})

test('dropPreviousKeys', () => {
  const { receiver, sealed, open } = connection('quic drop')
  // Has no effect where there are no previous keys.
  receiver.dropPreviousKeys()
  expect(open(sealed(0, 101))).toBe(101)
  receiver.dropPreviousKeys()
  expect(open(sealed(1, 103))).toBe(103)
  expect(open(sealed(0, 102), 103)).toBe(102)
  receiver.dropPreviousKeys()
  expect(receiver.keyPhase).toBe(1)
  expect(open(sealed(0, 102), 103)).toBe(-1)
  receiver.dropPreviousKeys()
  expect(open(sealed(1, 104), 103)).toBe(104)
  expect(open(sealed(2, 105), 104)).toBe(105)
  expect(receiver.keyPhase).toBe(2)
  expect(open(sealed(1, 103), 105)).toBe(103)
})

test('a second key update is followed only when the previous keys are dropped', () => {
  const { receiver, sealed, open } = connection('quic second')
  for (let phase = 1; phase < 4; phase++) {
    const number = 100 + 10 * phase
    expect(open(sealed(phase, number))).toBe(number)
    expect(receiver.keyPhase).toBe(phase)
    expect(open(sealed(phase + 1, number + 1))).toBe(-1)
    expect(receiver.keyPhase).toBe(phase)
    // The packets of the phase before still open.
    expect(open(sealed(phase - 1, number - 1))).toBe(number - 1)
    receiver.dropPreviousKeys()
  }
})

test('forged phase bits change no phase', () => {
  const { receiver, sealed, open } = connection('quic forged')
  const forged = () => {
    const phase = receiver.keyPhase
    // Keys of one phase under the bit of the other, and keys two phases away.
    for (const bit of [0, 1])
      for (let of = 0; of < 5; of++)
        if ((of & 1) !== bit || Math.abs(of - phase) > 1) expect(open(sealed(of, 99, { bit }))).toBe(-1)
    expect(receiver.keyPhase).toBe(phase)
  }
  forged()
  expect(open(sealed(0, 100))).toBe(100)
  forged()
  expect(open(sealed(1, 101))).toBe(101)
  forged()
  receiver.dropPreviousKeys()
  forged()
})

test('long headers have no phase bit: the same bit is reserved there', () => {
  for (const updates of [0, 1]) {
    const { phases, receiver, sealed, open } = connection(`quic long ${updates}`)
    // From here on, the object holds the keys of two phases.
    expect(open(sealed(updates, 50))).toBe(50)
    for (const bit of [0, KEY_PHASE_BIT]) {
      const header = headerOf(LONG | 0x40 | bit)
      const packet = reference.seal(phases[updates] as reference.Keys, header, PAYLOAD, 60)
      expect(receiver.open(packet, offsetOf(header), 50)).toBe(60)
      expect(withoutTag(packet)).toEqual(clear(header, PAYLOAD, 60))
      const other = reference.seal(phases[1 - updates] as reference.Keys, header, PAYLOAD, 61)
      expect(receiver.open(other, offsetOf(header), 60)).toBe(-1)
    }
    expect(receiver.keyPhase).toBe(updates)
  }
})

test('reserved bits come out as they were sealed', () => {
  const { phases, receiver } = connection('quic reserved')
  for (const firstByte of [0x40, 0x48, 0x50, 0x58, 0x18, 0xc4, 0xc8, 0xcc]) {
    const header = headerOf(firstByte)
    const packet = reference.seal(phases[0] as reference.Keys, header, PAYLOAD, 60)
    expect(receiver.open(packet, offsetOf(header), 59)).toBe(60)
    expect(packet[0]).toBe(firstByte)
  }
})

test('an object made from key, iv and header key has no other phase', () => {
  for (const backend of BACKENDS) {
    const { phases, sealed } = connection('quic keys', backend)
    const [keys] = phases as [reference.Keys]
    const protection = new PacketProtection(keys, { backend })
    for (const bit of [0, 1, 0, 1]) {
      expect(protection.open(sealed(0, 101, { bit }), 9, 100)).toBe(101)
      expect(protection.open(sealed(1, 102, { bit }), 9, 100)).toBe(-1)
    }
    protection.dropPreviousKeys()
    expect(protection.keyPhase).toBe(0)
    const error = thrown(() => protection.nextKeys())
    expect([error.constructor, error.code]).toEqual([Error, 'ERR_INVALID_STATE'])
    expect(protection.open(sealed(0, 103), 9, 100)).toBe(103)
  }
})

// A receiver that keeps two key sets, in the words of the manual: it must agree with ours on any order of packets.
test('random packets of neighbouring phases, lost, repeated and in any order', () => {
  const random = new Random('quic order')
  const tally = { opened: 0, dropped: 0, updates: 0, late: 0, backwards: 0 }
  for (let run = 0; run < 60; run++) {
    const { receiver, sealed, open } = connection(`quic order ${run}`, random.pick(BACKENDS))
    let phase = 0
    let previous = false
    // Every packet that was opened, with the keys that opened it: RFC 9001 6.4 compares each pair.
    const opened: { number: number; path: number; of: number }[] = []
    for (let n = 0; n < 60; n++) {
      if (random.below(8) === 0) {
        receiver.dropPreviousKeys()
        previous = false
      }
      const of = Math.min(Math.max(phase - 1 + random.below(3), 0), 4)
      // Numbers rise with the time, so that most updates go forwards.
      const [number, path] = [n + random.below(20), random.below(2)]
      const next = of === phase + 1 && !previous
      const late = of === phase - 1 && previous
      const held = of === phase || next || late
      const inOrder = opened.every(
        other =>
          other.path !== path ||
          other.of === of ||
          (number > other.number ? of > other.of : number < other.number && of < other.of),
      )
      const opens = held && inOrder
      const got = open(sealed(of, number, { path }), 30, path)
      must(got === (opens ? number : -1), () => `run ${run}, packet ${n}: ${got}`)
      if (opens) opened.push({ number, path, of })
      if (opens && next) {
        ;[phase, previous] = [of, true]
        tally.updates++
      }
      tally[opens ? 'opened' : 'dropped']++
      if (held && !inOrder) tally.backwards++
      if (opens && late) tally.late++
      must(receiver.keyPhase === phase, () => `run ${run}, packet ${n}: phase ${receiver.keyPhase}`)
    }
  }
  for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(20)
})
