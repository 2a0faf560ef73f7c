// Keys and options of every wrong kind, options at their bounds, and code of theirs that runs in the constructor.
import { createSecretKey, generateKeyPairSync, KeyObject } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { cpu, KeyArena } from 'hardware-aes-gcm'
import { AUTHENTICATION, equal, must, refuses, same, thrown } from './checks.mjs'
import { detach, disguises, gone, Liar, MISSING, NOT_BYTES, touchy } from './hostile.mjs'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'
const KEY_LENGTH = 'ERR_AESGCM_INVALID_KEY_LENGTH'
const TEXT = Buffer.from('text')

export function* construction(aead) {
  const { Class, key } = aead
  yield { name: 'keys of every length', run: () => keyLengths(aead) }
  yield {
    name: 'keys of every wrong type',
    run: () => {
      const secret = createSecretKey(key)
      const like = [KeyObject.prototype, Object.getPrototypeOf(secret)].map(of => Object.create(of))
      const notBytes = NOT_BYTES.filter(([what]) => what !== 'a KeyObject')
      for (const [what, value] of [...notBytes, ...MISSING]) refuses(() => new Class(value), TYPE, what)
      for (const value of [...like, new Proxy(secret, {})]) refuses(() => new Class(value), TYPE)
    },
  }
  yield { name: 'KeyObjects that are not secret, or lie', run: () => keyObjects(aead) }
  yield {
    name: 'keys as bytes and as KeyObjects, wiped by the caller afterwards',
    run: () => {
      const [mine, keyObject] = [Buffer.from(key), createSecretKey(key)]
      const objects = [aead.make({}, mine), aead.make({}, keyObject)]
      mine.fill(0)
      same(keyObject.export(), key, () => 'the KeyObject afterwards')
      for (const aes of objects) {
        equal(aes.keyBits, aead.keyBytes * 8, 'keyBits')
        must(aead.isFrame(aes.encrypt(TEXT), TEXT), 'a frame')
      }
    },
  }
  yield { name: 'keys in memory that is gone, shared or disguised', run: () => keyMemory(aead) }
  for (const [name, code, values] of badOptions(aead)) {
    yield {
      name: `options: ${name} is refused with ${code}`,
      run: () => {
        for (const value of values()) {
          const make = () => new Class(key, name === 'options' ? value : { [name]: value })
          const { message } = refuses(make, code, name)
          must(message.includes(name), () => `"${message}" does not name ${name}`)
        }
      },
    }
  }
  yield { name: 'options: unknown names, and names that a class hides', run: () => unknown(Class, key) }
  yield { name: 'options at their bounds', run: () => bounds(aead) }
  yield { name: 'options are each read once', run: () => readOnce(aead) }
  yield { name: 'options: a polluted Object.prototype is not read', run: () => polluted(aead) }
  yield { name: 'options: a getter that detaches the key, overwrites it or throws', run: () => getters(aead) }
}

function keyLengths({ Class, subject }) {
  for (const length of [...Array(65).keys(), 1 << 20]) {
    const bytes = new Uint8Array(length)
    const made = [() => new Class(bytes), () => new Class(createSecretKey(bytes))]
    for (const make of length === 0 ? made.slice(0, 1) : made) {
      if (subject.keyBytes.includes(length)) make()
      else {
        const { message } = refuses(make, KEY_LENGTH, `${length}`)
        equal(
          message,
          `"key" must be ${subject.keyBytes.join(' or ')} bytes, got length ${length}`,
          'the text',
        )
      }
    }
  }
}

// Exported as if they were secret, public keys would end the process in an assertion of Node's.
function keyObjects({ Class, key }) {
  for (const lies of [false, true]) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    for (const keyObject of [publicKey, privateKey]) {
      if (lies) Object.defineProperty(keyObject, 'type', { value: 'secret' })
      refuses(() => new Class(keyObject), VALUE)
    }
  }
  const secret = createSecretKey(key)
  const forged = Object.create(Object.getPrototypeOf(secret))
  const handle = { export: () => Reflect.get(touchy({}), 'bytes') }
  for (const symbol of Object.getOwnPropertySymbols(secret))
    Object.defineProperty(forged, symbol, { value: handle })
  const { message } = thrown(() => new Class(forged))
  must(message.includes('"key"'), () => `a forged KeyObject: ${message}`)
}

function keyMemory(aead) {
  const { Class, key } = aead
  for (const [what, view] of gone(key)) refuses(() => new Class(view), 'ERR_AESGCM_DETACHED_BUFFER', what)
  const frame = aead.make().encrypt(TEXT)
  for (const [what, view] of disguises(key)) equal(aead.make({}, view).decrypt(frame), TEXT, what)
  refuses(() => new Class(new Liar(key.length - 1)), KEY_LENGTH)
  // The constructor copies the key before it uses the copy, so that another thread cannot change the bytes in use.
  const shared = new Uint8Array(new SharedArrayBuffer(key.length))
  shared.set(key)
  const ofShared = aead.make({}, shared)
  shared.fill(0)
  equal(ofShared.decrypt(frame), TEXT, 'a key in shared memory')
  refuses(() => new Class(new Uint8Array(new SharedArrayBuffer(key.length - 1))), 'ERR_AESGCM_SHARED_BUFFER')
}

