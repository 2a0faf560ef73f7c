// Arguments of hardware-aes-gcm/quic that are refused: wrong types, lengths and numbers, memory that is gone or shared.
import {
  initialSecrets,
  PacketProtection,
  retryIntegrityTag,
  VERSION_1,
  VERSION_2,
  type Version,
} from 'hardware-aes-gcm/quic'
import { describe, expect, test } from 'vitest'
import { disguises, gone, MISSING, NOT_BYTES, shared } from '../../conformance/hostile.mjs'
import { refuses, touchy } from '../../tools/support.js'

const SECRET = Buffer.alloc(32, 7)
const HEADER = 7
const NUMBER_AT = 5

/** A short header of 7 bytes with a packet number of 2, a payload of 20 and 16 free bytes. */
const clear = () =>
  Buffer.concat([Buffer.of(0x41), Buffer.alloc(6, 1), Buffer.alloc(20, 2), Buffer.alloc(16)])
const PACKET_BYTES = clear().length
const protectedPacket = (number = 0) => {
  const packet = clear()
  new PacketProtection(SECRET).seal(packet, HEADER, number)
  return packet
}
const run = (count = 3) => Buffer.concat(Array.from({ length: count }, clear))

const bytes = (length: number) => new Uint8Array(length)
const keys = () => ({ key: bytes(16), iv: bytes(12), hp: bytes(16) })

/** Every argument of bytes: a good value, and a call with another one. */
const BYTES: Record<string, [good: () => Uint8Array, name: string, call: (value: never) => unknown]> = {
  'initialSecrets: id': [() => bytes(8), 'destinationConnectionId', id => initialSecrets(VERSION_1, id)],
  'retryIntegrityTag: id': [
    () => bytes(8),
    'originalDestinationConnectionId',
    id => retryIntegrityTag(VERSION_1, id, bytes(20)),
  ],
  'retryIntegrityTag: packet': [
    () => bytes(20),
    'retryPacketWithoutTag',
    packet => retryIntegrityTag(VERSION_1, bytes(8), packet),
  ],
  'new: key': [() => bytes(16), 'keys.key', key => new PacketProtection({ ...keys(), key })],
  'new: iv': [() => bytes(12), 'keys.iv', iv => new PacketProtection({ ...keys(), iv })],
  'new: hp': [() => bytes(16), 'keys.hp', hp => new PacketProtection({ ...keys(), hp })],
  mask: [() => bytes(16), 'sample', sample => new PacketProtection(SECRET).headerProtectionMask(sample)],
  seal: [clear, 'packet', packet => new PacketProtection(SECRET).seal(packet, HEADER, 0)],
  sealRun: [
    run,
    'packets',
    packets => new PacketProtection(SECRET).sealRun(packets, PACKET_BYTES, HEADER, 0),
  ],
  open: [protectedPacket, 'packet', packet => new PacketProtection(SECRET).open(packet, NUMBER_AT, -1)],
  openRun: [
    protectedPacket,
    'packets',
    packets => new PacketProtection(SECRET).openRun(packets, PACKET_BYTES, NUMBER_AT, -1),
  ],
}
/** Views of shared memory with this length; one of them would grow. */
const sharedOf = (length: number) =>
  [...shared(length)].filter(([, view]) => view.length === length) as [string, Uint8Array][]
const goneOf = (content: Uint8Array) => [...gone(content)] as [string, Uint8Array][]
const disguisesOf = (content: Uint8Array) => [...disguises(content)] as [string, Uint8Array][]
const WRITTEN = ['seal', 'sealRun', 'open', 'openRun']

describe.each(Object.entries(BYTES))('%s', (what, [good, name, call]) => {
  test.each([...NOT_BYTES, ...MISSING])('refuses %s', (_, value) => {
    const { message } = refuses(() => call(value as never), 'ERR_INVALID_ARG_TYPE')
    expect(message).toContain(`"${name}" must be a Uint8Array`)
  })

  test('refuses memory that is gone', () => {
    for (const [how, view] of goneOf(good())) {
      const { message } = refuses(() => call(view as never), 'ERR_AESGCM_DETACHED_BUFFER', how)
      expect(message).toContain(`the memory of "${name}" is gone`)
    }
  })

  test('takes disguised bytes as they are, and runs none of their code', () => {
    const wanted = call(good() as never)
    for (const [, view] of disguisesOf(good())) {
      const made = call(view as never)
      if (!(made instanceof PacketProtection)) expect(made).toEqual(wanted)
    }
  })

  test(WRITTEN.includes(what) ? 'refuses shared memory' : 'reads shared memory once', () => {
    for (const [how, view] of sharedOf(good().length)) {
      if (WRITTEN.includes(what)) refuses(() => call(view as never), 'ERR_AESGCM_SHARED_BUFFER', how)
      else call(view as never)
    }
  })
})

