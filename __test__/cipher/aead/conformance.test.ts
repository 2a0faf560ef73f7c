// The conformance suite for every class with keys of each size on each backend that runs here: thorough for a sixth of them by the
// seed, and thinned for the others. The thinned ones try the interface, which is the same code for every backend and key size, once a
// class. With AESGCM_WHOLE=1, all of them are thorough.
import { cpu } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { agreement } from '../../conformance/agreement.mjs'
import { CLASSES } from '../../conformance/classes.mjs'
import { ALL, CIPHER, conformance, everywhere } from '../../conformance/index.mjs'
import { FAULTS, planted } from './faults/planted.js'
import './faults/batches.js'
import './faults/messages.js'
import './faults/pieces.js'
import './faults/rows.js'
import { METHODS } from '../../tools/support.js'
import { isTried, SEED } from '../../tools/whole.js'

const SIXTH = 6

// Agreement takes as long as all other parts: agreement.test.ts runs beside this file.
const [cipher, all] = [CIPHER, ALL].map(parts => parts.filter(part => part !== agreement)) as [
  typeof ALL,
  typeof ALL,
]
let number = 0
for (const subject of CLASSES) {
  const combinations = everywhere(subject, cpu().backends)
  for (const [n, { name, cases }] of combinations.entries()) {
    const thorough = isTried(number++, SIXTH)
    const whole = thorough || n === SEED % combinations.length
    describe(name, () => {
      for (const { name, run } of cases(whole ? all : cipher, thorough)) test(name, run)
    })
  }
}

/** The names of the failing cases, among the cases whose names match `word`. */
const failing = (word: RegExp) =>
  CLASSES.slice(0, 1)
    .flatMap(subject => conformance(subject, { keyBytes: 32 }))
    .filter(({ name }) => word.test(name))
    .filter(({ run }) => {
      try {
        run()
        return false
      } catch {
        return true
      }
    })
    .map(({ name }) => name)

describe('the thinned suite, as other checks run it', () => {
  test('passes a class whose methods are replaced by ones that do the same', () => {
    const same = (original: (...values: unknown[]) => unknown) =>
      function (this: unknown, ...values: unknown[]) {
        return original.apply(this, values)
      }
    planted(Object.keys(METHODS), same, () => expect(failing(/./)).toEqual([]))
  })

  test.each(FAULTS)('fails a class that %s', (_, found, names, replacement) => {
    planted(names, replacement, () => expect(failing(found)).not.toEqual([]))
  })
})
