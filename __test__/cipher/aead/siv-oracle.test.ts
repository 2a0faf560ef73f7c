// Random messages of AesGcmSiv against @noble/ciphers on every backend and, where Node has the cipher, against node:crypto.
import { type CipherGCM, createCipheriv, getCiphers } from 'node:crypto'
import { gcmsiv } from '@noble/ciphers/aes.js'
import { cpu } from 'hardware-aes-gcm'
import { AesGcmSiv, NONCE_BYTES, OVERHEAD, TAG_BYTES } from 'hardware-aes-gcm/siv'
import { describe, expect, test } from 'vitest'
import { endsOf, split } from '../../conformance/batch.mjs'
import { must, Random } from '../../tools/support.js'
import { count } from '../../tools/whole.js'

const VARIANTS = cpu().backends.flatMap(backend =>
  (['start', 'end'] as const).flatMap(nonceAt =>
    [false, true].map(verifyFirst => ({ backend, nonceAt, verifyFirst })),
  ),
)
/** Messages of each variant: 10 000 in all. */
const EACH = Math.ceil(count(10_000, 500_000) / VARIANTS.length)
const TIMEOUT = count(60_000, 600_000)

interface Message {
  key: Buffer
  nonce: Buffer
  plaintext: Buffer
  aad: Buffer
}

/** A message, mostly short: empty, within a block, within a group of blocks, or of some groups. */
function messageOf(random: Random, key: Buffer): Message {
  const plaintext = random.bytes(random.below(random.pick([1, 17, 17, 130, 130, 1100, 5000])))
  const aad = random.bytes(random.below(random.pick([1, 40, 40, 600])))
  return { key, nonce: random.bytes(NONCE_BYTES), plaintext, aad }
}

const keyOf = (random: Random) => random.bytes(random.pick([16, 32]))

/** Ciphertext and tag, by the oracle. */
const sealed = ({ key, nonce, plaintext, aad }: Message) =>
  Buffer.from(gcmsiv(key, nonce, aad).encrypt(plaintext))

/** The same bytes in up to five pieces. */
function pieces(random: Random, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: random.below(5) }, () => random.below(bytes.length + 1))
  const ends = [...cuts.sort((a, b) => a - b), bytes.length]
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

/** A copy with another value of one bit. */
function forged(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const at = random.below(copy.length)
  copy[at] = (copy[at] as number) ^ (1 << random.below(8))
  return copy
}

