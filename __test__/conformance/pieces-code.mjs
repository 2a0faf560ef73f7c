// Plaintexts in pieces, in arrays that run code of their own, change, or come from another realm.
import { runInNewContext } from 'node:vm'
import { counts } from './aead.mjs'
import { equal, must, refuses, same, thrown } from './checks.mjs'
import { detach } from './hostile.mjs'
import { GONE, isFrameOf, MAX_PIECES, refusesList, TYPE } from './pieces-arguments.mjs'

export function* piecesAndCode(aead) {
  yield { name: 'pieces in odd arrays', run: () => odd(aead) }
  yield { name: 'pieces in a Proxy of an array', run: () => proxies(aead) }
  yield { name: 'a hole among the pieces', run: () => holes(aead) }
  yield { name: 'pieces by getters are read once, in order', run: () => once(aead) }
  yield {
    name: 'pieces by getters that change the array, detach memory, throw or destroy',
    run: () => getters(aead),
  }
  yield { name: 'pieces beside a polluted Array.prototype', run: () => polluted(aead) }
}

function odd(aead) {
  const { text, aad } = aead
  const list = [text, aad, text]
  const plaintext = Buffer.concat(list)
  const trap = () => {
    throw new Error('code of the array ran')
  }
  class Sub extends Array {
    static get [Symbol.species]() {
      return trap()
    }
    get length() {
      return trap()
    }
    [Symbol.iterator]() {
      return trap()
    }
    slice() {
      return trap()
    }
    toSpliced() {
      return trap()
    }
  }
  const own = { slice: trap, map: trap, constructor: { [Symbol.species]: trap }, [Symbol.iterator]: trap }
  for (const [what, array] of [
    ['frozen', Object.freeze([...list])],
    ['of a subclass', Object.setPrototypeOf([...list], Sub.prototype)],
    ['of another realm', runInNewContext('(...list) => [...list]')(...list)],
    ['without a prototype', Object.setPrototypeOf([...list], null)],
    ['with methods of its own', Object.assign([...list], own)],
    ['with accessors', Object.defineProperty([...list], 1, { get: () => aad })],
    ['with elements in its prototype', Object.setPrototypeOf([...list], [aad, aad, aad, aad])],
  ])
    isFrameOf(aead, array, plaintext, `an array ${what}`)
  isFrameOf(aead, [aad, text], Buffer.concat([aad, text]), 'a piece that is the AAD, too')
}

function proxies(aead) {
  const { text, aad } = aead
  for (const way of ['encrypt', 'encryptInto']) {
    const reads = []
    const list = new Proxy([text, aad], {
      get: (target, name) => {
        if (name !== 'length') reads.push(name)
        return Reflect.get(target, name)
      },
      set: () => {
        throw new Error('the array was changed')
      },
    })
    const target = Buffer.alloc(text.length + aad.length + aead.overhead)
    const frame = way === 'encrypt' ? aead.make().encrypt(list) : target
    if (way === 'encryptInto') aead.make().encryptInto(target, list)
    must(aead.isFrame(frame, Buffer.concat([text, aad]), undefined), `another frame by ${way}`)
    equal(reads, ['0', '1'], `${way}: reads`)
  }
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  refusesList(aead, proxy, TYPE, '"plaintext"', 'a revoked Proxy')
  // A Proxy may give two answers for its length. The call must end in a frame, or in an error with a code.
  for (const second of aead.thorough ? [0, 2, MAX_PIECES + 1] : [0, 2]) {
    for (const encrypt of [
      list => aead.make().encrypt(list),
      list => aead.make().encryptInto(Buffer.alloc(200), list),
    ]) {
      try {
        encrypt(lying(text, 1, second))
      } catch (error) {
        must(typeof error.code === 'string', () => `length 1, then ${second}: ${error.message}`)
      }
    }
  }
}

/** An array whose length is `first`, and at every later question `second`. */
function lying(piece, first, second) {
  let asked = 0
  const get = (_, name) => (name === 'length' ? (asked++ === 0 ? first : second) : piece)
  return new Proxy([], { get })
}

function holes(aead) {
  const { text } = aead
  const list = [text, text]
  list[3] = text
  refusesList(aead, list, TYPE, '"plaintext[2]"', 'a hole')
  refusesList(aead, Array(3), TYPE, '"plaintext[0]"', 'holes alone')
}

/** An array with getters of its own, and the indexes that were read, in order. */
function observed(pieces, meanwhile = () => {}) {
  const reads = []
  const list = []
  for (const [i, piece] of pieces.entries()) {
    const get = () => {
      reads.push(i)
      meanwhile(i, list)
      return piece
    }
    Object.defineProperty(list, i, { get, configurable: true, enumerable: true })
  }
  return { list, reads }
}

