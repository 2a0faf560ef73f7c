// Agreement with the oracle in both directions through every method, over lengths, offsets and AAD lengths.
import { must, SEED, same } from './checks.mjs'
import { Place } from './random.mjs'

const MEBIBYTE = 1 << 20
const SPARE = Buffer.alloc(3, 0x3c)
/** Every remainder of a block, every number of blocks to 37, and past 256, where a counter's low byte wraps. */
const THINNED = [...Array.from({ length: 55 }, (_, n) => n * 11), 1440, 4096, 4103, 16384, 16500]
/** A loop over this many bytes at a time can lose the rest at the end; published implementations did. */
const STRIDES = [512, 768, 1024, 1536]

/**
 * The numbers from 0 to `last` that turn `turn` of `turns` tries: other ones with every seed, and all turns together try every number.
 * With AESGCM_WHOLE=1, each turn does.
 */
export function shareOf(turn, turns, last, seed = SEED, whole = process.env.AESGCM_WHOLE === '1') {
  const all = Array.from({ length: last + 1 }, (_, n) => n)
  return whole ? all : all.filter(n => (n + turn + seed) % turns === 0)
}

const written = new Place()
const read = new Place()
const extra = new Place()
const tags = new Place()

export function* agreement(aead) {
  const [longest, mebibytes] = aead.subject.slow ? [64 << 10, 2] : [MEBIBYTE, 64]
  const variants = aead.variants()
  for (const [turn, { aes, nonceAt, name }] of variants.entries()) {
    const share = last => shareOf(turn, variants.length, last)
    const sweep = (what, run) => ({
      name: `agrees with the oracle, ${name}: ${what}`,
      run: () => {
        const random = aead.random(`${name} ${what}`)
        run(random, ({ length, offset, aad }) => {
          length ??= random.below(2113)
          offset ??= random.below(64)
          aad ??= random.below(601)
          try {
            agrees(aead, aes, nonceAt, random, length, offset, aad)
          } catch (error) {
            error.message = `length ${length}, offset ${offset}, AAD ${aad}: ${error.message}`
            throw error
          }
        })
      },
    })
    if (!aead.thorough) {
      yield sweep('thinned lengths', (_, agree) => {
        // The other layout takes the other half.
        const from = nonceAt === 'start' ? 0 : 1
        for (let n = from; n < THINNED.length; n += 2) agree({ length: THINNED[n] })
      })
      continue
    }
    // Each length in one layout and order of verification, since no code depends on all three.
    yield sweep('a share of the lengths 0 to 2112', (_, agree) => {
      for (const length of share(2112)) agree({ length })
    })
    yield sweep('every offset 0 to 63', (_, agree) => {
      for (let offset = 0; offset < 64; offset++) agree({ offset })
    })
    yield sweep('a share of the AAD lengths 0 to 600', (_, agree) => {
      for (const aad of share(600)) agree({ aad })
    })
    yield sweep(`the bounds of long strides, to ${longest >> 10} KiB`, (random, agree) => {
      for (const stride of STRIDES) {
        const most = Math.floor(longest / stride)
        for (const times of [3, 5, 7, 1 + random.below(64), 1 + random.below(most), most])
          for (const beside of [-1, 0, 1]) agree({ length: times * stride + beside })
      }
    })
    // The layout makes no difference to detached messages.
    if (nonceAt === 'start') yield sweep(`${mebibytes} MiB`, random => isLong(aead, aes, random, mebibytes))
  }
  yield { name: 'small views that native code never saw before', run: () => smallViews(aead) }
}

