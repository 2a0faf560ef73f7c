// Cases: every subset at the threshold combines, in every form, and shares of the reference and the package are interchangeable.

import * as reference from '../../models/shares.js'
import { must, Random, refuses } from '../../tools/support.js'
import * as horcrux from '../../vectors/horcrux.js'
import { SPLITS } from '../../vectors/shares.js'
import {
  FORMATS,
  INVALID,
  inForm,
  lengthsOf,
  names,
  randomXs,
  range,
  reading,
  same,
  shuffled,
  subsets,
  testCase,
} from './sets.js'

const element = (hex: string) => reference.elementOf(Buffer.from(hex, 'hex'))

for (const [kind, { secret, coefficients, shares }] of Object.entries({
  compact: horcrux.COMPACT,
  random: horcrux.RANDOM,
})) {
  const options = { format: 'horcrux', threshold: horcrux.THRESHOLD }

  testCase(`horcrux's published ${kind} shares: any three give the secret`, api => {
    for (const some of subsets(shares as readonly string[], horcrux.THRESHOLD))
      same(api.combineKey(some, options), Buffer.from(secret, 'hex'), () => some.join())
    for (const count of [4, 7, 10])
      same(api.combineKey(shares.slice(-count), options), Buffer.from(secret, 'hex'), () => `${count} shares`)
    same(
      api.combineKey(
        shares.map(share => share.toUpperCase()),
        options,
      ),
      Buffer.from(secret, 'hex'),
      () => 'capitals',
    )
  })

  testCase(`horcrux's published ${kind} shares: each is recovered from others`, api => {
    for (const share of shares) {
      const others = (shares as readonly string[]).filter(other => other !== share)
      const [x] = share.split('|') as [string]
      const at = kind === 'compact' ? Number(x) : x
      for (const some of [others.slice(0, 3), others.slice(-3), others, shares])
        must(api.recoverShare(some, at, options) === share, () => `${share} of ${some.join()}`)
    }
  })

  // The package draws its coefficients, so these published ones are checked against the reference.
  testCase(`horcrux's published ${kind} shares: the reference makes the same`, () => {
    for (const share of shares) {
      const { x, y } = reference.point(share)
      must(reference.evaluate(coefficients.map(element), x) === y, share)
    }
  })
}

for (const { secret, threshold, blind, coefficients, shares } of SPLITS) {
  const name = `our answers, ${secret.length} bytes, ${threshold} of ${shares.length}`
  const binaries = shares.map(share => share.binary)
  const xs = binaries.map(share => share[reference.AT.x] as number)

  testCase(`${name}: the reference makes the same`, () => {
    const made = reference.sharesOf(secret, threshold, xs, reference.elementOf(blind), [
      coefficients.secret.map(reference.elementOf),
      coefficients.blind.map(reference.elementOf),
    ])
    for (const [n, share] of shares.entries()) {
      same(made[n] as Buffer, share.binary, () => `share ${n}`)
      must(reference.text(share.binary) === share.text, `text ${n}`)
    }
  })

  testCase(`${name}: any ${threshold} or more give the secret, as bytes, as text and mixed`, api => {
    for (const count of range(shares.length + 1).slice(threshold))
      for (const some of subsets(shares, count)) {
        const forms = [
          some.map(share => share.binary),
          some.map(share => share.text),
          some.map((share, n) => (n % 2 ? share.text : share.binary)),
        ]
        for (const form of forms) same(api.combineKey(form), secret, () => `${form}`)
      }
  })

  testCase(`${name}: each is recovered, in the form of the first share`, api => {
    for (const [n, { binary, text }] of shares.entries()) {
      const others = shares.filter((_, other) => other !== n)
      for (const some of [others.slice(0, threshold), others, shares]) {
        same(
          api.recoverShare(
            some.map(share => share.binary),
            xs[n],
          ) as Buffer,
          binary,
          () => `binary ${n}`,
        )
        must(
          api.recoverShare(
            some.map(share => share.text),
            xs[n],
          ) === text,
          `text ${n}`,
        )
        const mixed = some.map((share, at) => (at === 0 ? share.text : share.binary))
        must(api.recoverShare(mixed, xs[n]) === text, `mixed ${n}`)
      }
    }
    const beyond = api.recoverShare(binaries, 200) as Buffer
    same(api.combineKey([beyond, ...binaries.slice(-threshold + 1)]), secret, () => 'a share at another x')
  })
}

