// Tests how the benchmark prints its figures, with figures that are made up.
import { expect, test } from 'vitest'
import { block } from '../../bench/table.mjs'

const result = (direction: string, by: string, way: string, median: number) => ({
  bytes: 64,
  direction,
  by,
  way,
  median,
  least: median - 1,
})

test("a block prints every way under its own implementation's name, where one side has more ways", () => {
  const results = [
    result('encrypt', 'hardware-aes-gcm', 'encryptInPlace', 50),
    result('encrypt', 'hardware-aes-gcm', 'encryptInto', 60),
    result('encrypt', 'hardware-aes-gcm', 'encrypt', 400),
    result('encrypt', 'node:crypto', 'createCipheriv', 4000),
    result('encrypt', 'WebCrypto', 'subtle.encrypt', 20_000),
    result('decrypt', 'hardware-aes-gcm', 'tryDecryptInPlace', 40),
    result('decrypt', 'hardware-aes-gcm', 'decrypt', 500),
    result('decrypt', 'node:crypto', 'createDecipheriv', 5000),
    result('decrypt', 'WebCrypto', 'subtle.decrypt', 25_000),
  ]
  expect(block(results, 64)).toBe(
    `
64 bytes
  encrypt                       median        least  x node  |  decrypt                       median        least  x node
hardware-aes-gcm
  encryptInPlace                  50.0         49.0    80.0  |  tryDecryptInPlace               40.0         39.0   125.0
  encryptInto                     60.0         59.0    66.7  |  decrypt                        500.0        499.0    10.0
  encrypt                        400.0        399.0    10.0  |
node:crypto
  createCipheriv                 4 000        3 999     1.0  |  createDecipheriv               5 000        4 999     1.0
WebCrypto
  subtle.encrypt                20 000       19 999    0.20  |  subtle.decrypt                25 000       24 999    0.20`,
  )
})

test('a block prints the ways of an implementation that only decrypts', () => {
  const results = [
    result('encrypt', 'node:crypto', 'createCipheriv', 4000),
    result('decrypt', 'node:crypto', 'createDecipheriv', 5000),
    result('decrypt', 'another', 'open', 2500),
  ]
  expect(block(results, 64).split('\n').slice(-2)).toEqual([
    'another',
    '                                                             |  open                           2 500        2 499     2.0',
  ])
})
