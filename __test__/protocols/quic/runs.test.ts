// Runs of QUIC packets: each must have the effect of calls for single packets.
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { expect, test } from 'vitest'
import * as reference from '../../models/quic.js'
import { must, Place, Random, run } from '../../tools/support.js'
import {
  BACKENDS,
  type Direction,
  headerOf,
  KEY_PHASE_BIT,
  randomDirection,
  SECRET_BYTES,
  TAG,
  unsealed,
  withoutTag,
} from './packets.js'

const HEADER = 14
const OFFSET = 9
const MOST = 70
const place = new Place()

/** The sizes of `count` packets, of `least` bytes or more, and the number that gives them as `ends`, if there is one. */
function* shapes(
  random: Random,
  count: number,
  least: number,
): Generator<{ sizes: number[]; every?: number }> {
  yield { sizes: Array.from({ length: count }, () => least + random.below(random.pick([4, 40, 300]))) }
  const every = least + random.pick([0, 1, 20, 64, 100, 250])
  yield { sizes: Array(count).fill(every), every }
  if (count > 0)
    yield { sizes: [...Array(count - 1).fill(every), least + random.below(every - least + 1)], every }
}

/** Where packets of these sizes end: an array, and the number if there is one. */
function* waysOf({ sizes, every }: { sizes: number[]; every?: number }): Generator<Uint32Array | number> {
  let end = 0
  yield Uint32Array.from(sizes, size => {
    end += size
    return end
  })
  if (every !== undefined) yield every
}

test(`sealRun, for runs of 0 to ${MOST} packets`, () => {
  const random = new Random('quic runs sealed')
  for (let count = 0; count <= MOST; count++) {
    const { version, secret } = randomDirection(random, SECRET_BYTES[count % 2] as 32 | 48)
    for (const backend of BACKENDS) {
      const [single, run] = [1, 2].map(() => new PacketProtection(secret, { version, backend })) as [
        PacketProtection,
        PacketProtection,
      ]
      let number = random.pick([0, 250, 65_500, 2 ** 32 - 40])
      for (const shape of shapes(random, count, HEADER + TAG)) {
        const packets = shape.sizes.map(size => {
          const packet = random.bytes(size)
          // The longest number, where the payload is too short for another.
          if (size < HEADER + TAG + 3) packet[0] = (packet[0] as number) | 3
          return packet
        })
        const path = random.pick([undefined, 0, 9])
        for (const ends of waysOf(shape)) {
          const bytes = place.put(Buffer.concat(packets), random.below(64))
          run.sealRun(bytes, ends, HEADER, number, path)
          const sealed = packets.map((packet, n) => {
            const copy = Buffer.from(packet)
            single.seal(copy, HEADER, number + n, path)
            return copy
          })
          must(bytes.equals(Buffer.concat(sealed)), () => `${count} packets, ${backend}: other bytes`)
          must(place.intact, () => `${count} packets, ${backend}: bytes beside the run were written`)
          number += count
        }
      }
      expect(run.packetsSealed).toBe(single.packetsSealed)
    }
  }
})

/** Packets of a connection that updates its keys in the middle. Some are forged, and some are too short. */
function received(
  random: Random,
  { phases }: Direction,
  sizes: readonly number[],
  first: number,
  path?: number,
) {
  const updateAt = random.below(2 * sizes.length + 1)
  return sizes.map((size, n) => {
    if (size < OFFSET + 20) return random.bytes(size)
    const updated = n >= updateAt
    const header = headerOf(0x40 | random.below(4) | (updated ? KEY_PHASE_BIT : 0), { idLength: OFFSET - 1 })
    const payload = random.bytes(size - header.length - TAG)
    const packet = reference.seal(phases[updated ? 1 : 0] as reference.Keys, header, payload, first + n, path)
    if (random.below(6) > 0) return packet
    const at = random.below(size)
    packet[at] = (packet[at] as number) ^ (1 << random.below(8))
    return packet
  })
}