testCase('every subset at the threshold, for up to eight shares in every form', api => {
  const random = new Random('share subsets')
  for (const format of FORMATS)
    for (const length of lengthsOf(format))
      for (let count = 2; count <= 8; count++)
        for (let threshold = 2; threshold <= count; threshold++) {
          const what = `${format}, ${length} bytes, ${threshold} of ${count}`
          const secret = random.bytes(length)
          const shares = api.splitKey(secret, { threshold, shares: count, format })
          must(shares.length === count && new Set(shares.map(String)).size === count, what)
          const options = reading(format, threshold)
          for (const some of subsets(shares, threshold))
            same(api.combineKey(shuffled(some, random), options), secret, () => what)
          for (const some of subsets(shares, threshold - 1))
            if (some.length > 0) {
              const { message } = refuses(() => api.combineKey(some, options), 'ERR_OUT_OF_RANGE', what)
              must(message === `"shares" must have at least ${threshold} shares, got ${some.length}`, message)
            }
          same(api.combineKey(shares, options), secret, () => `${what}, all`)
        }
})

testCase('samples up to 255 of 255', api => {
  const random = new Random('share samples')
  const sizes = [
    [2, 255],
    [3, 255],
    [17, 40],
    [64, 65],
    [100, 200],
    [128, 255],
    [254, 255],
    [255, 255],
  ] as const
  for (const [threshold, count] of sizes)
    for (const format of FORMATS) {
      const secret = random.bytes(32)
      const shares = api.splitKey(secret, { threshold, shares: count, format })
      const some = shuffled(shares, random).slice(0, threshold)
      same(
        api.combineKey(some, reading(format, threshold)),
        secret,
        () => `${format}: ${threshold} of ${count}`,
      )
      same(api.combineKey(shares, reading(format, threshold)), secret, () => `${format}: all of ${count}`)
    }
})

testCase('a threshold of one, where it is allowed: each share gives the secret alone', api => {
  const random = new Random('threshold one')
  for (const format of FORMATS)
    for (const count of [1, 2, 255]) {
      const secret = random.bytes(32)
      const shares = api.splitKey(secret, { threshold: 1, shares: count, format, allowThresholdOne: true })
      for (const share of shares) same(api.combineKey([share], reading(format, 1)), secret, () => format)
      same(api.combineKey(shares, reading(format, 1)), secret, () => `${format}, all`)
    }
})

testCase('the reference reads the shares of the package', api => {
  const random = new Random('shares for the reference')
  for (const format of ['binary', 'text'] as const)
    for (const length of lengthsOf(format))
      for (const [threshold, count] of [
        [2, 2],
        [2, 5],
        [5, 9],
        [12, 12],
        [40, 60],
      ] as const) {
        const secret = random.bytes(length)
        const shares = api.splitKey(secret, { threshold, shares: count, format })
        const binaries = shares.map(share => (typeof share === 'string' ? reference.binaryOf(share) : share))
        const what = () => `${format}, ${length} bytes, ${threshold} of ${count}`
        for (const [n, share] of binaries.entries()) {
          const { x, ...header } = reference.parsed(share)
          must(x === n + 1 && header.length === length && header.threshold === threshold, what)
        }
        same(reference.combine(shuffled(binaries, random).slice(0, threshold)), secret, what)
        same(reference.combine(binaries), secret, what)
      }
  for (const format of ['horcrux', 'horcrux-random'] as const) {
    const secret = random.bytes(32)
    const shares = api.splitKey(secret, { threshold: 4, shares: 9, format }) as string[]
    const pattern = format === 'horcrux' ? /^[1-9]\|[0-9a-f]{64}$/ : /^[0-9a-f]{64}\|[0-9a-f]{64}$/
    for (const share of shares) must(pattern.test(share), share)
    for (const some of subsets(shares, 4)) {
      const value = reference.interpolate(some.map(reference.point), 0n)
      same(reference.bytesOf(value), secret, () => format)
    }
  }
})

