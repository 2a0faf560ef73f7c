// Uses every public function of the package once, as a caller would: every-function(package). The conformance suite judges
// what messages become; here is what depends on how a runtime loads the package. CommonJS, since Jest requires this file.
const assert = require('node:assert/strict')
const { createSecretKey } = require('node:crypto')
const { subscribe, unsubscribe } = require('node:diagnostics_channel')

const FUNCTIONS = ['cpu', 'randomBytes', 'randomFillSync', 'randomInfo', 'reseed']
const CLASSES = ['AesGcm', 'AesGcmError', 'AuthenticationError', 'KeyArena']
const CONSTANTS = { NONCE_BYTES: 12, OVERHEAD: 28, TAG_BYTES: 16 }
const ARENA_MEMBERS = 'capacity constructor destroy destroyed excludedFromDumps locked used'.split(' ')

const message = Buffer.from('The cargo leaves the harbour at first light, under another name.')
const aad = Buffer.from('record 17')

module.exports = function everyFunction(aesgcm) {
  // Exports that are missing from these lists would not be used below.
  assert.deepEqual(Object.keys(aesgcm).sort(), [...FUNCTIONS, ...CLASSES, ...Object.keys(CONSTANTS)].sort())
  assert.deepEqual(Object.getOwnPropertyNames(aesgcm.KeyArena.prototype).sort(), ARENA_MEMBERS)
  for (const name of [...FUNCTIONS, ...CLASSES]) assert.equal(typeof aesgcm[name], 'function')
  for (const [name, value] of Object.entries(CONSTANTS)) assert.equal(aesgcm[name], value)
  assert.equal(aesgcm.AesGcm.isAvailable(), true)

  const { arch, backend, backends, features } = aesgcm.cpu()
  assert.equal(arch, process.arch)
  assert.equal(backend, backends[0])
  assert.equal(features.aes, true)

  for (const bits of [128, 256]) messages(aesgcm, bits)
  random(aesgcm)
  arenas(aesgcm)
  news(aesgcm)
  errors(aesgcm)
  return backend
}

/** Each way to encrypt, and each way to decrypt. */
function messages({ AesGcm, NONCE_BYTES, OVERHEAD, TAG_BYTES }, bits) {
  const key = AesGcm.generateKey(bits)
  assert.equal(key.length * 8, bits)
  const aes = new AesGcm(createSecretKey(key), { nonceAt: 'end', verifyFirst: true })
  const [frame, target] = [aes.encrypt(message, aad), Buffer.alloc(message.length + OVERHEAD)]
  assert.deepEqual(aes.decrypt(frame, aad), message)
  assert.deepEqual(aes.tryDecrypt(frame, aad), message)
  assert.equal(aes.encryptInto(target, message, aad), target.length)
  const plain = Buffer.alloc(message.length)
  assert.equal(aes.decryptInto(plain, target, aad), message.length)
  assert.equal(aes.tryDecryptInto(plain, frame, aad), message.length)
  assert.deepEqual(plain, message)
  aes.plaintextOf(target).set(message)
  aes.encryptInPlace(target, aad)
  const sealed = Buffer.from(target)
  assert.equal(aes.tryDecryptInPlace(target, aad), true)
  assert.deepEqual(aes.decryptInPlace(sealed, aad), message)

  const [data, nonce, tag] = [Buffer.from(message), Buffer.alloc(NONCE_BYTES), Buffer.alloc(TAG_BYTES)]
  aes.encryptDetached(data, nonce, tag, aad)
  aes.decryptDetached(data, nonce, tag, aad)
  assert.deepEqual(data, message)
  aes.encryptDetached(data, nonce, tag, aad)
  assert.equal(aes.tryDecryptDetached(data, nonce, tag, aad), true)
  assert.deepEqual(data, message)

  const pieces = [message.subarray(0, 9), message.subarray(9)]
  assert.deepEqual(aes.decrypt(aes.encrypt(pieces, aad), aad), message)
  assert.equal(aes.encryptInto(target, pieces, aad), target.length)
  const frames = Buffer.concat([target, target, target])
  const ends = Uint32Array.of(1, 2, 3).map(n => n * target.length)
  aes.decryptBatchInPlace(frames, ends, { aad })
  aes.encryptBatchInPlace(frames, target.length, { aad })
  assert.deepEqual(aes.tryDecryptBatchInPlace(frames, ends, { aad }), new Uint32Array(0))
  assert.deepEqual(aes.plaintextOf(frames.subarray(0, target.length)), message)
  const rows = aes.encryptBatch([message, message], { aad: () => aad })
  assert.deepEqual(aes.decryptBatch(rows, { aad }), [message, message])
  assert.deepEqual(aes.tryDecryptBatch([...rows, Buffer.alloc(5)], { aad }), [message, message, null])

  const counts = [aes.messagesEncrypted, aes.bytesEncrypted, aes.failedDecryptions]
  assert.deepEqual([aes.keyBits, ...counts, aes.destroyed], [bits, 10, 12 * message.length, 1, false])
  using(aes)
  assert.equal(aes.destroyed, true)
}

