// Batches with arguments and options of every wrong type, and out of range.
import { runInNewContext } from 'node:vm'
import { counts } from './aead.mjs'
import { BATCH_METHODS, endsOf, split } from './batch.mjs'
import { equal, must, refuses, same } from './checks.mjs'
import { MISSING, NOT_BYTES, touchy, trueBytes } from './hostile.mjs'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'

/** Three good frames, and the AAD of each. Bytes to spare follow both. */
export const LENGTHS = [60, 41, 90]
const AAD_LENGTHS = [4, 0, 9]

export function* batchArguments(aead) {
  for (const method of BATCH_METHODS) {
    yield { name: `${method}: arguments of every wrong type`, run: () => types(aead, method) }
    yield { name: `${method}: numbers and ends out of range`, run: () => ranges(aead, method) }
    yield { name: `${method}: options of every wrong kind`, run: () => options(aead, method) }
  }
}

/** The bytes of `argumentsOf` for each subject, since most cases need them many times. */
const made = new WeakMap()

/** Arguments with which each method succeeds, each with memory of its own. */
export function argumentsOf(aead) {
  if (!made.has(aead)) {
    const aad = aead.random('batch AAD').bytes(20)
    const aads = split(aad, AAD_LENGTHS)
    const texts = LENGTHS.map(length => Buffer.alloc(length - aead.overhead, aead.text))
    const frames = texts.map((text, i) =>
      aead.frameOf('start', aead.seal(aead.key, aead.nonce, text, aads[i])),
    )
    made.set(aead, { frames: Buffer.concat([...frames, Buffer.alloc(7, 0x77)]), aad })
  }
  const { frames, aad } = made.get(aead)
  return {
    frames: new Uint8Array(frames),
    ends: endsOf(LENGTHS),
    aad: new Uint8Array(aad),
    aadEnds: endsOf(AAD_LENGTHS),
  }
}

export const call = (aes, method, { frames, ends, ...options }) => aes[method](frames, ends, options)

/** With some arguments replaced, the call is refused, its text matches `named`, and no byte and no counter changes. */
export function refused(aead, method, replaced, code, named, what = '') {
  const aes = aead.make()
  const [good, values] = [argumentsOf(aead), { ...argumentsOf(aead), ...replaced }]
  const { message } = refuses(() => call(aes, method, values), code, `${method}: ${named} ${what}`)
  must(new RegExp(named).test(message), () => `${method}: ${what}: no ${named} in "${message}"`)
  equal(counts(aes), [0, 0, 0], `${method}: ${what}: counters`)
  for (const name of Object.keys(good).filter(name => !(name in replaced)))
    equal(values[name], good[name], `${method}: ${what}: ${name}`)
}

/** With some arguments replaced, the call succeeds and does what it does with good ones. */
export function accepted(aead, method, replaced, what) {
  const [good, values] = [argumentsOf(aead), { ...argumentsOf(aead), ...replaced }]
  const aes = aead.make()
  must((call(aes, method, values)?.length ?? 0) === 0, () => `${method} refused ${what}`)
  const written = trueBytes(values.frames)
  if (method === 'encryptBatchInPlace') {
    const aads = split(good.aad, AAD_LENGTHS)
    const start = aead.nonceBytes
    for (const [i, frame] of split(written, LENGTHS).entries()) {
      const text = split(good.frames, LENGTHS)[i].subarray(start, start + LENGTHS[i] - aead.overhead)
      must(aead.isFrame(frame, text, aads[i]), () => `${method}: ${what}: frame ${i}`)
    }
  } else {
    call(aes, method, good)
    same(written, good.frames.subarray(0, written.length), () => `${method}: ${what}`)
  }
}

function types(aead, method) {
  refuses(() => aead.make()[method](), TYPE)
  accepted(aead, method, {}, 'good arguments')
  // A thinned run takes another third of the values for each method and argument.
  const n = BATCH_METHODS.indexOf(method)
  for (const [what, value] of aead.some([...NOT_BYTES, ...MISSING], n))
    refused(aead, method, { frames: value }, TYPE, '^"frames"', what)
  for (const [what, value] of aead.some(NOT_BYTES, n + 1))
    refused(aead, method, { aad: value }, TYPE, '^"aad"', what)
  const words = new Uint32Array(3)
  const notEnds = [
    ...NOT_BYTES.filter(([, value]) => typeof value !== 'number'),
    ['a Uint8Array', new Uint8Array(3)],
    ['an Int32Array', new Int32Array(3)],
    ['an array of ends', [...endsOf(LENGTHS)]],
    ['a Proxy of a Uint32Array', new Proxy(words, {})],
    ['a Proxy that throws', touchy(words)],
    ['a Number', Object(30)],
    ['an object with the prototype of a Uint32Array', Object.create(Uint32Array.prototype)],
  ]
  for (const [what, value] of aead.some([...notEnds, ...MISSING], n))
    refused(aead, method, { ends: value }, TYPE, '^"ends" must be a Uint32Array or a number, got ', what)
  for (const [what, value] of aead.some([['a number', 3], ...notEnds], n + 1))
    refused(aead, method, { aadEnds: value }, TYPE, '^"aadEnds" must be a Uint32Array, got ', what)
}

