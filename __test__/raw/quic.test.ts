// The raw functions behind the class PacketProtection, under foreign handles and garbage: a negative number, and never a crash.
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { clear, forged, HEADER, NUMBER_AT, PACKET_BYTES, sealed } from '../quic/samples.js'
import { BINARY, KEY, made, must, Random, type Raw, touchy } from '../tools/support.js'

const load = (): Raw => {
  const loaded = { exports: {} as Raw }
  process.dlopen(loaded as unknown as NodeModule, BINARY)
  return loaded.exports
}
const require = createRequire(import.meta.url)
const raw = require(BINARY) as Raw
const random = new Random('packets of garbage')
const bytes = (length: number) => new Uint8Array(length)
const reasonOf = (result: unknown) => raw.reasons[(-Number(result) - 1) & 0xff]
const invoke = (name: string, ...values: unknown[]) => raw[name]?.(...values)
const create = (by = raw, key = bytes(16), iv = bytes(12), hp = bytes(16)) =>
  by.packetCreate?.(2 ** 32, key, iv, hp, 0, 2 ** 23, 2 ** 52, 0, undefined)

/** Arguments that each function takes after a handle. */
const GOOD: Record<string, () => unknown[]> = {
  packetSetNext: () => [bytes(16), bytes(12), undefined],
  packetSeal: () => [clear(), HEADER, 2 ** 53 - 1, undefined],
  packetSealRun: () => [clear(), PACKET_BYTES, HEADER, 2 ** 53 - 1, 5],
  packetOpen: () => [sealed(), NUMBER_AT, -1, 0],
  packetOpenRun: () => [forged(), Uint32Array.of(PACKET_BYTES), NUMBER_AT, -1, undefined, bytes(8)],
  packetMask: () => [bytes(16)],
}
const FACTS = ['packetsSealed', 'failedOpens', 'keyUpdates', 'packetIsDestroyed']
const CALLS = [...Object.keys(GOOD), ...FACTS, 'packetDestroy']

test('handles of other kinds, of another loading, and other values', () => {
  const other = load()
  const key = made(invoke('create', 0, 2 ** 32, KEY, false, false, 2 ** 32, 2 ** 32))
  const foreign = made(create(other))
  const none = [
    undefined,
    null,
    0,
    -1,
    2 ** 53,
    '',
    {},
    [],
    touchy({}),
    key,
    made(invoke('createArena', 1)),
    foreign,
  ]
  for (const name of CALLS)
    for (const handle of none)
      expect(reasonOf(invoke(name, handle, ...(GOOD[name]?.() ?? []))), name).toBe('Handle')
  for (const name of ['messagesEncrypted', 'encryptInPlace', 'destroy', 'arenaUsed', 'destroyArena'])
    expect(reasonOf(invoke(name, made(create()), Buffer.alloc(28))), name).toBe('Handle')
  expect(other.packetSeal?.(foreign, clear(), HEADER, 0), 'its own loading still knows it').toBe(0)
})

test('a destroyed handle', () => {
  const handle = create()
  expect([invoke('packetIsDestroyed', handle), invoke('packetDestroy', handle)]).toEqual([false, 0])
  expect(invoke('packetDestroy', handle)).toBe(0)
  expect(FACTS.map(name => invoke(name, handle))).toEqual([0, 0, 0, true])
  for (const [name, values] of Object.entries(GOOD))
    expect(reasonOf(invoke(name, handle, ...values())), name).toBe('Destroyed')
})

test('keys, IVs, samples and lists of numbers of other lengths', () => {
  for (const length of [0, 15, 17, 24, 33]) {
    expect(reasonOf(create(raw, bytes(length)))).toBe('InvalidKeyLength')
    expect(reasonOf(create(raw, bytes(16), bytes(length)))).toBe('InvalidNonceLength')
    expect(reasonOf(create(raw, bytes(16), bytes(12), bytes(length)))).toBe('InvalidKeyLength')
    const handle = create()
    expect(reasonOf(invoke('packetSetNext', handle, bytes(length), bytes(12)))).toBe('InvalidKeyLength')
    expect(reasonOf(invoke('packetSetNext', handle, bytes(16), bytes(length)))).toBe('InvalidNonceLength')
    expect(reasonOf(invoke('packetMask', handle, bytes(length)))).toBe('Option')
    const packets = sealed()
    const opened = invoke('packetOpenRun', handle, packets, PACKET_BYTES, NUMBER_AT, -1, 0, bytes(length))
    expect(reasonOf(opened)).toBe('Option')
    expect([packets.equals(sealed()), invoke('failedOpens', handle)]).toEqual([true, 0])
  }
  // An arena destroys the objects that it lists, so keys in an arena that does not list their object would stay.
  const arena = invoke('createArena', 3)
  expect(reasonOf(invoke('packetSetNext', create(), bytes(16), bytes(12), arena))).toBe('Option')
  expect(invoke('arenaUsed', arena)).toBe(0)
  const memory = Buffer.alloc(PACKET_BYTES)
  const overlapping = memory.subarray(4, 12)
  const opened = invoke('packetOpenRun', create(), memory, PACKET_BYTES, NUMBER_AT, -1, 0, overlapping)
  expect(reasonOf(opened)).toBe('Overlap')
})

