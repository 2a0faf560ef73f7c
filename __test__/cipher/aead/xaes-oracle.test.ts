// Random messages of XAesGcm against the reference in models/xaes.mjs, on every backend, and the nonces of its frames.
import { cpu, reseed } from 'hardware-aes-gcm'
import { OVERHEAD, XAesGcm } from 'hardware-aes-gcm/xaes'
import { describe, expect, test } from 'vitest'
import { NONCE_BYTES, TAG_BYTES, xaes } from '../../models/xaes.mjs'
import { must, Random } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import type { Message } from '../../vectors/xaes.js'

const ROUNDS = count(100, 5000)
const TIMEOUT = count(60_000, 600_000)
const VARIANTS = cpu().backends.flatMap(backend =>
  (['start', 'end'] as const).flatMap(nonceAt =>
    [false, true].map(verifyFirst => ({ backend, nonceAt, verifyFirst })),
  ),
)

type Layout = (typeof VARIANTS)[number]['nonceAt']

/** The nonce of a frame. */
const nonceOf = (frame: Buffer, nonceAt: Layout) =>
  nonceAt === 'start' ? frame.subarray(0, NONCE_BYTES) : frame.subarray(-NONCE_BYTES)

/** A message, sealed by the reference. */
const seal = ({ key, nonce, plaintext, aad }: Message) => xaes(key, nonce, plaintext, aad)

/** The frame that the reference makes of a message. */
function frameOf(message: Message, nonceAt: Layout): Buffer {
  const { text, tag } = seal(message)
  return Buffer.concat(nonceAt === 'start' ? [message.nonce, text, tag] : [text, tag, message.nonce])
}

/** A plaintext of a length that kernels treat apart: empty, within a block, within a group, or many groups. */
const plaintextOf = (random: Random) => random.bytes(random.below(random.pick([1, 17, 130, 1100, 20_000])))

/** The same bytes in up to five pieces. */
function split(random: Random, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: random.below(5) }, () => random.below(bytes.length + 1))
  const ends = [...cuts.sort((a, b) => a - b), bytes.length]
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

