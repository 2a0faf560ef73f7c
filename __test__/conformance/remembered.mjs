// Memory that many calls have used, so that the package remembers it: what happens to it between two calls, and what lies about it.
// Where a runtime has no short way for such memory (lib/cipher/native/slate.cts), the same calls must end in the same way.
import { counts, METHODS } from './aead.mjs'
import { equal, must, refuses, same, thrown } from './checks.mjs'
import { Liar, resizable } from './hostile.mjs'

const GONE = 'ERR_AESGCM_DETACHED_BUFFER'
const METHODS_HERE = Object.keys(METHODS).filter(method => /InPlace/.test(method))
/** As many calls as it takes until any memory is remembered, even after the longest time without a try. */
const CALLS = 1200
const MEMORY_BYTES = 8192

export function* remembered(aead) {
  for (const method of METHODS_HERE) {
    const yieldAs = (what, run) => ({ name: `${method}: remembered memory, ${what}`, run })
    yield yieldAs('taken away in every way', () => taken(aead, method))
    yield yieldAs('of WebAssembly, which grows', () => grown(aead, method))
    yield yieldAs('that changes its length', () => resized(aead, method))
    yield yieldAs('under other views', () => views(aead, method))
    yield yieldAs('under views that lie', () => liars(aead, method))
    yield yieldAs('whose parts overlap', () => overlapping(aead, method))
  }
  yield { name: 'remembered memory: keys take turns', run: () => turns(aead) }
  yield { name: 'remembered memory: limits, counts and destroyed keys', run: () => limited(aead) }
}

/** Good arguments of a method, one after the other in one memory, from `start` on. */
function laid(aead, method, memory = new ArrayBuffer(MEMORY_BYTES), start = 64) {
  const values = Object.entries(aead.argumentsOf(method))
  let at = start
  const laidOut = values.map(([name, value]) => {
    const view = new Uint8Array(memory, at, value.length)
    view.set(value)
    at += value.length + 3
    return [name, view]
  })
  return Object.fromEntries(laidOut)
}

/** Calls a method with these views until their memory is remembered, each time with the same bytes. */
function warm(aead, aes, method, views, calls = CALLS) {
  const [values, good] = [Object.values(views), Object.values(aead.argumentsOf(method))]
  for (let i = 0; i < calls; i++) {
    for (let n = 0; n < values.length; n++) values[n].set(good[n])
    accepted(aead, aes, method, values)
  }
  for (let n = 0; n < values.length; n++) values[n].set(good[n])
  return values
}

/** The call with these arguments does what it should. */
function accepted(aead, aes, method, values, what = method) {
  const result = aes[method](...values)
  if (method.startsWith('try')) must(result === true, () => `${what}: refused`)
  const [written] = values
  if (method === 'encryptInPlace') {
    // The nonce of the good frame was there. Three bytes that count are 0 in one of 2^24 frames, so no few bytes may decide.
    must(
      aead.nonce.some((byte, n) => written[n] !== byte),
      () => `${what}: no nonce`,
    )
    return
  }
  const found = written.subarray(aead.nonceBytes, -16)
  same(Uint8Array.prototype.subarray.call(found, 0), aead.text, () => what)
}

const channel = memory => {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(memory, [memory])
  port1.close()
  port2.close()
}
const TAKING = {
  structuredClone: memory => structuredClone(memory, { transfer: [memory] }),
  postMessage: channel,
  'a part of a message': memory => structuredClone({ a: [memory] }, { transfer: [memory] }),
  // Node 22 and later.
  ...(ArrayBuffer.prototype.transfer && {
    transfer: memory => memory.transfer(),
    'transfer, to nothing': memory => memory.transfer(0),
    transferToFixedLength: memory => memory.transferToFixedLength(),
  }),
  // Node 26 with a flag.
  ...(ArrayBuffer.prototype.transferToImmutable && {
    transferToImmutable: memory => void memory.transferToImmutable(),
  }),
}

function taken(aead, method) {
  const aes = aead.make()
  for (const [way, take] of Object.entries(TAKING)) {
    for (const name of METHODS[method].takes) {
      // The one argument in memory of its own.
      const views = { ...laid(aead, method), [name]: laid(aead, method)[name] }
      warm(aead, aes, method, views, 20)
      const counted = counts(aes)
      const before = Object.entries(views).map(([other, view]) => [other, Uint8Array.from(view)])
      const { byteOffset, length } = views[name]
      const moved = take(views[name].buffer)
      const error = refuses(() => aes[method](...Object.values(views)), GONE, `${method}: ${name}, ${way}`)
      must(error.message.includes(`"${name}"`), () => `${way} does not name "${name}": ${error.message}`)
      equal(counts(aes), counted, `${way}: counters`)
      for (const [other, bytes] of before)
        if (other !== name) same(views[other], bytes, () => `${way} of ${name}: ${other}`)
      if (moved?.byteLength !== MEMORY_BYTES) continue
      // The bytes are as they were, and belong to another ArrayBuffer, which works in its turn.
      const again = new Uint8Array(moved, byteOffset, length)
      same(again, before.find(([other]) => other === name)[1], () => `${way}: the bytes of ${name}`)
      warm(aead, aes, method, { ...views, [name]: again }, 20)
    }
  }
}

