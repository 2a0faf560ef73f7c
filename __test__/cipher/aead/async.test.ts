// encryptInPlaceAsync and decryptInPlaceAsync: their results, and what JavaScript may do meanwhile.
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { AesGcm, AuthenticationError, KeyArena } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { gcm } from '../../models/gcm.mjs'
import { KEY, Random, Resizable, run } from '../../tools/support.js'
import { AUTHENTICATION, counts, isDetached, occupyPool, own, ownCopy, rejected } from './async.js'

const LAYOUTS = ['start', 'end'] as const
const random = new Random('async')

describe.each(LAYOUTS)("with nonceAt: '%s'", nonceAt => {
  test('every length makes a frame that node:crypto knows, in the memory of the call', async () => {
    const aes = new AesGcm(KEY, { nonceAt })
    for (const length of [...Array(70).keys(), 255, 256, 257, 4096, 100_003]) {
      const [text, aad] = [random.bytes(length), random.bytes(length % 33)]
      const frame = own(length + 28)
      aes.plaintextOf(frame).set(text)
      const sealed = await aes.encryptInPlaceAsync(frame, aad)
      expect([isDetached(frame), frame.length, Buffer.isBuffer(sealed)]).toEqual([true, 0, true])
      expect([sealed.length, sealed.byteOffset, sealed.buffer.byteLength]).toEqual([
        length + 28,
        0,
        length + 28,
      ])
      const nonce = nonceAt === 'start' ? sealed.subarray(0, 12) : sealed.subarray(-12)
      const parts = gcm(KEY, nonce, text, aad)
      const order = nonceAt === 'start' ? [nonce, parts.text, parts.tag] : [parts.text, parts.tag, nonce]
      expect(sealed.equals(Buffer.concat(order)), `${length}`).toBe(true)
      const opened = await aes.decryptInPlaceAsync(sealed, aad)
      expect(opened.equals(text) && Buffer.isBuffer(opened) && isDetached(sealed), `${length}`).toBe(true)
      expect([opened.byteOffset, opened.buffer.byteLength]).toEqual([
        nonceAt === 'start' ? 12 : 0,
        length + 28,
      ])
    }
  })

  test.each([false, true])(
    'forgeries come back unchanged and are counted, verifyFirst: %s',
    async verifyFirst => {
      const aes = new AesGcm(KEY, { nonceAt, verifyFirst })
      const sealed = aes.encrypt(random.bytes(300), Buffer.from('aad'))
      let failures = 0
      const forgeries: [Buffer, string | null][] = [
        [sealed, null],
        [sealed, 'AAD'],
      ]
      for (const at of [0, 11, 12, 150, 310, 311, 312, 327]) {
        const forged = ownCopy(sealed)
        forged.writeUInt8(forged.readUInt8(at) ^ 4, at)
        forgeries.push([forged, 'aad'])
      }
      for (const length of [0, 1, 27, 28, 327]) forgeries.push([sealed.subarray(0, length), 'aad'])
      for (const [forged, aad] of forgeries) {
        const frame = ownCopy(forged)
        const promise = aes.decryptInPlaceAsync(frame, aad === null ? null : Buffer.from(aad))
        expect(isDetached(frame)).toBe(true)
        const error = await rejected(promise, AUTHENTICATION)
        expect(error).toBeInstanceOf(AuthenticationError)
        expect(error.frame?.equals(forged) && Buffer.isBuffer(error.frame)).toBe(true)
        expect(error.frame?.byteLength).toBe(error.frame?.buffer.byteLength)
        expect(counts(aes)).toEqual([1, 300, ++failures])
      }
      const again = await rejected(aes.decryptInPlaceAsync(ownCopy(sealed)), AUTHENTICATION)
      const opened = await aes.decryptInPlaceAsync(again.frame as Buffer, Buffer.from('aad'))
      expect(opened.length, 'the frame of an error can be used again').toBe(300)
    },
  )
})

describe('nonces and counts', () => {
  test('are taken in the call', async () => {
    const aes = new AesGcm(KEY)
    const promises = Array.from({ length: 5 }, () => aes.encryptInPlaceAsync(own(100)))
    expect(counts(aes)).toEqual([5, 360, 0])
    const sealed = await Promise.all(promises)
    const nonces = sealed.map(frame => frame.readBigUInt64LE(0))
    expect(nonces.map(nonce => BigInt.asUintN(64, nonce - (nonces[0] as bigint)))).toEqual([
      0n,
      1n,
      2n,
      3n,
      4n,
    ])
    expect(aes.encrypt(Buffer.alloc(3)).readBigUInt64LE(0)).toBe(
      BigInt.asUintN(64, (nonces[4] as bigint) + 1n),
    )
  })

  test('the AAD is copied in the call', async () => {
    const aes = new AesGcm(KEY)
    for (let n = 0; n < 20; n++) {
      const aad = Buffer.from('the AAD of the call')
      const promise = aes.encryptInPlaceAsync(own(1 << 20), aad)
      aad.fill(0)
      const sealed = await promise
      expect(aes.tryDecryptInPlace(sealed, Buffer.from('the AAD of the call'))).toBe(true)
    }
  })
})

