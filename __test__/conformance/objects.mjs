// Receivers that are no object of the class, subclasses and frozen objects, and how objects are shown: without the key.
import { inspect } from 'node:util'
import { METHODS, membersOf, NAMES } from './aead.mjs'
import { BATCH_METHODS } from './batch.mjs'
import { AUTHENTICATION, equal, must, refuses, thrown } from './checks.mjs'
import { ROW_METHODS } from './rows.mjs'

const MANY = [...BATCH_METHODS, ...ROW_METHODS]
/** These have tests of their own: the suite makes calls, and waits for none. */
const ASYNC = ['encryptInPlaceAsync', 'decryptInPlaceAsync']
const FACTS = ['backend', 'keyBits', 'messagesEncrypted', 'bytesEncrypted', 'failedDecryptions', 'destroyed']

export function* objects(aead) {
  const { Class, key } = aead
  const members = functionsOf(Class)
  yield {
    name: 'every method and getter is known to the suite',
    run: () => {
      const wanted = [...NAMES, ...MANY, ...ASYNC, ...FACTS, 'destroy', aead.dispose].map(String)
      equal(members.map(([name]) => String(name)).sort(), wanted.sort(), 'methods and getters')
    },
  }
  // Functions whose name ends in Async reject instead, which their own tests check.
  for (const [name, member] of members.filter(([name]) => !/Async$/.test(String(name))))
    yield { name: `${String(name)} with a wrong receiver`, run: () => receivers(aead, name, member) }
  yield { name: 'the class without new, and new with another target', run: () => targets(aead) }
  yield { name: 'a subclass adds to what it inherits', run: () => subclass(aead) }
  yield {
    name: 'a frozen object, frozen options, views that take no properties',
    run: () => {
      const locked = Object.preventExtensions(new Uint8Array(key))
      const aes = Object.freeze(aead.make(Object.freeze({ verifyFirst: true }), locked))
      const frame = Object.preventExtensions(aes.encrypt(Buffer.from('text')))
      equal(aes.decryptInPlace(frame).toString(), 'text', 'decryptInPlace')
      aes.destroy()
      refuses(() => aes.encrypt(frame), 'ERR_AESGCM_DESTROYED')
    },
  }
  yield {
    name: 'counters and facts are read only',
    run: () => {
      for (const name of FACTS)
        must(thrown(() => Object.assign(aead.make(), { [name]: 1 })) instanceof TypeError, name)
    },
  }
  yield { name: 'inspect shows the facts', run: () => shown(aead) }
  yield { name: 'the key is in nothing that can be printed, copied or thrown', run: () => secrecy(aead) }
  yield {
    name: 'the message about a key in base64 names the way on, and does not show the key',
    run: () => helpful(aead),
  }
}

/** Methods and getters, also inherited ones. Showing an object never throws, so its function is not among them. */
function functionsOf(Class) {
  const members = membersOf(Class)
  return Reflect.ownKeys(members)
    .filter(name => name !== 'constructor' && name !== inspect.custom)
    .map(name => [name, members[name].get ?? members[name].value])
    .filter(([, member]) => typeof member === 'function')
}

/** A structured clone, or an empty object where the runtime refuses to clone. */
export function cloned(object) {
  try {
    return structuredClone(object)
  } catch (error) {
    equal(error.name, 'DataCloneError', 'structuredClone')
    return {}
  }
}

function receivers(aead, name, member) {
  const { Class } = aead
  const real = aead.make()
  class Other {
    #handle = {}
    has() {
      return #handle in this
    }
  }
  const values = name in METHODS ? Object.values(aead.argumentsOf(name)) : []
  for (const self of [
    ...[undefined, null, 0, '', true, 1n, Symbol('x'), {}, [], () => {}, Buffer.alloc(40)],
    ...[Object.create(Class.prototype), Object.create(real), new Proxy(real, {}), Class.prototype, Class],
    ...[new Other(), cloned(real), Object.assign(Object.create(Class.prototype), real)],
  ])
    refuses(() => Reflect.apply(member, self, values), 'ERR_INVALID_THIS', typeof self)
  real.encrypt(Buffer.alloc(0))
  equal([real.messagesEncrypted, real.failedDecryptions], [1, 0], 'the real object')
}