test('a secret may be shared, disguised, and must be there', () => {
  const packet = protectedPacket()
  for (const [, view] of disguisesOf(SECRET))
    expect(new PacketProtection(view).open(Buffer.from(packet), NUMBER_AT, -1)).toBe(0)
  for (const [, view] of sharedOf(32)) {
    view.set(SECRET)
    expect(new PacketProtection(view).open(Buffer.from(packet), NUMBER_AT, -1)).toBe(0)
  }
  for (const [how, view] of goneOf(SECRET)) {
    const { message } = refuses(() => new PacketProtection(view), 'ERR_AESGCM_DETACHED_BUFFER', how)
    expect(message).toContain('the memory of "keys" is gone')
  }
})

const VERSIONS = [0, 2, -1, 1.5, 0x709a50c4, '1', null, undefined, {}, 1n, touchy({})]

test.each(VERSIONS)('version %#', version => {
  const wrong = version as Version
  for (const call of [
    () => initialSecrets(wrong, bytes(8)),
    () => retryIntegrityTag(wrong, bytes(8), bytes(9)),
  ])
    expect(refuses(call, 'ERR_INVALID_ARG_VALUE').message).toContain(
      '"version" must be VERSION_1 or VERSION_2',
    )
})

test('a packet of 65 536 bytes is refused by that length', () => {
  const long = new PacketProtection(SECRET)
  const what = '"packet" must be at most 65535 bytes'
  expect(refuses(() => long.seal(bytes(65_536), 9, 0), 'ERR_OUT_OF_RANGE').message).toBe(what)
})

test.each<[string, (protection: PacketProtection) => unknown]>([
  [
    '"packetNumber" must be larger than every number that was sealed on this path',
    p => p.seal(clear(), 7, 5),
  ],
  [
    '"firstPacketNumber" must be larger than every number that was sealed on this path',
    p => p.sealRun(run(), PACKET_BYTES, 7, 4),
  ],
  [
    '"firstPacketNumber" must let every packet of the run have a number of at most 2^53 - 1',
    p => p.sealRun(run(), PACKET_BYTES, 7, 2 ** 53 - 2),
  ],
  [
    '"headerLength" must be larger than the length of the packet number, which the first byte of "packet" gives: ' +
      'the low two bits and 1',
    p => p.seal(clear(), 2, 9),
  ],
  [
    '"headerLength" must be larger than the length of the packet number, which the first byte of packet 0 of "packets" ' +
      'gives: the low two bits and 1',
    p => p.sealRun(run(), PACKET_BYTES, 2, 9),
  ],
  [
    'packet 1 of "packets" must have at least 4 bytes of packet number and payload, and 16 bytes for the tag',
    p => p.sealRun(run(), Uint32Array.of(PACKET_BYTES, PACKET_BYTES + 20), 7, 9),
  ],
  [
    '"ends" must end within "packets": element 1 is larger than its length',
    p => p.openRun(run(), Uint32Array.of(PACKET_BYTES, 3 * PACKET_BYTES + 1), NUMBER_AT, -1),
  ],
])('%s', (message, call) => {
  const protection = new PacketProtection(SECRET)
  protection.seal(clear(), HEADER, 5)
  expect(refuses(() => call(protection), 'ERR_OUT_OF_RANGE').message).toBe(message)
})

test('lengths of connection ids, Retry packets and samples', () => {
  const retry = (id: number, packet: number) => retryIntegrityTag(VERSION_2, bytes(id), bytes(packet))
  const { message } = refuses(() => initialSecrets(VERSION_1, bytes(21)), 'ERR_OUT_OF_RANGE')
  expect(message).toMatch(/^"destinationConnectionId" must .*20 bytes/)
  const long = refuses(() => retry(21, 30), 'ERR_OUT_OF_RANGE').message
  expect(long).toMatch(/^"originalDestinationConnectionId" must .*at most 20 bytes/)
  refuses(() => retry(8, 65_520), 'ERR_OUT_OF_RANGE')
  for (const [id, packet] of [[0, 0] as const, [20, 65_519] as const])
    expect(retry(id, packet)).toHaveLength(16)
  for (const length of [0, 5, 15, 17, 32])
    refuses(() => new PacketProtection(SECRET).headerProtectionMask(bytes(length)), 'ERR_OUT_OF_RANGE')
})

