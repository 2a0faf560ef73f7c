// Counters, the limits maxMessages and maxFailures, and the life of an object until it is destroyed.
import { CRYPTING, counts, refusalOf } from './aead.mjs'
import { AUTHENTICATION, equal, must, refuses, same, thrown } from './checks.mjs'

const EXHAUSTED = 'ERR_AESGCM_KEY_EXHAUSTED'
const DESTROYED = 'ERR_AESGCM_DESTROYED'
const bytes = length => new Uint8Array(length)
const TEXT = Buffer.from('text')

export function* limits(aead) {
  yield { name: 'frames count messages and bytes, detached messages bytes alone', run: () => counting(aead) }
  yield { name: 'each refusal is counted once, a mistake of the caller never', run: () => failures(aead) }
  const encryptions = {
    encrypt: (aes, memory) => aes.encrypt(memory.subarray(0, 9)),
    encryptInto: (aes, memory) => aes.encryptInto(memory, bytes(memory.length - aead.overhead)),
    encryptInPlace: (aes, memory) => aes.encryptInPlace(memory),
  }
  for (const [method, encrypt] of Object.entries(encryptions))
    yield {
      name: `maxMessages at its number, and one past it: ${method}`,
      run: () => messages(aead, encrypt),
    }
  yield { name: 'detached messages are not counted by maxMessages', run: () => detachedMessages(aead) }
  for (const method of CRYPTING.filter(name => /decrypt/i.test(name)))
    yield { name: `maxFailures at its number, and one past it: ${method}`, run: () => refusals(aead, method) }
  for (const method of CRYPTING)
    yield { name: `${method} of a destroyed object writes nothing`, run: () => destroyed(aead, method) }
  yield { name: 'a destroyed object still shows its facts', run: () => facts(aead) }
}

function counting(aead) {
  const aes = aead.make()
  const are = (wanted, what) => equal(counts(aes), wanted, what)
  are([0, 0, 0], 'at first')
  const frame = aes.encrypt(bytes(100))
  are([1, 100, 0], 'encrypt')
  aes.encryptInto(bytes(30 + aead.overhead), bytes(30), bytes(7))
  are([2, 130, 0], 'encryptInto')
  aes.encryptInPlace(bytes(aead.overhead))
  are([3, 130, 0], 'encryptInPlace')
  aes.encryptDetached(bytes(11), bytes(aead.nonceBytes), bytes(16))
  are([3, 141, 0], 'encryptDetached')
  aes.decrypt(frame)
  must(aes.tryDecryptInPlace(frame), 'tryDecryptInPlace')
  are([3, 141, 0], 'decryption')
  equal(counts(aead.make()), [0, 0, 0], 'another object on the key')
}

/** Decrypts `frame` with any method, as the parts of a frame where the method takes parts. */
function decryptWith(aead, aes, method, frame) {
  if (/Into$/.test(method)) return aes[method](bytes(frame.length), frame)
  if (!/Detached$/.test(method)) return aes[method](frame)
  const end = Math.max(aead.nonceBytes, frame.length - 16)
  return aes[method](frame.subarray(aead.nonceBytes, end), bytes(aead.nonceBytes), bytes(16))
}

function failures(aead) {
  const aes = aead.make()
  const frame = aes.encrypt(Buffer.alloc(50))
  frame[20] ^= 1
  const methods = CRYPTING.filter(name => /decrypt/i.test(name))
  for (const [before, method] of methods.entries()) {
    equal(aes.failedDecryptions, before, `before ${method}`)
    if (method.startsWith('try')) equal(decryptWith(aead, aes, method, frame), refusalOf(method), method)
    else refuses(() => decryptWith(aead, aes, method, frame), AUTHENTICATION, method)
  }
  thrown(() => aes.decrypt(7))
  thrown(() => aes.decryptInto(bytes(1), frame))
  thrown(() => aes.decryptDetached(bytes(3), bytes(aead.nonceBytes - 1), bytes(16)))
  aes.decrypt(aes.encrypt(bytes(1)))
  equal(aes.tryDecrypt(aes.encrypt(bytes(0))), Buffer.alloc(0), 'an empty message is no refusal')
  equal(aes.tryDecryptInto(bytes(0), aes.encrypt(bytes(0))), 0, 'an empty message is no refusal')
  equal(aes.failedDecryptions, methods.length, 'at last')
}

