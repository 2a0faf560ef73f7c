// The conformance suite, whole, for every class with keys of each size on each backend that runs here.
import { cpu } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { CLASSES } from './conformance/classes.mjs'
import { conformance } from './conformance/index.mjs'
import { FAULTS, planted } from './faults.js'
import { METHODS } from './support.js'

for (const subject of CLASSES) {
  for (const backend of cpu().backends) {
    for (const keyBytes of subject.keyBytes) {
      describe(`${subject.Class.name}, ${backend}, keys of ${keyBytes} bytes`, () => {
        for (const { name, run } of conformance(subject, { backend, keyBytes, thorough: true }))
          test(name, run)
      })
    }
  }
}

/** The names of the cases that fail, of those with this word in their names. */
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
