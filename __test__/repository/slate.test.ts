// The numbers of the slate: two files of lib/cipher/native/, src/node/slate.rs and the tests of the addon must have the same.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

/** The constants of a file that are numbers, by name. */
function numbersIn(file: string, declaration: RegExp): Record<string, number> {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return Object.fromEntries(
    [...source.matchAll(declaration)].map(([, name, value]) => [name as string, Number(value)]),
  )
}

const rust = numbersIn('src/node/slate.rs', /^const (\w+): \w+ = (\d+);/gm)

test('JavaScript and native code agree on words and operations', () => {
  const number = /^(?:export )?const (\w+) = (\d+)$/gm
  const sealed = numbersIn('lib/cipher/native/sealed-calls.cts', number)
  expect(rust).toMatchObject(sealed)
  const lib = { ...numbersIn('lib/cipher/native/slate.cts', number), ...sealed }
  const shared = Object.fromEntries(Object.entries(lib).filter(([name]) => name in rust))
  expect(rust).toMatchObject(shared)
  // What each of them has alone.
  const alone = (mine: object, other: object) => Object.keys(mine).filter(name => !(name in other))
  expect(alone(lib, rust)).toStrictEqual(['REST'])
  expect(alone(rust, lib)).toStrictEqual(['WORDS', 'LOW_BITS'])
  const source = readFileSync(join(ROOT, 'lib/cipher/native/slate.cts'), 'utf8')
  expect(source).toContain(`const LOW_VALUES = 2 ** ${rust.LOW_BITS}\n`)
})

test.each([
  ['slate', 9],
  ['sealed-place', 2],
  ['keyring', 1],
])('the test of the addon raw/%s has the same numbers', (name, count) => {
  const source = readFileSync(join(ROOT, `__test__/raw/${name}.test.ts`), 'utf8')
  const lists = [...source.matchAll(/^const \[([\w, ]+)\] = \[([\d, ]+)\] as const$/gm)]
  const one = [...source.matchAll(/^const (\w+) = (\d+)$/gm)].map(([, name, value]) => [name, Number(value)])
  const many = lists.flatMap(([, names = '', values = '']) => {
    const numbers = values.split(', ').map(Number)
    return names.split(', ').map((name, i) => [name, numbers[i]])
  })
  const used = Object.fromEntries([...one, ...many])
  expect(Object.keys(used)).toHaveLength(count)
  for (const [name, value] of Object.entries(used)) expect(rust[name], name).toBe(value)
})