function grown(aead, method) {
  const aes = aead.make()
  for (const pages of [0, 1]) {
    const wasm = new WebAssembly.Memory({ initial: 1, maximum: 2 })
    const views = laid(aead, method, wasm.buffer)
    const values = warm(aead, aes, method, views)
    wasm.grow(pages)
    refuses(() => aes[method](...values), GONE, `grown by ${pages}`)
    // The same bytes, perhaps at the same address, in another ArrayBuffer.
    const again = laid(aead, method, wasm.buffer)
    warm(aead, aes, method, again, 20)
    refuses(() => aes[method](...values), GONE, `grown by ${pages}, once more`)
  }
}

function resized(aead, method) {
  const aes = aead.make()
  const memory = resizable(new Uint8Array(1024))
  const values = warm(aead, aes, method, laid(aead, method, memory))
  const [first] = values
  const end = first.byteOffset + first.length
  memory.resize(end - 1)
  refuses(() => aes[method](...values), GONE, 'shrunk by a byte')
  memory.resize(0)
  refuses(() => aes[method](...values), GONE, 'shrunk to nothing')
  memory.resize(4096)
  accepted(aead, aes, method, Object.values(laid(aead, method, memory)), 'grown')
  // A view that tracks the length: the frame or data is then longer, and the call no more the same.
  const tracked = resizable(new Uint8Array(aead.argumentsOf(method)[METHODS[method].takes[0]]))
  const tracking = [new Uint8Array(tracked), ...Object.values(laid(aead, method)).slice(1)]
  const [good] = Object.values(aead.argumentsOf(method))
  for (let i = 0; i < 30; i++) {
    tracking[0].set(good)
    accepted(aead, aes, method, tracking, 'tracking')
  }
  tracked.resize(good.length + 1)
  tracked.resize(good.length)
  tracking[0].set(good)
  accepted(aead, aes, method, tracking, 'tracking, and back')
}

/** Other views of one remembered memory: each call takes its own place in it. */
function views(aead, method) {
  const aes = aead.make()
  const memory = new ArrayBuffer(MEMORY_BYTES)
  warm(aead, aes, method, laid(aead, method, memory))
  const all = new Uint8Array(memory)
  const random = aead.random(`views ${method}`)
  for (let i = 0; i < 100; i++) {
    all.set(random.bytes(MEMORY_BYTES))
    const values = laid(aead, method, memory, 1 + random.below(5000))
    const before = new Uint8Array(all)
    accepted(aead, aes, method, Object.values(values))
    for (const name of METHODS[method].writes) before.set(values[name], values[name].byteOffset)
    same(all, before, () => 'bytes beside the views')
  }
  // Until the last byte; and no view beyond it can be made.
  const { length } = all
  const [name] = METHODS[method].takes
  const good = aead.argumentsOf(method)
  const last = new Uint8Array(memory, length - good[name].length)
  last.set(good[name])
  const values = { ...laid(aead, method, memory), [name]: last }
  accepted(aead, aes, method, Object.values(values), 'the end of the memory')
  // Of another kind, over the same bytes.
  for (const other of METHODS[method].takes) {
    for (const View of [Int8Array, Uint8ClampedArray, Float64Array, Uint32Array, DataView]) {
      const wrong = { ...laid(aead, method, memory), [other]: new View(memory, 0, 16) }
      const error = refuses(() => aes[method](...Object.values(wrong)), 'ERR_INVALID_ARG_TYPE')
      must(error.message.includes(View.name), () => error.message)
    }
  }
}

