// The classes that the suite judges, a row each, with their oracles (../models) and their published answers.
import { AesGcm } from 'hardware-aes-gcm'
import { AesGcmSiv } from 'hardware-aes-gcm/siv'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { gcm } from '../models/gcm.mjs'
import { siv } from '../models/siv.mjs'
import { xaes } from '../models/xaes.mjs'

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

/** The two examples of C2SP's specification. */
const LETTERS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX').toString('hex')
const NAME = Buffer.from('XAES-256-GCM').toString('hex')
const XAES = [
  ['01'.repeat(32), LETTERS, NAME, '', 'ce546ef63c9cc60765923609', 'b33a9a1974e96e52daf2fcf7075e2271'],
  [
    '03'.repeat(32),
    LETTERS,
    NAME,
    Buffer.from('c2sp.org/XAES-256-GCM').toString('hex'),
    '986ec1832593df5443a17943',
    '7fd083bf3fdb41abd740a21f71eb769d',
  ],
]

/** Answers of RFC 8452: the first and the last of C.1 and C.2, and the first of C.3, whose counter wraps. */
const SIV = `
  01000000000000000000000000000000 030000000000000000000000 - - - dc20e2d83f25705bb49e439eca56de25
  f901cfe8a69615a93fdf7a98cad48179 6245709fb18853f68d833640 e42a3c02c25b64869e146d7b233987bddfc240871d 7576f7028ec6eb5ea7e298342a94d4b202b370ef9768ec6561c4fe6b7e7296fa859c21 391cc328d484a4f46406181bcd62efd9b3ee197d05 2d15506c84a9edd65e13e9d24a2a6e70
  0100000000000000000000000000000000000000000000000000000000000000 030000000000000000000000 - - - 07f5f4169bbf55a8400cd47ea6fd400f
  3c535de192eaed3822a2fbbe2ca9dfc88255e14a661b8aa82cc54236093bbc23 688089e55540db1872504e1c ced532ce4159b035277d4dfbb7db62968b13cd4eec 734320ccc9d9bbbb19cb81b2af4ecbc3e72834321f7aa0f70b7282b4f33df23f167541 626660c26ea6612fb17ad91e8e767639edd6c9faee 9d6c7029675b89eaf4ba1ded1a286594
  0000000000000000000000000000000000000000000000000000000000000000 000000000000000000000000 000000000000000000000000000000004db923dc793ee6497c76dcc03a98e108 - f3f80f2cf0cb2dd9c5984fcda908456cc537703b5ba70324a6793a7bf218d3ea ffffffff000000000000000000000000
`
  .trim()
  .split('\n')
  .map(row => row.trim().replaceAll('-', '').split(' '))

/** @type {import('./aead.mjs').Subject[]} */
export const CLASSES = [
  { Class: AesGcm, keyBytes: [16, 32], nonceBytes: 12, seal: gcm, answers: GCM },
  {
    Class: XAesGcm,
    keyBytes: [32],
    nonceBytes: 24,
    seal: xaes,
    answers: XAES,
    maxMessages: Number.MAX_SAFE_INTEGER,
  },
  {
    Class: AesGcmSiv,
    keyBytes: [16, 32],
    nonceBytes: 12,
    seal: siv,
    slow: true,
    answers: SIV,
    maxMessages: 2 ** 48,
  },
]
