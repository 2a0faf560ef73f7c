// Batches: each of many frames in one memory must equal the result of a method for one frame.
import { TAG_BYTES } from './aead.mjs'
import { AUTHENTICATION, equal, must, refuses, same } from './checks.mjs'
import { Place } from './random.mjs'

export const BATCH_METHODS = ['encryptBatchInPlace', 'decryptBatchInPlace', 'tryDecryptBatchInPlace']

const SPARE = 13
const memory = new Place()

export function* batches(aead) {
  for (const { aes, nonceAt, name } of aead.variants()) {
    const yieldAs = (what, run) => ({ name: `a batch ${what}, ${name}`, run })
    for (const [what, lengths] of shapes(aead))
      yield yieldAs(`of ${what}`, () => {
        const random = aead.random(`batch ${what} ${name}`)
        const all = aead.thorough && lengths.length < 500
        const kinds = all ? ['none', 'same', 'each'] : [nonceAt === 'start' ? 'same' : 'each']
        for (const kind of kinds) agrees(aead, aes, nonceAt, random, lengths, kind)
      })
    yield yieldAs('of random frames', () => {
      const random = aead.random(`batches ${name}`)
      for (let n = 0; n < (aead.thorough ? 60 : 4); n++) {
        const most = random.pick([40, 300, 3000])
        const lengths = Array.from({ length: random.below(24) }, () => aead.overhead + random.below(most))
        agrees(aead, aes, nonceAt, random, lengths, random.pick(['none', 'same', 'each']))
      }
    })
    yield yieldAs('of one small frame that native code never saw before', () => {
      for (let length = aead.overhead; length <= 64; length++) {
        const text = Buffer.alloc(length - aead.overhead, length)
        const frame = new Uint8Array(length)
        textIn(aead, nonceAt, frame).set(text)
        aes.encryptBatchInPlace(frame, Uint32Array.of(length), { aad: Uint8Array.of(7) })
        must(aead.isFrame(Buffer.from(frame), text, Buffer.of(7), nonceAt), () => `${length} bytes`)
        const copy = Uint8Array.from(frame)
        equal(
          aes.tryDecryptBatchInPlace(copy, length, { aad: Uint8Array.of(7) }).length,
          0,
          `${length} bytes`,
        )
        same(textIn(aead, nonceAt, copy), text, () => `${length} bytes`)
      }
    })
    yield yieldAs('with every subset of its frames forged', () => subsets(aead, nonceAt, name))
    yield yieldAs('with frames that are too short', () => short(aead, nonceAt, name))
  }
}

/** Lengths of frames, by description. */
function* shapes({ overhead, thorough }) {
  const all = Array.from({ length: 301 - overhead }, (_, n) => overhead + n)
  yield ['every length to 300', thorough ? all : all.filter((_, n) => n % 13 === 0)]
  yield ['frames around no bytes', Array(thorough ? 100 : 9).fill(overhead)]
  yield ['frames around 64 bytes', Array(thorough ? 1000 : 20).fill(64 + overhead)]
  yield ['one frame', [50 + overhead]]
  yield ['equal frames and a shorter last one', [...Array(20).fill(90 + overhead), 17 + overhead]]
  yield [
    'long frames and short ones',
    [overhead, 7000, overhead + 1, thorough ? 70_001 : 900, 1440, overhead],
  ]
}

/** Where ranges of these lengths end. */
export function endsOf(lengths) {
  let end = 0
  return Uint32Array.from(lengths, length => (end += length))
}

/** The range of each of these lengths, as views of `bytes`. */
export function split(bytes, lengths) {
  const ends = endsOf(lengths)
  return lengths.map((length, i) => bytes.subarray(ends[i] - length, ends[i]))
}

/** The one number that gives ranges of these lengths, if there is such a number. */
function lengthOfAll(lengths) {
  const [first, last] = [lengths[0], lengths.at(-1)]
  return lengths.slice(0, -1).every(length => length === first) && last <= first ? first : undefined
}

