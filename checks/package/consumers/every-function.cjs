// Uses every public function of the package once, as a caller would, and compares with node:crypto: every-function(package)
const assert = require('node:assert/strict')
const { createCipheriv, createDecipheriv, createSecretKey, randomBytes } = require('node:crypto')
const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { inspect } = require('node:util')

const EXPORTS = [
  'AesGcm',
  'AesGcmError',
  'AuthenticationError',
  'KeyArena',
  'NONCE_BYTES',
  'OVERHEAD',
  'TAG_BYTES',
  'cpu',
  'randomBytes',
  'randomFillSync',
  'randomInfo',
  'reseed',
]
const MEMBERS = [
  ...[
    'backend',
    'bytesEncrypted',
    'constructor',
    'decrypt',
    'decryptDetached',
    'decryptInPlace',
    'decryptInto',
  ],
  ...[
    'destroy',
    'destroyed',
    'encrypt',
    'encryptDetached',
    'encryptInPlace',
    'encryptInto',
    'failedDecryptions',
    'keyBits',
  ],
  ...[
    'messagesEncrypted',
    'plaintextOf',
    'tryDecrypt',
    'tryDecryptDetached',
    'tryDecryptInPlace',
    'tryDecryptInto',
  ],
]
const ARENA_MEMBERS = ['capacity', 'constructor', 'destroy', 'destroyed', 'locked', 'used']

const message = Buffer.from('The cargo leaves the harbour at first light, under another name.')
const aad = Buffer.from('record 17')

module.exports = function everyFunction(aesgcm) {
  // What is not on these lists is not used below.
  assert.deepEqual(Object.keys(aesgcm).sort(), EXPORTS)
  assert.deepEqual(Object.getOwnPropertyNames(aesgcm.AesGcm.prototype).sort(), MEMBERS)
  assert.deepEqual(Object.getOwnPropertyNames(aesgcm.KeyArena.prototype).sort(), ARENA_MEMBERS)
  const { AesGcm, cpu, NONCE_BYTES, OVERHEAD, TAG_BYTES } = aesgcm
  assert.deepEqual([NONCE_BYTES, TAG_BYTES, OVERHEAD], [12, 16, 28])
  assert.equal(AesGcm.isAvailable(), true)

  const { arch, backend, backends, features } = cpu()
  assert.equal(arch, process.arch)
  assert.equal(backend, backends[0])
  assert.equal(features.aes, true)

  for (const bits of [128, 256]) {
    const key = AesGcm.generateKey(bits)
    assert.equal(key.length, bits / 8)
    for (const name of backends) frames(aesgcm, key, name)
    detached(aesgcm, key)
    smallViews(aesgcm, key)
  }
  random(aesgcm)
  arenas(aesgcm)
  news(aesgcm)
  errors(aesgcm)
  privacy(aesgcm)
  return backend
}

/** Frames in both layouts: each way to make one, each way to open one, and what a changed one leaves behind. */
function frames({ AesGcm, AuthenticationError, OVERHEAD }, key, backend) {
  for (const nonceAt of ['start', 'end']) {
    const aes = new AesGcm(key, { nonceAt, backend, verifyFirst: nonceAt === 'end' })
    assert.equal(aes.backend, backend)
    assert.equal(aes.keyBits, key.length * 8)

    const frame = aes.encrypt(message, aad)
    assert.equal(frame.length, message.length + OVERHEAD)
    assert.deepEqual(openWithNode(key, frame, nonceAt), message)
    assert.deepEqual(aes.decrypt(frame, aad), message)
    assert.deepEqual(aes.tryDecrypt(frame, aad), message)

    const target = Buffer.alloc(frame.length)
    assert.equal(aes.encryptInto(target, message, aad), frame.length)
    assert.deepEqual(openWithNode(key, target, nonceAt), message)
    const plain = Buffer.alloc(message.length)
    assert.equal(aes.decryptInto(plain, target, aad), message.length)
    assert.equal(aes.tryDecryptInto(plain, target, aad), message.length)
    assert.deepEqual(plain, message)

    message.copy(aes.plaintextOf(target))
    aes.encryptInPlace(target, aad)
    const sealed = Buffer.from(target)
    assert.equal(aes.tryDecryptInPlace(target, aad), true)
    assert.deepEqual(aes.plaintextOf(target), message)
    assert.deepEqual(aes.decryptInPlace(sealed, aad), message)

    for (let at = 0; at < frame.length; at++) {
      const changed = Buffer.from(frame)
      changed[at] ^= 1
      const before = Buffer.from(changed)
      assert.equal(aes.tryDecryptInPlace(changed, aad), false)
      assert.deepEqual(changed, before)
      assert.throws(() => aes.decryptInPlace(changed, aad), AuthenticationError)
      assert.deepEqual(changed, before)
    }
    assert.throws(() => aes.decrypt(frame), AuthenticationError)
    assert.throws(() => aes.decryptInto(plain, frame), AuthenticationError)
    assert.deepEqual(plain, Buffer.alloc(message.length))
    assert.deepEqual([aes.tryDecrypt(frame), aes.tryDecryptInto(plain, frame)], [null, null])

    assert.equal(aes.messagesEncrypted, 3)
    assert.equal(aes.bytesEncrypted, 3 * message.length)
    assert.equal(aes.failedDecryptions, 2 * frame.length + 4)
    assert.equal(aes.destroyed, false)
    aes.destroy()
    assert.equal(aes.destroyed, true)
  }
}

