// Batches at the limits of an object: counts, refusals in the middle, the end of an object, and batches without frames.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { counts } from './aead.mjs'
import { BATCH_METHODS, endsOf } from './batch.mjs'
import { argumentsOf, call } from './batch-arguments.mjs'
import { AUTHENTICATION, equal, must, refuses, same } from './checks.mjs'

const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'
const EXHAUSTED = 'ERR_AESGCM_KEY_EXHAUSTED'
const DESTROYED = 'ERR_AESGCM_DESTROYED'

export function* batchLimits(aead) {
  for (const method of BATCH_METHODS) {
    yield { name: `${method}: no frames`, run: () => nothing(aead, method) }
    yield { name: `${method}: an object that was destroyed`, run: () => destroyed(aead, method) }
  }
  yield { name: 'a batch with a frame too short to encrypt', run: () => short(aead) }
  yield { name: 'maxMessages holds for a batch as a whole', run: () => messages(aead) }
  for (const verifyFirst of [false, true])
    yield {
      name: `maxFailures in the middle of a batch, verifyFirst ${verifyFirst}`,
      run: () => failures(aead, verifyFirst),
    }
  yield { name: 'a batch publishes each failure once, and its end once', run: () => news(aead) }
  yield { name: 'errors of a batch show what failed, and nothing else', run: () => errors(aead) }
}

function nothing(aead, method) {
  const before = Buffer.alloc(40, 0x77)
  for (const [frames, ends, given] of [
    [Buffer.from(before), new Uint32Array(0)],
    [Buffer.alloc(0), new Uint32Array(0), { aad: before, aadEnds: new Uint32Array(0) }],
    [Buffer.alloc(0), aead.overhead],
    [Buffer.alloc(0), 1, { aad: before }],
    [Buffer.alloc(0), Number.MAX_SAFE_INTEGER],
  ]) {
    const aes = aead.make({ maxMessages: 0, maxFailures: 1 })
    // An object that has reached its limits accepts an empty batch, too.
    aes.tryDecryptInPlace(Buffer.alloc(3))
    equal(aes[method](frames, ends, given), method.startsWith('try') ? new Uint32Array(0) : undefined, method)
    equal([counts(aes), frames.every(byte => byte === 0x77)], [[0, 0, 1], true], 'what is left')
  }
  refuses(
    () => aead.make()[method](Buffer.alloc(0), new Uint32Array(1), { aadEnds: new Uint32Array(0) }),
    OUT_OF_RANGE,
  )
}

function destroyed(aead, method) {
  const aes = aead.make()
  aes.destroy()
  const values = argumentsOf(aead)
  refuses(() => call(aes, method, values), DESTROYED)
  equal(values, argumentsOf(aead), 'arguments')
  for (const ends of [aead.overhead, new Uint32Array(0), new Uint32Array(2)])
    refuses(() => aes[method](Buffer.alloc(0), ends), DESTROYED, 'no frames, or short ones')
}

function short(aead) {
  const aes = aead.make()
  const { overhead } = aead
  for (const length of [0, 1, overhead - 1]) {
    for (const index of [0, 2, 5]) {
      const lengths = Array(6).fill(overhead + 9)
      lengths[index] = length
      const frames = new Uint8Array(400).fill(0x77)
      const { message } = refuses(() => aes.encryptBatchInPlace(frames, endsOf(lengths)), OUT_OF_RANGE)
      must(message.startsWith(`frame ${index} of "frames" must be at least ${overhead} bytes`), message)
      must(
        frames.every(byte => byte === 0x77),
        'bytes were written',
      )
    }
  }
  const frames = new Uint8Array(3 * 40 + overhead - 1)
  const { message } = refuses(() => aes.encryptBatchInPlace(frames, 40), OUT_OF_RANGE)
  must(message.startsWith('frame 3 of "frames"'), message)
  refuses(() => aes.encryptBatchInPlace(frames, 1), OUT_OF_RANGE)
  equal([counts(aes), frames.some(byte => byte !== 0)], [[0, 0, 0], false], 'what is left')
}

function messages(aead) {
  const aes = aead.make({ maxMessages: 5 })
  const frames = Buffer.alloc(6 * 40, 0x77)
  const refusedWhole = count => {
    const before = [counts(aes), Buffer.from(frames)]
    refuses(() => aes.encryptBatchInPlace(frames.subarray(0, count * 40), 40), EXHAUSTED)
    equal([counts(aes), frames], before, `${count} frames`)
  }
  refusedWhole(6)
  aes.encryptBatchInPlace(frames.subarray(0, 120), 40)
  equal(counts(aes), [3, 3 * (40 - aead.overhead), 0], 'counters')
  refusedWhole(3)
  aes.encryptBatchInPlace(frames.subarray(0, 80), 40)
  for (const count of [1, 6]) refusedWhole(count)
  refuses(() => aes.encryptInPlace(frames), EXHAUSTED)
  equal(aes.tryDecryptBatchInPlace(frames.subarray(0, 80), 40).length, 0, 'decryption goes on')
}