test('a validator that detaches packets inspected before', () => {
  const runs: [string, (packets: Uint8Array) => unknown[], unknown][] = [
    ['packetSealRun', packets => [packets, new Uint32Array(0), HEADER, 0], 0],
    ['packetOpenRun', packets => [packets, new Uint32Array(0), NUMBER_AT, -1, 0, bytes(0)], 0],
    ['packetOpenRun', packets => [packets, PACKET_BYTES, NUMBER_AT, -1, 0, bytes(0)], 0],
  ]
  for (const [name, values, wanted] of runs) {
    const other = load()
    const packets = new Uint8Array(64).fill(7)
    let taken = new ArrayBuffer(0)
    // An empty array of ends is asked twice.
    other.validateWith?.(() => {
      if (taken.byteLength === 0) taken = structuredClone(packets.buffer, { transfer: [packets.buffer] })
    })
    expect(other[name]?.(create(other), ...values(packets)), name).toBe(wanted)
    expect(new Uint8Array(taken), name).toEqual(new Uint8Array(64).fill(7))
  }
})

test('every reason has an error text, except reasons that lib/ rules out', () => {
  const { packetRefusal } = require('../../dist/quic/refusal.cjs') as {
    packetRefusal: (status: number, names: string[], ...values: unknown[]) => Error
  }
  const values = [{}, clear(), bytes(3), bytes(40), bytes(3)]
  for (const packets of ['packet', 'packets']) {
    const odd = raw.reasons.filter((_, n) =>
      packetRefusal(-(1 + n), ['handle', packets, 'target', 'frame', 'key'], ...values).message.startsWith(
        'internal',
      ),
    )
    // Packets have neither frames nor chunks nor texts, and lib/quic checks the lengths of keys and IVs.
    const others = odd.filter(
      reason =>
        !/Share|Secret|Text|Surrogate|NotUtf8|Chunk|Invalid(Key|Nonce)Length|^(Frame|Target)TooShort/.test(
          reason,
        ),
    )
    expect(others).toEqual(['Internal', 'Handle', 'Option', 'Cancelled'])
  }
})

test('garbage, 40 000 times', () => {
  const arena = made(invoke('createArena', 9))
  const numbers = [0, 1, -1, 0.5, 4, 7, 20, 2 ** 23, 2 ** 32, 2 ** 53, 2 ** 64, -0, Number.NaN, Infinity]
  const shared = new Uint8Array(new SharedArrayBuffer(40))
  const trap = () => {
    throw new Error('code of an argument ran')
  }
  const others = [undefined, null, '', {}, [], true, 7n, Symbol('x'), trap, touchy({}), { valueOf: trap }]
  const views = () => [
    ...[bytes(12), bytes(16), bytes(32), clear(), bytes(8 * random.below(4))],
    ...[
      random.bytes(random.below(99)),
      Uint32Array.of(random.below(30), 28 + random.below(60)),
      new Float64Array(3),
    ],
  ]
  const garbage = (): unknown => random.pick([...numbers, ...views(), shared, ...others, arena])
  let handles = [create(), create()]
  let done = 0
  for (let n = 0; n < 40_000; n++) {
    if (n % 2000 === 0) handles = [create(), create(raw, bytes(32), bytes(12), bytes(32))]
    const name = random.pick([
      'packetCreate',
      ...CALLS.filter(name => name !== 'packetDestroy' || n % 50 === 0),
    ])
    const values = Array.from({ length: random.below(10) }, garbage)
    const good = GOOD[name]?.() ?? []
    // Some of the arguments are good ones.
    const mixed =
      random.below(2) === 0 ? values : good.map(value => (random.below(4) === 0 ? garbage() : value))
    const result = invoke(name, ...(name === 'packetCreate' ? values : [random.pick(handles), ...mixed]))
    const kinds = ['number', name === 'packetCreate' ? 'object' : 'boolean']
    must(kinds.includes(typeof result), () => `call ${n} of ${name} gave ${String(result)}`)
    if (typeof result === 'number' && result < 0)
      must(!['Internal', undefined].includes(reasonOf(result)), () => `call ${n} of ${name} gave ${result}`)
    else done++
  }
  expect(done).toBeGreaterThan(5000)
})
