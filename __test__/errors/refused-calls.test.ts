// What the errors of refused calls tell: names, kinds, advice and causes; and that a refusal leaves nothing behind.
import { AesGcm, KeyArena, randomFillSync } from 'hardware-aes-gcm'
import { combineAndOpen, sealAndSplit } from 'hardware-aes-gcm/shamir'
import { AesGcmSiv } from 'hardware-aes-gcm/siv'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { expect, test } from 'vitest'
import { KEY, refuses, run } from '../tools/support.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const RANGE = 'ERR_OUT_OF_RANGE'

test('XAesGcm.prototype.encrypt.call({}) names XAesGcm: members name the classes of the objects that they want', () => {
  const keys = 'AesGcm, XAesGcm or AesGcmSiv'
  for (const [Class, name] of [
    [AesGcm, keys],
    [XAesGcm, keys],
    [AesGcmSiv, keys],
    [KeyArena, 'KeyArena'],
  ] as const) {
    const owner = name === keys ? Object.getPrototypeOf(Class.prototype) : Class.prototype
    const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(owner)
    for (const { get, value } of Object.values(members)) {
      const member = get ?? value
      if (typeof member !== 'function' || /Async$/.test(member.name)) continue
      const error = refuses(() => Reflect.apply(member, {}, [Buffer.alloc(1)]), 'ERR_INVALID_THIS')
      expect(error.message, member.name).toBe(`Value of "this" must be of type ${name}`)
    }
  }
})

test('the error of a batch tells where it stopped only after it began', () => {
  const aes = new AesGcm(KEY)
  const shared = new Uint8Array(new SharedArrayBuffer(40))
  for (const frames of [shared, 'text'] as Uint8Array[]) {
    const calls = [() => aes.decryptBatchInPlace(frames, 40), () => aes.tryDecryptBatchInPlace(frames, 40)]
    const code = frames === shared ? 'ERR_AESGCM_SHARED_BUFFER' : TYPE
    for (const call of calls) expect({ ...refuses(call, code) }).toEqual({ code })
  }
})

test('the error of a batch shows the frames that failed, and where it stopped', () => {
  const forged = (code: string, options = {}) => {
    const aes = new AesGcm(KEY, options)
    return { ...refuses(() => aes.decryptBatchInPlace(Buffer.alloc(80), 40), code) } as object
  }
  const code = 'ERR_AESGCM_AUTHENTICATION_FAILED'
  expect(forged(code)).toEqual({ code, failed: [0, 1] })
  const exhausted = 'ERR_AESGCM_KEY_EXHAUSTED'
  expect(forged(exhausted, { maxFailures: 1 })).toMatchObject({ code: exhausted, stoppedAt: 1 })
})

test('a wrong key, backend or batch is told with advice', () => {
  const aes = new AesGcm(KEY)
  const advice = '"options" must be an object, got Uint8Array: pass { aad }'
  for (const [call, text] of [
    [() => new AesGcm(5 as never), '"key" must be a Uint8Array or KeyObject, got number'],
    [() => new AesGcm({} as never), '"key" must be a Uint8Array or KeyObject, got object'],
    [() => aes.encryptBatchInPlace(Buffer.alloc(40), 40, KEY as never), advice],
    [() => aes.encryptBatch([KEY], KEY as never), advice],
  ] as const)
    expect(refuses(call, TYPE).message).toBe(text)
  const backend = refuses(() => new AesGcm(KEY, { backend: 'x' as never }), 'ERR_INVALID_ARG_VALUE')
  expect(backend.message).toMatch(/^"options.backend" must be one of '\w+', '\w+'.*', got 'x'$/)
})

test.each<[unknown, string]>([
  [5, 'number'],
  [{}, 'object'],
  [Object.create(null), 'object'],
  [new Proxy({}, {}), 'Proxy'],
  [
    Object.create({ [Symbol.for('hardware-aes-gcm:KeyArena')]: true }),
    'one of another copy of hardware-aes-gcm: two copies are loaded',
  ],
])('what is no arena is told as its kind: %#', (arena, kind) => {
  const error = refuses(() => new AesGcm(KEY, { arena: arena as KeyArena }), TYPE)
  expect(error.message).toBe(`"options.arena" must be a KeyArena, got ${kind}`)
})

test('randomFillSync names the view that cannot be filled', () => {
  const memory = new SharedArrayBuffer(8)
  const words = new Uint16Array(4)
  structuredClone(words.buffer, { transfer: [words.buffer] })
  const bytes = Buffer.from(new ArrayBuffer(8))
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
  for (const view of [bytes, words])
    expect(refuses(() => randomFillSync(view), 'ERR_AESGCM_DETACHED_BUFFER').message).toMatch('"view"')
  for (const view of [new Uint8Array(memory), new DataView(memory)])
    expect(refuses(() => randomFillSync(view), 'ERR_AESGCM_SHARED_BUFFER').message).toMatch('"view"')
})

test('rows take null as AAD', () => {
  const aes = new AesGcm(KEY)
  const frames = aes.encryptBatch([KEY], { aad: null })
  expect(aes.decryptBatch(frames)).toEqual([Buffer.from(KEY)])
})

test('a key for one message leaves no place taken', () => {
  const { used } = KeyArena.default
  const { sealed, shares } = sealAndSplit(KEY, { threshold: 2, shares: 3 })
  expect(combineAndOpen(shares, sealed)).toEqual(Buffer.from(KEY))
  // Keys of other tests may be collected meanwhile.
  expect(KeyArena.default.used).toBeLessThanOrEqual(used)
})

test('without memory for a new Buffer, the error tells how to do without, and has the cause', () => {
  // Runs before the package is imported, because the package saves allocUnsafeSlow.
  const scarce = `
    const { allocUnsafeSlow } = Buffer
    Buffer.allocUnsafeSlow = length => {
      if (length >= 5000) throw new Error('no memory')
      return allocUnsafeSlow(length)
    }`
  const script = `
    import { randomBytes } from 'hardware-aes-gcm'
    const aes = new AesGcm(Buffer.alloc(32)), text = Buffer.alloc(5000), frame = Buffer.alloc(5028)
    for (const call of [() => aes.encrypt(text), () => aes.encrypt([text]), () => aes.decrypt(frame),
      () => aes.tryDecrypt(frame), () => aes.encryptBatch([text]), () => aes.decryptBatch([frame]), () => randomBytes(5000)])
      try { call() } catch ({ name, code, message, cause }) { console.log(name, code, cause.message, message) }`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(scarce)}`]
  const { stdout } = run(script, { flags })
  const split = 'divide them among more calls'
  expect(stdout.split('\n')).toEqual([
    ...[
      [5028, 'encryptInPlace needs no new Buffer'],
      [5028, 'encryptInPlace needs no new Buffer'],
      [5000, 'decryptInPlace needs no new Buffer'],
      [5000, 'tryDecryptInPlace needs no new Buffer'],
      [5028, split],
      [5028, split],
      [5000, 'fill a smaller one repeatedly'],
    ].map(
      ([bytes, advice]) =>
        `RangeError ${RANGE} no memory a Buffer of ${bytes} bytes cannot be allocated; ${advice}`,
    ),
    '',
  ])
})