function openWithNode(key, frame, nonceAt) {
  const text = nonceAt === 'start' ? 12 : 0
  const nonce = nonceAt === 'start' ? 0 : frame.length - 12
  const end = text + frame.length - 28
  const opener = createDecipheriv(`aes-${key.length * 8}-gcm`, key, frame.subarray(nonce, nonce + 12))
  opener.setAAD(aad).setAuthTag(frame.subarray(end, end + 16))
  return Buffer.concat([opener.update(frame.subarray(text, end)), opener.final()])
}

function sealWithNode(key, nonce, data) {
  const sealer = createCipheriv(`aes-${key.length * 8}-gcm`, key, nonce).setAAD(aad)
  const text = Buffer.concat([sealer.update(data), sealer.final()])
  return { text, tag: sealer.getAuthTag() }
}

function detached({ AesGcm, AuthenticationError }, key) {
  const aes = new AesGcm(createSecretKey(key))
  const nonce = randomBytes(12)
  const tag = Buffer.alloc(16)
  const data = Buffer.from(message)
  aes.encryptDetached(data, nonce, tag, aad)
  assert.deepEqual({ text: data, tag }, sealWithNode(key, nonce, message))

  const sealed = Buffer.from(data)
  tag[15] ^= 128
  assert.equal(aes.tryDecryptDetached(data, nonce, tag, aad), false)
  assert.throws(() => aes.decryptDetached(data, nonce, tag, aad), AuthenticationError)
  assert.deepEqual(data, sealed)
  tag[15] ^= 128
  assert.equal(aes.tryDecryptDetached(data, nonce, tag, aad), true)
  assert.deepEqual(data, message)
  aes.decryptDetached(sealed, nonce, tag, aad)
  assert.deepEqual(sealed, message)
  aes.destroy()
}

/** Small views that nothing native saw before: their memory moves at first sight, and a runtime may lose the writes. */
function smallViews({ AesGcm }, key) {
  const aes = new AesGcm(key)
  const nonce = randomBytes(12)
  for (let round = 0; round < 20; round++) {
    for (let length = 16; length <= 64; length++) {
      const data = new Uint8Array(length).fill(round)
      const tag = new Uint8Array(16)
      const expected = sealWithNode(key, nonce, Buffer.alloc(length, round))
      aes.encryptDetached(data, new Uint8Array(nonce), tag, new Uint8Array(aad))
      assert.deepEqual(Buffer.from(data), expected.text, `a new Uint8Array(${length}) lost what was written`)
      assert.deepEqual(Buffer.from(tag), expected.tag, 'a new Uint8Array(16) lost the tag')

      const frame = new Uint8Array(length + 28)
      aes.encryptInPlace(frame)
      assert.deepEqual(aes.decryptInPlace(frame), Buffer.alloc(length))
    }
  }
  aes.destroy()
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
  assert.deepEqual(
    [arena.used, arena.destroyed, keys[0].messagesEncrypted, keys[0].destroyed],
    [0, true, 1, true],
  )
  assert.equal(KeyArena.default, KeyArena.default)
  assert.equal(KeyArena.default.capacity, Number.POSITIVE_INFINITY)
  refuses(TypeError, 'ERR_INVALID_THIS', () => KeyArena.default.destroy())
  disposed(new KeyArena({ keys: 1 }))
}

