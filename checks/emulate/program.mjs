// Judges the package on the CPU that runs it: program.mjs BACKENDS SOURCE FORK (what it must offer, best first, or none;
// the state in which its entropy source must end, see random.mjs; by what a fork must be noticed).
import { strict as assert } from 'node:assert'
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { AesGcm, AesGcmError, AuthenticationError, cpu, OVERHEAD } from 'hardware-aes-gcm'
import { at, count, must, throws } from './checks.mjs'
import { judgeArenas, judgeRandom } from './random.mjs'

/** Every backend that the package's manual names. */
const MANUAL = readFileSync(new URL('node_modules/hardware-aes-gcm/index.d.ts', import.meta.url), 'utf8')
const [, NAMED] = /^export type Backend = (.*)$/m.exec(MANUAL)
const NAMES = NAMED.replaceAll("'", '').split(' | ')
const MARGIN = 64
const UNTOUCHED = Buffer.alloc(2 * MARGIN, 0xa5)

/** Test cases 1, 2, 4, 13, 14 and 16 of the GCM specification: key, nonce, plaintext, aad, ciphertext, tag. */
const ZEROS = '00'.repeat(16)
const KEY = 'feffe9928665731c6d6a8f9467308308'
const NONCE = 'cafebabefacedbaddecaf888'
const TEXT = `d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
  1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39`
const AAD = 'feedfacedeadbeeffeedfacedeadbeefabaddad2'
const ANSWERS = [
  [ZEROS, '00'.repeat(12), '', '', '', '58e2fccefa7e3061367f1d57a4e7455a'],
  [ZEROS, '00'.repeat(12), ZEROS, '', '0388dace60b6a392f328c2b971b2fe78', 'ab6e47d42cec13bdf53a67b21257bddf'],
  [
    ...[KEY, NONCE, TEXT, AAD],
    `42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e
      21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091`,
    '5bc94fbc3221a5db94fae95ae7121a47',
  ],
  [ZEROS + ZEROS, '00'.repeat(12), '', '', '', '530f8afbc74536b9a963b4f1c4cb738b'],
  [
    ...[ZEROS + ZEROS, '00'.repeat(12), ZEROS, ''],
    ...['cea7403d4d606b6e074ec5d3baf39d18', 'd0d1c8a799996bf0265b98b5d48ab919'],
  ],
  [
    ...[KEY + KEY, NONCE, TEXT, AAD],
    `522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
      8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662`,
    '76fc6ece0f4e1768cddf8853bb2d551b',
  ],
].map(fields => fields.map(field => Buffer.from(field.replace(/\s/g, ''), 'hex')))

/** Every remainder of a block, every number of blocks to 37, and past 256, where a counter's low byte wraps. */
const LENGTHS = [...Array.from({ length: 55 }, (_, i) => i * 11), 1440, 4096, 4103, 16384, 16500]

/** The same bytes on every run, and none of them twice in a row of sixteen: a test that fails can be seen again. */
const stream = createCipheriv('aes-256-ctr', Buffer.alloc(32, 7), Buffer.alloc(16))
const bytes = length => stream.update(Buffer.alloc(length))

/** `content` at an odd place in memory of its own, which must be untouched on both sides. */
class Place {
  constructor(content, offset = 0) {
    const start = MARGIN + offset
    const memory = Buffer.alloc(start + content.length + MARGIN, UNTOUCHED)
    this.before = memory.subarray(0, start)
    this.bytes = memory.subarray(start, -MARGIN)
    this.after = memory.subarray(-MARGIN)
    this.bytes.set(content)
  }

  holds(content, what) {
    must(this.bytes.equals(content), `${what} are other bytes`)
    const beside = [this.before, this.after].every(side => side.equals(UNTOUCHED.subarray(0, side.length)))
    must(beside, `${what}: bytes beside it were written`)
  }
}

