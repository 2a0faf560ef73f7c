// Uses every export of hardware-aes-gcm/shamir once, as a caller would: shares(shamir, package). CommonJS, since Jest requires this
// file.
const assert = require('node:assert/strict')

const EXPORTS = ['combineAndOpen', 'combineKey', 'recoverShare', 'sealAndSplit', 'splitKey']
const FORMATS = ['binary', 'text', 'horcrux', 'horcrux-random']

module.exports = function shares(shamir, { AesGcm, AesGcmError }) {
  assert.deepEqual(Object.keys(shamir).sort(), EXPORTS)
  for (const format of FORMATS) forms(shamir, format, AesGcm.generateKey())
  published(shamir)
  errors(shamir, AesGcmError)
}

function forms({ combineAndOpen, combineKey, recoverShare, sealAndSplit, splitKey }, format, key) {
  const options = format.startsWith('horcrux') ? { format: 'horcrux', threshold: 3 } : {}
  const shares = splitKey(key, { threshold: 3, shares: 5, format })
  assert.equal(typeof shares[0], format === 'binary' ? 'object' : 'string')
  assert.deepEqual(combineKey([shares[4], shares[0], shares[2]], options), key)
  const x = format === 'horcrux-random' ? shares[1].slice(0, 64) : 2
  assert.deepEqual(recoverShare(shares.slice(2), x, options), shares[1])
  const data = Buffer.alloc(1000, 'text')
  const { sealed, shares: others } = sealAndSplit(data, { threshold: 3, shares: 3, format, aad: key })
  assert.deepEqual(combineAndOpen(others, sealed, { ...options, aad: key }), data)
}

/** Shares that the README of horcrux shows. */
function published({ combineKey, recoverShare }) {
  const shares = [
    '3|ce4df4704413d1a7b6be44943e47cc5d85627cfafb21ef6cc9f904630ddda8e5',
    '5|32a3abe2e3c2a23862f4284b58c38c5e603abcc7e70029e71768fe5bbeff6c6d',
    '8|e2b37086d1c9357dd1fa664b07bc88b4a7e19ad281304ce3239310b6b6ef4b03',
  ]
  const tenth = '10|414427020b5894d87070728a0dcd06fa6c561de2ca982d6a6ebf0d1dd0a9411b'
  const options = { format: 'horcrux', threshold: 3 }
  const secret = combineKey(shares, options).toString('hex')
  assert.equal(secret, '3f5ffcd50ac6d0ece12bd0063e0c5f6e1c3e317f2d4692a3237fac857b85bca5')
  assert.equal(recoverShare(shares, 10, options), tenth)
}

/** The errors are those of the main entry, and name the shares that are wrong. */
function errors({ combineKey, splitKey }, AesGcmError) {
  const shares = splitKey(Buffer.alloc(16), { threshold: 2, shares: 6 })
  shares[1][70] ^= 1
  shares[4][20] ^= 128
  const named = indexes => error =>
    error.constructor === AesGcmError &&
    error.code === (indexes ? 'ERR_AESGCM_INVALID_SHARE' : 'ERR_AESGCM_SHARES_MISMATCH') &&
    `${error.indexes}` === `${indexes}` &&
    error.index === indexes?.[0]
  assert.throws(() => combineKey(shares), named([1, 4]))
  assert.throws(() => combineKey(shares.slice(0, 3)), named([1]))
  assert.throws(() => combineKey(shares.slice(1, 3)), named(undefined))
}
