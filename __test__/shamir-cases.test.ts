// The cases of shares with the functions of the package, and with faults planted in them, each of which a case must find.
import * as shamir from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import './shamir/cases-combining.js'
import './shamir/cases-corruption.js'
import './shamir/cases-mixing.js'
import './shamir/cases-recovering.js'
import './shamir/cases-text.js'
import { FAULTS, failing } from './shamir/faults.js'
import { type Api, CASES } from './shamir/sets.js'

const { splitKey, combineKey, recoverShare } = shamir as unknown as Api
const api: Api = { splitKey, combineKey, recoverShare }

describe('the package', () => {
  for (const [name, run] of CASES) test(name, () => run(api))
})

describe('functions with a fault', () => {
  test.each(FAULTS)('that %s', (_, found, change) => {
    expect(failing({ ...api, ...change(api) }, found)).not.toEqual([])
  })
})