describe('meanwhile', () => {
  const start = (aes: AesGcm, length = 1 << 20) => {
    occupyPool()
    return Array.from({ length: 9 }, (_, n) => aes.encryptInPlaceAsync(own(length, n)))
  }
  const check = async (promises: Promise<Buffer>[], bytes = 1 << 20) => {
    const reader = new AesGcm(KEY)
    const sealed = await Promise.all(promises)
    sealed.forEach((frame, n) => {
      expect(frame.length).toBe(bytes)
      expect(reader.decryptInPlace(frame).every(byte => byte === n)).toBe(true)
    })
  }

  test('a destroyed key finishes its jobs', async () => {
    const aes = new AesGcm(KEY)
    const promises = start(aes)
    aes.destroy()
    await rejected(aes.encryptInPlaceAsync(own(60)), 'ERR_AESGCM_DESTROYED')
    await check(promises)
    const other = new AesGcm(KEY)
    const forged = other.decryptInPlaceAsync(own(60))
    other.destroy()
    await rejected(forged, AUTHENTICATION)
    expect(other.failedDecryptions, 'counts remain').toBe(1)
  })

  test('so does one whose arena was destroyed, and its place is free after the last', async () => {
    const arena = new KeyArena({ keys: 1 })
    const promises = start(new AesGcm(KEY, { arena }))
    arena.destroy()
    await check(promises)
    const other = new KeyArena({ keys: 1 })
    const aes = new AesGcm(KEY, { arena: other })
    const job = aes.encryptInPlaceAsync(own(1 << 20))
    aes.destroy()
    await job
    expect(other.used).toBe(0)
  })

  test('the caller cannot reach the memory', async () => {
    const aes = new AesGcm(KEY)
    const memory = new Resizable(1 << 20, { maxByteLength: 1 << 21 })
    const views = [new Uint8Array(memory), new Uint8Array(memory, 5, 9), new DataView(memory)]
    const promise = aes.encryptInPlaceAsync(views[0] as Uint8Array)
    expect(memory.byteLength).toBe(0)
    expect(() => memory.resize(5)).toThrow(TypeError)
    expect(isDetached(views[1] as Uint8Array)).toBe(true)
    const sealed = await promise
    expect([sealed.length, aes.decryptInPlace(sealed).every(byte => byte === 0)]).toEqual([1 << 20, true])
    const tracking = new Uint8Array(new Resizable(64, { maxByteLength: 128 }))
    expect((await aes.encryptInPlaceAsync(tracking)).length).toBe(64)
  })

  test('no second copy of the memory exists', async () => {
    const aes = new AesGcm(KEY)
    const frame = own(1 << 26)
    const before = process.memoryUsage().arrayBuffers
    const promise = aes.encryptInPlaceAsync(frame)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
    const sealed = await promise
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
    await aes.decryptInPlaceAsync(sealed)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
  })

  test('dropped objects and frames are collected without harm', () => {
    const { status, stderr, stdout } = run(
      `const key = AesGcm.generateKey()
      const reader = new AesGcm(key)
      const promises = []
      for (let n = 0; n < 200; n++) {
        promises.push(new AesGcm(key).encryptInPlaceAsync(Buffer.from(new ArrayBuffer(50_000))))
        new AesGcm(key).decryptInPlaceAsync(Buffer.from(new ArrayBuffer(50_000))).catch(() => {})
        if (n % 10 === 0) gc()
        if (n % 50 === 0) await new Promise(setImmediate)
      }
      gc()
      for (const frame of await Promise.all(promises)) if (reader.decryptInPlace(frame).some(byte => byte)) throw 1
      console.log('all', process.exitCode)`,
      { flags: ['--expose-gc'] },
    )
    expect([status, stdout, stderr]).toEqual([0, 'all undefined\n', ''])
  })

  test('the process may exit, by itself or by force', () => {
    const begin = `const aes = new AesGcm(AesGcm.generateKey())
      const jobs = Array.from({ length: 9 }, () => aes.encryptInPlaceAsync(Buffer.from(new ArrayBuffer(1 << 24))))`
    const ended = run(`${begin}\nPromise.all(jobs).then(all => console.log(all.length))`)
    expect([ended.status, ended.stdout, ended.stderr], 'jobs keep the process alive').toEqual([0, '9\n', ''])
    const forced = run(`${begin}\nprocess.exit(3)`)
    expect([forced.status, forced.stdout, forced.stderr]).toEqual([3, '', ''])
  })

  test('a worker may be terminated or end', async () => {
    const script = `const { parentPort } = require('node:worker_threads')
      import('hardware-aes-gcm').then(({ AesGcm }) => {
        const aes = new AesGcm(AesGcm.generateKey())
        for (let n = 0; n < 30; n++) {
          const { signal } = new AbortController()
          aes.encryptInPlaceAsync(Buffer.from(new ArrayBuffer(1 << 21)), null, { signal })
        }
        for (let n = 0; n < 30; n++) aes.decryptInPlaceAsync(Buffer.from(new ArrayBuffer(1 << 21))).catch(() => {})
        parentPort.postMessage('begun')
        if (process.argv.includes('exit')) process.exit(7)
        while (process.argv.includes('busy'));
      })`
    for (const argv of [['exit'], ['busy'], ['idle']]) {
      for (let n = 0; n < 3; n++) {
        const worker = new Worker(script, { eval: true, argv })
        const ended = new Promise<number>(resolve => worker.on('exit', resolve))
        if (argv[0] !== 'exit') {
          await new Promise(resolve => worker.once('message', resolve))
          await worker.terminate()
        }
        // An idle worker that has no job left ends by itself, perhaps before it is terminated.
        expect({ exit: [7], busy: [1], idle: [0, 1] }[argv[0] as string]).toContain(await ended)
      }
    }
  })
})

