// The raw functions behind hardware-aes-gcm/shamir, with garbage: a negative number, and never a crash.
import { createRequire } from 'node:module'
import type * as shamir from 'hardware-aes-gcm/shamir'
import { expect, test } from 'vitest'
import { StandIn } from '../tools/stand-in.js'
import { detach, must, Random, thrown } from '../tools/support.js'
import { count } from '../tools/whole.js'
import { bytes, digits, invoke, JUNK, points, reasonOf, records, SHARES } from './functions.js'

const random = new Random('shares of garbage')
const NAMES = Object.keys(SHARES)
const good = (name: string) => SHARES[name]?.() ?? []

test('good arguments, and none', () => {
  for (const name of NAMES) {
    expect(invoke(name, ...good(name)), name).toBe(0)
    expect(reasonOf(invoke(name)), name).toBe('NotBytes')
  }
})

test('memory that is detached, shared, too short or too long, or of two arguments', () => {
  for (const name of NAMES) {
    for (const [i, value] of good(name).entries()) {
      if (!(value instanceof Uint8Array)) continue
      const gave = (other: unknown) => reasonOf(invoke(name, ...good(name).with(i, other)))
      expect(gave(new Uint8Array(new SharedArrayBuffer(value.length))), name).toBe('Shared')
      expect(gave(detach(bytes(value.length))), name).toBe('Detached')
      expect(invoke(name, ...good(name).with(i, bytes(value.length + 1))), name).toBeLessThan(0)
      expect(invoke(name, ...good(name).with(i, bytes(value.length - 1))), name).toBeLessThan(0)
    }
    const memory = bytes(1000)
    const whole = good(name).map(value =>
      value instanceof Uint8Array ? memory.subarray(0, value.length) : value,
    )
    expect(reasonOf(invoke(name, ...whole)), name).toBe('Overlap')
    expect(memory, name).toEqual(bytes(1000))
  }
})

test('whatever step is refused, the library throws the error', () => {
  const standIn = new StandIn()
  const lie = (name: string) =>
    `${name}: (...values) => refusing(${JSON.stringify(name)}) ? -1 - real.reasons.indexOf('Entropy') : real.${name}(...values)`
  standIn.lie(NAMES.map(lie).join())
  let refused = ''
  const place = globalThis as { refusing?: (name: string) => boolean }
  place.refusing = name => name === refused
  const require = createRequire(`${standIn.folder}/`)
  const { splitKey, combineKey, recoverShare } = require('./dist/protocols/shamir/index.cjs') as typeof shamir
  const split = (format: shamir.ShareFormat) =>
    splitKey(bytes(32), { threshold: 2, shares: 4, format }) as string[]
  const [binary, text, hex] = [split('binary'), split('text'), split('horcrux')] as never as [
    Buffer[],
    string[],
    string[],
  ]
  const reading = { format: 'horcrux', threshold: 2 } as const
  const second = binary[1] as Buffer
  second[40] = (second[40] as number) ^ 1
  const wrong = hex.with(1, `2|${'0'.repeat(63)}1`)
  const steps: Record<string, () => unknown> = {
    sharesSplit: () => split('binary'),
    sharesCombine: () => combineKey(text),
    sharesLeaveOut: () => combineKey(binary.slice(0, 3)),
    sharesLocate: () => combineKey(binary),
    sharesRecover: () => recoverShare(text, 9),
    pointsSplit: () => split('horcrux'),
    pointsCombine: () => combineKey(hex, reading),
    pointsLocate: () => combineKey(wrong, reading),
    pointsRecover: () => recoverShare(hex, 9, reading),
    encodeBase32: () => split('text'),
    decodeBase32: () => combineKey(text),
    encodeHex: () => split('horcrux'),
    decodeHex: () => combineKey(hex, reading),
  }
  try {
    for (const name of NAMES) {
      refused = name
      // Of another loading of the package, whose classes are others.
      expect(thrown(steps[name] as () => unknown, name), name).toMatchObject({
        code: 'ERR_AESGCM_RNG_FAILURE',
      })
    }
  } finally {
    delete place.refusing
  }
})

test('sets and texts that are refused', () => {
  const changed = (set: Uint8Array, at: number, value: number) => set.with(at, value)
  const combine = (set: Uint8Array) => reasonOf(invoke('sharesCombine', set, bytes(64)))
  const { length } = records(3)
  for (const at of [0, 1, 2, 3]) expect(combine(changed(records(3), at, 0))).toBe('InvalidShare')
  expect(combine(records(3).subarray(0, length - 1))).toBe('InvalidShare')
  expect(combine(changed(records(3), 84 + 3, 1))).toBe('DuplicateShare')
  expect(combine(changed(records(3), 84 + 2, 3))).toBe('MixedShares')
  expect(combine(records(2).subarray(0, 84))).toBe('TooFewShares')
  expect(combine(bytes(0))).toBe('TooFewShares')
  expect(combine(bytes(84 * 256))).toBe('TooManyShares')
  const set = records(3)
  expect(combine(changed(set, 84 + 60, ~(set[84 + 60] as number)))).toBe('SharesDisagree')
  expect(reasonOf(invoke('sharesLeaveOut', records(4), bytes(64 * 4)))).toBe('Option')
  for (const text of [digits(64).fill(0x47), digits(64).fill(0), digits(64).with(63, 0xc1)]) {
    const target = bytes(32).fill(7)
    expect(reasonOf(invoke('decodeHex', text, target))).toBe('InvalidText')
    expect(target).toEqual(bytes(32))
  }
  for (const text of [digits(140).with(0, 0x61), digits(140).with(139, 0x42), digits(140).with(5, 0x31)]) {
    const target = bytes(87).fill(7)
    expect(reasonOf(invoke('decodeBase32', text, target))).toBe('InvalidText')
    expect(target).toEqual(bytes(87))
  }
})

const CALLS = count(5000, 20_000)

test('garbage', () => {
  const numbers = [0, 1, -1, 0.5, 2, 3, 255, 256, 2 ** 32, 2 ** 53, -0, Number.NaN, Infinity]
  const views = () => [
    ...[random.bytes(84 * random.below(4)), random.bytes(64 * random.below(4)), records(3), points(3)],
    ...[bytes(16), bytes(32), bytes(random.below(300)), new Float64Array(3)],
  ]
  const garbage = (): unknown => random.pick([...numbers, ...views(), ...JUNK])
  let done = 0
  for (let n = 0; n < CALLS; n++) {
    const name = random.pick(NAMES)
    const values = good(name).map(value => (random.below(4) === 0 ? garbage() : value))
    const result = invoke(name, ...values)
    must(typeof result === 'number', () => `call ${n} of ${name} gave ${String(result)}`)
    if (Number(result) < 0)
      must(!['Internal', undefined].includes(reasonOf(result)), () => `call ${n} of ${name} gave ${result}`)
    else done++
  }
  expect(done).toBeGreaterThan(0.15 * CALLS)
})