/** The name of an option or of all, the code, and values that are refused. */
function badOptions({ key, subject }) {
  const notNumbers = () => ['1', true, 1n, {}, [1], null, touchy({}), { valueOf: () => 1 }]
  const odd = [-1, 0.5, Number.NaN, Infinity, -Infinity, 2 ** 53]
  const notArenas = () => [{}, null, false, 0, KeyArena, KeyArena.prototype, touchy({})]
  const likeArenas = () => [
    Object.create(KeyArena.default),
    new Proxy(KeyArena.default, {}),
    new subject.Class(key),
  ]
  const notBackends = [
    'software',
    'AESNI',
    'aesni ',
    '',
    '__proto__',
    'toString',
    0,
    -1,
    true,
    null,
    ['aesni'],
  ]
  return [
    ['options', TYPE, () => [null, 1, 'start', true, 1n, Symbol('x'), () => {}]],
    ['nonceAt', VALUE, () => ['', 'START', 'middle', 0, true, {}, ['end'], Symbol('end'), touchy({})]],
    ['verifyFirst', TYPE, () => [0, 1, 'true', '', {}, touchy({})]],
    ['maxMessages', TYPE, notNumbers],
    ['maxFailures', TYPE, notNumbers],
    ['maxMessages', OUT_OF_RANGE, () => [...odd, (subject.maxMessages ?? 2 ** 32) + 1]],
    ['maxFailures', OUT_OF_RANGE, () => [...odd, 0, -0, 2 ** 32 + 1]],
    ['arena', TYPE, () => [...notArenas(), ...likeArenas()]],
    [
      'backend',
      VALUE,
      () => [...notBackends, { toString: () => 'aesni' }, new String('aesni'), Symbol('aesni')],
    ],
  ]
}

function unknown(Class, key) {
  for (const options of [{ maxMesages: 1 }, { maxMessages: 1, MaxFailures: 1 }, { keys: 1 }]) {
    const { message } = refuses(() => new Class(key, options), VALUE)
    must(
      /^"options" has no '(maxMesages|MaxFailures|keys)', only 'nonceAt', .*'arena'$/.test(message),
      message,
    )
  }
  class Settings {
    get maxMessages() {
      return 0
    }
  }
  for (const options of [new Settings(), Object.create({ maxMessages: 0 }), KeyArena.default, [], key]) {
    const { message } = refuses(() => new Class(key, options), TYPE)
    must(message.includes('must be a plain object'), message)
  }
}

function bounds(aead) {
  const all = ['nonceAt', 'maxMessages', 'maxFailures', 'verifyFirst', 'backend', 'arena']
  const bits = aead.keyBytes * 8
  for (const options of [
    { maxMessages: 0, maxFailures: 1 },
    { maxMessages: aead.subject.maxMessages ?? 2 ** 32, maxFailures: 2 ** 32 },
    Object.fromEntries(all.map(name => [name, undefined])),
    Object.freeze({ nonceAt: 'end' }),
    Object.assign(Object.create(null), { nonceAt: 'end' }),
    runInNewContext('({ maxMessages: 0 })'),
    { [Symbol('x')]: 1 },
    undefined,
  ]) {
    const aes = new aead.Class(aead.key, options)
    equal([aes.keyBits, aes.backend], [bits, cpu().backend], 'the defaults')
  }
  if (aead.backend !== undefined) equal(aead.make().backend, aead.backend, 'backend')
}

function readOnce(aead) {
  const values = {
    ...{ nonceAt: 'end', verifyFirst: true, maxMessages: 5, maxFailures: 5 },
    ...{ backend: cpu().backend, arena: KeyArena.default },
  }
  const reads = []
  const get = (target, name) => {
    reads.push(String(name))
    return Reflect.get(target, name)
  }
  new aead.Class(aead.key, new Proxy(values, { get }))
  equal(reads.sort(), Object.keys(values).sort(), 'reads')
}

function polluted(aead) {
  const options = {
    nonceAt: 'end',
    verifyFirst: 'no',
    maxMessages: 0,
    maxFailures: 0,
    backend: 'none',
    arena: {},
  }
  const pollution = { ...options, aad: aead.key, cause: 'polluted' }
  try {
    Object.assign(Object.prototype, pollution)
    for (const given of [undefined, {}]) {
      const aes = new aead.Class(aead.key, given)
      const frame = aes.encrypt(new Uint8Array(40))
      equal(aes.plaintextOf(frame).byteOffset - frame.byteOffset, aead.nonceBytes, 'the layout')
      same(aes.decrypt(frame), Buffer.alloc(40), () => 'decrypt')
      equal(aes.backend, cpu().backend, 'backend')
      const error = refuses(() => aes.decrypt(new Uint8Array(3)), AUTHENTICATION)
      must(!Object.hasOwn(error, 'cause'), 'an error has a cause')
    }
  } finally {
    for (const name of Object.keys(pollution)) Reflect.deleteProperty(Object.prototype, name)
  }
}

function getters({ Class, key }) {
  const lost = Uint8Array.from(key)
  const detaching = {
    get nonceAt() {
      detach(lost)
      return 'end'
    },
  }
  refuses(() => new Class(lost, detaching), 'ERR_AESGCM_DETACHED_BUFFER')
  const changed = Uint8Array.from(key)
  const overwriting = {
    get verifyFirst() {
      changed.fill(0)
      return true
    },
  }
  const frame = new Class(changed, overwriting).encrypt(TEXT)
  equal(new Class(new Uint8Array(key.length)).decrypt(frame), TEXT, 'options are read before the key')
  const throwing = {
    get backend() {
      throw new RangeError('mine')
    },
  }
  equal(thrown(() => new Class(key, throwing)).message, 'mine', 'what a getter throws')
}
