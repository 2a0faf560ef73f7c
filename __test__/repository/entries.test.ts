// An entry of package.json is in every list of entries, with its manual.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

const read = (file: string) => readFileSync(ROOT + file, 'utf8')
const { exports, typesVersions } = JSON.parse(read('package.json')) as {
  exports: Record<string, object | string>
  typesVersions: { '*': Record<string, unknown> }
}
const NAMES = Object.keys(exports)
  .filter(name => typeof exports[name] !== 'string' && name !== '.')
  .map(name => name.slice(2))

/** What compares code with manuals, tests the manuals, and uses the packed entries; each names an entry as importers do. */
const LISTS = [
  'lib/contract/entries.mts',
  '__test__/documents/manuals.test.ts',
  'checks/package/consumers/consumer.cjs',
  'checks/package/consumers/consumer.mjs',
  'checks/package/consumers/jest/imported.test.mjs',
  'checks/package/consumers/jest/required.test.js',
]
test.each(LISTS)('%s has every entry', file => {
  const named = [...read(file).matchAll(/'hardware-aes-gcm\/(\w+)'/g)].map(([, name]) => name)
  expect([...new Set(named)].sort()).toEqual(NAMES)
})

test('every entry has a manual, whose examples are tested, and types for old compilers', () => {
  expect(readdirSync(`${ROOT}types`).sort()).toEqual(NAMES.map(name => `${name}.d.ts`))
  const tested = [...read('__test__/documents/manuals.test.ts').matchAll(/'types\/(\w+)\.d\.ts'/g)]
  expect(tested.map(([, name]) => name)).toEqual(NAMES)
  expect(Object.keys(typesVersions['*'])).toEqual(NAMES)
})
