// Cases: shares that do not belong together, that come twice, or that disagree in horcrux's form.

import * as reference from '../../models/shares.js'
import { must, Random } from '../../tools/support.js'
import {
  corrupted,
  FORMS,
  INVALID,
  inForm,
  MISMATCH,
  names,
  range,
  reading,
  type Share,
  some,
  testCase,
} from './sets.js'

testCase('shares of different splits', api => {
  const random = new Random('different splits')
  for (const form of FORMS) {
    const split = (threshold: number, length = 32) =>
      reference
        .split(
          random.bytes(length),
          threshold,
          range(9).map(n => n + 1),
          random,
        )
        .map(share => inForm(share, form))
    const [a, b, c] = [split(3), split(3), split(3)]
    const mixed = (...list: Share[]) => list
    const read = (list: readonly Share[]) => [() => api.combineKey(list), () => api.recoverShare(list, 9)]
    const at = (list: Share[], n: number) => list[n] as Share
    for (const run of read(mixed(at(a, 0), at(b, 1), at(a, 2), at(a, 3))))
      names(run, MISMATCH, [1], 'one of another')
    for (const run of read(mixed(at(b, 4), at(a, 1), at(c, 6), at(a, 3), at(b, 5), at(a, 0))))
      names(run, MISMATCH, [0, 2, 4], 'two others')
    for (const run of read(mixed(at(a, 0), at(b, 1), at(b, 2), at(a, 3))))
      names(run, MISMATCH, undefined, 'two and two')
    for (const run of read(mixed(at(a, 0), at(b, 1), at(c, 2)))) names(run, MISMATCH, undefined, 'one each')
    for (const run of read(mixed(at(a, 0), at(split(4), 1), at(a, 2))))
      names(run, MISMATCH, [1], 'another threshold')
    for (const run of read(mixed(at(a, 0), at(split(3, 16), 1), at(a, 2))))
      names(run, MISMATCH, [1], 'another length')
    // The same secret, split again: other coefficients.
    const secret = random.bytes(16)
    const [first, again] = [
      api.splitKey(secret, { threshold: 2, shares: 2 }),
      api.splitKey(secret, { threshold: 2, shares: 2 }),
    ]
    names(() => api.combineKey([first[0], again[1]]), MISMATCH, undefined, 'split again')
  }
})

testCase('a share that comes twice is named', api => {
  const random = new Random('twice')
  for (const form of FORMS) {
    const shares = reference
      .split(random.bytes(32), 3, [4, 8, 15, 16, 23], random)
      .map(share => inForm(share, form))
    for (const [first, second] of [
      [0, 1],
      [0, 4],
      [2, 3],
    ] as const) {
      const list = shares.with(second, shares[first] as Share)
      const error = names(() => api.combineKey(list), INVALID, [second], `${first} at ${second}`)
      must(
        new RegExp(`\\b${first}\\b`).test(error.message) && new RegExp(`\\b${second}\\b`).test(error.message),
        error.message,
      )
    }
  }
})

testCase("horcrux's form: surplus shares that disagree", api => {
  const random = new Random('horcrux that disagrees')
  for (const format of ['horcrux', 'horcrux-random'] as const)
    for (const [threshold, count] of [
      [2, 3],
      [2, 4],
      [3, 5],
      [3, 8],
      [5, 9],
    ] as const) {
      const shares = api.splitKey(random.bytes(32), { threshold, shares: count, format }) as string[]
      const options = reading(format, threshold)
      const wrongOnes = (errors: number, change: (y: Buffer) => Buffer) => {
        const wrong = some(errors, count, random)
        const list = shares.map((share, n) => {
          if (!wrong.includes(n)) return share
          const [x, y] = share.split('|') as [string, string]
          return `${x}|${change(Buffer.from(y, 'hex')).toString('hex')}`
        })
        return [wrong, list] as const
      }
      const most = Math.floor((count - threshold) / 2)
      for (let errors = 1; errors <= most; errors++) {
        const [wrong, list] = wrongOnes(errors, y => corrupted(y, 0, random))
        names(() => api.combineKey(list, options), INVALID, wrong, `${errors} of ${count} with ${threshold}`)
      }
      // All of y: of two shares with one byte changed in each, a right one agrees with both in one of 2^24 cases.
      const [, list] = wrongOnes(most + 1, y => random.bytes(y.length))
      names(
        () => api.combineKey(list, options),
        MISMATCH,
        undefined,
        `${most + 1} of ${count} with ${threshold}`,
      )
      names(
        () => api.combineKey(shares, reading(format, threshold - 1 || 1)),
        MISMATCH,
        undefined,
        'a threshold too low',
      )
      const [first, second] = shares as [string, string]
      names(() => api.combineKey([first, second, first], options), INVALID, [2], 'twice')
    }
})
