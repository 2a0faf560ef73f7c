// Cases: shares that were changed. Those that can be located are named, and a wrong key never comes out.

import * as reference from '../../models/shares.js'
import { Random } from '../../tools/support.js'
import {
  type Api,
  changed,
  corrupted,
  FORMS,
  INVALID,
  inForm,
  MISMATCH,
  names,
  randomXs,
  type Share,
  same,
  some,
  testCase,
} from './sets.js'

const { AT } = reference
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
