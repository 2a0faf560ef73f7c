// Batches of rows: an array of messages becomes an array of frames over one memory, and back.
import { counts } from './aead.mjs'
import { AUTHENTICATION, equal, must, refuses } from './checks.mjs'
import { detach, gone, MISSING, NOT_BYTES, shared, touchy } from './hostile.mjs'

export const ROW_METHODS = ['encryptBatch', 'decryptBatch', 'tryDecryptBatch']
const TYPE = 'ERR_INVALID_ARG_TYPE'
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'
const LENGTHS = [0, 1, 64, 64, 200, 0, 1440, 17, 5000]

export function* rows(aead) {
  for (const { aes, nonceAt, name } of aead.variants()) {
    for (const kind of ['none', 'same', 'each', 'each in one Buffer'])
      yield { name: `rows with AAD ${kind}, ${name}`, run: () => agrees(aead, aes, nonceAt, kind) }
    yield { name: `rows that were changed, ${name}`, run: () => forgeries(aead, aes) }
  }
  yield { name: 'rows: results share one memory, without a pool', run: () => memory(aead) }
  yield { name: 'rows: limits apply to the whole batch', run: () => limits(aead) }
  for (const method of ROW_METHODS) {
    yield { name: `${method}: rows of every wrong kind`, run: () => wrongRows(aead, method) }
    yield { name: `${method}: options of every wrong kind`, run: () => wrongOptions(aead, method) }
    yield { name: `${method}: Proxies, getters and long arrays`, run: () => proxies(aead, method) }
    yield { name: `${method}: code of a function aad`, run: () => code(aead, method) }
  }
}

/** Options of this kind for `count` rows, and the AAD of each. */
function aadOf(random, count, kind) {
  if (kind === 'none') return { options: undefined, aads: Array(count).fill(undefined) }
  if (kind === 'same') {
    const aad = random.bytes(33)
    return { options: { aad }, aads: Array(count).fill(aad) }
  }
  const aads = Array.from({ length: count }, (_, i) => random.bytes((i * 37) % 150))
  if (kind === 'each') return { options: { aad: (_, i) => aads[i] }, aads }
  const one = Buffer.alloc(150)
  const aad = (_, i) => {
    one.set(aads[i])
    return one.subarray(0, aads[i].length)
  }
  return { options: { aad }, aads }
}

function agrees(aead, aes, nonceAt, kind) {
  const random = aead.random(`rows ${kind}`)
  const many = aead.subject.slow ? 30 : 300
  for (const lengths of [[], [0], [50], LENGTHS, Array.from({ length: many }, (_, i) => i % 70)]) {
    const texts = lengths.map(length => random.bytes(length))
    const before = texts.map(text => Buffer.from(text))
    const { options, aads } = aadOf(random, texts.length, kind)
    const frames = aes.encryptBatch(texts, options)
    equal(texts, before, 'the rows, after encryptBatch')
    must(Array.isArray(frames) && frames.length === texts.length, 'one frame for each row')
    for (const [i, frame] of frames.entries())
      must(Buffer.isBuffer(frame) && aead.isFrame(frame, texts[i], aads[i], nonceAt), () => `frame ${i}`)
    const sealed = frames.map(frame => Buffer.from(frame))
    for (const method of ['decryptBatch', 'tryDecryptBatch']) {
      const opened = aes[method](frames, options)
      equal(opened, texts, method)
      equal(frames, sealed, `the frames, after ${method}`)
    }
  }
}

function forgeries(aead, aes) {
  const random = aead.random('rows forged')
  const texts = LENGTHS.map(length => random.bytes(length))
  const frames = aes.encryptBatch(texts)
  const forged = [1, 4, 8]
  frames[1] = Buffer.from(frames[1]).fill(1, 3, 4)
  frames[1][14] ^= 1
  frames[4] = frames[4].subarray(0, aead.overhead - 1)
  frames[8] = Buffer.alloc(0)
  const failed = aes.failedDecryptions
  const opened = aes.tryDecryptBatch(frames)
  const wanted = texts.map((text, i) => (forged.includes(i) ? null : text))
  equal(opened, wanted, 'tryDecryptBatch')
  const error = refuses(() => aes.decryptBatch(frames), AUTHENTICATION)
  equal(error.failed, forged, 'failed')
  must(Array.isArray(error.failed), 'failed is an array')
  equal(aes.failedDecryptions - failed, 6, 'failures counted')
}