/** The AAD of each of `count` frames, and the options that say so. */
function aadOf(random, count, kind) {
  if (kind === 'none') return { aads: Array(count), options: random.pick([undefined, {}, { aad: null }]) }
  const aad = random.bytes(kind === 'same' ? 13 : 40 * count + 5)
  if (kind === 'same') return { aads: Array(count).fill(aad), options: { aad } }
  const lengths = Array.from({ length: count }, () => random.pick([0, 1, 13, random.below(40)]))
  return { aads: split(aad, lengths), options: { aad, aadEnds: endsOf(lengths) } }
}

/** The text of each frame, and frames around the texts that an independent implementation encrypted. */
function sealed(aead, nonceAt, random, lengths, aads) {
  const texts = lengths.map(length => random.bytes(length - aead.overhead))
  const frames = texts.map((text, i) =>
    aead.frameOf(nonceAt, aead.seal(aead.key, random.bytes(aead.nonceBytes), text, aads[i])),
  )
  return { texts, frames }
}

/** The plaintext within a frame. */
const textIn = (aead, nonceAt, frame) =>
  nonceAt === 'start'
    ? frame.subarray(aead.nonceBytes, frame.length - TAG_BYTES)
    : frame.subarray(0, frame.length - aead.overhead)

function agrees(aead, aes, nonceAt, random, lengths, kind) {
  const { aads, options } = aadOf(random, lengths.length, kind)
  const { texts, frames } = sealed(aead, nonceAt, random, lengths, aads)
  const number = lengthOfAll(lengths)
  for (const ends of number === undefined ? [endsOf(lengths)] : [endsOf(lengths), number]) {
    // A number of `ends` leaves no bytes to spare.
    const spare = Buffer.alloc(typeof ends === 'number' ? 0 : SPARE, 0x3c)
    const put = content => {
      const whole = memory.put(Buffer.concat([...content, spare]), random.below(64))
      return { whole, each: split(whole, lengths) }
    }
    const intact = (step, whole) => {
      same(whole.subarray(whole.length - spare.length), spare, () => `${step}: past the last end`)
      must(memory.intact, `${step}: beside the memory`)
    }
    const arePlain = (step, each) => {
      for (const [i, frame] of each.entries())
        same(textIn(aead, nonceAt, frame), texts[i], () => `${step}: frame ${i} of ${lengths[i]} bytes`)
    }

    const [messages, bytes] = [aes.messagesEncrypted, aes.bytesEncrypted]
    const { whole, each } = put(lengths.map(length => Buffer.alloc(length)))
    for (const [i, frame] of each.entries()) textIn(aead, nonceAt, frame).set(texts[i])
    equal(aes.encryptBatchInPlace(whole, ends, options), undefined, 'encryptBatchInPlace')
    for (const [i, frame] of each.entries())
      must(
        aead.isFrame(frame, texts[i], aads[i], nonceAt),
        () => `frame ${i} of ${lengths[i]} bytes is another`,
      )
    intact('encryption', whole)
    const nonces = each.map(frame => aead.nonceOf(nonceAt, frame).toString('hex'))
    equal(new Set(nonces).size, lengths.length, 'different nonces')
    const total = texts.reduce((sum, text) => sum + text.length, 0)
    equal([aes.messagesEncrypted, aes.bytesEncrypted], [messages + lengths.length, bytes + total], 'counters')

    const before = put(frames)
    const failed = aes.tryDecryptBatchInPlace(before.whole, ends, options)
    must(failed instanceof Uint32Array && failed.length === 0, 'tryDecryptBatchInPlace refused')
    arePlain('tryDecryptBatchInPlace', before.each)
    intact('tryDecryptBatchInPlace', before.whole)
    const again = put(frames)
    equal(aes.decryptBatchInPlace(again.whole, ends, options), undefined, 'decryptBatchInPlace')
    arePlain('decryptBatchInPlace', again.each)
    intact('decryptBatchInPlace', again.whole)
  }
}

/**
 * Both methods decrypt `frames`, of which those at the indexes `bad` are not authentic: the failed frames stay as they are,
 * the others are decrypted.
 */
