// Tests how checks/statistics reads the tables of its tools.
import { expect, test } from 'vitest'

// checks/ has no types.
const { ofDieharder, ofEnt, ofRngtest } = await import(
  new URL('../../checks/statistics/judge.mjs', import.meta.url).href
)

const table = (...rows: string[]) => `#=====#
#            dieharder version 3.31.1 Copyright 2003 Robert G. Brown          #
stdin_input_raw|  2.51e+07  |1734255017|
        test_name   |ntup| tsamples |psamples|  p-value |Assessment
${rows.join('\n')}
`
const DNA = '         diehard_dna|   0|   2097152|     100|0.00000000|  FAILED  '
const RUNS = '        diehard_runs|   0|    100000|     100|0.35400000|  PASSED  '
const FAR = '   diehard_birthdays|   0|       100|     100|0.00000001|  FAILED  '

test('a value of dieharder that is far out is a fault', () => {
  expect(ofDieharder(table(RUNS))).toMatchObject({ values: [0.354], fault: '' })
  expect(ofDieharder(table(RUNS, FAR)).fault).toBe('diehard_birthdays 0 p = 1e-8')
})

test('a table that has a suspect test of dieharder alone is read, and not judged', () => {
  expect(ofDieharder(table(DNA))).toMatchObject({ rows: [{ name: 'diehard_dna 0' }], values: [], fault: '' })
})

test('no table at all is an error', () => {
  expect(() => ofDieharder(table())).toThrow('dieharder prints')
  expect(() => ofEnt('', false)).toThrow('ent prints')
  expect(() => ofRngtest('')).toThrow('rngtest prints')
})

test('ent: deviations of bytes', () => {
  const head = '0,File-bytes,Entropy,Chi-square,Mean,Monte-Carlo-Pi,Serial-Correlation\n'
  expect(ofEnt(`${head}1,1000000,7.999,255,127.5,3.14,0\n`, false).fault).toBe('')
  expect(ofEnt(`${head}1,1000000,7.999,255,128.5,3.14,0\n`, false).fault).toBe('mean')
  expect(ofEnt(`${head}1,1000000,7.999,900,127.5,3.14,0.1\n`, false).fault).toBe(
    'chi-square, serial correlation',
  )
})

test('rngtest: eight blocks in ten thousand fail by chance, and neither far more nor far fewer', () => {
  const output = (good: number, bad: number) =>
    `FIPS 140-2 successes: ${good}\nrngtest: FIPS 140-2 failures: ${bad}\n`
  expect(ofRngtest(output(99_920, 80)).fault).toBe('')
  for (const bad of [0, 300]) expect(ofRngtest(output(100_000 - bad, bad)).fault).toMatch('blocks fail')
})
