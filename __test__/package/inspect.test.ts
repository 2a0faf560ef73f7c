// How objects are shown, that they are not cloned, and how error messages help with a wrong argument.
import { KeyObject, webcrypto } from 'node:crypto'
import { inspect } from 'node:util'
import * as threads from 'node:worker_threads'
import { AesGcm, KeyArena } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { Handshake } from 'hardware-aes-gcm/session'
import { DecryptionReader, encryptBuffer } from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'
import { StandIn } from '../tools/stand-in.js'
import { KEY, refuses, run, thrown } from '../tools/support.js'

describe('util.inspect', () => {
  test('shows an arena', () => {
    const arena = new KeyArena({ keys: 3 })
    expect(inspect(arena, { breakLength: Infinity })).toBe(
      `KeyArena { capacity: 3, used: 0, locked: ${arena.locked}, excludedFromDumps: ${arena.excludedFromDumps}, destroyed: false }`,
    )
    arena.destroy()
    expect(inspect(arena)).toContain('destroyed: true')
    expect(inspect(KeyArena.default)).toContain('capacity: Infinity')
  })

  test('throws for no receiver', () => {
    const show = Reflect.get(KeyArena.prototype, inspect.custom) as (depth: number, options: object) => string
    for (const self of [undefined, null, {}, Object.create(KeyArena.prototype), 5])
      expect(show.call(self, 2, {})).toBe('KeyArena {}')
    expect(inspect(Object.create(KeyArena.prototype))).toContain('KeyArena')
    expect(inspect(KeyArena.prototype)).not.toContain('undefined')
  })
})

test('structuredClone and postMessage throw if the runtime supports it', async () => {
  const { port1 } = new threads.MessageChannel()
  const secret = Buffer.alloc(32, 7)
  const handshake = (role: 'initiator' | 'responder') => new Handshake({ secret, role })
  const [one, two] = [handshake('initiator'), handshake('responder')]
  const objects = [
    new AesGcm(KEY),
    new KeyArena({ keys: 1 }),
    Keyring.generate(),
    new BlindIndex(secret, { purpose: 'users.email' }),
    one,
    ...Object.values(one.finish(two.hello)).filter(value => typeof value === 'object'),
    await DecryptionReader.open(encryptBuffer(Buffer.alloc(1), KEY), KEY),
  ]
  expect(objects.map(object => object.constructor.name)).toEqual([
    ...['AesGcm', 'KeyArena', 'Keyring', 'BlindIndex'],
    ...['Handshake', 'RecordWriter', 'RecordReader', 'DecryptionReader'],
  ])
  for (const object of objects) {
    for (const copy of [() => structuredClone(object), () => port1.postMessage({ object })]) {
      if ('markAsUncloneable' in threads) expect(thrown(copy).name).toBe('DataCloneError')
      else copy()
    }
  }
  port1.close()
})

describe('destroyed', () => {
  test('is true of a key and of an arena, however they were destroyed', () => {
    const arena = new KeyArena({ keys: 2 })
    const [one, two] = [new AesGcm(KEY, { arena }), new AesGcm(KEY, { arena })]
    expect([one.destroyed, two.destroyed, arena.destroyed]).toEqual([false, false, false])
    one.destroy()
    expect([one.destroyed, two.destroyed, arena.destroyed]).toEqual([true, false, false])
    arena.destroy()
    expect([one.destroyed, two.destroyed, arena.destroyed]).toEqual([true, true, true])
    expect(KeyArena.default.destroyed).toBe(false)
  })
})

describe('messages', () => {
  const said = (run: () => unknown) => refuses(run, 'ERR_INVALID_ARG_TYPE').message

  test('the error for a CryptoKey names KeyObject.from, which works', async () => {
    const key = await webcrypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt'])
    expect(said(() => new AesGcm(key as never))).toContain('got CryptoKey: pass KeyObject.from(key)')
    expect(new AesGcm(KeyObject.from(key)).keyBits).toBe(256)
  })

  test('generateKey echoes no text', () => {
    const secret = 'c2VjcmV0IGtleSBvZiBzb21lYm9keQ=='
    const { message } = refuses(() => AesGcm.generateKey(secret as never), 'ERR_OUT_OF_RANGE')
    expect(message).toBe('"bits" must be 128 or 256, got string')
    expect(refuses(() => AesGcm.generateKey(192 as never), 'ERR_OUT_OF_RANGE').message).toContain('got 192')
  })

  test('a target that is too short is told the length it needs', () => {
    const aes = new AesGcm(Buffer.alloc(32))
    const short = Buffer.alloc(3)
    const said = (use: () => unknown) => refuses(use, 'ERR_OUT_OF_RANGE').message
    expect(said(() => aes.encryptInto(short, Buffer.alloc(10)))).toContain('at least 38 bytes, got length 3')
    expect(said(() => aes.decryptInto(short, Buffer.alloc(50)))).toContain('at least 22 bytes, got length 3')
  })

  test('the error for an arena of another copy of the package says so', () => {
    const standIn = new StandIn()
    standIn.lie('')
    const script = `
      import { createRequire } from 'node:module'
      const { KeyArena } = createRequire(${JSON.stringify(`${standIn.folder}/x.cjs`)})('./dist/index.cjs')
      for (const arena of [new KeyArena({ keys: 1 }), {}, new Proxy({}, { getPrototypeOf() { throw 1 } })])
        try { new AesGcm(Buffer.alloc(32), { arena }) } catch (error) { console.log(error.code, error.message) }`
    const start = 'ERR_INVALID_ARG_TYPE "options.arena" must be a KeyArena, got'
    expect(run(script).stdout).toBe(
      `${start} one of another copy of hardware-aes-gcm: two copies are loaded\n${start} object\n${start} Proxy\n`,
    )
  })
})

test('at depth 0, the facts of an object are shown, and those of an object in it are not', () => {
  const aes = new AesGcm(KEY)
  expect(inspect(aes, { depth: 0 })).toMatch(/^AesGcm \{\s+backend: /)
  expect(inspect({ aes }, { depth: 0 })).toBe('{ aes: [AesGcm] }')
})
