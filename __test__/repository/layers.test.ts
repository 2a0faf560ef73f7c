// Holds lib/ to its floors: a file imports from its own folder and from floors below. No files of lib/ or of src/ use each other in a circle.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

/** The folders of lib/, from the lowest floor to the highest. Folders on one floor do not know each other. */
const FLOORS = [
  ['cipher/base'],
  ['cipher/files', 'cipher/native'],
  ['cipher/machine'],
  ['cipher/aead'],
  ['protocols/session/bytes', 'values/keyring/keyset'],
  [
    'values/keyring',
    'values/kms',
    'values/legacy',
    'values/passphrase',
    'protocols/quic',
    'protocols/session',
    'protocols/shamir',
    'cipher/siv',
    'protocols/stream',
    'cipher/xaes',
  ],
  ['values/columns', 'values/hybrid'],
  [
    'values/cookie',
    'databases/drizzle',
    'databases/prisma',
    'databases/rotation',
    'databases/sequelize',
    'databases/typeorm',
  ],
  ['cli/frame'],
  ['cli/reading'],
  ['cli/writing'],
  ['cli/secrets'],
  ['cli/databases'],
  ['cli/commands'],
  ['cli'],
]
/** Above all floors: the main entry, whose files lie loose, and the proof that code and manuals agree. */
const ABOVE = ['.', 'contract']

const LIB = join(ROOT, 'lib')
const files = (readdirSync(LIB, { recursive: true }) as string[])
  .map(name => name.replaceAll('\\', '/'))
  .filter(name => statSync(join(LIB, name)).isFile())

const ALL = [...FLOORS, ...ABOVE.map(folder => [folder])]
const floorOf = (folder: string) => ALL.findIndex(floor => floor.includes(folder))

/** The files of lib/ that a file imports, types included, as paths from lib/. */
function importsOf(file: string, source: string): string[] {
  const found = source.matchAll(/(?:from|import|require)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...found]
    .map(([, path]) => posix.join(posix.dirname(file), path as string))
    .filter(path => !path.startsWith('../'))
    .map(path => path.replace(/\.([cm])js$/, '.$1ts'))
}

/** What is wrong with an arrow between two files, if anything. */
function fault(from: string, to: string): string | undefined {
  const [here, there] = [posix.dirname(from), posix.dirname(to)]
  const [floor, other] = [floorOf(here), floorOf(there)]
  if (floor < 0 || other < 0) return `${from} -> ${to}: a folder without a floor`
  if (here !== there && floor <= other) return `${from} -> ${to}: not a floor below`
  return undefined
}

/** A circle of files that import each other, if there is one. */
function circle(arrows: Map<string, string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of arrows.get(file) ?? []) {
      const found = visit(next, [...path, file])
      if (found !== undefined) return found
    }
    done.add(file)
    return undefined
  }
  for (const file of arrows.keys()) {
    const found = visit(file, [])
    if (found !== undefined) return found
  }
  return undefined
}

const arrows = new Map(files.map(file => [file, importsOf(file, readFileSync(join(LIB, file), 'utf8'))]))

test('every import of lib/ goes to a file of the same folder or of a floor below', () => {
  const all = [...arrows].flatMap(([from, to]) => to.map(one => [from, one] as const))
  expect(all.length).toBeGreaterThan(200)
  for (const [, to] of all) expect(files).toContain(to)
  expect(all.flatMap(([from, to]) => fault(from, to) ?? [])).toEqual([])
})

test('no files of lib/ import each other in a circle', () => {
  expect(circle(arrows)).toBeUndefined()
})

test('every folder of lib/ has a floor, every floor has files, and at most four files lie loose', () => {
  const folders = new Set(files.map(file => dirname(file)))
  expect([...folders].sort()).toEqual(ALL.flat().sort())
  expect(files.filter(file => dirname(file) === '.').length).toBeLessThanOrEqual(4)
})

test('planted: an arrow up, one to a neighbour, one to an unknown folder, and a circle', () => {
  expect(fault('cipher/native/refusal.cts', 'cipher/aead/pieces.cts')).toContain('not a floor below')
  expect(fault('protocols/quic/options.cts', 'protocols/shamir/options.cts')).toContain('not a floor below')
  expect(fault('protocols/quic/options.cts', 'new/options.cts')).toContain('without a floor')
  expect(importsOf('quic/a.cts', "import type { A } from '../cli/b.cjs'\nimport('./c.mjs')")).toEqual([
    'cli/b.cts',
    'quic/c.mts',
  ])
  expect(circle(new Map(Object.entries({ a: ['b'], b: ['c'], c: ['b'] })))).toEqual(['b', 'c', 'b'])
})

const SRC = join(ROOT, 'src')
const moduleOf = (file: string) => file.replace(/(?:\/mod)?\.rs$/, '')
const rust = (readdirSync(SRC, { recursive: true }) as string[])
  .map(name => name.replaceAll('\\', '/'))
  .filter(name => name.endsWith('.rs'))
const modules = new Map(rust.map(name => [moduleOf(name), name]))

/** The files of src/ whose items a file names by `super` or `crate`, tests left out; items of a mod.rs belong to its folder. */
function usesOf(file: string, source: string): string[] {
  const code = source.replace(/#\[cfg\(test\)\]\nmod tests.*/s, '').replace(/\/\/.*/g, '')
  const found = code.matchAll(/\b((?:super|crate)(?:::\w+)*)(?:::\{([^;]*?)\})?/g)
  const paths = [...found].flatMap(([, path, list = '']) =>
    list.split(',').map(one => `${path}::${one.trim()}`),
  )
  const used = paths.map(path => {
    const [root, ...names] = path.split('::')
    let at = root === 'crate' ? '' : moduleOf(file).replace(/[^/]*$/, '')
    while (modules.has(`${at}${names[0]}`)) at += `${names.shift()}/`
    return modules.get(at.slice(0, -1)) ?? file
  })
  return used.filter(one => one !== file && !one.endsWith('mod.rs'))
}

test('no files of src/ use each other in a circle', () => {
  const uses = rust.map(file => [file, usesOf(file, readFileSync(join(SRC, file), 'utf8'))] as const)
  expect(uses.flatMap(([, to]) => to).length).toBeGreaterThan(400)
  expect(circle(new Map(uses))).toBeUndefined()
  const planted = 'use super::{state::A, ctr};\nuse crate::key::arena::Arena;'
  expect(usesOf('kernel/aes.rs', planted)).toEqual(['kernel/state.rs', 'kernel/ctr.rs', 'key/arena.rs'])
})