function once(aead) {
  const { text, aad } = aead
  const pieces = [text, aad, new Uint8Array(0), text]
  for (const way of ['encrypt', 'encryptInto']) {
    const target = Buffer.alloc(300, 0x77)
    const untouched = () =>
      must(
        target.every(byte => byte === 0x77),
        'a byte was written before all were read',
      )
    const { list, reads } = observed(pieces, untouched)
    const aes = aead.make()
    const frame = way === 'encrypt' ? aes.encrypt(list) : target.subarray(0, aes.encryptInto(target, list))
    must(aead.isFrame(frame, Buffer.concat(pieces), undefined), `another frame by ${way}`)
    equal(reads, [0, 1, 2, 3], `${way}: reads`)
  }
}

function getters(aead) {
  const { text } = aead
  const three = () => [Uint8Array.from(text), Uint8Array.from(text), Uint8Array.from(text)]
  const atLast = run => (i, list) => i === 2 && run(list)
  const refused = (make, code, named) => {
    for (const way of ['encrypt', 'encryptInto']) {
      const [aes, target] = [aead.make(), Buffer.alloc(300, 0x77)]
      const list = make(aes, target)
      const run = () => (way === 'encrypt' ? aes.encrypt(list) : aes.encryptInto(target, list))
      const { message } = refuses(run, code, `${way}: ${named}`)
      must(message.includes(named), () => `${way}: no ${named} in "${message}"`)
      equal(counts(aes), [0, 0, 0], `${way}: counters`)
      if (target.length > 0) same(target, Buffer.alloc(300, 0x77), () => `${way}: the target`)
    }
  }
  const detaching = at => () => {
    const pieces = three()
    return observed(
      pieces,
      atLast(() => detach(pieces[at])),
    ).list
  }
  for (const at of [0, 1]) refused(detaching(at), GONE, `"plaintext[${at}]"`)
  refused(
    () => observed(three(), (i, list) => i === 1 && Object.assign(list, { length: 2 })).list,
    TYPE,
    '"plaintext[2]"',
  )
  refused(
    aes =>
      observed(
        three(),
        atLast(() => aes.destroy()),
      ).list,
    'ERR_AESGCM_DESTROYED',
    'destroyed',
  )
  const target = new Uint8Array(300)
  const taken = observed(
    three(),
    atLast(() => detach(target)),
  ).list
  const { message } = refuses(() => aead.make().encryptInto(target, taken), GONE)
  must(message.includes('"target"'), message)

  const mine = new Error('mine')
  const throwing = observed(three(), i => {
    if (i === 1) throw mine
  }).list
  const aes = aead.make()
  equal(
    thrown(() => aes.encrypt(throwing)),
    mine,
    'the error of a getter',
  )
  equal(counts(aes), [0, 0, 0], 'counters after a getter threw')

  // Changes that come after an element was read have no effect, and the array may use the object meanwhile.
  const changing = observed(three(), (i, list) => {
    if (i > 0) Object.defineProperty(list, i - 1, { value: 'changed' })
    list[3] = text
    aes.tryDecryptInPlace(aes.encrypt([text, text]))
  }).list
  must(aead.isFrame(aes.encrypt(changing), Buffer.concat(three()), undefined), 'an array that changes')
}

function polluted(aead) {
  const { text, aad } = aead
  const trap = () => {
    throw new Error('code of Array.prototype ran')
  }
  const names = ['0', '1', '2', 'toSpliced', 'slice', 'map', 'concat', 'at', 'push', Symbol.iterator]
  const before = names.map(name => Object.getOwnPropertyDescriptor(Array.prototype, name))
  const list = [text, aad]
  const target = Buffer.alloc(200)
  let [frame, written, refusal] = []
  const aes = aead.make()
  try {
    for (const name of names)
      Object.defineProperty(Array.prototype, name, { configurable: true, get: trap, set: trap })
    frame = aes.encrypt(list)
    written = aes.encryptInto(target, list)
    try {
      aes.encrypt([text, 7])
    } catch (error) {
      refusal = error
    }
  } finally {
    for (let n = 0; n < before.length; n++) {
      if (before[n]) Object.defineProperty(Array.prototype, names[n], before[n])
      else delete Array.prototype[names[n]]
    }
  }
  for (const made of [frame, target.subarray(0, written)])
    must(aead.isFrame(made, Buffer.concat(list), undefined), 'another frame')
  equal(refusal?.code, TYPE, 'a refusal')
}
