// A message that was changed is refused by every method, and leaves its memory as it was, or the target zeroed.
import { AesGcmError, AuthenticationError } from 'hardware-aes-gcm'
import { LAYOUTS, refusalOf } from './aead.mjs'
import { AUTHENTICATION, equal, must, refuses, thrown } from './checks.mjs'
import { Place } from './random.mjs'

const memory = new Place()
const spare = new Place()

export function* tampering(aead) {
  const { key, overhead } = aead
  // Lengths that end within a block, at a block, and in the widest loop of every backend.
  for (const length of aead.thorough ? [0, 1, 16, 45, 600] : [0, 45])
    yield {
      name: `single bits of a message of ${length} bytes`,
      run: () => withoutStacks(() => everyBit(aead, length)),
    }
  yield { name: 'any byte changed, inserted or dropped', run: () => withoutStacks(() => anyByte(aead)) }
  for (const nonceAt of LAYOUTS) {
    const random = aead.random(`refusals ${nonceAt}`)
    const yieldAs = (name, run) => ({ name: `${name}, nonceAt ${nonceAt}`, run: () => withoutStacks(run) })

    yield yieldAs('frames shorter than the overhead are not authentic, and no mistake of the caller', () => {
      const aes = aead.make({ nonceAt })
      for (let length = 0; length < overhead; length++)
        refusesFrame(aead, aes, random.bytes(length), undefined, () => `a frame of ${length} bytes`)
      equal(aes.failedDecryptions, overhead * 6, 'failedDecryptions')
    })

    yield yieldAs('AAD that is absent, empty, longer, shorter or swapped with text', () => {
      const aes = aead.make({ nonceAt })
      const text = Buffer.from('text')
      const [withAad, without] = [aes.encrypt(text, Buffer.from('aad')), aes.encrypt(text)]
      for (const aad of [null, undefined, ...['', 'aa', 'aad\0', 'text'].map(other => Buffer.from(other))])
        refusesFrame(aead, aes, withAad, aad, () => `AAD ${aad}`)
      refusesFrame(aead, aes, without, Buffer.from('\0'), () => 'AAD where there was none')
      for (const none of [null, undefined, Buffer.alloc(0)]) equal(aes.decrypt(without, none), text, 'no AAD')
    })

    yield yieldAs('an all-zero tag over an empty message with AAD, under any key', () => {
      for (let n = 0; n < (aead.thorough ? 500 : 20); n++) {
        const aes = aead.make({ nonceAt }, random.bytes(aead.keyBytes))
        const parts = { nonce: random.bytes(aead.nonceBytes), text: Buffer.alloc(0), tag: Buffer.alloc(16) }
        refusesFrame(aead, aes, aead.frameOf(nonceAt, parts), random.bytes(8), () => 'a zero tag')
        refusesDetached(aes, parts, random.bytes(8), () => 'a zero tag')
      }
    })

    yield yieldAs('a frame of the other layout', () => {
      const aes = aead.make({ nonceAt })
      const other = aead.make({ nonceAt: nonceAt === 'start' ? 'end' : 'start' })
      for (let length = 0; length < 200; length += aead.thorough ? 1 : 13) {
        const frame = other.encrypt(random.bytes(length))
        refusesFrame(aead, aes, frame, undefined, () => `a frame of ${length} bytes`)
      }
    })

    yield yieldAs('one class, code and message for every cause', () => {
      oneError(
        causes(aead, aead.make({ nonceAt }), aead.make({ nonceAt }, random.bytes(key.length)), nonceAt),
      )
    })
  }
}

/** Throws unless the method refuses a bad message in its way: with an error, or with false or null. */
function isRefused(aes, method, values, what) {
  const gives = method.startsWith('try')
  let refused
  try {
    refused = aes[method](...values) === refusalOf(method) && gives
  } catch (error) {
    refused = !gives && error instanceof AuthenticationError && error.code === AUTHENTICATION
  }
  must(refused, () => `${method} takes ${what()}`)
}

/** A bad frame through every method that takes frames. */
function refusesFrame(aead, aes, frame, aad, what) {
  const before = Buffer.from(frame)
  const length = Math.max(0, frame.length - aead.overhead)
  const inside = memory.put(frame, 5)
  for (const method of ['decrypt', 'tryDecrypt', 'decryptInPlace', 'tryDecryptInPlace']) {
    isRefused(aes, method, [inside, aad], what)
    must(inside.equals(before) && memory.intact, () => `${method} changed ${what()}`)
  }
  for (const method of ['decryptInto', 'tryDecryptInto']) {
    // A frame too short for a plaintext leaves the whole target alone.
    const target = spare.put(Buffer.alloc(length + 9, 0x77), 3)
    isRefused(aes, method, [target, inside, aad], what)
    const [zeroed, beyond] = [target.subarray(0, length), target.subarray(length)]
    must(zeroed.equals(Buffer.alloc(length)), () => `${method} left plaintext of ${what()}`)
    must(beyond.equals(Buffer.alloc(9, 0x77)) && spare.intact, () => `${method} wrote beyond ${what()}`)
    must(inside.equals(before) && memory.intact, () => `${method} changed ${what()}`)
  }
}

/** The same for a detached message. */
function refusesDetached(aes, { nonce, text, tag }, aad, what) {
  const data = memory.put(text, 5)
  const before = Buffer.concat([nonce, tag])
  for (const method of ['decryptDetached', 'tryDecryptDetached']) {
    isRefused(aes, method, [data, nonce, tag, aad], what)
    must(data.equals(text) && memory.intact, () => `${method} changed data for ${what()}`)
  }
  must(Buffer.concat([nonce, tag]).equals(before), () => `nonce or tag was changed by ${what()}`)
}

