// Plaintexts in pieces: the frame is that of their concatenation, however the plaintext is split.
import { counts, LAYOUTS } from './aead.mjs'
import { equal, must, SEED, same } from './checks.mjs'
import { isCiphertext } from './frames.mjs'
import { MAX_PIECES } from './pieces-arguments.mjs'
import { Place } from './random.mjs'

/** Length of the longest plaintext that is split at every point. */
const LONGEST = 200
/** Frames that are judged at a time. */
const TOGETHER = 256

export function* pieces(aead) {
  for (const nonceAt of LAYOUTS) {
    const yieldAs = (name, run) => ({ name: `${name}, nonceAt ${nonceAt}`, run })
    yield yieldAs('every split of some plaintexts into up to 4 pieces', () => {
      const lengths = aead.thorough ? [0, 1, 15, 16, 17, 33] : [0, 1, 17]
      everySplit(aead, nonceAt, lengths, aead.thorough ? 1 : 31)
    })
    yield yieldAs('pieces of random lengths', () => {
      const random = aead.random(`pieces ${nonceAt}`)
      const aes = aead.make({ nonceAt })
      // 10 000 plaintexts for each backend, with two layouts and two key sizes; 2000 if the oracle is slow.
      const whole = aead.subject.slow ? 500 : 2500
      const rounds = aead.thorough ? whole : 40
      for (let n = 0; n < rounds; n++) randomPieces(aead, aes, nonceAt, random, n)
    })
    yield yieldAs('pieces into small targets that native code never saw before', () => {
      const aes = aead.make({ nonceAt })
      for (let length = 0; length <= 64 - aead.overhead; length++) {
        const target = new Uint8Array(length + aead.overhead)
        const list = [new Uint8Array(length >> 1).fill(length), new Uint8Array((length + 1) >> 1)]
        equal(aes.encryptInto(target, list), target.length, `${length} bytes`)
        must(aead.isFrame(Buffer.from(target), Buffer.concat(list), undefined, nonceAt), `${length} bytes`)
      }
    })
    yield yieldAs('no pieces, empty pieces, and up to 2^16 pieces', () => few(aead, nonceAt))
  }
}

/**
 * Encrypts plaintexts of these lengths in one to four pieces, split at every point, and decrypts the frames. `agreement`
 * judges decryption. With `step`, takes one in so many splits into four pieces; the seed decides which.
 */
export function everySplit(aead, nonceAt, lengths, step) {
  const aes = aead.make({ nonceAt })
  const text = aead.random('splits').bytes(LONGEST)
  // The views are made first, because making a view takes longer than encrypting it.
  const longest = Math.max(...lengths)
  const views = Array.from({ length: longest + 1 }, (_, a) =>
    Array.from({ length: longest + 1 }, (_, b) => (a <= b ? text.subarray(a, b) : undefined)),
  )
  let splits = 0
  // How many splits into four pieces come before the next one to take.
  let skipped = SEED % step
  for (const length of lengths) {
    const frames = new Frames(aead, aes, nonceAt, text.subarray(0, length))
    const check = (...cuts) => {
      const list = []
      for (let n = 0; n <= cuts.length; n++) list.push(views[cuts[n - 1] ?? 0][cuts[n] ?? length])
      frames.add(list, cuts)
      splits++
    }
    check()
    for (let i = 0; i <= length; i++) {
      check(i)
      for (let j = i; j <= length; j++) {
        check(i, j)
        let k = j + skipped
        for (; k <= length; k += step) check(i, j, k)
        skipped = k - length - 1
      }
    }
    frames.judge()
  }
  return splits
}

/** Frames around one plaintext, each made of other pieces. They are decrypted together, which takes less time than a call for each. */
class Frames {
  #aes
  #plaintext
  #size
  #memory
  #targets = []
  #texts = []
  #cuts = []

  constructor(aead, aes, nonceAt, plaintext) {
    this.#aes = aes
    this.#plaintext = plaintext
    this.#size = plaintext.length + aead.overhead
    this.#memory = Buffer.alloc(TOGETHER * this.#size)
    const start = nonceAt === 'start' ? aead.nonceBytes : 0
    for (let at = 0; at < this.#memory.length; at += this.#size) {
      const target = this.#memory.subarray(at, at + this.#size)
      this.#targets.push(target)
      this.#texts.push(target.subarray(start, start + plaintext.length))
    }
  }

