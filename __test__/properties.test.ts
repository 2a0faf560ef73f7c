// Ten thousand random cases: any pair of entry points, any tampering, any neighbours in one Buffer.

import fc from 'fast-check'
import { type AesGcm, AuthenticationError } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { frameOf, type NonceAt, opened, partsOf, Random, SEED, sealed, variants } from './support.js'

const random = new Random('keys')
const subjects = [16, 32].flatMap(bytes => {
  const key = random.bytes(bytes)
  return [...variants(key)].map(variant => ({ ...variant, key }))
})

const subject = fc.constantFrom(...subjects)
const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength, size: 'max' }).map(array => Buffer.from(array))
const aad = fc.option(bytes(100), { nil: undefined })
/** Small messages mostly, and some that reach the widest loops. */
const plaintext = fc.oneof({ weight: 4, arbitrary: bytes(200) }, { weight: 1, arbitrary: bytes(3000) })

const check = <T>(numRuns: number, property: fc.IProperty<T>) => fc.assert(property, { seed: SEED, numRuns })

type Seal = (aes: AesGcm, text: Buffer, aad: Buffer | undefined, nonceAt: NonceAt) => Buffer
type Open = (aes: AesGcm, frame: Buffer, aad: Buffer | undefined, nonceAt: NonceAt) => Buffer

/** Every way to make a frame, and every way to read one. */
const seals: Record<string, Seal> = {
  encrypt: (aes, text, aad) => aes.encrypt(text, aad),
  encryptInto: (aes, text, aad) => {
    const target = Buffer.alloc(text.length + 33)
    return target.subarray(0, aes.encryptInto(target, text, aad))
  },
  encryptInPlace: (aes, text, aad) => {
    const frame = Buffer.alloc(text.length + 28)
    aes.plaintextOf(frame).set(text)
    aes.encryptInPlace(frame, aad)
    return frame
  },
  encryptDetached: (aes, text, aad, nonceAt) => {
    const [data, nonce, tag] = [Buffer.from(text), random.bytes(12), Buffer.alloc(16)]
    aes.encryptDetached(data, nonce, tag, aad)
    return frameOf(nonceAt, { nonce, text: data, tag })
  },
}
const opens: Record<string, Open> = {
  decrypt: (aes, frame, aad) => aes.decrypt(frame, aad),
  decryptInto: (aes, frame, aad) => {
    const target = Buffer.alloc(frame.length)
    return target.subarray(0, aes.decryptInto(target, frame, aad))
  },
  decryptInPlace: (aes, frame, aad) => aes.decryptInPlace(Buffer.from(frame), aad),
  tryDecryptInPlace: (aes, frame, aad) => {
    const copy = Buffer.from(frame)
    expect(aes.tryDecryptInPlace(copy, aad)).toBe(true)
    return aes.plaintextOf(copy)
  },
  decryptDetached: (aes, frame, aad, nonceAt) => {
    const { nonce, text, tag } = partsOf(nonceAt, frame)
    aes.decryptDetached(text, nonce, tag, aad)
    return text
  },
  tryDecryptDetached: (aes, frame, aad, nonceAt) => {
    const { nonce, text, tag } = partsOf(nonceAt, frame)
    expect(aes.tryDecryptDetached(text, nonce, tag, aad)).toBe(true)
    return text
  },
}

test('a round trip through any pair of entry points and of backends, and through node:crypto', () => {
  const property = fc.property(
    subject,
    fc.nat(),
    fc.constantFrom(...Object.keys(seals)),
    fc.constantFrom(...Object.keys(opens)),
    plaintext,
    aad,
    ({ aes, key, nonceAt }, which, seal, open, text, aad) => {
      const readers = subjects.filter(other => other.key === key && other.nonceAt === nonceAt)
      const reader = readers[which % readers.length]?.aes as AesGcm
      const frame = seals[seal]?.(aes, text, aad, nonceAt) as Buffer
      expect(frame.length).toBe(text.length + 28)
      expect(opened(key, partsOf(nonceAt, frame), aad).equals(text)).toBe(true)
      expect(opens[open]?.(reader, frame, aad, nonceAt).equals(text)).toBe(true)
    },
  )
  check(4000, property)
})