/** One message through every method. `offset` is that of the memory written to. */
function agrees(aead, aes, nonceAt, random, length, offset, aadLength) {
  const { key, overhead } = aead
  const plaintext = random.bytes(length)
  const aadBytes = random.bytes(aadLength)
  const aad = extra.put(aadBytes, random.below(64))
  const absent = aadLength === 0 ? random.pick([aad, null, undefined]) : aad
  const nonce = random.bytes(aead.nonceBytes)
  const expected = aead.seal(key, nonce, plaintext, aadBytes)
  const frame = aead.frameOf(nonceAt, expected)
  const intact = step =>
    must(written.intact && read.intact && extra.intact && tags.intact, () => `${step} wrote outside`)
  const isPlain = (step, actual) => same(actual, plaintext, () => step)
  const isFrame = (step, made) => {
    intact(step)
    must(aead.isFrame(made, plaintext, aadBytes, nonceAt), () => `${step} made another frame`)
  }
  const source = bytes => read.put(bytes, random.below(64))
  // Stale bytes show a byte that was left unwritten. The last three are to spare and must stay.
  const target = size => written.put(Buffer.alloc(size + SPARE.length, 0x3c), offset)
  const into = (step, size, run, check) => {
    const memory = target(size)
    must(run(memory) === size, () => `${step} gave another number`)
    check(step, memory.subarray(0, size))
    same(memory.subarray(size), SPARE, () => `${step} past its end`)
  }

  isFrame('encrypt', aes.encrypt(source(plaintext), absent))
  into('encryptInto', frame.length, memory => aes.encryptInto(memory, source(plaintext), absent), isFrame)
  const around = written.put(Buffer.alloc(length + overhead, 0x3c), offset)
  aes.plaintextOf(around).set(plaintext)
  aes.encryptInPlace(around, absent)
  isFrame('encryptInPlace', around)

  const data = written.put(plaintext, offset)
  const tag = tags.put(Buffer.alloc(16), offset)
  aes.encryptDetached(data, source(nonce), tag, absent)
  same(data, expected.text, () => 'encryptDetached')
  same(tag, expected.tag, () => 'encryptDetached: tag')
  must(aes.tryDecryptDetached(data, source(nonce), tag, absent) === true, 'tryDecryptDetached refused')
  isPlain('tryDecryptDetached', data)
  data.set(expected.text)
  aes.decryptDetached(data, source(nonce), tag, absent)
  isPlain('decryptDetached', data)
  intact('a detached method')

  isPlain('decrypt', aes.decrypt(source(frame), absent))
  isPlain('tryDecrypt', aes.tryDecrypt(source(frame), absent))
  for (const method of ['decryptInto', 'tryDecryptInto'])
    into(method, length, memory => aes[method](memory, source(frame), absent), isPlain)
  const inside = written.put(frame, offset)
  isPlain('decryptInPlace', aes.decryptInPlace(inside, absent))
  isPlain('decryptInPlace where it lies', aes.plaintextOf(inside))
  inside.set(frame)
  must(aes.tryDecryptInPlace(inside, absent) === true, 'tryDecryptInPlace refused')
  isPlain('tryDecryptInPlace', aes.plaintextOf(inside))
  intact('a decryption')
  same(aad, aadBytes, () => 'the AAD')
}

function isLong(aead, aes, random, mebibytes) {
  const plaintext = Buffer.alloc(mebibytes * MEBIBYTE, random.bytes(4099))
  const data = Buffer.from(plaintext)
  const [nonce, tag, aad] = [random.bytes(aead.nonceBytes), Buffer.alloc(16), random.bytes(13)]
  const expected = aead.seal(aead.key, nonce, plaintext, aad)
  aes.encryptDetached(data, nonce, tag, aad)
  must(data.equals(expected.text) && tag.equals(expected.tag), 'encryptDetached')
  aes.decryptDetached(data, nonce, tag, aad)
  must(data.equals(plaintext), 'decryptDetached')
}

/** The memory of a small view moves when native code first asks for it: a runtime may lose bytes that are written there. */
function smallViews(aead) {
  const aes = aead.make()
  const rounds = aead.thorough ? 20 : 2
  for (let round = 0; round < rounds; round++) {
    for (let length = 16; length <= 64; length++) {
      const [data, tag] = [new Uint8Array(length).fill(round), new Uint8Array(16)]
      const expected = aead.seal(aead.key, aead.nonce, data, aead.aad)
      aes.encryptDetached(data, new Uint8Array(aead.nonce), tag, new Uint8Array(aead.aad))
      same(data, expected.text, () => `data of ${length} bytes`)
      same(tag, expected.tag, () => `the tag beside ${length} bytes`)
      const frame = new Uint8Array(length + aead.overhead)
      aes.encryptInPlace(frame)
      same(aes.decryptInPlace(frame), Buffer.alloc(length), () => `a frame around ${length} bytes`)
    }
  }
}
