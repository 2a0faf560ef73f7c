// Batches whose arguments lie in memory that is gone, shared, written by the call, or changed by code of the caller.
import { runInNewContext } from 'node:vm'
import { counts } from './aead.mjs'
import { BATCH_METHODS, endsOf, split } from './batch.mjs'
import { accepted, argumentsOf, call, LENGTHS, refused } from './batch-arguments.mjs'
import { AUTHENTICATION, equal, must, refuses, same, thrown } from './checks.mjs'
import { detach, disguises, gone, resizable, shared } from './hostile.mjs'

const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'
const GONE = 'ERR_AESGCM_DETACHED_BUFFER'
const SHARED = 'ERR_AESGCM_SHARED_BUFFER'
const OVERLAP = 'ERR_AESGCM_BUFFER_OVERLAP'
const DESTROYED = 'ERR_AESGCM_DESTROYED'

export function* batchMemory(aead) {
  for (const method of BATCH_METHODS) {
    const yieldAs = (what, run) => ({ name: `${method}: ${what}`, run })
    yield yieldAs('memory that is gone or shared', () => lost(aead, method))
    yield yieldAs('arguments in disguise', () => disguised(aead, method))
    yield yieldAs('AAD over the frames at every distance where they may meet', () => overlap(aead, method))
    yield yieldAs('ends over the frames', () => endsInside(aead, method))
    yield yieldAs('options whose getters change arguments', () => getters(aead, method))
  }
}

function lost(aead, method) {
  const good = argumentsOf(aead)
  const n = BATCH_METHODS.indexOf(method)
  for (const name of ['frames', 'aad']) {
    for (const [what, view] of aead.some(gone(good[name]), n))
      refused(aead, method, { [name]: view }, GONE, `"${name}"`, what)
    for (const [what, view] of aead.some(shared(good[name].length), n))
      refused(aead, method, { [name]: view }, SHARED, `"${name}"`, what)
  }
  const words = size => new Uint32Array(new ArrayBuffer(size, { maxByteLength: 4096 }))
  for (const name of ['ends', 'aadEnds']) {
    const named = `"${name}"`
    refused(aead, method, { [name]: detach(good[name].slice()) }, GONE, named, 'transferred')
    refused(aead, method, { [name]: detach(new Uint32Array(0)) }, GONE, named, 'transferred and empty before')
    const shrunk = new Uint32Array(words(16).buffer, 4, 3)
    shrunk.buffer.resize(15)
    refused(aead, method, { [name]: shrunk }, GONE, named, 'shrunk')
    refused(aead, method, { [name]: new Uint32Array(new SharedArrayBuffer(12)) }, SHARED, named, 'shared')
    refused(
      aead,
      method,
      { [name]: new Uint32Array(new SharedArrayBuffer(0)) },
      SHARED,
      named,
      'shared and empty',
    )
    const tracking = words(4)
    tracking.buffer.resize(12)
    tracking.set(good[name])
    accepted(aead, method, { [name]: tracking }, `${name} that grew`)
  }
  const frames = new Uint8Array(resizable(good.frames))
  frames.buffer.resize(190)
  refused(
    aead,
    method,
    { frames },
    OUT_OF_RANGE,
    '^"ends" must end within "frames": element 2 ',
    'shrunk by a byte',
  )
}

function disguised(aead, method) {
  const good = argumentsOf(aead)
  for (const name of ['frames', 'aad'])
    for (const [what, view] of aead.some(disguises(good[name]), BATCH_METHODS.indexOf(method)))
      accepted(aead, method, { [name]: view }, `${name} ${what}`)
  class Liar extends Uint32Array {
    get length() {
      return 1
    }
    get byteLength() {
      return 4
    }
    get buffer() {
      return new ArrayBuffer(0)
    }
    [Symbol.iterator]() {
      throw new Error('the iterator ran')
    }
    static get [Symbol.species]() {
      throw new Error('species ran')
    }
  }
  for (const name of ['ends', 'aadEnds']) {
    const list = [...good[name]]
    const foreign = runInNewContext('list => Uint32Array.from(list)')(list)
    accepted(aead, method, { [name]: foreign }, `${name} of another realm`)
    accepted(
      aead,
      method,
      { [name]: Object.setPrototypeOf(good[name].slice(), null) },
      `${name} without a prototype`,
    )
    accepted(
      aead,
      method,
      { [name]: Object.setPrototypeOf(good[name].slice(), Liar.prototype) },
      `${name} that lie`,
    )
    const large = new Uint32Array(500)
    large.set(list, 400)
    accepted(aead, method, { [name]: large.subarray(400, 403) }, `${name} within a larger array`)
  }
}

