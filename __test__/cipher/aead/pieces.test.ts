// Every split of plaintexts of up to 200 bytes into one, two and three pieces, and a part of those into four.
import { cpu } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { Aead } from '../../conformance/aead.mjs'
import { CLASSES } from '../../conformance/classes.mjs'
import { everySplit } from '../../conformance/pieces.mjs'
import { isTried } from '../../tools/whole.js'

/** All 70 million splits into four pieces take a minute. The seed decides which part of them a run takes. */
const STEP = 100
// Every length up to three blocks, since the longer ones take most of the time.
const lengths = Array.from({ length: 201 }, (_, n) => n).filter(n => n <= 48 || isTried(n, 4))

for (const subject of CLASSES) {
  test(`${subject.Class.name}: splits of 0 to 200 bytes`, () => {
    const backend = cpu().backends[0] as string
    const splits = everySplit(new Aead(subject, { keyBytes: 32, backend }), 'start', lengths, STEP)
    // With n cuts, a plaintext of L bytes has C(L + n, n) splits.
    const count = (of: (length: number) => number) => lengths.reduce((sum, length) => sum + of(length), 0)
    const upToThree = count(L => 1 + (L + 1) + ((L + 2) * (L + 1)) / 2)
    const intoFour = count(L => ((L + 3) * (L + 2) * (L + 1)) / 6)
    expect(splits - upToThree - Math.floor(intoFour / STEP)).toBeOneOf([0, 1])
  })
}
