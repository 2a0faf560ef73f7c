// Every length, offset and AAD length against node:crypto, in both directions, on every backend.
import type { AesGcm } from 'hardware-aes-gcm'
import { describe, test } from 'vitest'
import {
  type Aad,
  frameOf,
  KEY_BYTES,
  must,
  type NonceAt,
  opened,
  Place,
  partsOf,
  Random,
  sealed,
  variants,
} from './support.js'

const OVERHEAD = 28
const MEBIBYTE = 1 << 20

const written = new Place()
const read = new Place()
const extra = new Place()
const tags = new Place()

interface Subject {
  aes: AesGcm
  key: Buffer
  nonceAt: NonceAt
  name: string
}

/** One message through every entry point, each against the oracle. `offset` is that of the memory written to. */
function agrees(subject: Subject, random: Random, length: number, offset: number, aadLength: number): void {
  const { aes, key, nonceAt, name } = subject
  const what = () => `${name}, length ${length}, offset ${offset}, AAD ${aadLength}`
  const plaintext = random.bytes(length)
  const aadBytes = random.bytes(aadLength)
  const aad: Aad = extra.put(aadBytes, random.below(64))
  const absent: Aad = aadLength === 0 ? random.pick([aad, null, undefined]) : aad
  const nonce = random.bytes(12)
  const expected = sealed(key, nonce, plaintext, aadBytes)
  const frame = frameOf(nonceAt, expected)
  const intact = (step: string) =>
    must(
      written.intact && read.intact && extra.intact && tags.intact,
      () => `${what()}: ${step} wrote outside`,
    )
  const equal = (step: string, actual: Uint8Array, wanted: Uint8Array) =>
    must(Buffer.compare(actual, wanted) === 0, () => `${what()}: ${step} gave other bytes`)
  const ours = (step: string, made: Uint8Array) => {
    intact(step)
    equal(step, opened(key, partsOf(nonceAt, made), aadBytes), plaintext)
  }
  const source = (bytes: Uint8Array) => read.put(bytes, random.below(64))
  // Stale bytes, so that a byte left unwritten shows; and room to spare, which must stay.
  const target = (size: number) => written.put(Buffer.alloc(size + 3, 0x3c), offset)

  ours('encrypt', aes.encrypt(source(plaintext), absent))

  const around = written.put(frameOf(nonceAt, { ...expected, text: plaintext }).fill(0x3c), offset)
  aes.plaintextOf(around).set(plaintext)
  aes.encryptInPlace(around, absent)
  ours('encryptInPlace', around)

  const into = target(length + OVERHEAD)
  must(aes.encryptInto(into, source(plaintext), absent) === length + OVERHEAD, what)
  ours('encryptInto', into.subarray(0, length + OVERHEAD))
  equal('encryptInto past its end', into.subarray(length + OVERHEAD), Buffer.alloc(3, 0x3c))

  const data = written.put(plaintext, offset)
  const tag = tags.put(Buffer.alloc(16), offset)
  aes.encryptDetached(data, source(nonce), tag, absent)
  equal('encryptDetached', data, expected.text)
  equal('encryptDetached tag', tag, expected.tag)

  aes.decryptDetached(data, source(nonce), tag, absent)
  equal('decryptDetached', data, plaintext)
  must(aes.tryDecryptDetached(written.put(expected.text, offset), nonce, tag, absent), what)
  equal('tryDecryptDetached', data, plaintext)
  intact('detached')

  equal('decrypt', aes.decrypt(source(frame), absent), plaintext)

  const inside = written.put(frame, offset)
  equal('decryptInPlace', aes.decryptInPlace(inside, absent), plaintext)
  equal('decryptInPlace where it lies', aes.plaintextOf(inside), plaintext)
  written.put(frame, offset)
  must(aes.tryDecryptInPlace(inside, absent), what)
  equal('tryDecryptInPlace', aes.plaintextOf(inside), plaintext)

  const out = target(length)
  must(aes.decryptInto(out, source(frame), absent) === length, what)
  equal('decryptInto', out.subarray(0, length), plaintext)
  equal('decryptInto past its end', out.subarray(length), Buffer.alloc(3, 0x3c))

  intact('decryption')
  equal('the AAD', aad, aadBytes)
}

for (const keyBytes of KEY_BYTES) {
  const key = new Random(`key of ${keyBytes}`).bytes(keyBytes)
  for (const variant of variants(key)) {
    const subject = { ...variant, key }
    const random = new Random(variant.name)
    describe(variant.name, () => {
      test('every length 0 to 2112', () => {
        for (let n = 0; n <= 2112; n++) agrees(subject, random, n, random.below(64), random.below(601))
      })

      test('every offset 0 to 63', () => {
        for (let n = 0; n < 64; n++) agrees(subject, random, random.below(2113), n, random.below(601))
      })

      test('every AAD length 0 to 600', () => {
        for (let n = 0; n <= 600; n++) agrees(subject, random, random.below(2113), random.below(64), n)
      })

      // Implementations that step 512, 768, 1024 or 1536 bytes at a time have lost the rest just there.
      test('the bounds of long strides, to 1 MiB', () => {
        for (const stride of [512, 768, 1024, 1536]) {
          const most = Math.floor(MEBIBYTE / stride)
          for (const times of [3, 5, 7, 1 + random.below(64), 1 + random.below(most), most]) {
            for (const beside of [-1, 0, 1]) {
              agrees(subject, random, times * stride + beside, random.below(64), random.below(601))
            }
          }
        }
      })

      // Detached: the layout makes no difference.
      if (variant.nonceAt === 'end') return
      test('64 MiB', () => {
        const plaintext = random.bytes(64 * MEBIBYTE)
        const data = Buffer.from(plaintext)
        const [nonce, tag, aad] = [random.bytes(12), Buffer.alloc(16), random.bytes(13)]
        const expected = sealed(key, nonce, plaintext, aad)
        subject.aes.encryptDetached(data, nonce, tag, aad)
        must(data.equals(expected.text) && tag.equals(expected.tag), () => variant.name)
        subject.aes.decryptDetached(data, nonce, tag, aad)
        must(data.equals(plaintext), () => variant.name)
      })
    })
  }
}