test(`openRun, for runs of 0 to ${MOST} packets, some of them forged or too short`, () => {
  const random = new Random('quic runs opened')
  const tally = { opened: 0, dropped: 0, updates: 0 }
  for (let count = 0; count <= MOST; count++) {
    const direction = randomDirection(random, SECRET_BYTES[count % 2] as 32 | 48, 2)
    const { version, secret } = direction
    for (const backend of BACKENDS) {
      for (const shape of shapes(random, count, OFFSET + random.pick([1, 19, 20, 20, 20]))) {
        const path = random.pick([undefined, 0, 9])
        const first = random.pick([0, 250, 65_500])
        const packets = received(random, direction, shape.sizes, first, path)
        for (const ends of waysOf(shape)) {
          const single = new PacketProtection(secret, { version, backend })
          const run = new PacketProtection(secret, { version, backend })
          let largest = first - 1
          const wanted = packets.map(packet => Buffer.from(packet))
          const numbers = wanted.map(packet => {
            const number = single.open(packet, OFFSET, largest, path)
            largest = Math.max(largest, number)
            tally[number === -1 ? 'dropped' : 'opened']++
            return number
          })
          const bytes = place.put(Buffer.concat(packets), random.below(64))
          const got = run.openRun(bytes, ends, OFFSET, first - 1, path)
          must(got instanceof Float64Array && got.buffer.byteLength === 8 * count, 'numbers of their own')
          expect([...got]).toEqual(numbers)
          must(bytes.equals(Buffer.concat(wanted)), () => `${count} packets, ${backend}: other bytes`)
          must(place.intact, () => `${count} packets, ${backend}: bytes beside the run were written`)
          expect([run.failedOpens, run.keyPhase]).toEqual([single.failedOpens, single.keyPhase])
          tally.updates += run.keyPhase
          single.destroy()
          run.destroy()
        }
      }
    }
  }
  // With one backend there are 153 updates, give or take 13.
  for (const [what, times] of Object.entries(tally))
    expect(times, what).toBeGreaterThan(what === 'updates' ? 50 : 100)
})

/** `count` packets with one byte of packet number, from `first` on. */
function small(keys: reference.Keys, count: number, first: number): Buffer[] {
  const header = headerOf(0x40)
  return Array.from({ length: count }, (_, n) => reference.seal(keys, header, Buffer.alloc(20, n), first + n))
}

test('openRun recovers every number from the largest before it, in the run and before the run', () => {
  const { version, secret, phases } = randomDirection(new Random('quic run windows'), 32)
  const packets = small(phases[0] as reference.Keys, 1000, 300)
  const size = packets[0]?.length as number
  const numbers = packets.map((_, n) => 300 + n)
  for (const backend of BACKENDS) {
    const receiver = new PacketProtection(secret, { version, backend })
    expect([...receiver.openRun(Buffer.concat(packets), size, OFFSET, 299)]).toEqual(numbers)
    // In the other order, too, as far as a byte reaches back.
    const back = Buffer.concat(packets.slice(0, 100).reverse())
    expect([...receiver.openRun(back, size, OFFSET, 299)]).toEqual(numbers.slice(0, 100).reverse())
    // The largest number counts, not the last one: from 300, the last byte of 530 would be that of 274.
    const jumps = [410, 300, 530].map(number => packets[number - 300] as Buffer)
    expect([...receiver.openRun(Buffer.concat(jumps), size, OFFSET, 409)]).toEqual([410, 300, 530])
  }
})

test('openRun takes no number from a packet that is not authentic', () => {
  const { version, secret, phases } = randomDirection(new Random('quic run forged'), 32)
  const [keys] = phases as [reference.Keys]
  // A forgery that claims to be far ahead: behind it, one byte would be recovered as another number.
  const far = reference.seal({ ...keys, key: Buffer.alloc(16, 1) }, headerOf(0x43), Buffer.alloc(17), 5000)
  const packets = small(keys, 6, 0)
  const size = packets[0]?.length as number
  expect(far.length).toBe(size)
  const run = Buffer.concat([...packets.slice(0, 3), far, ...packets.slice(3)])
  for (const backend of BACKENDS) {
    const receiver = new PacketProtection(secret, { version, backend })
    const bytes = Buffer.from(run)
    expect([...receiver.openRun(bytes, size, OFFSET, -1)]).toEqual([0, 1, 2, -1, 3, 4, 5])
    expect(bytes.subarray(3 * size, 4 * size)).toEqual(far)
    expect(withoutTag(bytes).subarray(-20)).toEqual(Buffer.alloc(20, 5))
  }
})

