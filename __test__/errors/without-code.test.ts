// Regression: errors without a `code`. A Proxy that was revoked, as options or list; a Proxy of an array whose length is 2^32; an
// iterator of arrays that user code has replaced.
import { AesGcm, KeyArena, randomFillSync } from 'hardware-aes-gcm'
import * as quic from 'hardware-aes-gcm/quic'
import * as session from 'hardware-aes-gcm/session'
import * as shamir from 'hardware-aes-gcm/shamir'
import { AesGcmSiv } from 'hardware-aes-gcm/siv'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { describe, expect, test } from 'vitest'
import { KEY, refuses, run } from '../tools/support.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const RANGE = 'ERR_OUT_OF_RANGE'
const aes = new AesGcm(KEY)
const split = { threshold: 2, shares: 3 }
const key = Buffer.alloc(32, 1)
const shares = shamir.splitKey(key, split)
const sealed = shamir.sealAndSplit(key, split)
const handshake = { secret: key, role: 'initiator' } as const
const connected = () => {
  const [a, b] = [
    new session.Handshake(handshake),
    new session.Handshake({ ...handshake, role: 'responder', allowSelf: true }),
  ]
  return a.finish(b.hello)
}

type Call = (value: never) => unknown

/** Every place where options, or another object that is read by names, may stand. */
const OPTIONS: [string, Call][] = [
  ['new AesGcm', value => new AesGcm(KEY, value)],
  ['new XAesGcm', value => new XAesGcm(KEY, value)],
  ['new AesGcmSiv', value => new AesGcmSiv(KEY, value)],
  ['option arena', value => new AesGcm(KEY, { arena: value })],
  ['encryptBatchInPlace', value => aes.encryptBatchInPlace(Buffer.alloc(40), 40, value)],
  ['decryptBatchInPlace', value => aes.decryptBatchInPlace(Buffer.alloc(40), 40, value)],
  ['tryDecryptBatchInPlace', value => aes.tryDecryptBatchInPlace(Buffer.alloc(40), 40, value)],
  ['encryptBatch', value => aes.encryptBatch([], value)],
  ['decryptBatch', value => aes.decryptBatch([], value)],
  ['new KeyArena', value => new KeyArena(value)],
  ['new PacketProtection', value => new quic.PacketProtection(key, value)],
  ['keys of PacketProtection', value => new quic.PacketProtection(value)],
  ['new Handshake', value => new session.Handshake(value)],
  ['secureStream', value => session.secureStream(process.stdin, value)],
  ['a socket', value => session.secureStream(value, handshake)],
  ['splitKey', value => shamir.splitKey(key, value)],
  ['combineKey', value => shamir.combineKey(shares, value)],
  ['recoverShare', value => shamir.recoverShare(shares, 9, value)],
  ['sealAndSplit', value => shamir.sealAndSplit(key, value)],
  ['combineAndOpen', value => shamir.combineAndOpen(shares, sealed.sealed, value)],
  ['randomFillSync', value => randomFillSync(value)],
]

/** Every place where a list may stand. */
const LISTS: [string, Call][] = [
  ['encrypt', value => aes.encrypt(value)],
  ['encryptInto', value => aes.encryptInto(Buffer.alloc(200), value)],
  ['encryptBatch', value => aes.encryptBatch(value)],
  ['decryptBatch', value => aes.decryptBatch(value)],
  ['tryDecryptBatch', value => aes.tryDecryptBatch(value)],
  ['secrets of a Handshake', value => new session.Handshake({ ...handshake, secret: value })],
  ['ciphers of a Handshake', value => new session.Handshake({ ...handshake, ciphers: value })],
  ['negotiateCipher', value => session.negotiateCipher(value, ['aes-128-gcm'])],
  ['negotiateCipher, second', value => session.negotiateCipher(['aes-128-gcm'], value)],
  ['rekey of a RecordWriter', value => connected().writer.rekey(value)],
  ['rekey of a RecordReader', value => connected().reader.rekey(value)],
  ['combineKey', value => shamir.combineKey(value)],
  ['combineKey of horcrux', value => shamir.combineKey(value, { format: 'horcrux', threshold: 2 })],
  ['recoverShare', value => shamir.recoverShare(value, 9)],
  ['recoverShare of horcrux', value => shamir.recoverShare(value, 9, { format: 'horcrux', threshold: 2 })],
  ['combineAndOpen', value => shamir.combineAndOpen(value, sealed.sealed)],
]

const revoked = (target: object): never => {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy as never
}

describe.each(OPTIONS)('a revoked Proxy: %s', (_, call) => {
  test('itself, of another Proxy, and as a prototype', () => {
    for (const target of [{}, []]) {
      refuses(() => call(revoked(target)), TYPE)
      refuses(() => call(new Proxy(revoked(target), {}) as never), TYPE)
    }
    refuses(() => call(Object.create(revoked({})) as never), TYPE)
  })
})