testCase('the package reads the shares of the reference, at any x', api => {
  const random = new Random('shares of the reference')
  for (const format of ['binary', 'text'] as const)
    for (const length of [16, 32])
      for (const [threshold, count] of [
        [2, 2],
        [3, 5],
        [2, 9],
        [16, 16],
        [20, 60],
      ] as const) {
        const secret = random.bytes(length)
        const shares = reference
          .split(secret, threshold, randomXs(count, random), random)
          .map(share => inForm(share, format))
        const what = () => `${format}, ${length} bytes, ${threshold} of ${count}`
        same(api.combineKey(shares), secret, what)
        for (let n = 0; n < 10; n++)
          same(api.combineKey(shuffled(shares, random).slice(0, threshold)), secret, what)
      }
})

testCase('compact and random shares of one polynomial combine', api => {
  const random = new Random('both kinds')
  const coefficients = reference.randomElements(3, random)
  const [secret] = coefficients as [bigint]
  const at = (x: bigint) => reference.evaluate(coefficients, x)
  const x = reference.randomElement(random)
  const shares = [
    reference.compact(7, at(7n)),
    reference.random(x, at(x)),
    reference.random(9n, at(9n)),
    reference.compact(255, at(255n)),
  ]
  for (const some of [...subsets(shares, 3), shares])
    same(
      api.combineKey(some, { format: 'horcrux', threshold: 3 }),
      reference.bytesOf(secret),
      () => `${some}`,
    )
  const twice = [reference.compact(9, at(9n)), ...shares.slice(1)]
  names(() => api.combineKey(twice, { format: 'horcrux', threshold: 3 }), INVALID, [2], 'one x in both forms')
})

testCase('secrets of zeros and ones, and a blind of zeros', api => {
  for (const fill of [0, 0xff])
    for (const format of FORMATS)
      for (const length of lengthsOf(format)) {
        const secret = Buffer.alloc(length, fill)
        const shares = api.splitKey(secret, { threshold: 3, shares: 4, format })
        same(api.combineKey(shares.slice(1), reading(format, 3)), secret, () => `${format}, ${fill}`)
      }
  const zero = reference.sharesOf(Buffer.alloc(16), 3, [1, 2, 3, 4], 0n, [
    [0n, 0n],
    [0n, 0n],
  ])
  same(api.combineKey(zero), Buffer.alloc(16), () => 'all coefficients are 0')
})

// Fewer shares than the threshold tell nothing about a secret: for each secret there is a polynomial through them.
testCase("in horcrux's compact form, t - 1 shares are consistent with any secret", api => {
  const random = new Random('consistent with any secret')
  for (let threshold = 2; threshold <= 8; threshold++) {
    const shares = api.splitKey(random.bytes(32), { threshold, shares: 8, format: 'horcrux' }) as string[]
    for (const known of subsets(shares, threshold - 1))
      for (const other of [Buffer.alloc(32), Buffer.alloc(32, 0xff), random.bytes(32)]) {
        const points = [{ x: 0n, y: reference.elementOf(other) }, ...known.map(reference.point)]
        const x = 200 + random.below(56)
        const last = reference.compact(x, reference.interpolate(points, BigInt(x)))
        same(api.combineKey([...known, last], { format: 'horcrux', threshold }), other, () => known.join())
      }
  }
})
