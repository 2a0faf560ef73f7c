// Cases: shares that were changed. Those that can be located are named, and a wrong key never comes out.
import { must, Random } from '../support.js'
import * as reference from './reference.js'
import {
  type Api,
  changed,
  corrupted,
  INVALID,
  inForm,
  MISMATCH,
  names,
  randomXs,
  range,
  reading,
  type Share,
  same,
  shuffled,
  testCase,
} from './sets.js'

const { AT } = reference
const FORMS = ['binary', 'text'] as const

/** `count` numbers below `end`, ascending. */
const some = (count: number, end: number, random: Random) =>
  shuffled(range(end), random)
    .slice(0, count)
    .sort((a, b) => a - b)

/** Both halves of a share, or one of them, changed. */
const KINDS: Record<string, (share: Buffer, random: Random) => Buffer> = {
  secret: (share, random) => corrupted(share, AT.secret, random),
  blind: (share, random) => corrupted(share, AT.blind, random),
  both: (share, random) => corrupted(corrupted(share, AT.secret, random), AT.blind, random),
}
const kinds = Object.values(KINDS)

/** A split of which the shares `wrong` are changed, in a random way each. */
function damaged(threshold: number, count: number, wrong: readonly number[], random: Random, ways = kinds) {
  const secret = random.bytes(random.pick([16, 32]))
  const shares = reference.split(secret, threshold, randomXs(count, random), random)
  return shares.map((share, n) => (wrong.includes(n) ? random.pick(ways)(share, random) : share))
}

/** How many wrong shares are always located. */
const locatable = (threshold: number, count: number) =>
  count === threshold + 1 ? 1 : Math.floor((count - threshold) / 2)

function located(api: Api, shares: readonly Buffer[], wrong: readonly number[], what: string): void {
  for (const form of FORMS) {
    const list = shares.map(share => inForm(share, form))
    names(() => api.combineKey(list), INVALID, wrong, what)
    names(() => api.recoverShare(list, 77), INVALID, wrong, `${what}, recovering`)
  }
}

for (const [kind, change] of Object.entries(KINDS))
  testCase(`as many changed shares as can be located are named: ${kind}`, api => {
    const random = new Random(`located ${kind}`)
    for (let threshold = 1; threshold <= 6; threshold++)
      for (let count = threshold + 1; count <= threshold + 7; count++)
        for (let errors = 1; errors <= locatable(threshold, count); errors++)
          for (let round = 0; round < 3; round++) {
            const wrong = some(errors, count, random)
            const what = `${errors} of ${count} with ${threshold}: ${wrong}`
            located(api, damaged(threshold, count, wrong, random, [change]), wrong, what)
          }
  })

testCase('every byte of a share changed, each is located', api => {
  const random = new Random('every byte')
  for (const count of [4, 5]) {
    const shares = damaged(3, count, [], random)
    for (let at = AT.secret; at < reference.SHARE_BYTES; at++) {
      const wrong = at % count
      const share = shares[wrong] as Buffer
      const bit = 1 << random.below(8)
      const list = shares.with(wrong, changed(share, [at, (share[at] as number) ^ bit]))
      names(() => api.combineKey(list), INVALID, [wrong], `byte ${at} of share ${wrong}`)
    }
  }
})

testCase('values that were exchanged or repeated among shares are located', api => {
  const random = new Random('exchanged values')
  const shares = damaged(3, 7, [], random)
  const withValuesOf = (from: number, to: number) =>
    Buffer.concat([
      (shares[to] as Buffer).subarray(0, AT.secret),
      (shares[from] as Buffer).subarray(AT.secret),
    ])
  located(api, shares.with(1, withValuesOf(4, 1)).with(4, withValuesOf(1, 4)), [1, 4], 'exchanged')
  located(api, shares.with(0, withValuesOf(6, 0)), [0], 'repeated')
  const zero = (at: number) =>
    Buffer.concat([(shares[at] as Buffer).subarray(0, AT.secret), Buffer.alloc(64)])
  located(api, shares.with(2, zero(2)).with(3, zero(3)), [2, 3], 'zero')
  const x = [9, 10, 11, 12, 13].find(x => !shares.some(share => share[AT.x] === x)) as number
  located(api, shares.with(5, changed(shares[5] as Buffer, [AT.x, x])), [5], 'another x')
})

testCase('many changed shares among many', api => {
  const random = new Random('many changed shares')
  for (const [threshold, count] of [
    [2, 40],
    [30, 60],
    [20, 99],
    [2, 255],
    [128, 255],
    [200, 255],
    [253, 255],
    [254, 255],
  ] as const) {
    const most = locatable(threshold, count)
    for (const errors of new Set([1, most >> 1 || 1, most])) {
      const wrong = some(errors, count, random)
      const shares = damaged(threshold, count, wrong, random)
      names(() => api.combineKey(shares), INVALID, wrong, `${errors} of ${count} with ${threshold}`)
    }
  }
})

