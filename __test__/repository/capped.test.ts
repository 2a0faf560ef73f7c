// Holds the table of tests that run under AESGCM_CAP (scripts/capped.mjs) to the files: each is in it or left out with a reason.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FILES, LEFT_OUT, PROGRAMS, PROGRAMS_LEFT_OUT } from '../../scripts/capped.mjs'
import { ROOT } from '../tools/support.js'

const files = readdirSync(join(ROOT, '__test__'))
  .filter(name => name.endsWith('.test.ts'))
  .map(name => name.replace('.test.ts', ''))

/** The programs of tests/ that Cargo builds. */
const programs = readdirSync(join(ROOT, 'tests'), { withFileTypes: true }).flatMap(entry => {
  if (entry.isFile()) return entry.name.endsWith('.rs') ? [entry.name.replace('.rs', '')] : []
  return existsSync(join(ROOT, 'tests', entry.name, 'main.rs')) ? [entry.name] : []
})

/** Whether one table has the name, or else the other has one reason for it. A key that ends with - is the start of names. */
function isDecided(name: string, kept: readonly string[], leftOut: object): boolean {
  const reasons = Object.keys(leftOut).filter(key =>
    key.endsWith('-') ? name.startsWith(key) : key === name,
  )
  return kept.includes(name) || reasons.length === 1
}

test.each(files)('%s runs under a cap, or is left out for one reason', name => {
  expect(isDecided(name, FILES, LEFT_OUT)).toBe(true)
})

test.each(programs)('tests/%s runs under a cap, or is left out for one reason', name => {
  expect(isDecided(name, Object.keys(PROGRAMS), PROGRAMS_LEFT_OUT)).toBe(true)
})

test('the table names files and programs that exist', () => {
  expect(files).toEqual(expect.arrayContaining(FILES))
  const begins = (key: string) =>
    files.some(name => (key.endsWith('-') ? name.startsWith(key) : name === key))
  expect(Object.keys(LEFT_OUT).filter(key => !begins(key))).toEqual([])
  expect(programs).toEqual(expect.arrayContaining(Object.keys({ ...PROGRAMS, ...PROGRAMS_LEFT_OUT })))
})

test('a file that asks for the backend taken by default is not left out', () => {
  for (const name of files) {
    const source = readFileSync(join(ROOT, '__test__', `${name}.test.ts`), 'utf8')
    if (/cpu\(\)\.backend\b/.test(source)) expect(FILES, name).toContain(name)
  }
})

test('planted: a file that no table knows, and one with two reasons', () => {
  expect(isDecided('not-there', FILES, LEFT_OUT)).toBe(false)
  expect(isDecided('cli-new', ['arena'], { 'cli-': '', 'cli-new': '' })).toBe(false)
})