test('openRun follows a key update, and no second one, in one run', () => {
  const { version, secret, phases } = randomDirection(new Random('quic run updates'), 32, 3)
  const packet = (phase: number, number: number) =>
    reference.seal(
      phases[phase] as reference.Keys,
      headerOf(phase & 1 ? 0x44 : 0x40),
      Buffer.alloc(9),
      number,
    )
  const run = [
    packet(0, 1),
    packet(1, 4),
    packet(0, 3),
    packet(2, 6),
    packet(0, 5),
    packet(1, 7),
    packet(0, 2),
  ]
  for (const backend of BACKENDS) {
    const receiver = new PacketProtection(secret, { version, backend })
    const size = run[0]?.length as number
    expect([...receiver.openRun(Buffer.concat(run), size, OFFSET, 0)]).toEqual([1, 4, 3, -1, -1, 7, 2])
    expect(receiver.keyPhase).toBe(1)
    receiver.dropPreviousKeys()
    // The second update would go backwards: number 7 was opened under the keys before it.
    expect([...receiver.openRun(Buffer.concat(run), size, OFFSET, 7)]).toEqual([-1, 4, -1, -1, -1, 7, -1])
    expect(receiver.keyPhase).toBe(1)
    const forwards = Buffer.concat([...run.slice(0, 3), packet(2, 8), ...run.slice(4)])
    expect([...receiver.openRun(forwards, size, OFFSET, 7)]).toEqual([-1, 4, -1, 8, -1, 7, -1])
    expect(receiver.keyPhase).toBe(2)
  }
})

test('a run may have empty packets, which are dropped', () => {
  const { version, secret, phases } = randomDirection(new Random('quic run empty'), 32)
  const packets = small(phases[0] as reference.Keys, 2, 0)
  const size = packets[0]?.length as number
  for (const backend of BACKENDS) {
    const receiver = new PacketProtection(secret, { version, backend })
    const ends = Uint32Array.of(0, 0, size, size, 2 * size, 2 * size)
    expect([...receiver.openRun(Buffer.concat(packets), ends, OFFSET, -1)]).toEqual([-1, -1, 0, -1, 1, -1])
    expect(receiver.failedOpens).toBe(0)
  }
})

test('ends may be a view at any place of its memory', () => {
  const { version, secret, phases } = randomDirection(new Random('quic run ends'), 32)
  const header = headerOf(0x41)
  const payloads = [Buffer.alloc(2), Buffer.alloc(50, 1)]
  const packets = payloads.map(payload => unsealed(header, payload))
  const [first, second] = packets.map(packet => packet.length) as [number, number]
  const ends = Uint32Array.of(7, first, first + second, 1).subarray(1, 3)
  const run = Buffer.concat(packets)
  new PacketProtection(secret, { version }).sealRun(run, ends, header.length, 8)
  const wanted = payloads.map((payload, n) =>
    reference.seal(phases[0] as reference.Keys, header, payload, 8 + n),
  )
  expect(run).toEqual(Buffer.concat(wanted))
  expect([...ends]).toEqual([first, first + second])
})

test('a run of more packets than 2^32 - 1, or than there is memory for their numbers, is refused', () => {
  const script = `
    let overflows = false
    globalThis.ArrayBuffer = class extends ArrayBuffer {
      constructor(bytes) {
        if (overflows) new ArrayBuffer(bytes)
        if (bytes > 2 ** 32) throw new RangeError('no memory')
        super(bytes)
      }
    }
    const { PacketProtection } = await import('hardware-aes-gcm/quic')
    const protection = new PacketProtection(Buffer.alloc(32))
    const packets = new Uint8Array(2 ** 32)
    const open = some => {
      try {
        protection.openRun(some, 1, 1, -1)
      } catch ({ code, message, cause }) {
        console.log(code, message, cause?.message)
      }
    }
    open(packets)
    open(packets.subarray(1))
    overflows = true
    open(packets.subarray(2))`
  expect(run(script)).toEqual({
    status: 0,
    stdout: [
      'ERR_OUT_OF_RANGE "ends" must describe at most 2^32 - 1 packets undefined',
      'ERR_OUT_OF_RANGE the numbers of 4294967295 packets cannot be allocated: open fewer packets in one call no memory',
      'undefined Maximum call stack size exceeded undefined',
      '',
    ].join('\n'),
    stderr: '',
  })
})
