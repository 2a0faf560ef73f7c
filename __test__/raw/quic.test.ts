// The raw functions behind the class PacketProtection beyond their handles: lengths, reasons and garbage. A refusal is a negative number,
// and nothing crashes.
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { clear, NUMBER_AT, PACKET_BYTES, sealed } from '../protocols/quic/samples.js'
import { must, Random } from '../tools/support.js'
import { count } from '../tools/whole.js'
import { bytes, create, functionsOf, invoke, JUNK, KINDS, raw, reasonOf } from './functions.js'

const require = createRequire(import.meta.url)
const random = new Random('packets of garbage')

test('keys, IVs, samples and lists of numbers of other lengths', () => {
  for (const length of [0, 15, 17, 24, 33]) {
    expect(reasonOf(create.packets(raw, bytes(length)))).toBe('InvalidKeyLength')
    expect(reasonOf(create.packets(raw, bytes(16), bytes(length)))).toBe('InvalidNonceLength')
    expect(reasonOf(create.packets(raw, bytes(16), bytes(12), bytes(length)))).toBe('InvalidKeyLength')
    const handle = create.packets()
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
  expect(reasonOf(invoke('packetSetNext', create.packets(), bytes(16), bytes(12), arena))).toBe('Option')
  expect(invoke('arenaUsed', arena)).toBe(0)
  const memory = Buffer.alloc(PACKET_BYTES)
  const overlapping = memory.subarray(4, 12)
  const opened = invoke(
    'packetOpenRun',
    create.packets(),
    memory,
    PACKET_BYTES,
    NUMBER_AT,
    -1,
    0,
    overlapping,
  )
  expect(reasonOf(opened)).toBe('Overlap')
})

test('every reason has an error text, except reasons that lib/ rules out', () => {
  const { packetRefusal } = require('../../dist/protocols/quic/refusal.cjs') as {
    packetRefusal: (status: number, names: string[], ...values: unknown[]) => Error
  }
  const values = [{}, clear(), bytes(3), bytes(40), bytes(3)]
  for (const packets of ['packet', 'packets']) {
    const odd = raw.reasons.filter((_, n) =>
      packetRefusal(-(1 + n), ['handle', packets, 'target', 'frame', 'key'], ...values).message.startsWith(
        'internal',
      ),
    )
    // Packets have neither frames nor chunks nor texts, and lib/protocols/quic checks the lengths of keys and IVs.
    const others = odd.filter(
      reason =>
        !/Share|Secret|Text|Surrogate|NotUtf8|Chunk|Invalid(Key|Nonce)Length|^(Frame|Target)TooShort/.test(
          reason,
        ),
    )
    expect(others).toEqual(['Internal', 'Handle', 'Option', 'Cancelled'])
  }
})

const CALLS = count(10_000, 40_000)

test('garbage', () => {
  const arena = invoke('createArena', 9)
  const numbers = [0, 1, -1, 0.5, 4, 7, 20, 2 ** 23, 2 ** 32, 2 ** 53, 2 ** 64, -0, Number.NaN, Infinity]
  const shared = new Uint8Array(new SharedArrayBuffer(40))
  const views = () => [
    ...[bytes(12), bytes(16), bytes(32), clear(), bytes(8 * random.below(4))],
    ...[
      random.bytes(random.below(99)),
      Uint32Array.of(random.below(30), 28 + random.below(60)),
      new Float64Array(3),
    ],
  ]
  const garbage = (): unknown => random.pick([...numbers, ...views(), shared, ...JUNK, arena])
  const calls = functionsOf(KINDS.packets)
  const goods = new Map(calls)
  let handles = [create.packets(), create.packets()]
  let done = 0
  for (let n = 0; n < CALLS; n++) {
    if (n % 2000 === 0) handles = [create.packets(), create.packets(raw, bytes(32), bytes(12), bytes(32))]
    const name = random.pick([
      'packetCreate',
      ...calls.map(([name]) => name).filter(name => name !== 'packetDestroy' || n % 50 === 0),
    ])
    const values = Array.from({ length: random.below(10) }, garbage)
    const good = goods.get(name)?.() ?? []
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
  expect(done).toBeGreaterThan(CALLS / 8)
})