function liars(aead, method) {
  const aes = aead.make()
  const memory = new ArrayBuffer(MEMORY_BYTES)
  warm(aead, aes, method, laid(aead, method, memory))
  const other = new ArrayBuffer(MEMORY_BYTES)
  const lies = {
    buffer: other,
    byteOffset: 4000,
    byteLength: 2 ** 31,
    length: 1,
    [Symbol.toStringTag]: 'Uint8Array',
  }
  for (const [what, disguise] of [
    ['properties', view => Object.defineProperties(view, Object.getOwnPropertyDescriptors(lies))],
    ['no prototype', view => Object.setPrototypeOf(view, null)],
    ['a class that lies', view => Object.setPrototypeOf(view, Liar.prototype)],
  ]) {
    const views = laid(aead, method, memory)
    for (const view of Object.values(views)) disguise(view)
    for (let i = 0; i < 20; i++) {
      const good = aead.argumentsOf(method)
      for (const name of METHODS[method].takes) Uint8Array.prototype.set.call(views[name], good[name])
      const result = aes[method](...Object.values(views))
      must(result !== false, () => `${what}: refused`)
    }
  }
  // Getters that a program replaces later are not asked.
  const { prototype } = Object.getPrototypeOf(Uint8Array)
  const names = ['buffer', 'byteOffset', 'byteLength', 'length', Symbol.toStringTag]
  const real = names.map(name => Object.getOwnPropertyDescriptor(prototype, name))
  const values = warm(aead, aes, method, laid(aead, method, memory), 20)
  const results = []
  try {
    for (const name of names)
      Object.defineProperty(prototype, name, { configurable: true, get: () => lies[name] })
    results.push(aes[method](...values))
  } finally {
    for (const [n, name] of names.entries()) Object.defineProperty(prototype, name, real[n])
  }
  must(results[0] !== false, () => 'replaced getters')
}

function overlapping(aead, method) {
  const aes = aead.make()
  const { takes, writes } = METHODS[method]
  const memory = new ArrayBuffer(MEMORY_BYTES)
  const views = laid(aead, method, memory)
  warm(aead, aes, method, views)
  const all = new Uint8Array(memory)
  for (const written of writes) {
    for (const other of takes.filter(name => name !== written)) {
      const { byteOffset, length } = views[written]
      const size = views[other].length
      for (const at of [byteOffset - size + 1, byteOffset, byteOffset + length - 1]) {
        const meeting = { ...views, [other]: new Uint8Array(memory, at, size) }
        const before = new Uint8Array(all)
        const counted = counts(aes)
        refuses(
          () => aes[method](...Object.values(meeting)),
          'ERR_AESGCM_BUFFER_OVERLAP',
          `${written} ${other}`,
        )
        same(all, before, () => 'bytes of a refused call')
        equal(counts(aes), counted, 'counters of a refused call')
      }
    }
  }
}

function turns(aead) {
  const memory = new ArrayBuffer(MEMORY_BYTES)
  const random = aead.random('turns')
  const objects = Array.from({ length: 5 }, () => aead.make({}, random.bytes(aead.keyBytes)))
  const [frame, aad] = [new Uint8Array(memory, 9, aead.overhead + 40), new Uint8Array(memory, 4000, 7)]
  for (let i = 0; i < CALLS; i++) {
    const [aes, other] = [objects[i % 5], objects[(i + 1) % 5]]
    const text = random.bytes(40)
    frame.set(text, aead.nonceBytes)
    aes.encryptInPlace(frame, i % 2 === 0 ? aad : null)
    must(!other.tryDecryptInPlace(frame, i % 2 === 0 ? aad : null), 'another key opens it')
    must(!aes.tryDecryptInPlace(frame, i % 2 === 0 ? undefined : aad), 'it opens with other data')
    must(aes.tryDecryptInPlace(frame, i % 2 === 0 ? aad : undefined), 'its own key does not open it')
    same(frame.subarray(aead.nonceBytes, -16), text, () => 'its text')
  }
  for (const [n, aes] of objects.entries()) {
    equal(aes.messagesEncrypted, CALLS / 5, `messages of key ${n}`)
    equal(aes.failedDecryptions, (2 * CALLS) / 5, `failures of key ${n}`)
  }
}

function limited(aead) {
  const memory = new ArrayBuffer(MEMORY_BYTES)
  const frame = new Uint8Array(memory, 0, aead.overhead + 5)
  const aes = aead.make({ maxMessages: CALLS, maxFailures: 3 })
  for (let i = 0; i < CALLS; i++) aes.encryptInPlace(frame)
  const before = Uint8Array.from(frame)
  refuses(() => aes.encryptInPlace(frame), 'ERR_AESGCM_KEY_EXHAUSTED')
  same(frame, before, () => 'a refused frame')
  frame[0] ^= 1
  for (let i = 0; i < 3; i++) must(!aes.tryDecryptInPlace(frame), 'a forgery')
  frame[0] ^= 1
  refuses(() => aes.tryDecryptInPlace(frame), 'ERR_AESGCM_KEY_EXHAUSTED')
  same(frame, before, () => 'a forgery')
  equal(counts(aes), [CALLS, CALLS * 5, 3], 'counts')
  refuses(() => aead.make().encryptInPlace(frame.subarray(0, aead.overhead - 1)), 'ERR_OUT_OF_RANGE')
  must(!aead.make().tryDecryptInPlace(frame.subarray(0, aead.overhead - 1)), 'a short frame')
  aes.destroy()
  const error = thrown(() => aes.encryptInPlace(frame))
  equal(error.code, 'ERR_AESGCM_DESTROYED', 'a destroyed key')
  refuses(() => aes.decryptInPlace(frame), 'ERR_AESGCM_DESTROYED')
}
