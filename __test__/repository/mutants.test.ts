// Tests the verdict of checks/mutants on a random sample, and that each file of the binding has tests for its mutants.
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { names, watches } from '../register.mjs'
import { ROOT } from '../tools/support.js'

// checks/ has no types.
const { chance } = await import(new URL('../../checks/mutants/report.mjs', import.meta.url).href)
const { entriesOf, TYPESCRIPT } = await import(
  new URL('../../checks/mutants/explained.mjs', import.meta.url).href
)
const { stepsOf } = await import(new URL('../../checks/mutants/rust-tests.mjs', import.meta.url).href)

test('each file of src/node has tests, which exist', () => {
  for (const file of readdirSync(`${ROOT}src/node`)) {
    const own = names().filter(name => watches(name, `node/${file.replace('.rs', '')}`))
    expect(own, file).not.toEqual([])
    const tried = stepsOf(`src/node/${file}`).map((step: { name: string }) => step.name)
    expect(tried, file).toEqual(['unit', ...own])
  }
})

test('the probability of survivors is that of the binomial distribution', () => {
  expect(chance(0, 12)).toBe(1)
  expect(chance(1, 12)).toBeCloseTo(1 - 0.95 ** 12, 12)
  expect(chance(12, 12)).toBeCloseTo(0.05 ** 12, 12)
  // 1 - 0.95^20 - 20 (0.05) 0.95^19
  expect(chance(2, 20)).toBeCloseTo(0.2641605, 6)
})

test('a sample fails for half of its mutants, and not for the few that chance may bring', () => {
  expect([chance(5, 12) < 1e-4, chance(6, 12) < 1e-4]).toEqual([false, true])
  expect([chance(6, 20) < 1e-4, chance(7, 20) < 1e-4]).toEqual([false, true])
  expect([chance(15, 100) < 1e-4, chance(16, 100) < 1e-4]).toEqual([false, true])
})

const ROW = 'lib/a.cts\n  f: if («a») b becomes true\n    A reason that is a sentence.\n'

test('the explained mutants are read strictly', () => {
  expect(TYPESCRIPT.length).toBeGreaterThan(100)
  expect(entriesOf(ROW, 'a.txt')).toHaveLength(1)
  const wrong = [
    ROW.replace('lib/a.cts', 'a.cts'),
    ROW.replace('lib/a.cts\n', ''),
    ROW.replace('»', ''),
    ROW.replace(' becomes true', ''),
    ROW.replace('    A reason', '  A reason'),
    ROW.replace('sentence.', 'word'),
    ROW.replace(/ {4}.*\n/, ''),
    ROW + ROW,
  ]
  for (const text of wrong)
    expect(() => entriesOf(text, 'a.txt'), text).toThrow('checks/mutants/explained/a.txt')
})
