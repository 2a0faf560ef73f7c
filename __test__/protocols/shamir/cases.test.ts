// The cases of shares with the functions of the package, and with faults planted in them, each of which a case must find.
import { readFileSync } from 'node:fs'
import * as shamir from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import './cases-combining.js'
import './cases-corruption.js'
import './cases-mixing.js'
import './cases-recovering.js'
import './cases-text.js'
import { ROOT } from '../../tools/support.js'
import { SPLITS } from '../../vectors/shares.js'
import { FAULTS, failing } from './faults.js'
import { type Api, CASES } from './sets.js'

const { splitKey, combineKey, recoverShare } = shamir as unknown as Api
const api: Api = { splitKey, combineKey, recoverShare }

describe('the package', () => {
  for (const [name, run] of CASES) test(name, () => run(api))
})

test('docs/formats.md shows five of our answers, all that it shows', () => {
  const document = readFileSync(`${ROOT}docs/formats.md`, 'utf8')
  const answers = SPLITS.flatMap(({ shares }) => shares)
  const shown = document.match(/(?:AGS1(?:-[A-Z2-7]{5}){28})/g) ?? []
  expect(shown).toHaveLength(5)
  for (const text of shown) {
    const answer = answers.find(share => share.text === text)
    expect(document.replace(/\s/g, '')).toContain(answer?.binary.toString('hex') ?? `the share of ${text}`)
  }
})

describe('functions with a fault', () => {
  test.each(FAULTS)('that %s', (_, found, change) => {
    expect(failing({ ...api, ...change(api) }, found)).not.toEqual([])
  })
})