describe.each(VARIANTS)('$backend, nonceAt $nonceAt, verifyFirst $verifyFirst', options => {
  const { backend, nonceAt, verifyFirst } = options
  const random = new Random(`xaes ${backend} ${nonceAt} ${verifyFirst}`)
  const isPlain = (what: string, actual: Buffer, message: Message) =>
    must(actual.equals(message.plaintext), () => `${what}: another plaintext of ${actual.length} bytes`)

  /** Throws unless the reference makes the same frame with this nonce. */
  const isFrame = (what: string, frame: Buffer, message: Message) => {
    const made = frameOf({ ...message, nonce: nonceOf(frame, nonceAt) }, nonceAt)
    must(frame.equals(made), () => `${what}: another frame of ${frame.length} bytes`)
  }

  const messageOf = (key: Buffer): Message => {
    const aad = random.bytes(random.below(random.pick([1, 40, 600])))
    return { key, nonce: random.bytes(NONCE_BYTES), plaintext: plaintextOf(random), aad }
  }

  test(`${ROUNDS} keys, calls of single messages`, { timeout: TIMEOUT }, () => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = random.bytes(32)
      using xaes = new XAesGcm(key, options)
      for (let n = 0; n < 3; n++) {
        const message = messageOf(key)
        const { nonce, plaintext, aad } = message

        isFrame('encrypt', xaes.encrypt(plaintext, aad), message)
        isFrame('encrypt, in pieces', xaes.encrypt(split(random, Buffer.from(plaintext)), aad), message)
        const target = Buffer.alloc(plaintext.length + OVERHEAD + 3)
        const written = xaes.encryptInto(target, split(random, Buffer.from(plaintext)), aad)
        must(written === plaintext.length + OVERHEAD, `encryptInto gave ${written}`)
        isFrame('encryptInto', target.subarray(0, written), message)
        const inPlace = Buffer.alloc(written)
        xaes.plaintextOf(inPlace).set(plaintext)
        xaes.encryptInPlace(inPlace, aad)
        isFrame('encryptInPlace', inPlace, message)

        const { text, tag } = seal(message)
        const [data, made] = [Buffer.from(plaintext), Buffer.alloc(TAG_BYTES)]
        xaes.encryptDetached(data, nonce, made, aad)
        must(data.equals(text) && made.equals(tag), 'encryptDetached: other bytes')
        xaes.decryptDetached(data, nonce, tag, aad)
        isPlain('decryptDetached', data, message)

        const frame = frameOf(message, nonceAt)
        isPlain('decrypt', xaes.decrypt(frame, aad), message)
        const opened = xaes.decryptInto(target, frame, aad)
        isPlain('decryptInto', target.subarray(0, opened), message)
        isPlain('decryptInPlace', xaes.decryptInPlace(Buffer.from(frame), aad), message)

        // One bit of any part of the frame, also of that half of the nonce from which only the key is derived.
        const forged = Buffer.from(frame)
        const at = random.pick([
          random.below(frame.length),
          nonceAt === 'start' ? 0 : frame.length - NONCE_BYTES,
        ])
        forged[at] = (forged[at] as number) ^ (1 << random.below(8))
        const before = Buffer.from(forged)
        must(!xaes.tryDecryptInPlace(forged, aad), `a forgery at ${at} was opened`)
        must(forged.equals(before), `a forgery at ${at} was changed`)
      }
      expect([xaes.messagesEncrypted, xaes.failedDecryptions]).toEqual([12, 3])
    }
  })

  test('batches', () => {
    for (let round = 0; round < ROUNDS / 10; round++) {
      const key = random.bytes(32)
      using xaes = new XAesGcm(key, options)
      const messages = Array.from({ length: 1 + random.below(9) }, () => messageOf(key))
      const aad = (_: Uint8Array, i: number) => (messages[i] as Message).aad

      const rows = xaes.encryptBatch(
        messages.map(message => message.plaintext),
        { aad },
      )
      for (const [i, row] of rows.entries()) isFrame('encryptBatch', row, messages[i] as Message)
      const opened = xaes.decryptBatch(
        messages.map(message => frameOf(message, nonceAt)),
        { aad },
      )
      for (const [i, row] of opened.entries()) isPlain('decryptBatch', row, messages[i] as Message)

      const ends = (lengths: number[]) => Uint32Array.from(lengths, sumOf(lengths))
      const frames = Buffer.concat(messages.map(({ plaintext }) => Buffer.alloc(plaintext.length + OVERHEAD)))
      const frameEnds = ends(messages.map(({ plaintext }) => plaintext.length + OVERHEAD))
      const all = {
        aad: Buffer.concat(messages.map(({ aad }) => aad)),
        aadEnds: ends(messages.map(({ aad }) => aad.length)),
      }
      const frameAt = (i: number) => frames.subarray(frameEnds[i - 1] ?? 0, frameEnds[i])
      for (const [i, { plaintext }] of messages.entries()) xaes.plaintextOf(frameAt(i)).set(plaintext)
      xaes.encryptBatchInPlace(frames, frameEnds, all)
      for (const [i, message] of messages.entries()) isFrame('encryptBatchInPlace', frameAt(i), message)
      for (const [i, message] of messages.entries()) frameAt(i).set(frameOf(message, nonceAt))
      expect(xaes.tryDecryptBatchInPlace(frames, frameEnds, all)).toEqual(new Uint32Array())
      for (const [i, message] of messages.entries())
        isPlain('tryDecryptBatchInPlace', xaes.plaintextOf(frameAt(i)), message)
    }
  })

  test('off the thread, many calls of one key at a time', async () => {
    const key = random.bytes(32)
    using xaes = new XAesGcm(key, options)
    const messages = Array.from({ length: 20 }, () => messageOf(key))
    await Promise.all(
      messages.map(async message => {
        const frame = Buffer.alloc(message.plaintext.length + OVERHEAD)
        xaes.plaintextOf(frame).set(message.plaintext)
        isFrame('encryptInPlaceAsync', await xaes.encryptInPlaceAsync(frame, message.aad), message)
        const opened = await xaes.decryptInPlaceAsync(frameOf(message, nonceAt), message.aad)
        isPlain('decryptInPlaceAsync', opened, message)
      }),
    )
    // A call on this thread has the object's memory for derived keys; the calls above had their own.
    const message = messageOf(key)
    isFrame('encrypt, afterwards', xaes.encrypt(message.plaintext, message.aad), message)
  })
})

/** A function for `Array.from` that turns lengths into ends. */
function sumOf(lengths: readonly number[]) {
  return (_: number, i: number) => lengths.slice(0, i + 1).reduce((sum, length) => sum + length, 0)
}

describe('nonces', () => {
  const next = (xaes: XAesGcm) => nonceOf(xaes.encrypt(Buffer.alloc(0)), 'start')
  const stepsFrom = (first: Buffer, nonce: Buffer) =>
    Number(BigInt.asUintN(64, nonce.readBigUInt64LE() - first.readBigUInt64LE()))
  const restOf = (nonce: Buffer) => nonce.toString('hex', 8)

  test('frames of one object count in the first eight bytes of their nonces', async () => {
    using xaes = new XAesGcm(XAesGcm.generateKey())
    const first = next(xaes)
    const inBatch = xaes.encryptBatch([Buffer.alloc(1), Buffer.alloc(2)])
    const off = await xaes.encryptInPlaceAsync(Buffer.alloc(OVERHEAD))
    const nonces = [first, ...[...inBatch, off].map(frame => nonceOf(frame, 'start')), next(xaes)]
    // So each frame has a derived key of its own.
    expect(nonces.map(nonce => stepsFrom(first, nonce))).toEqual([0, 1, 2, 3, 4])
    expect(new Set(nonces.map(restOf)).size).toBe(1)
  })

  test('another object, and the same object after reseed(), have another salt', () => {
    const key = XAesGcm.generateKey()
    using one = new XAesGcm(key)
    using other = new XAesGcm(key)
    const salts = [one, other].map(xaes => restOf(next(xaes)))
    reseed()
    salts.push(restOf(next(one)), restOf(next(other)))
    expect(new Set(salts).size).toBe(4)
    expect(one.messagesEncrypted).toBe(2)
  })
})
