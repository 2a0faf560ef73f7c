// Wycheproof's X25519 through the exchange of this package, and ML-KEM-768 as the runtime computes it: node wycheproof.mjs FOLDER
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { argv } from 'node:process'

const require = createRequire(import.meta.url)
const { dh, x25519Private, x25519Public, mlKemPrivate, mlKemPublic, mlKemBytes, decapsulateWith } =
  require('../../dist/values/hybrid/raw-keys.cjs')

const hex = text => Buffer.from(text, 'hex')
const same = (bytes, text) => bytes !== undefined && Buffer.from(bytes).toString('hex') === text
function* tests(name) {
  const { testGroups } = JSON.parse(readFileSync(join(argv[2], `${name}.json`)))
  for (const { tests } of testGroups) yield* tests
}

function attempt(call) {
  try {
    return call()
  } catch {
    return undefined
  }
}

let exchanges = 0
let zero = 0
for (const test of tests('x25519_test')) {
  const shared = dh(x25519Private(hex(test.private)), x25519Public(hex(test.public)))
  const isZero = /^0*$/.test(test.shared)
  if (isZero ? shared !== undefined : !same(shared, test.shared)) throw new Error(`x25519_test ${test.tcId}`)
  exchanges++
  if (isZero) zero++
}

let keys = 0
for (const test of tests('mlkem_768_encaps_test')) {
  const ek = hex(test.ek)
  const key = ek.length === 1184 ? mlKemPublic(ek) : undefined
  if ((key !== undefined) !== (test.result === 'valid')) throw new Error(`mlkem_768_encaps_test ${test.tcId}`)
  keys++
}

let secrets = 0
for (const test of tests('mlkem_768_test')) {
  const isWhole = hex(test.seed).length === 64 && hex(test.c).length === 1088
  const shared = attempt(() => {
    if (!isWhole) return undefined
    const key = mlKemPrivate(hex(test.seed))
    if (test.ek !== undefined && !same(mlKemBytes(key), test.ek)) return undefined
    return decapsulateWith(key, hex(test.c))
  })
  if (test.result === 'valid' ? !same(shared, test.K) : shared !== undefined)
    throw new Error(`mlkem_768_test ${test.tcId}`)
  secrets++
}
if (exchanges !== 518 || zero === 0 || keys < 200 || secrets < 190) throw new Error('tests are missing')
console.log(
  `Wycheproof: ${exchanges} exchanges of X25519, of which ${zero} are zero and refused; ML-KEM-768: ${keys} public keys, ${secrets} ciphertexts`,
)