function memory(aead) {
  const aes = aead.make()
  const texts = LENGTHS.map(length => Buffer.alloc(length, 1))
  const frames = aes.encryptBatch(texts)
  const all = LENGTHS.reduce((sum, length) => sum + length + aead.overhead, 0)
  let end = 0
  for (const frame of frames) {
    must(frame.buffer === frames[0].buffer && frame.byteOffset === end, 'one frame after the other')
    end += frame.length
  }
  equal([end, frames[0].buffer.byteLength], [all, all], 'the memory of the frames')
  const opened = aes.decryptBatch(frames)
  must(opened[0].buffer !== frames[0].buffer, 'plaintexts in the memory of the frames')
  for (const text of opened) must(text.buffer === opened[0].buffer, 'plaintexts in one memory')
  // A forged frame, in the memory that the result reveals, is ciphertext.
  const forged = frames.map(frame => Buffer.from(frame))
  forged[6][20] ^= 1
  const partly = aes.tryDecryptBatch(forged)
  must(Buffer.from(partly[2].buffer).includes(forged[6]), 'the forged frame is as it was')
}

function limits(aead) {
  const texts = LENGTHS.map(length => Buffer.alloc(length, 1))
  const one = aead.make({ maxMessages: LENGTHS.length })
  refuses(() => one.encryptBatch([...texts, Buffer.alloc(1)]), 'ERR_AESGCM_KEY_EXHAUSTED')
  equal(counts(one), [0, 0, 0], 'a refused batch counts nothing')
  const frames = one.encryptBatch(texts)
  refuses(() => one.encryptBatch([Buffer.alloc(1)]), 'ERR_AESGCM_KEY_EXHAUSTED')
  equal(one.encryptBatch([]), [], 'no row')
  const strict = aead.make({ maxFailures: 1 })
  const error = refuses(
    () => strict.tryDecryptBatch([frames[0], Buffer.alloc(9), frames[1]]),
    'ERR_AESGCM_KEY_EXHAUSTED',
  )
  equal([error.failed, error.stoppedAt], [[1], 2], 'failed and stoppedAt')
  one.destroy()
  for (const method of ROW_METHODS) {
    refuses(() => one[method](frames), 'ERR_AESGCM_DESTROYED')
    refuses(() => one[method]([]), 'ERR_AESGCM_DESTROYED')
    refuses(() => aead.Class.prototype[method].call({}, frames), 'ERR_INVALID_THIS')
  }
}

/** Fresh rows with which each method succeeds. */
const rowsFor = (aead, method) =>
  method === 'encryptBatch'
    ? [Buffer.alloc(40, 1), Buffer.alloc(3, 2), Buffer.alloc(70, 3)]
    : aead.make().encryptBatch([Buffer.alloc(40, 1), Buffer.alloc(3, 2), Buffer.alloc(70, 3)])

const nameOf = method => (method === 'encryptBatch' ? 'rows' : 'frames')

function refused(aead, method, rows, options, code, named, what) {
  const aes = aead.make()
  const error = refuses(() => aes[method](rows, options), code, `${method}: ${what}`)
  must(error.message.includes(named), () => `${method}: ${what}: no ${named} in "${error.message}"`)
  equal(counts(aes), [0, 0, 0], `${method}: ${what}: counters`)
}

function wrongRows(aead, method) {
  const name = nameOf(method)
  for (const [what, value] of [...NOT_BYTES, ...MISSING]) {
    if (!Array.isArray(value)) refused(aead, method, value, undefined, TYPE, `"${name}"`, what)
    const rows = rowsFor(aead, method)
    rows[1] = value
    refused(aead, method, rows, undefined, TYPE, `"${name}[1]"`, what)
  }
  refused(aead, method, Buffer.alloc(50), undefined, TYPE, `"${name}"`, 'a Buffer')
  const [first] = rowsFor(aead, method)
  // biome-ignore lint/suspicious/noSparseArray: the subject of the case.
  refused(aead, method, [first, , first], undefined, TYPE, `"${name}[1]"`, 'a hole')
  for (const [what, value] of gone(Buffer.alloc(60))) {
    const rows = rowsFor(aead, method)
    rows[2] = value
    refused(aead, method, rows, undefined, 'ERR_AESGCM_DETACHED_BUFFER', `"${name}[2]"`, what)
  }
  for (const [what, value] of shared(first.length)) {
    value.set(first)
    must(aead.make()[method]([value.subarray(0, first.length)])[0] !== null, what)
  }
}