describe.each(LISTS)('a revoked Proxy: %s', (_, call) => {
  test('itself, and of another Proxy', () => {
    refuses(() => call(revoked([])), TYPE)
    refuses(() => call(new Proxy(revoked([]), {}) as never), TYPE)
  })

  test.each([2, 3, 4])('one that its own traps revoke, with %i elements', length => {
    const at = (name: PropertyKey) => {
      const { proxy, revoke } = Proxy.revocable(Array(length).fill(key), {
        get(target, read) {
          if (read === name) revoke()
          return Reflect.get(target, read)
        },
      })
      return proxy as never
    }
    // After a trap has revoked it, its next read fails.
    refuses(() => call(at('length')), TYPE)
  })

  test('a Proxy of an array whose length is 2^32, or no length at all', () => {
    const telling = (told: unknown) =>
      new Proxy([key, key, key, key], {
        get: (target, name) => (name === 'length' ? told : Reflect.get(target, name)),
      }) as never
    for (const length of [
      2 ** 32,
      2 ** 53,
      Infinity,
      -1,
      0.5,
      Number.NaN,
      '3',
      3n,
      undefined,
      null,
      {},
      Symbol('4'),
    ])
      refuses(() => call(telling(length)), RANGE)
  })

  test('a Proxy that tells a small length first, and 2^32 then', () => {
    let reads = 0
    const list = new Proxy([key, key, key, key], {
      get: (target, name) => (name === 'length' ? (reads++ === 0 ? 4 : 2 ** 32) : Reflect.get(target, name)),
    })
    let code: unknown = 'no error'
    try {
      call(list as never)
    } catch (error) {
      code = (error as { code?: unknown }).code
    }
    expect(code).toMatch(/^(no error$|ERR_)/)
  })
})

test('options that a getter revokes while they are read', () => {
  const { proxy, revoke } = Proxy.revocable(
    { maxMessages: 1, maxFailures: 1 },
    {
      get(target, name) {
        revoke()
        return Reflect.get(target, name)
      },
    },
  )
  refuses(() => new AesGcm(KEY, proxy), TYPE)
})

describe('the error of a revoked Proxy has its name, and the error that the runtime threw', () => {
  /** A list that is revoked after the `reads`-th of its elements, or its length, was read. */
  const list = (length: number, reads: number): never => {
    let left = reads
    const { proxy, revoke } = Proxy.revocable(Array(length).fill(key), {
      get(target, name) {
        if (left-- === 0) revoke()
        return Reflect.get(target, name)
      },
    })
    return proxy as never
  }
  const { proxy: options, revoke } = Proxy.revocable(
    {},
    {
      ownKeys() {
        revoke()
        return []
      },
    },
  )

  test.each<[string, () => unknown]>([
    ['options', () => new AesGcm(KEY, revoked({}))],
    ['options', () => new AesGcm(KEY, options)],
    ['plaintext', () => aes.encrypt(list(2, 0))],
    ['plaintext', () => aes.encrypt(list(3, 1))],
    ['plaintext', () => aes.encrypt(list(4, 2))],
    ['rows', () => aes.encryptBatch(list(4, 2))],
    ['frames', () => aes.decryptBatch(list(4, 2))],
  ])('%s', (name, call) => {
    expect(refuses(call, TYPE)).toMatchObject({
      message: `"${name}" is a Proxy that was revoked`,
      cause: expect.any(TypeError),
    })
  })

  test('a list whose length throws while it is revoked', () => {
    const failure = new Error('of a trap')
    const { proxy, revoke } = Proxy.revocable([], {
      get() {
        revoke()
        throw failure
      },
    })
    expect(refuses(() => aes.encrypt(proxy), TYPE)).toMatchObject({
      message: '"plaintext" is a Proxy that was revoked',
      cause: failure,
    })
  })

  test('a signal', async () => {
    for (const signal of [revoked({}), Object.create(revoked({}))])
      await expect(aes.encryptInPlaceAsync(Buffer.alloc(100), null, { signal })).rejects.toMatchObject({
        code: TYPE,
        message: '"options.signal" is a Proxy that was revoked',
      })
    await expect(aes.encryptInPlaceAsync(Buffer.alloc(100), null, revoked({}))).rejects.toMatchObject({
      code: TYPE,
    })
  })
})

test('an error of the own code of an argument stays as it is', () => {
  const failure = new Error('of a trap')
  const throwing = (target: object) =>
    new Proxy(target, {
      get() {
        throw failure
      },
      ownKeys() {
        throw failure
      },
    }) as never
  for (const call of [() => new AesGcm(KEY, throwing({})), () => aes.encrypt(throwing([]))]) {
    let thrown: unknown
    try {
      call()
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBe(failure)
  }
})

test('a refusal does not run the iterator of arrays, which user code may replace', () => {
  const { stdout, stderr } = run(`
    import { PacketProtection } from 'hardware-aes-gcm/quic'
    import { XAesGcm } from 'hardware-aes-gcm/xaes'
    const key = XAesGcm.generateKey()
    const [aes, xaes, frame] = [new AesGcm(key), new XAesGcm(key), Buffer.alloc(60)]
    const packets = new PacketProtection({ key, iv: Buffer.alloc(12), hp: Buffer.alloc(32) })
    const attempts = [
      () => aes.encryptInPlace('text'),
      () => aes.decryptInPlace(frame, frame),
      () => xaes.tryDecryptInPlace(frame, frame),
      () => xaes.encryptBatchInPlace(frame, 'text'),
      () => packets.seal('text', 9, 0),
      () => packets.seal(frame, 9, 0.5),
    ]
    const codes = [], iterator = Array.prototype[Symbol.iterator]
    Array.prototype[Symbol.iterator] = () => { throw new Error('patched') }
    for (let n = 0; n < attempts.length; n++) try { attempts[n]() } catch (error) { codes[n] = error.code }
    Array.prototype[Symbol.iterator] = iterator
    console.log(codes.join())`)
  const [type, overlap, range] = ['ERR_INVALID_ARG_TYPE', 'ERR_AESGCM_BUFFER_OVERLAP', 'ERR_OUT_OF_RANGE']
  expect([stdout.trim(), stderr]).toEqual([[type, overlap, overlap, type, type, range].join(), ''])
})