test('what node:crypto encrypts, every entry point decrypts', () => {
  const property = fc.property(
    subject,
    fc.constantFrom(...Object.keys(opens)),
    plaintext,
    aad,
    fc.uint8Array({ minLength: 12, maxLength: 12 }),
    ({ aes, key, nonceAt }, open, text, aad, nonce) => {
      const frame = frameOf(nonceAt, sealed(key, nonce, text, aad))
      expect(opens[open]?.(aes, frame, aad, nonceAt).equals(text)).toBe(true)
    },
  )
  check(2000, property)
})

/** One byte changed, inserted or dropped. */
const tampering = fc.record({
  how: fc.constantFrom('change', 'insert', 'drop'),
  where: fc.constantFrom('frame', 'aad'),
  at: fc.nat(),
  by: fc.integer({ min: 1, max: 255 }),
})

test('any byte changed, inserted or dropped is refused, and nothing is left behind', () => {
  const property = fc.property(
    subject,
    plaintext,
    bytes(60),
    tampering,
    (from, text, aad, { how, where, at, by }) => {
      const { aes } = from
      const frame = aes.encrypt(text, aad)
      const bytes = where === 'frame' ? frame : aad
      fc.pre(how === 'insert' || bytes.length > 0)
      const index = at % (bytes.length + (how === 'insert' ? 1 : 0))
      const [head, tail] = [bytes.subarray(0, index), bytes.subarray(how === 'insert' ? index : index + 1)]
      const middle = how === 'drop' ? [] : how === 'insert' ? [by] : [bytes.readUInt8(index) ^ by]
      const tampered = Buffer.concat([head, Buffer.from(middle), tail])
      // Bytes that are alike may be swapped, dropped or doubled without a difference.
      fc.pre(!tampered.equals(bytes))
      const [bad, badAad] = where === 'frame' ? [tampered, aad] : [frame, tampered]
      const before = Buffer.from(bad)
      expect(aes.tryDecryptInPlace(bad, badAad)).toBe(false)
      expect(() => aes.decryptInPlace(bad, badAad)).toThrow(AuthenticationError)
      expect(() => aes.decrypt(bad, badAad)).toThrow(AuthenticationError)
      expect(bad.equals(before)).toBe(true)
      const target = Buffer.alloc(bad.length, 0x77)
      expect(() => aes.decryptInto(target, bad, badAad)).toThrow(AuthenticationError)
      const length = Math.max(0, bad.length - 28)
      expect(target.equals(Buffer.alloc(bad.length, 0x77).fill(0, 0, length))).toBe(true)
    },
  )
  check(2000, property)
})

test('slices of one Buffer are neighbours that nobody touches', () => {
  const places = fc.array(fc.record({ subject, length: fc.nat(120), gap: fc.nat(9), bad: fc.boolean() }), {
    minLength: 2,
    maxLength: 8,
  })
  const property = fc.property(places, fc.nat(40), (list, lead) => {
    const size = list.reduce((sum, { length, gap }) => sum + length + 28 + gap, lead)
    const pool = random.bytes(size)
    let at = lead
    const slices = list.map(({ subject, length, gap, bad }) => {
      const start = at
      at += length + 28 + gap
      return {
        subject,
        bad,
        start,
        end: start + length + 28,
        frame: pool.subarray(start, start + length + 28),
      }
    })
    const texts = slices.map(({ subject, frame }) => Buffer.from(subject.aes.plaintextOf(frame)))
    const others = ({ start, end }: { start: number; end: number }) =>
      Buffer.concat([pool.subarray(0, start), pool.subarray(end)])
    for (const slice of slices) {
      const before = others(slice)
      slice.subject.aes.encryptInPlace(slice.frame)
      expect(others(slice).equals(before)).toBe(true)
    }
    for (const [n, slice] of slices.entries()) {
      if (slice.bad) slice.frame.writeUInt8(slice.frame.readUInt8(n) ^ 1, n)
      const [before, whole] = [others(slice), Buffer.from(slice.frame)]
      expect(slice.subject.aes.tryDecryptInPlace(slice.frame)).toBe(!slice.bad)
      expect(others(slice).equals(before)).toBe(true)
      if (slice.bad) expect(slice.frame.equals(whole)).toBe(true)
      else expect(slice.subject.aes.plaintextOf(slice.frame).equals(texts[n] as Buffer)).toBe(true)
    }
  })
  check(2000, property)
})