function ranges(aead, method) {
  const wrong = (replaced, named) =>
    refused(aead, method, replaced, OUT_OF_RANGE, named, JSON.stringify(replaced))
  for (const ends of [0, -0, -1, 0.5, 30.5, Number.NaN, Infinity, -Infinity, 2 ** 53 + 2])
    wrong({ ends }, '^"ends" .*')
  const words = (...list) => Uint32Array.from(list)
  const { frames, aad } = argumentsOf(aead)
  const most = frames.length
  wrong({ ends: words(60, 59, 100) }, '^"ends" must be in ascending order: element 1 ')
  wrong({ ends: words(60, 101, 100) }, '^"ends" must be in ascending order: element 2 ')
  wrong({ ends: words(60, 101, most + 1) }, '^"ends" must end within "frames": element 2 ')
  wrong({ ends: words(most + 1, 60, 30) }, '^"ends" must end within "frames": element 0 ')
  wrong({ ends: words(60, 2 ** 32 - 1, 100) }, '^"ends" must end within "frames": element 1 ')
  wrong({ aadEnds: words(4, 3, 5) }, '^"aadEnds" must be in ascending order: element 1 ')
  wrong({ aadEnds: words(4, 5, aad.length + 1) }, '^"aadEnds" must end within "aad": element 2 ')
  for (const aadEnds of [words(), words(4, 4), words(4, 4, 13, 13)])
    wrong({ aadEnds }, '^"aadEnds" must have one ')
  // Without AAD, every piece is empty.
  wrong({ aad: undefined, aadEnds: words(0, 0, 1) }, '^"aadEnds" must end within "aad": element 2 ')
  const aes = aead.make()
  const empty = { frames: Buffer.alloc(100), ends: words(40, 80), aad: null, aadEnds: words(0, 0) }
  aes.encryptBatchInPlace(empty.frames, empty.ends, { aad: empty.aad, aadEnds: empty.aadEnds })
  equal(aes.tryDecryptBatchInPlace(empty.frames, empty.ends), words(), 'empty pieces of no AAD')
  // An end may equal the length of the memory.
  accepted(
    aead,
    method,
    { frames: frames.subarray(0, 191), aad: aad.subarray(0, 13) },
    'arguments without spare bytes',
  )
}

function options(aead, method) {
  const run = given => aead.make()[method](new Uint8Array(0), aead.overhead, given)
  for (const given of [
    null,
    1,
    'aad',
    true,
    1n,
    Symbol('x'),
    () => {},
    Buffer.alloc(9),
    new (class {})(),
    [],
  ]) {
    const { message } = refuses(() => run(given), TYPE, 'options')
    must(message.includes('"options"'), message)
  }
  for (const given of [{ AAD: 1 }, { aad: null, aadends: null }, { ends: 1 }, { nonceAt: 'start' }]) {
    const { message } = refuses(() => run(given), VALUE, 'options')
    must(/^"options" has no '.*', only 'aad', 'aadEnds'$/.test(message), message)
  }
  for (const given of [
    undefined,
    {},
    Object.create(null),
    { aad: undefined, aadEnds: undefined },
    { aadEnds: null },
  ])
    run(given)
  run(runInNewContext('({ aad: new Uint8Array(3) })'))
  const reads = []
  const { frames, ends, aad, aadEnds } = argumentsOf(aead)
  const get = (target, name) => {
    reads.push(String(name))
    return Reflect.get(target, name)
  }
  aead.make()[method](frames, ends, new Proxy({ aad, aadEnds }, { get }))
  equal(reads.sort(), ['aad', 'aadEnds'], 'reads')
  try {
    Object.assign(Object.prototype, { aad: 7, aadEnds: 7 })
    const pollutedFrames = aead.make()
    const memory = new Uint8Array(40)
    pollutedFrames.encryptBatchInPlace(memory, 40)
    must(pollutedFrames.tryDecryptInPlace(memory), 'a polluted Object.prototype is read')
  } finally {
    for (const name of ['aad', 'aadEnds']) Reflect.deleteProperty(Object.prototype, name)
  }
}