function seal(key, nonce, text, aad) {
  const cipher = createCipheriv(`aes-${key.length * 8}-gcm`, key, nonce).setAAD(aad)
  return [Buffer.concat([cipher.update(text), cipher.final()]), cipher.getAuthTag()]
}

function open(key, nonce, text, tag, aad) {
  const decipher = createDecipheriv(`aes-${key.length * 8}-gcm`, key, nonce)
    .setAAD(aad)
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(text), decipher.final()])
}

function flipped(content, bit) {
  const copy = Buffer.from(content)
  copy[bit >> 3] ^= 1 << (bit & 7)
  return copy
}

/** What the caller's own nonce and tag give, against `sealed`, which is known. */
function detached(aes, nonce, text, aad, sealed, correct, offset) {
  const data = new Place(text, offset)
  const tag = new Place(Buffer.alloc(16), offset)
  aes.encryptDetached(data.bytes, nonce, tag.bytes, aad)
  data.holds(sealed, 'encryptDetached: data')
  tag.holds(correct, 'encryptDetached: tag')
  must(aes.tryDecryptDetached(data.bytes, nonce, tag.bytes, aad), 'tryDecryptDetached refused')
  data.holds(text, 'tryDecryptDetached: data')
  data.bytes.set(sealed)
  aes.decryptDetached(data.bytes, nonce, tag.bytes, aad)
  data.holds(text, 'decryptDetached: data')
}

/** Frames: whatever one side makes, the other opens. `sealed` is node:crypto's frame of the same message. */
function frames(aes, nonceAt, key, text, aad, sealed, offset) {
  const opens = frame => {
    const [nonce, rest] =
      nonceAt === 'start'
        ? [frame.subarray(0, 12), frame.subarray(12)]
        : [frame.subarray(-12), frame.subarray(0, -12)]
    return open(key, nonce, rest.subarray(0, -16), rest.subarray(-16), aad).equals(text)
  }
  const frame = new Place(Buffer.alloc(text.length + OVERHEAD), offset)
  aes.plaintextOf(frame.bytes).set(text)
  aes.encryptInPlace(frame.bytes, aad)
  const made = Buffer.from(frame.bytes)
  must(opens(made), 'encryptInPlace')
  must(aes.decryptInPlace(frame.bytes, aad).equals(text), 'decryptInPlace of its own frame')
  frame.bytes.set(sealed)
  must(aes.tryDecryptInPlace(frame.bytes, aad), 'tryDecryptInPlace refused')
  must(aes.plaintextOf(frame.bytes).equals(text), 'tryDecryptInPlace')

  must(aes.encryptInto(frame.bytes, text, aad) === made.length, 'encryptInto: its number')
  must(opens(frame.bytes), 'encryptInto')
  const target = new Place(text, offset)
  target.bytes.fill(0)
  must(aes.decryptInto(target.bytes, sealed, aad) === text.length, 'decryptInto: its number')
  target.holds(text, 'decryptInto: target')

  must(opens(aes.encrypt(text, aad)), 'encrypt')
  must(aes.decrypt(sealed, aad).equals(text), 'decrypt')
}