testCase('more changed shares than can be located: no share is named, and no key comes out', api => {
  const random = new Random('not located')
  for (let threshold = 1; threshold <= 6; threshold++)
    for (let count = threshold; count <= threshold + 7; count++)
      for (
        let errors = (count === threshold ? 0 : locatable(threshold, count)) + 1;
        errors <= count;
        errors++
      ) {
        const wrong = some(errors, count, random)
        const shares = damaged(threshold, count, wrong, random, [KINDS.both as (typeof kinds)[0]])
        for (const form of FORMS) {
          const list = shares.map(share => inForm(share, form))
          const what = `${errors} of ${count} with ${threshold}: ${wrong}`
          names(() => api.combineKey(list), MISMATCH, undefined, what)
          names(() => api.recoverShare(list, 5), MISMATCH, undefined, what)
        }
      }
})

// Such changes cancel at x = 0, so the secret and the check would be right, but other values would be wrong.
testCase('changes that leave the secret as it is are found all the same', api => {
  const random = new Random('changes that cancel')
  for (const [threshold, count] of [
    [2, 3],
    [2, 4],
    [3, 5],
    [2, 6],
    [3, 7],
    [5, 9],
  ] as const) {
    const secret = random.bytes(32)
    const shares = reference.split(secret, threshold, randomXs(count, random), random)
    // A polynomial of a higher degree with the value 0 at x = 0 and at all shares but the wrong ones.
    for (const errors of [2, count - threshold].filter(errors => errors >= 2 && errors <= count)) {
      const wrong = some(errors, count, random)
      const zeros = shares.filter((_, n) => !wrong.includes(n)).map(share => BigInt(share[AT.x] as number))
      const added = (x: bigint) =>
        [0n, ...zeros].reduce((product, zero) => reference.multiply(product, x ^ zero), 1n)
      const list = shares.map(share => {
        const all = reference.parsed(share)
        return reference.binary({ ...all, secret: all.secret ^ added(BigInt(all.x)) })
      })
      const what = `${errors} of ${count} with ${threshold}: ${wrong}`
      same(reference.bytesOf(reference.through(list, 0).secret), secret, () => `the test itself, ${what}`)
      const isNamed = errors <= locatable(threshold, count)
      for (const run of [() => api.combineKey(list), () => api.recoverShare(list, 99)])
        names(run, isNamed ? INVALID : MISMATCH, isNamed ? wrong : undefined, what)
    }
  }
})

testCase('headers that were changed', api => {
  const random = new Random('headers')
  for (const [threshold, count] of [
    [2, 3],
    [3, 5],
    [3, 3],
    [5, 9],
  ] as const)
    for (const length of [16, 32]) {
      const shares = reference.split(random.bytes(length), threshold, randomXs(count, random), random)
      const at = random.below(count)
      const share = shares[at] as Buffer
      const one = (place: number, value: number) => shares.with(at, changed(share, [place, value]))
      const every = (place: number, value: number) => shares.map(share => changed(share, [place, value]))
      const what = `${threshold} of ${count}, ${length} bytes, share ${at}`
      const read = (list: readonly Share[]) => () => api.combineKey(list)
      for (const version of [0, 2, 0x81, 255]) names(read(one(AT.version, version)), INVALID, [at], what)
      for (const bytes of [0, 1, 15, 17, 31, 33, 24, 64, 255])
        names(read(one(AT.length, bytes)), INVALID, [at], what)
      names(read(one(AT.threshold, 0)), INVALID, [at], what)
      names(read(one(AT.x, 0)), INVALID, [at], what)
      const other = 48 - length
      for (let place = AT.check; place < AT.secret; place++)
        names(read(one(place, (share[place] as number) ^ 1)), MISMATCH, [at], `${what}, check ${place}`)
      names(read(one(AT.length, other)), MISMATCH, [at], `${what}, length`)
      names(read(one(AT.threshold, threshold + 1)), MISMATCH, [at], `${what}, threshold`)
      // The same change in all shares: they agree, but do not verify.
      names(read(every(AT.length, other)), MISMATCH, undefined, `${what}, all lengths`)
      names(read(every(AT.threshold, 1)), MISMATCH, undefined, `${what}, all thresholds 1`)
      names(
        read(every(AT.threshold, threshold - 1 || 1)),
        MISMATCH,
        undefined,
        `${what}, all thresholds lower`,
      )
      names(
        read(every(AT.check, (share[AT.check] as number) ^ 1)),
        MISMATCH,
        undefined,
        `${what}, all checks`,
      )
    }
})

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
      const wrongOnes = (errors: number) => {
        const wrong = some(errors, count, random)
        const list = shares.map((share, n) => {
          if (!wrong.includes(n)) return share
          const [x, y] = share.split('|') as [string, string]
          return `${x}|${corrupted(Buffer.from(y, 'hex'), 0, random).toString('hex')}`
        })
        return [wrong, list] as const
      }
      const most = Math.floor((count - threshold) / 2)
      for (let errors = 1; errors <= most; errors++) {
        const [wrong, list] = wrongOnes(errors)
        names(() => api.combineKey(list, options), INVALID, wrong, `${errors} of ${count} with ${threshold}`)
      }
      const [, list] = wrongOnes(most + 1)
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