/** The end of a scope, in a syntax that every runtime knows. Under Jest on Node 20, tests have no such symbol. */
function using(resource) {
  if (Symbol.dispose === undefined) resource.destroy()
  else resource[Symbol.dispose]()
}

function disposed(arena) {
  using(arena)
  assert.equal(arena.used, 0)
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

function errors({ AesGcm, AesGcmError, AuthenticationError, cpu }) {
  const aes = new AesGcm(AesGcm.generateKey(), { maxMessages: 1, maxFailures: 1 })
  const bytes = length => Buffer.alloc(length)
  const memory = bytes(64)
  const gone = bytes(64)
  structuredClone(gone.buffer, { transfer: [gone.buffer] })
  const shared = new Uint8Array(new SharedArrayBuffer(64))
  const foreign = cpu().arch === 'x64' ? 'armv8' : 'aesni'

  refuses(TypeError, 'ERR_INVALID_ARG_TYPE', () => aes.encrypt('text'))
  refuses(TypeError, 'ERR_INVALID_ARG_VALUE', () => new AesGcm(bytes(32), { nonceAt: 'middle' }))
  refuses(RangeError, 'ERR_OUT_OF_RANGE', () => aes.encryptInPlace(bytes(27)))
  refuses(RangeError, 'ERR_OUT_OF_RANGE', () => aes.encryptDetached(bytes(1), bytes(16), bytes(16)))
  refuses(TypeError, 'ERR_INVALID_THIS', () => aes.encrypt.call({}, bytes(1)))
  refuses(AesGcmError, 'ERR_AESGCM_INVALID_KEY_LENGTH', () => new AesGcm(bytes(24)))
  refuses(AesGcmError, 'ERR_AESGCM_UNSUPPORTED_CPU', () => new AesGcm(bytes(32), { backend: foreign }))
  refuses(AesGcmError, 'ERR_AESGCM_SHARED_BUFFER', () => aes.encryptInPlace(shared))
  refuses(AesGcmError, 'ERR_AESGCM_DETACHED_BUFFER', () => aes.encryptInPlace(gone))
  refuses(AesGcmError, 'ERR_AESGCM_BUFFER_OVERLAP', () => aes.encryptInto(memory, memory.subarray(0, 8)))
  assert.deepEqual(memory, bytes(64))

  const frame = aes.encrypt(message)
  refuses(AesGcmError, 'ERR_AESGCM_KEY_EXHAUSTED', () => aes.encrypt(message))
  refuses(AuthenticationError, 'ERR_AESGCM_AUTHENTICATION_FAILED', () => aes.decrypt(bytes(5)))
  refuses(AesGcmError, 'ERR_AESGCM_KEY_EXHAUSTED', () => aes.decrypt(frame))
  aes.destroy()
  refuses(AesGcmError, 'ERR_AESGCM_DESTROYED', () => aes.decrypt(frame))
  assert.equal(aes.messagesEncrypted, 1)
  assert.ok(AuthenticationError.prototype instanceof AesGcmError && AesGcmError.prototype instanceof Error)
}

function refuses(Class, code, action) {
  assert.throws(
    action,
    error => error.constructor === Class && error instanceof Error && error.code === code,
    `${code} was expected`,
  )
}

/** No way to print an object shows its key; the end of a scope destroys it. */
function privacy({ AesGcm }) {
  const key = Buffer.from('0123456789abcdef0123456789ABCDEF')
  const aes = new AesGcm(key)
  assert.match(inspect(aes), /^AesGcm \{.*keyBits: 256,.*destroyed: false.*\}$/s)
  const shown = inspect(aes, { showHidden: true, depth: null, getters: true }) + JSON.stringify(aes)
  for (const encoding of ['latin1', 'hex', 'base64'])
    assert.ok(!shown.includes(key.toString(encoding).slice(0, 16)), 'util.inspect shows the key')
  using(aes)
  assert.throws(() => aes.encrypt(message), { code: 'ERR_AESGCM_DESTROYED' })
}