function targets({ Class, key }) {
  must(thrown(() => Class(key)) instanceof TypeError, 'without new')
  must(thrown(() => Reflect.apply(Class, new Class(key), [key])) instanceof TypeError, 'called on an object')
  const odd = Reflect.construct(Class, [key], Object)
  must(Class.prototype.encrypt.call(odd, Buffer.alloc(3)).length > 3, 'new with another target')
}

function subclass({ Class, key }) {
  class Sub extends Class {
    constructor(key, options) {
      super(key, options)
      this.made = this.backend
    }
    encrypt(plaintext) {
      return super.encrypt(plaintext, Buffer.from('sub'))
    }
    text(frame) {
      return this.decrypt(frame, Buffer.from('sub')).toString()
    }
  }
  const sub = new Sub(key, { nonceAt: 'end' })
  must(sub instanceof Class, 'instanceof')
  equal(sub.text(sub.encrypt(Buffer.from('text'))), 'text', 'its own methods')
  equal([sub.made, sub.messagesEncrypted], [sub.backend, 1], 'its own property')
  refuses(() => new Class(key, { nonceAt: 'end' }).decrypt(sub.encrypt(key)), AUTHENTICATION)
  const get = () => {
    throw new Error('a getter ran')
  }
  Object.defineProperty(Sub.prototype, 'backend', { get })
  const show = Reflect.get(Class.prototype, inspect.custom)
  must(show.call(sub, 2, {}, inspect).includes('keyBits'), 'inspect runs no getter of a subclass')
}

function shown(aead) {
  const { Class } = aead
  const aes = aead.make()
  aes.encrypt(Buffer.alloc(5))
  aes.tryDecrypt(Buffer.alloc(60))
  const facts = destroyed =>
    `${Class.name} { backend: '${aes.backend}', keyBits: ${aead.keyBytes * 8}, messagesEncrypted: 1, ` +
    `bytesEncrypted: 5, failedDecryptions: 1, destroyed: ${destroyed} }`
  equal(inspect(aes, { breakLength: Infinity, compact: 9 }), facts(false), 'inspect')
  equal(inspect({ aes }, { depth: 0 }), `{ aes: [${Class.name}] }`, 'inspect past its depth')
  aes.destroy()
  equal(inspect(aes, { breakLength: Infinity, compact: 9 }), facts(true), 'inspect after destroy')
  const show = Reflect.get(Class.prototype, inspect.custom)
  for (const self of [undefined, null, {}, Object.create(Class.prototype), 5])
    equal(show.call(self, 2, {}), `${Class.name} {}`, 'inspect without a receiver')
  must(!inspect(Class.prototype).includes('undefined'), 'inspect of the prototype')
}

function secrecy(aead) {
  const { Class, key } = aead
  const aes = aead.make()
  const said = value => [
    inspect(value, { showHidden: true, depth: Infinity, showProxy: true, getters: true }),
    JSON.stringify(value),
    String(value),
    inspect(cloned(value), { showHidden: true }),
    inspect(Object.getOwnPropertyDescriptors(value)),
  ]
  const other = Buffer.from(key)
  const errors = [
    () => aes.decrypt(key),
    () => aes.encrypt('x'),
    () => aes.encryptInto(key, key),
    () => aes.encryptDetached(other, key, key),
    () => new Class(key, { nonceAt: 'x' }),
    () => new Class(Buffer.concat([key, key, key])),
    () => new Class(other, { backend: key }),
    () => new Class(key.toString('hex')),
    () => new Class(key.buffer),
  ].map(run => thrown(run))
  const bare = text => String(text).replace(/\s/g, '')
  const encodings = ['hex', 'base64', 'base64url', 'latin1'].map(name => key.toString(name))
  const forms = [...encodings, key.join()].map(bare)
  const found = text =>
    forms.some(form => [form.slice(0, 12), form.slice(-12)].some(part => bare(text).includes(part)))
  must(said(key).filter(found).length > 2, 'the search does not find a key that is there')
  for (const text of [aes, ...errors].flatMap(said)) must(!found(text), () => `the key is in ${text}`)
  equal([JSON.stringify(aes), Object.keys(cloned(aes)), Object.keys(aes)], ['{}', [], []], 'copies')
}

function helpful({ Class, key }) {
  const secret = key.toString('base64')
  const { message } = refuses(() => new Class(secret), 'ERR_INVALID_ARG_TYPE')
  must(message.includes("got string: decode it, as in Buffer.from(text, 'base64')"), message)
  must(!message.includes(secret.slice(0, 8)), 'a message shows a key')
}
