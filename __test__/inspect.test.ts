// How objects show, that they are not cloned, and what messages say to somebody who came with the wrong thing.
import { KeyObject, webcrypto } from 'node:crypto'
import { inspect } from 'node:util'
import * as threads from 'node:worker_threads'
import { AesGcm, KeyArena } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { StandIn } from './stand-in.js'
import { KEY, refuses, run, thrown } from './support.js'

describe('util.inspect', () => {
  test('shows the facts about a key, and not a byte of it', () => {
    const key = Buffer.from('0123456789abcdef')
    const aes = new AesGcm(key)
    aes.encrypt(Buffer.alloc(5))
    aes.tryDecrypt(Buffer.alloc(40))
    const shown = inspect(aes, { breakLength: Infinity, compact: 9 })
    expect(shown).toBe(
      `AesGcm { backend: '${aes.backend}', keyBits: 128, messagesEncrypted: 1, bytesEncrypted: 5, ` +
        'failedDecryptions: 1, destroyed: false }',
    )
    expect(inspect([[[[aes]]]], { depth: 1 })).toBe('[ [ [Array] ] ]')
    expect(inspect({ aes }, { depth: 0 })).toBe('{ aes: [AesGcm] }')
    aes.destroy()
    expect(inspect(aes)).toContain('destroyed: true')
    for (const encoding of ['latin1', 'hex', 'base64'] as const)
      expect(inspect(aes, { showHidden: true, getters: true, depth: null })).not.toContain(
        key.toString(encoding),
      )
  })

  test('shows an arena', () => {
    const arena = new KeyArena({ keys: 3 })
    expect(inspect(arena)).toBe(
      `KeyArena { capacity: 3, used: 0, locked: ${arena.locked}, destroyed: false }`,
    )
    arena.destroy()
    expect(inspect(arena)).toContain('destroyed: true')
    expect(inspect(KeyArena.default)).toContain('capacity: Infinity')
  })

  test('runs no getter of a subclass', () => {
    class Sub extends AesGcm {}
    const get = () => {
      throw new Error('a getter ran')
    }
    Object.defineProperty(Sub.prototype, 'backend', { get })
    expect(inspect(new Sub(KEY))).toContain('keyBits: 256')
  })

  test('throws for no receiver', () => {
    for (const Class of [AesGcm, KeyArena]) {
      const show = Reflect.get(Class.prototype, inspect.custom) as (depth: number, options: object) => string
      for (const self of [undefined, null, {}, Object.create(Class.prototype), 5])
        expect(show.call(self, 2, {})).toBe(`${Class.name} {}`)
      expect(inspect(Object.create(Class.prototype))).toContain(Class.name)
      expect(inspect(Class.prototype)).not.toContain('undefined')
    }
  })
})

test('structuredClone and postMessage throw where the runtime can be told so', () => {
  const { port1 } = new threads.MessageChannel()
  for (const object of [new AesGcm(KEY), new KeyArena({ keys: 1 })]) {
    for (const copy of [() => structuredClone(object), () => port1.postMessage({ object })]) {
      if ('markAsUncloneable' in threads) expect(thrown(copy).name).toBe('DataCloneError')
      else copy()
    }
  }
  port1.close()
})

describe('destroyed', () => {
  test('is told of a key and of an arena, whichever way they went', () => {
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

describe('decryption that gives null', () => {
  test('an empty message is a Buffer, and zero bytes: not null', () => {
    const aes = new AesGcm(KEY)
    const frame = aes.encrypt(Buffer.alloc(0))
    expect(aes.tryDecrypt(frame)).toEqual(Buffer.alloc(0))
    expect(aes.tryDecryptInto(Buffer.alloc(0), frame)).toBe(0)
    expect(aes.failedDecryptions).toBe(0)
  })

  test('what is not authentic is null, the target zeroed, and counted', () => {
    const aes = new AesGcm(KEY)
    const frame = aes.encrypt(Buffer.from('text'))
    frame[13] = ~(frame[13] as number)
    const target = Buffer.alloc(9, 7)
    expect([aes.tryDecrypt(frame), aes.tryDecryptInto(target, frame)]).toEqual([null, null])
    expect(target).toEqual(Buffer.from([0, 0, 0, 0, 7, 7, 7, 7, 7]))
    for (let length = 0; length < 28; length++) {
      expect(aes.tryDecrypt(Buffer.alloc(length))).toBe(null)
      expect(aes.tryDecryptInto(target, Buffer.alloc(length))).toBe(null)
    }
    expect(aes.failedDecryptions).toBe(2 + 2 * 28)
    refuses(() => aes.tryDecryptInto(Buffer.alloc(3), frame), 'ERR_OUT_OF_RANGE')
    refuses(() => aes.tryDecrypt('text' as never), 'ERR_INVALID_ARG_TYPE')
    aes.destroy()
    refuses(() => aes.tryDecrypt(frame), 'ERR_AESGCM_DESTROYED')
  })
})

describe('messages', () => {
  const said = (run: () => unknown) => refuses(run, 'ERR_INVALID_ARG_TYPE').message

  test('a CryptoKey is told about KeyObject.from, which then works', async () => {
    const key = await webcrypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt'])
    expect(said(() => new AesGcm(key as never))).toContain('got CryptoKey: pass KeyObject.from(key)')
    expect(new AesGcm(KeyObject.from(key)).keyBits).toBe(256)
  })

  test('a string is told how bytes are made', () => {
    const aes = new AesGcm(KEY)
    expect(said(() => aes.encrypt('x' as never))).toContain('Buffer.from(text)')
    expect(said(() => aes.encrypt(KEY, 'x' as never))).toContain('Buffer.from(text)')
    const secret = 'c2VjcmV0IGtleSBvZiBzb21lYm9keQ=='
    expect(said(() => new AesGcm(secret as never))).toContain("Buffer.from(text, 'base64')")
    expect(said(() => new AesGcm(secret as never))).not.toContain(secret.slice(0, 4))
  })

  test('generateKey echoes no text', () => {
    const secret = 'c2VjcmV0IGtleSBvZiBzb21lYm9keQ=='
    const { message } = refuses(() => AesGcm.generateKey(secret as never), 'ERR_OUT_OF_RANGE')
    expect(message).toBe('"bits" must be 128 or 256, got string')
    expect(refuses(() => AesGcm.generateKey(192 as never), 'ERR_OUT_OF_RANGE').message).toContain('got 192')
  })

  test('an arena of another copy of the package is told so', () => {
    const standIn = new StandIn()
    standIn.lie('')
    const script = `
      import { createRequire } from 'node:module'
      const { KeyArena } = createRequire(${JSON.stringify(`${standIn.folder}/x.cjs`)})('./dist/index.cjs')
      for (const arena of [new KeyArena({ keys: 1 }), {}, new Proxy({}, { getPrototypeOf() { throw 1 } })])
        try { new AesGcm(Buffer.alloc(32), { arena }) } catch (error) { console.log(error.code, error.message) }`
    const start = 'ERR_INVALID_ARG_TYPE "options.arena" must be a KeyArena, got'
    expect(run(script).stdout).toBe(
      `${start} one of another copy of hardware-aes-gcm: two are loaded\n${start} object\n${start} Proxy\n`,
    )
  })
})
