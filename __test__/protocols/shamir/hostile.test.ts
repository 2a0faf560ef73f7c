// The most expensive lists that an attacker may hand in: 255 shares, of which all, all but one, or as many as can be located are wrong.
import * as shamir from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import * as reference from '../../models/shares.js'
import { Random, refuses } from '../../tools/support.js'
import { type Api, corrupted, INVALID, MISMATCH, names, randomXs, range } from './sets.js'

const api = shamir as unknown as Api
const { AT } = reference

describe('255 shares', () => {
  const random = new Random('255 shares')
  const secret = random.bytes(32)
  const sharesOf = (threshold: number) => reference.split(secret, threshold, randomXs(255, random), random)
  const both = (share: Buffer) => corrupted(corrupted(share, AT.secret, random), AT.blind, random)
  const spoilt = (shares: readonly Buffer[], wrong: readonly number[]) =>
    shares.map((share, n) => (wrong.includes(n) ? both(share) : share))

  test.each([2, 3, 127, 128, 200, 253, 254, 255])('all or all but one corrupted, threshold %i', threshold => {
    const shares = sharesOf(threshold)
    for (const list of [spoilt(shares, range(255)), spoilt(shares, range(254))])
      for (const run of [
        () => api.combineKey(list),
        () => api.recoverShare(list, 1),
        () => api.combineKey(list.map(reference.text)),
      ])
        names(run, MISMATCH, undefined, `threshold ${threshold}`)
  })

  test('one corrupted with a threshold of 254, at both ends and in the middle', () => {
    const shares = sharesOf(254)
    for (const at of [0, 1, 100, 253, 254])
      names(() => api.combineKey(spoilt(shares, [at])), INVALID, [at], `${at}`)
    names(() => api.combineKey(spoilt(shares, [7, 9])), MISMATCH, undefined, 'two')
  })

  test('126 corrupted with a threshold of 2, and one more', () => {
    const shares = sharesOf(2)
    const wrong = range(255)
      .filter(n => n % 2 === 1)
      .slice(0, 126)
    names(() => api.combineKey(spoilt(shares, wrong)), INVALID, wrong, '126')
    names(() => api.combineKey(spoilt(shares, [...wrong, 254])), MISMATCH, undefined, '127')
  })

  test('bytes of zeros, of ones, all alike, and from 255 splits', () => {
    const zeros = range(255).map(n => {
      const share = Buffer.alloc(84)
      share.set([1, 32, 100, n + 1])
      return share
    })
    names(() => api.combineKey(zeros), MISMATCH, undefined, 'values of 0')
    names(
      () => api.combineKey(zeros.map(share => Buffer.concat([share.subarray(0, 4), Buffer.alloc(80, 0xff)]))),
      MISMATCH,
      undefined,
      'ones',
    )
    const first = (list: readonly Buffer[]) =>
      (refuses(() => api.combineKey(list), INVALID) as { index?: number }).index
    expect(first(Array(255).fill(Buffer.alloc(84)))).toBe(0)
    const alike = reference.split(secret, 3, [1], random)[0] as Buffer
    expect(first(Array(255).fill(alike))).toBe(1)
    const splits = range(255).map(n => reference.split(secret, 2, [n + 1], random)[0] as Buffer)
    names(() => api.combineKey(splits), MISMATCH, undefined, 'splits of their own')
  })

  test("horcrux's: all or all but one corrupted", () => {
    for (const threshold of [2, 100, 254, 255]) {
      const coefficients = reference.randomElements(threshold, random)
      const list = range(255).map(n => {
        const y = reference.evaluate(coefficients, BigInt(n + 1))
        return reference.compact(n + 1, n === 7 ? y : reference.randomElement(random))
      })
      const run = () => api.combineKey(list, { format: 'horcrux', threshold })
      // As many shares as the threshold: nothing tells that they are wrong.
      if (threshold === 255) run()
      else names(run, MISMATCH, undefined, `threshold ${threshold}`)
    }
  })
})