/** Every argument that is a number, with its bounds and a call with another value. */
const NUMBERS: [
  string,
  least: number,
  most: number,
  call: (protection: PacketProtection, value: never) => unknown,
][] = [
  ['headerLength', 2, 65_535, (p, n) => p.seal(clear(), n, 0)],
  ['headerLength', 2, 65_535, (p, n) => p.sealRun(run(), PACKET_BYTES, n, 0)],
  ['packetNumber', 0, 2 ** 53 - 1, (p, n) => p.seal(clear(), HEADER, n)],
  ['firstPacketNumber', 0, 2 ** 53 - 1, (p, n) => p.sealRun(run(), PACKET_BYTES, HEADER, n)],
  ['packetNumberOffset', 1, 2 ** 53, (p, n) => p.open(protectedPacket(), n, -1)],
  ['packetNumberOffset', 1, 2 ** 53, (p, n) => p.openRun(protectedPacket(), PACKET_BYTES, n, -1)],
  ['largestReceived', -1, 2 ** 53 - 1, (p, n) => p.open(protectedPacket(), NUMBER_AT, n)],
  ['largestReceived', -1, 2 ** 53 - 1, (p, n) => p.openRun(protectedPacket(), PACKET_BYTES, NUMBER_AT, n)],
  ['pathId', 0, 2 ** 32 - 1, (p, n) => p.seal(clear(), HEADER, 0, n)],
  ['pathId', 0, 2 ** 32 - 1, (p, n) => p.sealRun(run(), PACKET_BYTES, HEADER, 0, n)],
  ['pathId', 0, 2 ** 32 - 1, (p, n) => p.open(protectedPacket(), NUMBER_AT, -1, n)],
  ['pathId', 0, 2 ** 32 - 1, (p, n) => p.openRun(protectedPacket(), PACKET_BYTES, NUMBER_AT, -1, n)],
  ['ends', 1, 2 ** 53, (p, n) => p.sealRun(run(), n, HEADER, 0)],
  ['ends', 1, 2 ** 53, (p, n) => p.openRun(protectedPacket(), n, NUMBER_AT, -1)],
]

const POWERS: Record<number, string> = { [2 ** 53]: '2^53', [2 ** 53 - 1]: '2^53 - 1' }

test.each(NUMBERS)('%s, case %#', (name, least, most, call) => {
  const protection = new PacketProtection(SECRET)
  const outside = [least - 1, least + 0.5, Number.NaN, Infinity, -Infinity, -2, 2 ** 64]
  // No number above 2^53 is one above it.
  if (most < 2 ** 53 && name !== 'headerLength') outside.push(most + 1)
  for (const value of outside) {
    if (name === 'headerLength' && Number.isInteger(value) && value >= 0 && value <= 2 ** 53) continue
    const { message } = refuses(() => call(protection, value as never), 'ERR_OUT_OF_RANGE', `${value}`)
    expect(message).toBe(
      `"${name}" must be a whole number from ${least} to ${POWERS[most] ?? most}, got ${value}`,
    )
  }
  const others = ['1', true, 1n, {}, [], Symbol('x'), () => 1, { valueOf: () => 1 }, touchy({})]
  const required = name === 'pathId' ? [] : [undefined, null]
  for (const value of [...others, ...required]) {
    const { message } = refuses(() => call(protection, value as never), 'ERR_INVALID_ARG_TYPE')
    expect(message).toMatch(new RegExp(`^"${name}" must be a`))
  }
  expect([protection.packetsSealed, protection.failedOpens, protection.keyPhase]).toEqual([0, 0, 0])
})

test.each(['Int32Array', 'Uint8Array', 'Float64Array', 'BigUint64Array', 'Array'] as const)(
  'ends as %s',
  name => {
    const ends = new (globalThis[name] as unknown as new (length: number) => never)(2)
    const protection = new PacketProtection(SECRET)
    for (const call of [
      () => protection.sealRun(run(), ends, HEADER, 0),
      () => protection.openRun(run(), ends, NUMBER_AT, -1),
    ])
      expect(refuses(call, 'ERR_INVALID_ARG_TYPE').message).toContain(
        '"ends" must be a Uint32Array or a number',
      )
  },
)