function restores(aead, aes, nonceAt, { frames, texts, options }, bad, what) {
  const lengths = frames.map(frame => frame.length)
  for (const method of ['tryDecryptBatchInPlace', 'decryptBatchInPlace']) {
    const [whole, failures] = [memory.put(Buffer.concat(frames), 3), aes.failedDecryptions]
    const run = () => aes[method](whole, endsOf(lengths), options)
    if (method.startsWith('try') || bad.length === 0) {
      const failed = run()
      if (method.startsWith('try')) equal(failed, Uint32Array.from(bad), `${what}: ${method}`)
    } else {
      const error = refuses(run, AUTHENTICATION, what)
      equal(error.failed, bad, `${what}: failed`)
    }
    for (const [i, frame] of split(whole, lengths).entries()) {
      if (bad.includes(i)) same(frame, frames[i], () => `${what}: ${method} changed frame ${i}`)
      else same(textIn(aead, nonceAt, frame), texts[i], () => `${what}: ${method} of frame ${i}`)
    }
    must(memory.intact, `${what}: beside the memory`)
    equal(aes.failedDecryptions, failures + bad.length, `${what}: failedDecryptions`)
  }
}

function subsets(aead, nonceAt, name) {
  const random = aead.random(`subsets ${name}`)
  const aes = aead.make({ nonceAt, verifyFirst: name.endsWith('true') })
  const { overhead } = aead
  const lengths = [overhead, overhead + 1, overhead + 16, 64 + overhead, 300, aead.thorough ? 1500 : 500]
  const { aads, options } = aadOf(random, lengths.length, 'each')
  const { frames, texts } = sealed(aead, nonceAt, random, lengths, aads)
  const all = 2 ** lengths.length
  for (let subset = 0; subset < all; subset += aead.thorough ? 1 : 9) {
    const bad = lengths.map((_, i) => i).filter(i => (subset >> i) & 1)
    const forged = frames.map((frame, i) => {
      const copy = Buffer.from(frame)
      if (bad.includes(i)) copy[random.below(copy.length)] ^= 1 << random.below(8)
      return copy
    })
    restores(aead, aes, nonceAt, { frames: forged, texts, options }, bad, `frames ${bad.join()} forged`)
  }
  // A wrong border between the AADs of two frames makes both fail.
  const aadEnds = Uint32Array.of(1, 5, 9, 13, 17, 21)
  const fitting = sealed(aead, nonceAt, random, lengths, split(options.aad, [1, 4, 4, 4, 4, 4]))
  restores(aead, aes, nonceAt, { ...fitting, options: { aad: options.aad, aadEnds } }, [], 'AADs that fit')
  aadEnds[2]++
  restores(
    aead,
    aes,
    nonceAt,
    { ...fitting, options: { aad: options.aad, aadEnds } },
    [2, 3],
    'a wrong border',
  )
}

/** Frames too short to be frames, between good ones, and alone. */
function short(aead, nonceAt, name) {
  const random = aead.random(`short ${name}`)
  const aes = aead.make({ nonceAt, verifyFirst: name.endsWith('true') })
  const { overhead } = aead
  const lengths = [overhead + 5, overhead, overhead + 100]
  const { frames, texts } = sealed(aead, nonceAt, random, lengths, [])
  for (let length = 0; length < overhead; length += aead.thorough ? 1 : 9) {
    const cut = random.bytes(length)
    const list = [cut, frames[0], cut, cut, frames[1], frames[2], cut]
    const around = { frames: list, texts: [cut, texts[0], cut, cut, texts[1], texts[2], cut] }
    restores(aead, aes, nonceAt, around, [0, 2, 3, 6], `frames of ${length} bytes`)
  }
  const tail = memory.put(Buffer.concat([frames[0], frames[0].subarray(0, 9)]))
  equal(aes.tryDecryptBatchInPlace(tail, frames[0].length), Uint32Array.of(1), 'a last frame of 9 bytes')
  const many = Buffer.alloc(aead.thorough ? 5000 : 200)
  const failed = aes.tryDecryptBatchInPlace(many, 1)
  equal(failed, Uint32Array.from(many.keys()), 'frames of a byte')
  failed.fill(9)
  equal(aes.tryDecryptBatchInPlace(many.subarray(0, 2), 1), Uint32Array.of(0, 1), 'an array of its own')
}
