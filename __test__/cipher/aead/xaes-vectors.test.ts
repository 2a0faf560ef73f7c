// Published answers of XAES-256-GCM: the reference gives them, and so does XAesGcm, in both directions, on every backend.
import { createHash } from 'node:crypto'
import { type Backend, cpu } from 'hardware-aes-gcm'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { describe, expect, test } from 'vitest'
import { derive, NONCE_BYTES, TAG_BYTES, xaes } from '../../models/xaes.mjs'
import { must } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { ACCUMULATED, type Message, type Sealed, TINK, VECTORS } from '../../vectors/xaes.js'

const { backends } = cpu()

/** Ciphertext and tag of a message, by the reference. */
function seal({ key, nonce, plaintext, aad }: Message): Sealed {
  const { text, tag } = xaes(key, nonce, plaintext, aad)
  return { text, tag }
}

/** Ciphertext and tag of a message, through the detached method. */
function sealedBy(xaes: XAesGcm, { nonce, plaintext, aad }: Message): Sealed {
  const [text, tag] = [Buffer.from(plaintext), Buffer.alloc(TAG_BYTES)]
  xaes.encryptDetached(text, nonce, tag, aad)
  return { text, tag }
}

/** Throws unless an object of each layout and order of verification opens the message, detached and from a frame. */
function opens(backend: Backend, { key, nonce, plaintext, aad }: Message, { text, tag }: Sealed) {
  for (const nonceAt of ['start', 'end'] as const) {
    for (const verifyFirst of [false, true]) {
      using xaes = new XAesGcm(key, { backend, nonceAt, verifyFirst })
      const frame = Buffer.concat(nonceAt === 'start' ? [nonce, text, tag] : [text, tag, nonce])
      const data = Buffer.from(text)
      xaes.decryptDetached(data, nonce, tag, aad)
      for (const [i, result] of [data, xaes.decrypt(frame, aad), xaes.decryptInPlace(frame, aad)].entries())
        must(result.equals(plaintext), `nonceAt ${nonceAt}, verifyFirst ${verifyFirst}, method ${i}`)
    }
  }
}

test.each(VECTORS)('C2SP, $name: the key derivation of the reference', ({ key, nonce, ...wanted }) => {
  const { l, k1, derivedKey, derivedNonce } = wanted
  expect(derive(key, nonce)).toEqual({ l, k1, key: derivedKey, nonce: derivedNonce })
})

describe.each([...VECTORS, ...TINK])('$name', ({ text, tag, ...message }) => {
  test('the reference', () => {
    expect(seal(message)).toEqual({ text, tag })
  })

  test.each(backends)('XAesGcm, %s', backend => {
    using xaes = new XAesGcm(message.key, { backend })
    expect(xaes.backend).toBe(backend)
    expect(sealedBy(xaes, message)).toEqual({ text, tag })
    opens(backend, message, { text, tag })
  })
})

describe("C2SP's accumulated test", () => {
  const MESSAGES = count(10_000, 1_000_000)
  const options = { timeout: count(60_000, 600_000) }
  /** More than enough: a message takes 58 bytes and two lengths of 0 to 255, which are 313 on average. */
  const stream = createHash('shake128', { outputLength: MESSAGES * 320 }).digest()

  /** The messages, one after the other: `key(32) ‖ nonce(24) ‖ length(1) ‖ plaintext ‖ length(1) ‖ aad`. */
  function* messages(): Generator<Message> {
    let at = 0
    const take = (length: number) => {
      at += length
      must(at <= stream.length, 'the stream is too short')
      return stream.subarray(at - length, at)
    }
    const vector = () => take(take(1)[0] as number)
    for (let n = 0; n < MESSAGES; n++)
      yield { key: take(32), nonce: take(NONCE_BYTES), plaintext: vector(), aad: vector() }
  }

  /** The hash over ciphertext and tag of every message. */
  function accumulated(sealOne: (message: Message) => Sealed): string {
    const hash = createHash('shake128', { outputLength: 32 })
    for (const message of messages()) {
      const { text, tag } = sealOne(message)
      hash.update(text).update(tag)
    }
    return hash.digest('hex')
  }

  test('the stream begins as the specification says', () => {
    expect(stream.toString('hex', 0, 16)).toBe('7f9c2ba4e88f827d616045507605853e')
  })

  test(`${MESSAGES} messages, the reference`, options, () => {
    expect(accumulated(seal)).toBe(ACCUMULATED[MESSAGES])
  })

  test.each(backends)(`${MESSAGES} messages, XAesGcm, %s`, options, backend => {
    let n = 0
    const hash = accumulated(message => {
      const { key, nonce, plaintext, aad } = message
      const nonceAt = n % 2 === 0 ? 'start' : 'end'
      using xaes = new XAesGcm(key, { backend, nonceAt, verifyFirst: n % 4 < 2 })
      const sealed = sealedBy(xaes, message)
      const { text, tag } = sealed
      const frame = Buffer.concat(nonceAt === 'start' ? [nonce, text, tag] : [text, tag, nonce])
      must(xaes.tryDecryptInPlace(frame, aad), `message ${n} was refused`)
      must(xaes.plaintextOf(frame).equals(plaintext), `message ${n} has another plaintext`)
      n++
      return sealed
    })
    expect(hash).toBe(ACCUMULATED[MESSAGES])
  })
})
