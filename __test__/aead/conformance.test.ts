// The conformance suite for every class with keys of each size on each backend that runs here: thorough for a sixth of them by the
// seed, for all of them with AESGCM_WHOLE=1, and thinned for the others.
import { cpu } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { agreement } from '../conformance/agreement.mjs'
import { CLASSES } from '../conformance/classes.mjs'
import { ALL, conformance, everywhere } from '../conformance/index.mjs'
import { FAULTS, planted } from './faults/planted.js'
import './faults/batches.js'
import './faults/messages.js'
import './faults/pieces.js'
import './faults/rows.js'
import { METHODS } from '../tools/support.js'
import { isTried } from '../tools/whole.js'

const SIXTH = 6

// Agreement takes as long as all other parts: agreement.test.ts runs beside this file.
const parts = ALL.filter(part => part !== agreement)
for (const [n, { name, cases }] of CLASSES.flatMap(subject =>
  everywhere(subject, cpu().backends),
).entries()) {
  describe(name, () => {
    for (const { name, run } of cases(parts, isTried(n, SIXTH))) test(name, run)
  })
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
