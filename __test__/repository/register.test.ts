// Holds the register of the tests to the files: each has every answer, each row has files, and what a row names is there.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answer, checkedBy, kept, leftToChecks, names, PROGRAMS, REQUIRED, ROWS } from '../register.mjs'
import { ROOT } from '../tools/support.js'

type Rows = typeof ROWS

const files = names()

/** The programs of tests/ that Cargo builds. */
const programs = readdirSync(join(ROOT, 'tests'), { withFileTypes: true }).flatMap(entry => {
  if (entry.isFile()) return entry.name.endsWith('.rs') ? [entry.name.replace('.rs', '')] : []
  return existsSync(join(ROOT, 'tests', entry.name, 'main.rs')) ? [entry.name] : []
})

/** What is wrong with rows about these files. */
function faults(names: readonly string[], rows: Rows): string[] {
  const found: string[] = []
  for (const name of names) {
    const folder = name.replace(/[^/]*$/, '')
    if (folder === '') found.push(`${name}: is in no folder`)
    else if (!Object.hasOwn(rows, folder)) found.push(`${name}: its folder has no row`)
    for (const question of REQUIRED as (keyof Rows[''])[]) {
      try {
        answer(name, question, rows)
      } catch (error) {
        found.push((error as Error).message)
      }
    }
  }
  for (const [key, row] of Object.entries(rows)) {
    const isFolder = key.endsWith('/')
    if (!names.some(name => (isFolder ? name.startsWith(key) : name === key)))
      found.push(`${key}: no such file`)
    for (const question of ['cap', 'windows'] as const)
      if (row[question] === '') found.push(`${key}: "${question}" has no reason`)
    if (isFolder) continue
    const folder = rows[key.replace(/[^/]*$/, '')]
    for (const [question, value] of Object.entries(row))
      if (folder?.[question as keyof typeof row] === value)
        found.push(`${key}: "${question}" is what its folder says`)
  }
  return found
}

test('every file has each answer, and every row is needed', () => {
  expect(faults(files, ROWS)).toEqual([])
})

test.each(files)('%s runs under a cap, or is left out for one reason', name => {
  expect([true, expect.any(String)]).toContainEqual(answer(name, 'cap'))
})

test.each(programs)('tests/%s runs under a cap, or is left out for one reason', name => {
  expect(Object.keys(PROGRAMS)).toContain(name)
})

test('the register names files, programs and folders that exist', () => {
  expect(programs).toEqual(expect.arrayContaining(Object.keys(PROGRAMS)))
  const words = (question: 'lib' | 'src') =>
    new Set(Object.values(ROWS).flatMap(row => (row[question] ?? '').split(' ').filter(Boolean)))
  expect([...words('lib')].filter(folder => !existsSync(join(ROOT, 'lib', folder)))).toEqual([])
  const places = [...words('src')].filter(place => place !== 'kernel')
  expect(
    places.filter(place => ['', '.rs'].every(end => !existsSync(join(ROOT, `src/${place}${end}`)))),
  ).toEqual([])
})

test('a file that `npm test` leaves out is run by a check for such files', async () => {
  // checks/ has no types.
  const { CHECKS } = await import(new URL('../../checks/list.mjs', import.meta.url).href)
  const rows = Object.entries<{ file: string; ci?: string }>(CHECKS).filter(
    ([, { file }]) => file === 'tests.mjs',
  )
  expect(rows.map(([, { ci }]) => ci)).not.toContain(undefined)
  expect(rows.flatMap(([name]) => checkedBy(name)).sort()).toEqual(leftToChecks())
  expect(leftToChecks().filter(name => answer(name, 'cap') === true)).toEqual([])
  for (const [name] of rows) expect(checkedBy(name).length).toBeGreaterThan(3)
})

test('a file that asks for the backend taken by default is not left out', () => {
  const capped = kept('cap')
  for (const name of files) {
    const source = readFileSync(join(ROOT, '__test__', `${name}.test.ts`), 'utf8')
    if (/cpu\(\)\.backend\b/.test(source)) expect(capped, name).toContain(name)
  }
})

test('planted: a file or a folder without a row, an answer that is missing or twice there, a row of no file', () => {
  const without = (key: string) => Object.fromEntries(Object.entries(ROWS).filter(([name]) => name !== key))
  const one = (names: readonly string[], rows: Rows) => expect(faults(names, rows).join('\n'))
  one([...files, 'loose'], ROWS).toContain('loose: is in no folder')
  one([...files, 'new/file'], ROWS).toContain('new/file: its folder has no row')
  one([...files, 'cipher/aead/new'], ROWS).toContain('no row that answers "cap" for cipher/aead/new')
  one(files, without('cli/')).toContain('cli/seal: its folder has no row')
  one(files, without('protocols/quic/keys')).toContain('no row that answers "cap" for protocols/quic/keys')
  one(files, without('documents/manuals')).toContain('"windows" for documents/manuals')
  one(files, { ...ROWS, 'cli/gone': { cap: true } }).toContain('cli/gone: no such file')
  one(files, { ...ROWS, 'cli/seal': { windows: true } }).toContain('"windows" is what its folder says')
  one(files, { ...ROWS, 'cli/': { ...ROWS['cli/'], cap: '' } }).toContain('"cap" has no reason')
  expect(() => answer('new/file', 'windows')).toThrow('has no row that answers "windows" for new/file')
})