function overlap(aead, method) {
  const [start, frameBytes, aadBytes] = [40, 120, 20]
  const random = aead.random('AAD over frames')
  const step = aead.thorough ? 1 : 7
  for (
    let at = 0;
    at <= start + frameBytes + 20;
    at += [start, start + frameBytes - 1].includes(at) ? 1 : step
  ) {
    const memory = random.bytes(200 + aadBytes)
    const before = Buffer.from(memory)
    const [frames, aad] = [memory.subarray(start, start + frameBytes), memory.subarray(at, at + aadBytes)]
    const aes = aead.make()
    const run = () => aes[method](frames, 60, { aad })
    if (at + aadBytes > start && at < start + frameBytes) {
      const { message } = refuses(run, OVERLAP, `at ${at}`)
      must(/"(frames|aad)" .* "(frames|aad)"/.test(message), message)
      same(memory, before, () => `bytes were written at ${at}`)
    } else if (method === 'decryptBatchInPlace') refuses(run, AUTHENTICATION, `at ${at}`)
    else equal(run()?.length, method.startsWith('try') ? 2 : undefined, `at ${at}`)
  }
  // The whole argument counts, so AAD in the bytes after the last end is refused, too.
  const memory = new Uint8Array(100)
  refuses(() => aead.make()[method](memory, Uint32Array.of(40), { aad: memory.subarray(90) }), OVERLAP)
}

/** The ends are copied first, so that they may lie in the memory that the call writes. */
function endsInside(aead, method) {
  const { frames, aad, ...lists } = argumentsOf(aead)
  for (const name of ['ends', 'aadEnds']) {
    for (const place of [0, aead.nonceBytes, aead.overhead, 60, 176]) {
      const memory = new Uint8Array(frames)
      const words = new Uint32Array(memory.buffer, place, 3)
      words.set(lists[name])
      const values = bytes => ({ aad, ...lists, frames: bytes })
      const [apart, inside] = [values(new Uint8Array(memory)), { ...values(memory), [name]: words }]
      // The ends have overwritten one frame or two, which then fail.
      const [wanted, found] = [apart, inside].map(values => outcome(aead, method, values))
      equal(found, wanted, `${name} at ${place}`)
    }
  }
}

/** The result or the refusal of a call, and the bytes of its frames afterwards; encrypted frames are decrypted first. */
function outcome(aead, method, values) {
  const aes = aead.make()
  let result
  try {
    result = call(aes, method, values)
  } catch (error) {
    result = [error.code, error.failed]
  }
  const { aad, aadEnds } = argumentsOf(aead)
  if (method === 'encryptBatchInPlace') {
    equal(
      aes.tryDecryptBatchInPlace(values.frames, endsOf(LENGTHS), { aad, aadEnds }).length,
      0,
      'decryption',
    )
    // Without nonces and tags, which differ from call to call.
    for (const frame of split(values.frames, LENGTHS)) {
      frame.fill(0, 0, aead.nonceBytes)
      frame.fill(0, -16)
    }
  }
  return [result, Buffer.from(values.frames)]
}

function getters(aead, method) {
  const observed = run => ({
    get aad() {
      run()
      return undefined
    },
  })
  const [frames, ends] = [new Uint8Array(100), Uint32Array.of(40, 80)]
  const aes = aead.make()
  const taken = new Uint8Array(100)
  refuses(
    () =>
      aes[method](
        taken,
        ends,
        observed(() => detach(taken)),
      ),
    GONE,
  )
  const gone = Uint32Array.of(40, 80)
  refuses(
    () =>
      aes[method](
        frames,
        gone,
        observed(() => detach(gone)),
      ),
    GONE,
  )
  const mine = new Error('mine')
  const throwing = observed(() => {
    throw mine
  })
  equal(
    thrown(() => aes[method](frames, ends, throwing)),
    mine,
    'the error of a getter',
  )
  // The ends are copied after the options were read.
  refuses(
    () =>
      aes[method](
        frames,
        ends,
        observed(() => ends.fill(101)),
      ),
    OUT_OF_RANGE,
  )
  refuses(
    () =>
      aes[method](
        frames,
        50,
        observed(() => aes.destroy()),
      ),
    DESTROYED,
  )
  equal([counts(aes), frames.some(byte => byte !== 0)], [[0, 0, 0], false], 'what is left')
}
