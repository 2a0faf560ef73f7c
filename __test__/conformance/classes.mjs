// The classes that the suite judges, a row each, with their oracles on node:crypto and their published answers.
import { createCipheriv } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'

/** @type {import('./aead.mjs').Seal} */
export function gcm(key, nonce, plaintext, aad) {
  const cipher = createCipheriv(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key, nonce)
  if (aad) cipher.setAAD(aad)
  const text = cipher.update(plaintext)
  cipher.final()
  return { nonce: Buffer.from(nonce), text, tag: cipher.getAuthTag() }
}

/** Test cases 1 to 4 and 13 to 16 of the GCM specification. */
const ZEROS = '00'.repeat(16)
const NO_NONCE = '00'.repeat(12)
const KEY = 'feffe9928665731c6d6a8f9467308308'
const NONCE = 'cafebabefacedbaddecaf888'
const TEXT = `d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
  1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39`
const LAST = '1aafd255'
const AAD = 'feedfacedeadbeeffeedfacedeadbeefabaddad2'
const TEXT_128 = `42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e
  21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091`
const TEXT_256 = `522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
  8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662`
const GCM = [
  [ZEROS, NO_NONCE, '', '', '', '58e2fccefa7e3061367f1d57a4e7455a'],
  [ZEROS, NO_NONCE, ZEROS, '', '0388dace60b6a392f328c2b971b2fe78', 'ab6e47d42cec13bdf53a67b21257bddf'],
  [KEY, NONCE, TEXT + LAST, '', `${TEXT_128}473f5985`, '4d5c2af327cd64a62cf35abd2ba6fab4'],
  [KEY, NONCE, TEXT, AAD, TEXT_128, '5bc94fbc3221a5db94fae95ae7121a47'],
  [ZEROS + ZEROS, NO_NONCE, '', '', '', '530f8afbc74536b9a963b4f1c4cb738b'],
  [
    ZEROS + ZEROS,
    NO_NONCE,
    ZEROS,
    '',
    'cea7403d4d606b6e074ec5d3baf39d18',
    'd0d1c8a799996bf0265b98b5d48ab919',
  ],
  [KEY + KEY, NONCE, TEXT + LAST, '', `${TEXT_256}898015ad`, 'b094dac5d93471bdec1a502270e3cc6c'],
  [KEY + KEY, NONCE, TEXT, AAD, TEXT_256, '76fc6ece0f4e1768cddf8853bb2d551b'],
]

/** @type {import('./aead.mjs').Subject[]} */
export const CLASSES = [
  {
    Class: AesGcm,
    keyBytes: [16, 32],
    nonceBytes: 12,
    seal: gcm,
    answers: GCM,
    more: [
      'encryptBatchInPlace',
      'decryptBatchInPlace',
      'tryDecryptBatchInPlace',
      'encryptInPlaceAsync',
      'decryptInPlaceAsync',
    ],
  },
]