/** One bit wrong, anywhere: refused, and the memory as it was. */
function tampered(aes, nonce, text, aad, sealed, tag, frame, offset) {
  const refused = (run, what) => throws(run, AuthenticationError, 'ERR_AESGCM_AUTHENTICATION_FAILED', what)
  const bad = new Place(flipped(frame, (text.length * 37) % (frame.length * 8)), offset)
  const before = Buffer.from(bad.bytes)
  must(!aes.tryDecryptInPlace(bad.bytes, aad), 'tryDecryptInPlace took a bad frame')
  bad.holds(before, 'tryDecryptInPlace: a bad frame')
  refused(() => aes.decryptInPlace(bad.bytes, aad), 'decryptInPlace of a bad frame')
  bad.holds(before, 'decryptInPlace: a bad frame')
  refused(() => aes.decrypt(bad.bytes, aad), 'decrypt of a bad frame')
  const target = new Place(Buffer.alloc(text.length, 0x77), offset)
  refused(() => aes.decryptInto(target.bytes, bad.bytes, aad), 'decryptInto of a bad frame')
  target.holds(Buffer.alloc(text.length), 'decryptInto of a bad frame: target')

  const data = new Place(sealed, offset)
  const wrong = [
    [nonce, flipped(tag, text.length % 128), aad],
    [flipped(nonce, text.length % 96), tag, aad],
    [nonce, tag, Buffer.concat([aad, Buffer.alloc(1)])],
  ]
  for (const [otherNonce, otherTag, otherAad] of wrong) {
    must(!aes.tryDecryptDetached(data.bytes, otherNonce, otherTag, otherAad), 'tryDecryptDetached took it')
    data.holds(sealed, 'tryDecryptDetached: refused data')
  }
  refused(() => aes.decryptDetached(data.bytes, ...wrong[0]), 'decryptDetached with a bad tag')
  data.holds(sealed, 'decryptDetached: refused data')
}

/** All of it on one backend. */
function judge(backend) {
  for (const [key, nonce, text, aad, sealed, tag] of ANSWERS) {
    at(`${backend}, GCM specification, AES-${key.length * 8}, ${text.length} bytes`)
    detached(new AesGcm(key, { backend }), nonce, text, aad, sealed, tag, 0)
  }
  for (const keyBytes of [16, 32]) {
    const key = bytes(keyBytes)
    for (const nonceAt of ['start', 'end']) {
      for (const verifyFirst of [false, true]) {
        const aes = new AesGcm(key, { backend, nonceAt, verifyFirst })
        must(aes.backend === backend, 'the key runs on another backend')
        for (const [i, length] of LENGTHS.entries()) {
          at(
            `${backend}, AES-${keyBytes * 8}, nonceAt ${nonceAt}, verifyFirst ${verifyFirst}, ${length} bytes`,
          )
          const [nonce, text, aad] = [bytes(12), bytes(length), bytes((i * 11) % 300)]
          const [sealed, tag] = seal(key, nonce, text, aad)
          const frame = Buffer.concat(nonceAt === 'start' ? [nonce, sealed, tag] : [sealed, tag, nonce])
          detached(aes, nonce, text, aad, sealed, tag, i % 17)
          frames(aes, nonceAt, key, text, aad, frame, i % 17)
          tampered(aes, nonce, text, aad, sealed, tag, frame, i % 17)
        }
        aes.destroy()
      }
    }
  }
}

/** The backends on offer, before anything runs on them. */
function choice(expected) {
  at('cpu()')
  const offered = cpu()
  must(
    offered.backends.join() === expected.join(),
    `offers ${offered.backends.join() || 'none'} with ${there(offered)}`,
  )
  must(offered.backend === (expected[0] ?? null), `the best backend is ${offered.backend}`)
  must(AesGcm.isAvailable() === expected.length > 0, 'isAvailable()')

  const key = Buffer.alloc(32)
  const unsupported = options =>
    throws(() => new AesGcm(key, options), AesGcmError, 'ERR_AESGCM_UNSUPPORTED_CPU', JSON.stringify(options))
  for (const backend of NAMES) if (!expected.includes(backend)) unsupported({ backend })
  if (expected.length === 0) unsupported({})
  else must(new AesGcm(key).backend === expected[0], 'a key runs on another backend than the best')
}

function there({ features }) {
  return (
    Object.keys(features)
      .filter(name => features[name])
      .sort()
      .join(' ') || 'no features'
  )
}

try {
  const [backends, source, fork] = process.argv.slice(2)
  const expected = backends === 'none' ? [] : backends.split(',')
  choice(expected)
  judgeRandom(expected.length > 0, source, fork)
  judgeArenas(expected.length > 0)
  for (const backend of expected) judge(backend)
  console.log(count())
} catch (error) {
  console.error(error instanceof assert.AssertionError ? error.message : error)
  process.exitCode = 1
}