  add(list, cuts) {
    const written = this.#aes.encryptInto(this.#targets[this.#cuts.length], list)
    must(written === this.#size, () => this.#named(cuts))
    if (this.#cuts.push(cuts) === TOGETHER) this.judge()
  }

  judge() {
    const frames = this.#memory.subarray(0, this.#cuts.length * this.#size)
    const [refused] = this.#aes.tryDecryptBatchInPlace(frames, this.#size)
    must(refused === undefined, () => this.#named(this.#cuts[refused]))
    for (let n = 0; n < this.#cuts.length; n++)
      must(Buffer.compare(this.#texts[n], this.#plaintext) === 0, () => this.#named(this.#cuts[n]))
    this.#cuts = []
  }

  #named(cuts) {
    return `${this.#plaintext.length} bytes, split at ${cuts.join(', ')}`
  }
}

const [source, written] = [new Place(), new Place()]

/** One plaintext in pieces of random lengths, through both methods. Every tenth may have 20 000 bytes. */
function randomPieces(aead, aes, nonceAt, random, n) {
  const plaintext = source.put(random.bytes(random.below(n % 10 === 0 ? 20_000 : 1500)), random.below(64))
  const cuts = Array.from({ length: random.below(9) }, () => random.below(plaintext.length + 1))
  cuts.sort((a, b) => a - b)
  const list = [...cuts, plaintext.length].map((cut, i) => {
    const piece = plaintext.subarray(cuts[i - 1] ?? 0, cut)
    // V8 keeps a small array of its own on its heap until native code asks for its memory.
    return random.below(4) === 0 ? new Uint8Array(piece) : piece
  })
  const aad = random.below(2) === 0 ? random.bytes(random.below(60)) : undefined
  const before = Buffer.from(plaintext)
  const target = written.put(Buffer.alloc(plaintext.length + aead.overhead + 3, 0x3c), random.below(64))
  const what = way => `${way} of ${plaintext.length} bytes, split at ${cuts.join(', ')}`
  const size = aes.encryptInto(target, list, aad)
  must(size === target.length - 3, () => what('encryptInto gave another number'))
  const ways = { encryptInto: target.subarray(0, size), encrypt: aes.encrypt(list, aad) }
  for (const [way, frame] of Object.entries(ways))
    must(aead.isFrame(frame, before, aad, nonceAt), () => what(`another frame by ${way}`))
  same(target.subarray(size), Buffer.alloc(3, 0x3c), () => what('past the end of encryptInto'))
  must(written.intact && source.intact && plaintext.equals(before), () => what('other bytes were changed'))
}

function few(aead, nonceAt) {
  const aes = aead.make({ nonceAt })
  const random = aead.random('few pieces')
  const [empty, one, two] = [new Uint8Array(0), random.bytes(1), random.bytes(77)]
  // The layout makes no difference to so many pieces.
  const many = aead.thorough && nonceAt === 'start' ? MAX_PIECES : 300
  const bytes = random.bytes(many)
  const lists = [
    [],
    [empty],
    [empty, empty, new Uint8Array(0)],
    [one],
    [two, empty],
    [empty, two, empty, empty, one, empty],
    [two, two, two],
    [two, two.subarray(5, 40), two.subarray(39)],
    Array(many).fill(empty),
    Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)),
  ]
  let [messages, total] = [0, 0]
  for (const list of lists) {
    const plaintext = Buffer.concat(list)
    const what = `${list.length} pieces, ${plaintext.length} bytes`
    const frame = aes.encrypt(list, one)
    isCiphertext(frame)
    must(aead.isFrame(frame, plaintext, one, nonceAt), what)
    const target = Buffer.alloc(frame.length)
    equal(aes.encryptInto(target, list, one), target.length, what)
    must(aead.isFrame(target, plaintext, one, nonceAt), what)
    messages += 2
    total += 2 * plaintext.length
  }
  equal(counts(aes), [messages, total, 0], 'counters')
}