test('hundreds of calls at once', async () => {
  const aes = new AesGcm(KEY)
  const sealed = await Promise.all(Array.from({ length: 300 }, (_, n) => aes.encryptInPlaceAsync(own(40, n))))
  const opened = await Promise.all(sealed.map(frame => aes.decryptInPlaceAsync(frame)))
  expect(opened.map(text => text.toString('hex'))).toEqual(
    Array.from({ length: 300 }, (_, n) => Buffer.alloc(12, n).toString('hex')),
  )
})

test('a frame of another realm works, and comes back as a Buffer of this one', async () => {
  const aes = new AesGcm(KEY)
  const frame = runInNewContext('new Uint8Array(60).fill(5)') as Uint8Array
  const aad = runInNewContext('new Uint8Array(6)') as Uint8Array
  const sealed = await aes.encryptInPlaceAsync(frame, aad)
  expect([isDetached(frame), Buffer.isBuffer(sealed)]).toEqual([true, true])
  expect(await aes.decryptInPlaceAsync(sealed, Buffer.alloc(6))).toEqual(Buffer.alloc(32, 5))
})

test('events are published as for the other methods', () => {
  const { stdout } = run(
    `import { subscribe } from 'node:diagnostics_channel'
    const seen = []
    for (const name of ['authentication-failed', 'key-exhausted'])
      subscribe('hardware-aes-gcm:' + name, message => seen.push(message.limit ?? message.code))
    const aes = new AesGcm(AesGcm.generateKey(), { maxMessages: 0, maxFailures: 1 })
    const frame = () => Buffer.from(new ArrayBuffer(40))
    for (const way of ['encryptInPlaceAsync', 'decryptInPlaceAsync', 'decryptInPlaceAsync'])
      await aes[way](frame()).catch(error => seen.push(error.name))
    console.log(seen.join())`,
  )
  expect(stdout.trim()).toBe(
    `encryptions,AesGcmError,${AUTHENTICATION},AuthenticationError,failures,AesGcmError`,
  )
})

test('a subscriber to a failed decryptInPlaceAsync is in the AsyncLocalStorage context of the call', async () => {
  const storage = new AsyncLocalStorage<number>()
  const seen: unknown[] = []
  const listen = () => seen.push(storage.getStore())
  const channels = ['authentication-failed', 'key-exhausted'].map(name => `hardware-aes-gcm:${name}`)
  for (const name of channels) subscribe(name, listen)
  const aes = new AesGcm(KEY, { maxFailures: 2 })
  const calls = [1, 2, 3].map(n => storage.run(n, () => aes.decryptInPlaceAsync(own(1 << (n * 6)))))
  await Promise.all(calls.map(call => rejected(call)))
  for (const name of channels) unsubscribe(name, listen)
  expect(seen.sort()).toEqual([1, 2, 3])
})