function messages(aead, encrypt) {
  const random = aead.random('maxMessages')
  for (const maxMessages of [0, 1, 5]) {
    const aes = aead.make({ maxMessages })
    for (let n = 0; n < maxMessages; n++) encrypt(aes, bytes(60))
    const before = counts(aes)
    equal(before[0], maxMessages, 'messagesEncrypted')
    for (let n = 0; n < 3; n++) {
      const memory = random.bytes(60)
      const copy = Buffer.from(memory)
      refuses(() => encrypt(aes, memory), EXHAUSTED)
      same(memory, copy, () => 'the memory of a refused message')
    }
    equal(counts(aes), before, 'counters after refusals')
    equal(aes.decrypt(aead.make().encrypt(TEXT)), TEXT, 'decryption goes on')
    refuses(() => aes.decrypt(bytes(60)), AUTHENTICATION)
  }
}

function detachedMessages(aead) {
  const aes = aead.make({ maxMessages: 1 })
  const detached = () => aes.encryptDetached(bytes(9), bytes(aead.nonceBytes), bytes(16))
  for (let n = 0; n < 5; n++) detached()
  aes.encrypt(bytes(1))
  refuses(() => aes.encrypt(bytes(1)), EXHAUSTED)
  detached()
  equal(counts(aes), [1, 55, 0], 'counters')
}

function refusals(aead, method) {
  const random = aead.random('maxFailures')
  for (const verifyFirst of [false, true]) {
    const aes = aead.make({ maxFailures: 3, verifyFirst })
    const good = aes.encrypt(TEXT)
    for (let n = 0; n < 3; n++) {
      equal(aes.decrypt(good), TEXT, 'before the last failure')
      equal(aes.tryDecryptInPlace(Buffer.alloc(n * 20)), false, 'a failure')
    }
    equal(aes.failedDecryptions, 3, 'failedDecryptions')
    for (const memory of [random.bytes(60), Buffer.from(good), random.bytes(0)]) {
      const copy = Buffer.from(memory)
      refuses(() => decryptWith(aead, aes, method, memory), EXHAUSTED)
      same(memory, copy, () => 'the memory of a refused message')
    }
    equal(counts(aes), [1, 4, 3], 'counters')
    aes.encrypt(bytes(1))
    aes.encryptDetached(bytes(1), bytes(aead.nonceBytes), bytes(16))
    equal(counts(aes), [2, 6, 3], 'encryption goes on')
  }
}

/** An object that has encrypted a message of 10 bytes and refused a frame. */
function used(aead) {
  const aes = aead.make()
  aes.encrypt(bytes(10))
  aes.tryDecryptInPlace(bytes(60))
  return aes
}

function destroyed(aead, method) {
  for (const end of ['destroy', aead.dispose]) {
    const aes = used(aead)
    aes[end]()
    const values = aead.argumentsOf(method)
    refuses(() => aes[method](...Object.values(values)), DESTROYED)
    equal(values, aead.argumentsOf(method), 'arguments')
    for (const other of ['decryptInPlace', 'tryDecryptInPlace', 'tryDecrypt'])
      refuses(() => aes[other](bytes(3)), DESTROYED, `${other} of a short frame`)
  }
}

function facts(aead) {
  const [aes, other] = [used(aead), used(aead)]
  const facts = of => [of.backend, of.keyBits, ...counts(of)]
  const before = facts(aes)
  equal([aes.destroyed, ...before.slice(1)], [false, aead.keyBytes * 8, 1, 10, 1], 'at first')
  for (let n = 0; n < 3; n++) for (const end of ['destroy', aead.dispose]) aes[end]()
  equal([aes.destroyed, other.destroyed], [true, false], 'destroyed')
  equal(facts(aes), before, 'afterwards')
  equal(aes.plaintextOf(bytes(aead.overhead + 2)).length, 2, 'plaintextOf needs no key')
  // Another object on the same key is another object, and its place is not taken by the next one.
  equal(other.decrypt(aead.make().encrypt(TEXT)), TEXT, 'another object')
  equal(facts(other), before, 'another object')
}
