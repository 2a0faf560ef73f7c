// Cases: recoverShare gives every share again as it was, and no share at an x that does not exist.

import * as reference from '../../models/shares.js'
import { must, Random, refuses, thrown } from '../../tools/support.js'
import {
  FORMATS,
  INVALID,
  inForm,
  names,
  randomXs,
  range,
  reading,
  type Share,
  same,
  shuffled,
  testCase,
} from './sets.js'

/** What recoverShare takes as x of this share: a number, or the 64 digits of horcrux's random form. */
const xOf = (share: Share): number | string => {
  if (typeof share !== 'string') return share[reference.AT.x] as number
  if (share.startsWith(reference.PREFIX)) return reference.binaryOf(share)[reference.AT.x] as number
  const [x] = share.split('|') as [string]
  return x.length === 64 ? x : Number(x)
}

testCase('every share of a split again, from any others, in every form', api => {
  const random = new Random('recovering')
  for (const format of FORMATS)
    for (const [threshold, count] of [
      [2, 2],
      [2, 4],
      [3, 5],
      [5, 8],
      [9, 20],
      [20, 60],
    ] as const) {
      const shares = api.splitKey(random.bytes(32), { threshold, shares: count, format })
      const options = reading(format, threshold)
      for (const [n, share] of shares.entries()) {
        const others = shuffled(shares.toSpliced(n, 1), random)
        const from = [others.slice(0, Math.max(threshold, 2)), shares]
        if (others.length < threshold) from.shift()
        for (const list of from) {
          const before = list.map(share => (typeof share === 'string' ? share : Buffer.from(share)))
          const made = api.recoverShare(list, xOf(share), options)
          must(typeof made === typeof share, () => `${format}: another form`)
          must(
            Buffer.from(made).equals(Buffer.from(share)),
            () => `${format}, ${threshold} of ${count}: share ${n}`,
          )
          must(
            list.every((share, n) => Buffer.from(share).equals(Buffer.from(before[n] as Share))),
            'an argument changed',
          )
        }
      }
    }
})

testCase('all 255 places, of which only three were given out', api => {
  const random = new Random('places')
  const secret = random.bytes(32)
  const all = reference.split(
    secret,
    3,
    range(255).map(n => n + 1),
    random,
  )
  for (const form of ['binary', 'text'] as const) {
    const few = [all[6], all[100], all[254]].map(share => inForm(share as Buffer, form))
    for (const [n, share] of all.entries()) {
      const made = api.recoverShare(few, n + 1)
      must(Buffer.from(made).equals(Buffer.from(inForm(share, form))), `${form} at ${n + 1}`)
    }
  }
  const constant = reference.elementOf(secret)
  const coefficients = [constant, ...reference.randomElements(2, random)]
  const at = (x: number) => reference.compact(x, reference.evaluate(coefficients, BigInt(x)))
  for (let x = 1; x <= 255; x++)
    must(
      api.recoverShare([3, 2, 1].map(at), x, { format: 'horcrux', threshold: 3 }) === at(x),
      `compact at ${x}`,
    )
  for (let n = 0; n < 20; n++) {
    const few = [reference.randomElement(random), 1n, 255n].map(x =>
      reference.random(x, reference.evaluate(coefficients, x)),
    )
    const x = n === 0 ? (1n << 256n) - 1n : reference.randomElement(random)
    const wanted = reference.random(x, reference.evaluate(coefficients, x))
    for (const digits of [reference.hex(x), reference.hex(x).toUpperCase()])
      must(
        api.recoverShare(few, digits, { format: 'horcrux', threshold: 3 }) === wanted,
        `random at ${digits}`,
      )
    const low = reference.random(200n, reference.evaluate(coefficients, 200n))
    must(api.recoverShare(few, 200, { format: 'horcrux', threshold: 3 }) === low, 'random at a number')
  }
})

testCase('a recovered share combines with others, and the secret stays the same', api => {
  const random = new Random('recovered shares')
  for (const format of ['binary', 'text', 'horcrux'] as const) {
    const secret = random.bytes(32)
    const shares = api.splitKey(secret, { threshold: 4, shares: 6, format })
    const options = reading(format, 4)
    const made = [200, 7, 255].map(x => api.recoverShare(shares, x, options))
    same(api.combineKey([...made, shares[2]], options), secret, () => format)
    same(api.combineKey([...made, ...shares], options), secret, () => `${format}, all`)
  }
})

testCase('x that no share can have', api => {
  const random = new Random('no such x')
  for (const format of FORMATS) {
    const shares = api.splitKey(random.bytes(32), { threshold: 2, shares: 3, format })
    const recover = (x: unknown) => () => api.recoverShare(shares, x, reading(format, 2))
    for (const x of [0, 256, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32 + 1])
      refuses(recover(x), 'ERR_OUT_OF_RANGE', `${format}, ${x}`)
    for (const x of [undefined, null, 4n, {}, [4], true, Buffer.of(4), Buffer.alloc(32, 1)])
      refuses(recover(x), 'ERR_INVALID_ARG_TYPE', `${format}, ${x}`)
    // 64 hex digits are an x in horcrux's form, if they are not 0.
    const digits = random.bytes(32).toString('hex')
    const texts = [
      '',
      '4',
      ' 4',
      digits.slice(1),
      `${digits}0`,
      `g${digits.slice(1)}`,
      `0x${digits.slice(2)}`,
    ]
    texts.push(`ä${digits.slice(1)}`, ` ${digits.slice(1)}`, '0'.repeat(64))
    if (!format.startsWith('horcrux')) texts.push(digits)
    for (const x of texts) {
      const { code } = thrown(recover(x), `${format}, ${x}`)
      must(/^ERR_(INVALID_ARG_(TYPE|VALUE)|OUT_OF_RANGE)$/.test(`${code}`), `${format}, ${x}: ${code}`)
    }
  }
})

testCase('shares that do not verify give no further share', api => {
  const random = new Random('no further share')
  for (const [threshold, count] of [
    [2, 2],
    [3, 3],
    [3, 5],
  ] as const) {
    const shares = reference.split(random.bytes(32), threshold, randomXs(count, random), random)
    const wrong = Buffer.from(shares[0] as Buffer)
    wrong.writeUInt8(wrong.readUInt8(30) ^ 4, 30)
    const list = [wrong, ...shares.slice(1)]
    for (const x of [wrong[3] as number, 1, 255]) {
      const { code } = thrown(() => api.recoverShare(list, x))
      must(code === (count > threshold ? INVALID : 'ERR_AESGCM_SHARES_MISMATCH'), `${count}, ${x}: ${code}`)
    }
    refuses(() => api.recoverShare(shares.slice(1, threshold), 7), 'ERR_OUT_OF_RANGE', 'too few')
  }
  const shares = reference.split(random.bytes(32), 2, [1, 2, 3], random)
  names(() => api.recoverShare([shares[0], shares[1], shares[1]], 7), INVALID, [2], 'twice')
})