function wrongOptions(aead, method) {
  const rows = rowsFor(aead, method)
  for (const value of [null, 5, 'x', true, new (class {})()])
    refused(aead, method, rows, value, TYPE, '"options"', 'options')
  refused(aead, method, rows, Buffer.alloc(3), TYPE, 'pass { aad }', 'a Buffer as options')
  refused(aead, method, rows, () => Buffer.alloc(3), TYPE, 'pass { aad }', 'a function as options')
  refused(aead, method, rows, { aads: 5 }, 'ERR_INVALID_ARG_VALUE', "'aads'", 'a misspelt option')
  for (const [what, value] of NOT_BYTES) {
    if (typeof value !== 'function') refused(aead, method, rows, { aad: value }, TYPE, '"options.aad"', what)
    const second = (_, i) => (i === 1 ? value : Buffer.alloc(3))
    refused(aead, method, rows, { aad: second }, TYPE, `"${nameOf(method)}[1]"`, `${what} from aad`)
  }
  for (const [what, value] of MISSING)
    refused(aead, method, rows, { aad: () => value }, TYPE, `"${nameOf(method)}[0]"`, `${what} from aad`)
  const detached = { aad: (_, i) => (i === 2 ? detach(new Uint8Array(3)) : Buffer.alloc(3)) }
  refused(aead, method, rows, detached, 'ERR_AESGCM_DETACHED_BUFFER', '"options.aad[2]"', 'detached AAD')
  const given = { aad: detach(new Uint8Array(3)) }
  refused(aead, method, rows, given, 'ERR_AESGCM_DETACHED_BUFFER', '"aad"', 'detached AAD for all')
}

function proxies(aead, method) {
  const name = nameOf(method)
  const rows = rowsFor(aead, method)
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  refused(aead, method, proxy, undefined, TYPE, `"${name}"`, 'a revoked Proxy')
  const telling = (...lengths) =>
    new Proxy(rows, {
      get: (target, key) => (key === 'length' ? (lengths.shift() ?? 3) : Reflect.get(target, key)),
    })
  for (const length of [2 ** 24 + 1, 2 ** 32, 2 ** 53, -1, 1.5, Number.NaN, '3', Number.POSITIVE_INFINITY])
    refused(aead, method, telling(length, 2 ** 32), undefined, OUT_OF_RANGE, `"${name}"`, `length ${length}`)
  equal(aead.make()[method](telling(3, 2 ** 32)).length, 3, 'a Proxy that tells two lengths')
  equal(aead.make()[method](telling(2)).length, 2, 'a Proxy that tells a shorter length')
  const long = []
  long.length = 2 ** 32 - 1
  refused(aead, method, long, undefined, OUT_OF_RANGE, `"${name}"`, 'a long array of holes')
  const thrower = touchy([])
  must(thrownBy(() => aead.make()[method](thrower)) === 'code of an argument ran', 'an error of a trap')
  let reads = 0
  const getters = Object.defineProperty([...rows], 1, {
    get: () => {
      reads++
      return rows[1]
    },
  })
  equal([aead.make()[method](getters).length, reads], [3, 1], 'an element with a getter is read once')
  const huge = new Uint8Array(new ArrayBuffer(2 ** 20))
  const many = Array(2 ** 12).fill(huge)
  refused(aead, method, many, undefined, OUT_OF_RANGE, `"${name}"`, 'more than 2^32 - 1 bytes')
}

function thrownBy(run) {
  try {
    run()
  } catch (error) {
    return error.message
  }
}

function code(aead, method) {
  const failure = new Error('of the caller')
  const calls = []
  const throwing = (row, i) => {
    calls.push([row, i])
    if (i === 1) throw failure
    return row
  }
  const rows = rowsFor(aead, method)
  const aes = aead.make()
  let caught
  try {
    aes[method](rows, { aad: throwing })
  } catch (error) {
    caught = error
  }
  must(caught === failure, 'the error of the function comes through')
  must(calls.length === 2 && calls.every(([row, i], n) => row === rows[i] && i === n), 'row and index')
  equal(counts(aes), [0, 0, 0], 'counters')

  const plain = rowsFor(aead, method)
  const detaching = (_, i) => {
    if (i === 1) detach(Object.assign(plain, { 2: Buffer.from(new ArrayBuffer(60)) })[2])
    return Buffer.alloc(0)
  }
  must(aead.make()[method](plain, { aad: detaching }).length === 3, 'the array was read before')
  const own = rowsFor(aead, method).map(row => Buffer.from(Uint8Array.from(row).buffer))
  const detachingRow = (_, i) => {
    if (i === 1) detach(own[2])
    return Buffer.alloc(0)
  }
  refused(
    aead,
    method,
    own,
    { aad: detachingRow },
    'ERR_AESGCM_DETACHED_BUFFER',
    `"${nameOf(method)}[2]"`,
    'a row that the function detached',
  )
  const destroyed = aead.make()
  const destroying = () => {
    destroyed.destroy()
    return Buffer.alloc(0)
  }
  refuses(() => destroyed[method](rows, { aad: destroying }), 'ERR_AESGCM_DESTROYED')
  const again = aead.make()
  const inner = () => {
    again[method](rows)
    return Buffer.alloc(0)
  }
  equal(again[method](rows, { aad: inner }).length, 3, 'the function may use the object')
}