/** Seven frames, of which these are forged. */
function forged(aead, bad) {
  const frames = Buffer.alloc(7 * 60, 0x55)
  aead.make().encryptBatchInPlace(frames, 60)
  for (const i of bad) frames[i * 60 + 20] ^= 1
  return frames
}

function failures(aead, verifyFirst) {
  for (const [bad, maxFailures, stoppedAt] of [
    [[1, 3, 4], 2, 4],
    [[0, 1, 2, 3, 4, 5, 6], 1, 1],
    [[0, 1, 2, 3, 4, 5, 6], 6, 6],
    [[2, 6], 1, 3],
    [[6], 1, undefined],
    [[0, 6], 2, undefined],
  ]) {
    for (const method of ['decryptBatchInPlace', 'tryDecryptBatchInPlace']) {
      const aes = aead.make({ maxFailures, verifyFirst })
      const frames = forged(aead, bad)
      const before = Buffer.from(frames)
      const failed = bad.slice(0, maxFailures)
      const what = `${method}: frames ${bad.join()} forged, maxFailures ${maxFailures}`
      if (stoppedAt !== undefined) {
        const error = refuses(() => aes[method](frames, 60), EXHAUSTED, what)
        equal([error.failed, error.stoppedAt], [failed, stoppedAt], what)
      } else if (method.startsWith('try')) equal(aes[method](frames, 60), Uint32Array.from(failed), what)
      else equal(refuses(() => aes[method](frames, 60), AUTHENTICATION, what).failed, failed, what)
      equal(aes.failedDecryptions, maxFailures, `${what}: failedDecryptions`)
      const text = Buffer.alloc(60 - aead.overhead, 0x55)
      for (let i = 0; i < 7; i++) {
        const [frame, was] = [frames, before].map(of => of.subarray(i * 60, i * 60 + 60))
        if (bad.includes(i) || i >= stoppedAt) same(frame, was, () => `${what}: frame ${i} was changed`)
        else same(frame.subarray(aead.nonceBytes, -16), text, () => `${what}: frame ${i}`)
      }
      // From now on, every batch is refused as a whole.
      const later = forged(aead, [])
      const copy = Buffer.from(later)
      const error = refuses(() => aes[method](later, 60), EXHAUSTED, what)
      equal([error.failed, error.stoppedAt], [[], 0], `${what}: later`)
      same(later, copy, () => `${what}: a later batch`)
      aes.encryptBatchInPlace(later, 60)
      equal(aes.failedDecryptions, maxFailures, `${what}: failedDecryptions later`)
    }
  }
}

function news(aead) {
  const heard = []
  const listeners = ['authentication-failed', 'key-exhausted'].map(name => [
    `hardware-aes-gcm:${name}`,
    ({ code, limit }) => heard.push(limit ?? code),
  ])
  for (const [name, listener] of listeners) subscribe(name, listener)
  try {
    const aes = aead.make({ maxFailures: 3, maxMessages: 1 })
    const publishes = (run, wanted) => {
      heard.length = 0
      try {
        run()
      } catch {}
      equal(heard, wanted, 'messages')
    }
    publishes(() => aes.tryDecryptBatchInPlace(forged(aead, []), 60), [])
    publishes(() => aes.encryptBatchInPlace(Buffer.alloc(120), 60), ['encryptions'])
    publishes(() => aes.decryptBatchInPlace(forged(aead, [3]), 60), [AUTHENTICATION])
    publishes(
      () => aes.tryDecryptBatchInPlace(forged(aead, [1, 2, 6]), 60),
      [AUTHENTICATION, AUTHENTICATION, 'failures'],
    )
    publishes(() => aes.decryptBatchInPlace(forged(aead, [1]), 60), ['failures'])
    publishes(() => aes.decryptBatchInPlace(forged(aead, [1]), 0), [])
  } finally {
    for (const [name, listener] of listeners) unsubscribe(name, listener)
  }
}

function errors(aead) {
  const own = error =>
    Object.getOwnPropertyNames(error)
      .filter(name => name !== 'stack')
      .sort()
  const error = refuses(() => aead.make().decryptBatchInPlace(forged(aead, [2, 4]), 60), AUTHENTICATION)
  const single = refuses(() => aead.make().decrypt(forged(aead, [])), AUTHENTICATION)
  equal([error.message, own(error)], [single.message, [...own(single), 'failed'].sort()], 'an error')
  must(Array.isArray(error.failed), 'failed is an array')
  must(!('failed' in single || 'stoppedAt' in single), 'the error of a single frame has no list')
  const setter = { configurable: true, set: () => must(false, 'a setter ran') }
  try {
    for (const name of ['failed', 'stoppedAt', '0']) Object.defineProperty(Object.prototype, name, setter)
    const { failed } = refuses(
      () => aead.make().decryptBatchInPlace(forged(aead, [2, 4]), 60),
      AUTHENTICATION,
    )
    must(
      failed.length === 2 && failed[0] === 2 && failed[1] === 4,
      'failed beside a polluted Object.prototype',
    )
  } finally {
    for (const name of ['failed', 'stoppedAt', '0']) Reflect.deleteProperty(Object.prototype, name)
  }
}