/** Every length of random bytes: a runtime may lose what native code writes into small views. */
function random({ AesGcm, randomBytes, randomFillSync, randomInfo, reseed }) {
  const seen = new Set()
  let made = 0
  const one = bytes => {
    seen.add(Buffer.from(bytes.buffer ?? bytes, bytes.byteOffset, bytes.byteLength).toString('hex'))
    made++
  }
  for (let length = 8; length <= 300; length++) {
    const bytes = randomBytes(length)
    assert.ok(Buffer.isBuffer(bytes) && bytes.buffer.byteLength === length && bytes.byteOffset === 0)
    one(bytes)
    one(randomFillSync(new Uint8Array(length)))
    const memory = randomFillSync(new ArrayBuffer(length))
    one(memory)
    one(randomFillSync(new DataView(memory)))
    // The first and the last four stay.
    const part = randomFillSync(Buffer.alloc(length + 8), 4, length)
    assert.ok(part.readUInt32LE(0) === 0 && part.readUInt32LE(length + 4) === 0)
    one(part)
    one(AesGcm.generateKey())
  }
  one(randomFillSync(new BigUint64Array(4), 1, 2))
  const { seedings } = randomInfo()
  reseed()
  const { seedings: after, lastSeed, cpuSource, copyDetection } = randomInfo()
  assert.deepEqual([after, lastSeed.cause, lastSeed.sources[0]], [seedings + 1, 'reseed', 'os'])
  assert.ok(typeof cpuSource.state === 'string' && copyDetection.fork !== 'none')
  assert.equal(seen.size, made)
  assert.ok(![...seen].some(text => /^0*$/.test(text)), 'what was written was lost')
}

function arenas({ AesGcm, AesGcmError, KeyArena }) {
  const arena = new KeyArena({ keys: 2 })
  const keys = [1, 2].map(byte => new AesGcm(Buffer.alloc(32, byte), { arena }))
  assert.deepEqual([arena.capacity, arena.used, typeof arena.locked], [2, 2, 'boolean'])
  refuses(AesGcmError, 'ERR_AESGCM_ARENA_FULL', () => new AesGcm(Buffer.alloc(16), { arena }))
  const frame = keys[0].encrypt(message)
  arena.destroy()
  refuses(AesGcmError, 'ERR_AESGCM_DESTROYED', () => keys[0].decrypt(frame))
  assert.deepEqual([arena.used, arena.destroyed, keys[0].destroyed], [0, true, true])
  assert.equal(KeyArena.default, KeyArena.default)
  assert.equal(KeyArena.default.capacity, Number.POSITIVE_INFINITY)
  refuses(TypeError, 'ERR_INVALID_THIS', () => KeyArena.default.destroy())
  const scoped = new KeyArena({ keys: 1 })
  using(scoped)
  assert.equal(scoped.destroyed, true)
}

/** The end of a scope, in a syntax that every runtime knows. Under Jest on Node 20, tests have no such symbol. */
function using(resource) {
  if (Symbol.dispose === undefined) resource.destroy()
  else resource[Symbol.dispose]()
}

function news({ AesGcm }) {
  const name = 'hardware-aes-gcm:authentication-failed'
  const heard = []
  const listen = heardOf => heard.push(heardOf)
  subscribe(name, listen)
  assert.equal(new AesGcm(Buffer.alloc(32)).tryDecryptInPlace(Buffer.alloc(40)), false)
  unsubscribe(name, listen)
  assert.deepEqual(heard, [{ code: 'ERR_AESGCM_AUTHENTICATION_FAILED' }])
}

/** One error of each class: all are the classes that this code sees. */
function errors({ AesGcm, AesGcmError, AuthenticationError, cpu }) {
  const key = AesGcm.generateKey()
  const foreign = cpu().arch === 'x64' ? 'armv8' : 'aesni'
  refuses(TypeError, 'ERR_INVALID_ARG_TYPE', () => new AesGcm(key).encrypt('text'))
  refuses(RangeError, 'ERR_OUT_OF_RANGE', () => new AesGcm(key).encryptInPlace(Buffer.alloc(27)))
  refuses(AesGcmError, 'ERR_AESGCM_UNSUPPORTED_CPU', () => new AesGcm(key, { backend: foreign }))
  refuses(AuthenticationError, 'ERR_AESGCM_AUTHENTICATION_FAILED', () => new AesGcm(key).decrypt(key))
  assert.ok(AuthenticationError.prototype instanceof AesGcmError && AesGcmError.prototype instanceof Error)
}

function refuses(Class, code, action) {
  assert.throws(
    action,
    error => error.constructor === Class && error instanceof Error && error.code === code,
    `${code} was expected`,
  )
}