describe.each(VARIANTS)('$backend, nonceAt $nonceAt, verifyFirst $verifyFirst', options => {
  const { backend, nonceAt, verifyFirst } = options
  const random = new Random(`siv ${backend} ${nonceAt} ${verifyFirst}`)

  const frameOf = (message: Message) =>
    Buffer.concat(nonceAt === 'start' ? [message.nonce, sealed(message)] : [sealed(message), message.nonce])
  const isPlain = (what: string, actual: Uint8Array | null, { plaintext }: Message) =>
    must(
      actual !== null && plaintext.equals(actual),
      `${what}: another plaintext of ${plaintext.length} bytes`,
    )
  /** Throws unless the oracle makes the same frame with the frame's nonce. */
  const isFrame = (what: string, frame: Buffer, message: Message) => {
    const nonce = nonceAt === 'start' ? frame.subarray(0, NONCE_BYTES) : frame.subarray(-NONCE_BYTES)
    must(
      frame.equals(frameOf({ ...message, nonce })),
      () => `${what}: another frame of ${frame.length} bytes`,
    )
  }

  /** Every way to encrypt a single message into a frame. */
  const WAYS: ((aes: AesGcmSiv, message: Message) => Buffer)[] = [
    (aes, { plaintext, aad }) => aes.encrypt(plaintext, aad),
    (aes, { plaintext, aad }) => aes.encrypt(pieces(random, plaintext), aad),
    (aes, { plaintext, aad }) => {
      const target = Buffer.alloc(plaintext.length + OVERHEAD + 3)
      return target.subarray(0, aes.encryptInto(target, plaintext, aad))
    },
    (aes, { plaintext, aad }) => {
      const target = Buffer.alloc(plaintext.length + OVERHEAD + 3)
      return target.subarray(0, aes.encryptInto(target, pieces(random, plaintext), aad))
    },
    (aes, { plaintext, aad }) => {
      const frame = Buffer.alloc(plaintext.length + OVERHEAD)
      aes.plaintextOf(frame).set(plaintext)
      aes.encryptInPlace(frame, aad)
      return frame
    },
  ]

  function opens(aes: AesGcmSiv, message: Message) {
    const { nonce, plaintext, aad } = message
    const whole = sealed(message)
    const [text, tag] = [whole.subarray(0, -TAG_BYTES), whole.subarray(-TAG_BYTES)]
    const [data, made] = [Buffer.from(plaintext), Buffer.alloc(TAG_BYTES)]
    aes.encryptDetached(data, nonce, made, aad)
    must(data.equals(text) && made.equals(tag), 'encryptDetached: other bytes')
    aes.decryptDetached(data, nonce, tag, aad)
    isPlain('decryptDetached', data, message)
    const frame = Buffer.concat(nonceAt === 'start' ? [nonce, whole] : [whole, nonce])
    isPlain('decrypt', aes.decrypt(frame, aad), message)
    const target = Buffer.alloc(plaintext.length)
    aes.decryptInto(target, frame, aad)
    isPlain('decryptInto', target, message)
    isPlain('decryptInPlace', aes.decryptInPlace(Buffer.from(frame), aad), message)

    const bad = forged(random, frame)
    const inPlace = Buffer.from(bad)
    must(!aes.tryDecryptInPlace(inPlace, aad) && inPlace.equals(bad), 'tryDecryptInPlace of a forgery')
    must(aes.tryDecrypt(bad, aad) === null, 'tryDecrypt of a forgery')
    must(aes.tryDecryptInto(target, bad, aad) === null, 'tryDecryptInto of a forgery')
    must(target.equals(Buffer.alloc(target.length)), 'tryDecryptInto of a forgery left bytes')
    data.set(text)
    must(!aes.tryDecryptDetached(data, nonce, forged(random, tag), aad), 'tryDecryptDetached of a forgery')
    must(data.equals(text), 'tryDecryptDetached of a forgery changed bytes')
  }

  test('calls of single messages', { timeout: TIMEOUT }, () => {
    const [keys, messages] = [Math.ceil((0.7 * EACH) / 10), 10]
    for (let n = 0; n < keys; n++) {
      const key = keyOf(random)
      using aes = new AesGcmSiv(key, options)
      for (let i = 0; i < messages; i++) {
        const message = messageOf(random, key)
        const way = i % WAYS.length
        isFrame(`way ${way}`, (WAYS[way] as (typeof WAYS)[0])(aes, message), message)
        opens(aes, message)
      }
      expect([aes.messagesEncrypted, aes.failedDecryptions]).toEqual([messages, 4 * messages])
    }
  })

  test('batches', { timeout: TIMEOUT }, () => {
    for (let left = 0.25 * EACH; left > 0; ) {
      const key = keyOf(random)
      using aes = new AesGcmSiv(key, options)
      const messages = Array.from({ length: 1 + random.below(20) }, () => messageOf(random, key))
      left -= messages.length
      const rows = { aad: (_: Uint8Array, i: number) => (messages[i] as Message).aad }
      const texts = messages.map(({ plaintext }) => plaintext)
      for (const [i, frame] of aes.encryptBatch(texts, rows).entries())
        isFrame('encryptBatch', frame, messages[i] as Message)

      const lengths = texts.map(({ length }) => length + OVERHEAD)
      const whole = Buffer.alloc(lengths.reduce((sum, length) => sum + length, 0))
      const frames: Buffer[] = split(whole, lengths)
      const inPlace = {
        aad: Buffer.concat(messages.map(({ aad }) => aad)),
        aadEnds: endsOf(messages.map(({ aad }) => aad.length)),
      }
      for (const [i, frame] of frames.entries()) aes.plaintextOf(frame).set(texts[i] as Buffer)
      aes.encryptBatchInPlace(whole, endsOf(lengths), inPlace)
      for (const [i, frame] of frames.entries()) isFrame('encryptBatchInPlace', frame, messages[i] as Message)

      const bad = random.below(messages.length)
      const theirs = messages.map((message, i) => {
        const frame = frameOf(message)
        return i === bad ? forged(random, frame) : frame
      })
      for (const [i, text] of aes.tryDecryptBatch(theirs, rows).entries())
        if (i === bad) must(text === null, 'tryDecryptBatch of a forgery')
        else isPlain('tryDecryptBatch', text, messages[i] as Message)
      whole.set(Buffer.concat(theirs))
      expect([...aes.tryDecryptBatchInPlace(whole, endsOf(lengths), inPlace)]).toEqual([bad])
      for (const [i, frame] of frames.entries())
        if (i === bad) must(frame.equals(theirs[i] as Buffer), 'tryDecryptBatchInPlace changed a forgery')
        else isPlain('tryDecryptBatchInPlace', aes.plaintextOf(frame), messages[i] as Message)
    }
  })

  test('off the thread, many calls of one key at a time', { timeout: TIMEOUT }, async () => {
    const key = keyOf(random)
    using aes = new AesGcmSiv(key, options)
    const messages = Array.from({ length: Math.ceil(0.05 * EACH) }, () => messageOf(random, key))
    const refused = await Promise.all(
      messages.map(async message => {
        const { plaintext, aad } = message
        const frame = Buffer.alloc(plaintext.length + OVERHEAD)
        aes.plaintextOf(frame).set(plaintext)
        isFrame('encryptInPlaceAsync', await aes.encryptInPlaceAsync(frame, aad), message)
        const theirs = frameOf(message)
        const bad = forged(random, theirs)
        isPlain('decryptInPlaceAsync', await aes.decryptInPlaceAsync(theirs, aad), message)
        const error = await aes.decryptInPlaceAsync(Buffer.from(bad), aad).catch(error => error)
        return bad.equals(error.frame)
      }),
    )
    expect(refused.every(same => same)).toBe(true)
    // A call on this thread has the object's memory for derived keys; the calls above had their own.
    const message = messageOf(random, key)
    isFrame('encrypt, afterwards', aes.encrypt(message.plaintext, message.aad), message)
  })
})

// Node 24.22 and 26 have it; 20 and 22 do not.
if (getCiphers().includes('aes-256-gcm-siv'))
  test('200 messages as node:crypto encrypts them', () => {
    const random = new Random('siv node:crypto')
    for (let n = 0; n < 200; n++) {
      const { key, nonce, plaintext, aad } = messageOf(random, keyOf(random))
      const cipher = createCipheriv(`aes-${key.length * 8}-gcm-siv`, key, nonce) as CipherGCM
      if (aad.length > 0) cipher.setAAD(aad)
      const text = cipher.update(plaintext)
      cipher.final()
      const [data, tag] = [Buffer.from(plaintext), Buffer.alloc(TAG_BYTES)]
      new AesGcmSiv(key).encryptDetached(data, nonce, tag, aad)
      must(data.equals(text) && tag.equals(cipher.getAuthTag()), `message ${n}`)
    }
  })
