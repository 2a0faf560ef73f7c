// The agreement of every class with its oracle, the longest part of the conformance suite: thorough as in conformance.test.ts.
import { cpu } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { agreement, shareOf } from '../../conformance/agreement.mjs'
import { CLASSES } from '../../conformance/classes.mjs'
import { everywhere } from '../../conformance/index.mjs'
import { isTried } from '../../tools/whole.js'

for (const [n, { name, cases }] of CLASSES.flatMap(subject =>
  everywhere(subject, cpu().backends),
).entries()) {
  describe(name, () => {
    for (const { name, run } of cases([agreement], isTried(n, 6))) test(name, run)
  })
}

test.each([0, 1, 7, 2 ** 31 - 1])(
  'no length falls between the shares of the turns, with the seed %i',
  seed => {
    const every = Array.from({ length: 2113 }, (_, n) => n)
    const shares = [0, 1, 2, 3].map(turn => shareOf(turn, 4, 2112, seed, false))
    expect(shares.flat().sort((a, b) => a - b)).toEqual(every)
    expect(shareOf(1, 4, 2112, seed, true)).toEqual(every)
  },
)