/** Runs without stack traces, which take most of the time of a thrown error. */
function withoutStacks(run) {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    run()
  } finally {
    Error.stackTraceLimit = limit
  }
}

function everyBit(aead, length) {
  const random = aead.random(`bits ${length}`)
  const aad = random.bytes(21)
  const parts = aead.seal(aead.key, random.bytes(aead.nonceBytes), random.bytes(length), aad)
  for (const { aes, nonceAt, name } of aead.variants()) {
    const frame = aead.frameOf(nonceAt, parts)
    const flip = (bytes, of, refused) => {
      for (let bit = 0; bit < bytes.length * 8; bit += aead.thorough ? 1 : 5) {
        bytes[bit >> 3] ^= 1 << (bit & 7)
        refused(() => `bit ${bit} of ${of}, ${name}`)
        bytes[bit >> 3] ^= 1 << (bit & 7)
      }
    }
    flip(frame, 'the frame', what => refusesFrame(aead, aes, frame, aad, what))
    flip(aad, 'the AAD', what => refusesFrame(aead, aes, frame, aad, what))
    for (const [of, bytes] of Object.entries({ ...parts, aad }))
      flip(bytes, `the detached ${of}`, what => refusesDetached(aes, parts, aad, what))
    // Every bit was flipped back, so these messages are good: the flipped bit alone was the cause of each refusal.
    must(aes.tryDecryptInPlace(Buffer.from(frame), aad), `${name}: the frame`)
    must(aes.tryDecryptDetached(Buffer.from(parts.text), parts.nonce, parts.tag, aad), `${name}: detached`)
  }
}

function anyByte(aead) {
  const random = aead.random('any byte')
  const subjects = aead.variants()
  for (let n = 0; n < (aead.thorough ? 500 : 40); n++) {
    const { aes, name } = random.pick(subjects)
    const [text, aad] = [random.bytes(random.below(n % 5 === 0 ? 3000 : 200)), random.bytes(random.below(60))]
    const frame = aes.encrypt(text, aad)
    const where = aad.length > 0 ? random.pick(['frame', 'aad']) : 'frame'
    const bytes = where === 'frame' ? frame : aad
    const how = random.pick(['change', 'insert', 'drop'])
    const at = random.below(bytes.length + (how === 'insert' ? 1 : 0))
    const byte = random.below(255) + 1
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(how === 'insert' ? at : at + 1)]
    const middle = { change: [bytes[at] ^ byte], insert: [byte], drop: [] }[how]
    const changed = Buffer.concat([head, Buffer.from(middle), tail])
    const what = () => `${how} at byte ${at} of a ${where} of ${bytes.length} bytes, ${name}`
    if (where === 'frame') refusesFrame(aead, aes, changed, aad, what)
    else refusesFrame(aead, aes, frame, changed, what)
  }
}

/** Calls that must all be refused alike. `other` has another key. */
function causes(aead, aes, other, nonceAt) {
  const random = aead.random(`causes ${nonceAt}`)
  const [nonce, aad] = [random.bytes(aead.nonceBytes), random.bytes(9)]
  const good = aead.seal(aead.key, nonce, random.bytes(100), aad)
  const frame = aead.frameOf(nonceAt, good)
  const bad = { nonce: random.bytes(aead.nonceBytes), text: random.bytes(100), tag: random.bytes(16) }
  const framed = changes => aead.frameOf(nonceAt, { ...good, ...changes })
  const detached = (by, changes, extra = aad) => {
    const { nonce, text, tag } = { ...good, ...changes }
    return () => by.decryptDetached(Buffer.from(text), nonce, tag, extra)
  }
  detached(aes, {})()
  return {
    'wrong key': () => other.decrypt(frame, aad),
    'wrong nonce': () => aes.decrypt(framed({ nonce: bad.nonce }), aad),
    'wrong text': () => aes.decryptInPlace(framed({ text: bad.text }), aad),
    'wrong tag': () => aes.decryptInto(Buffer.alloc(100), framed({ tag: bad.tag }), aad),
    'wrong AAD': () => aes.decrypt(frame, random.bytes(9)),
    'no AAD': () => aes.decrypt(frame),
    'a byte less': () => aes.decrypt(frame.subarray(0, -1), aad),
    'a byte more': () => aes.decrypt(Buffer.concat([frame, Buffer.alloc(1)]), aad),
    'too short': () => aes.decrypt(frame.subarray(0, aead.overhead - 1), aad),
    empty: () => aes.decryptInPlace(Buffer.alloc(0), aad),
    'detached, wrong key': detached(other, {}),
    'detached, wrong nonce': detached(aes, { nonce: bad.nonce }),
    'detached, wrong text': detached(aes, { text: bad.text }),
    'detached, wrong tag': detached(aes, { tag: bad.tag }),
    'detached, wrong AAD': detached(aes, {}, bad.tag),
    'detached, truncated': detached(aes, { text: good.text.subarray(1) }),
  }
}

function oneError(causes) {
  const facts = error => ({
    class: error.constructor,
    message: error.message,
    cause: error.cause,
    own: Object.getOwnPropertyNames(error)
      .filter(name => name !== 'stack')
      .map(name => [name, error[name]]),
  })
  const wanted = facts(thrown(() => causes.empty()))
  equal(wanted.message, new AuthenticationError().message, 'the message')
  for (const [cause, run] of Object.entries(causes)) {
    const error = refuses(run, AUTHENTICATION, cause)
    must(error instanceof AesGcmError, `${cause}: no AesGcmError`)
    equal(facts(error), wanted, cause)
  }
}
