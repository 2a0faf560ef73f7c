// What encryptInPlaceAsync and decryptInPlaceAsync refuse, and that a refusal leaves the frame with the caller.
import { AesGcm } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { KEY, Resizable, run } from '../../tools/support.js'
import { AUTHENTICATION, counts, isDetached, own, rejected } from './async.js'

const WAYS: ('encryptInPlaceAsync' | 'decryptInPlaceAsync')[] = ['encryptInPlaceAsync', 'decryptInPlaceAsync']

describe('a refusal before the transfer', () => {
  const destroyed = new AesGcm(KEY)
  destroyed.destroy()
  const shrunk = () => {
    const memory = new Resizable(100, { maxByteLength: 200 })
    const view = new Uint8Array(memory, 0, 60)
    memory.resize(50)
    return view
  }
  const gone = () => {
    const frame = own(60)
    structuredClone(frame.buffer, { transfer: [frame.buffer as ArrayBuffer] })
    return frame
  }
  const frames: [string, () => unknown, string][] = [
    ...[undefined, null, 5, 'text', {}, [], new ArrayBuffer(40), new DataView(new ArrayBuffer(40))].map(
      (value): [string, () => unknown, string] => [
        Object.prototype.toString.call(value),
        () => value,
        'ERR_INVALID_ARG_TYPE',
      ],
    ),
    ['a proxy', () => new Proxy(own(60), {}), 'ERR_INVALID_ARG_TYPE'],
    ['Uint16Array', () => new Uint16Array(30), 'ERR_INVALID_ARG_TYPE'],
    ['shared memory', () => new Uint8Array(new SharedArrayBuffer(60)), 'ERR_AESGCM_SHARED_BUFFER'],
    ['detached memory', gone, 'ERR_AESGCM_DETACHED_BUFFER'],
    ['memory that shrank', shrunk, 'ERR_AESGCM_DETACHED_BUFFER'],
  ]

  test.each(frames)('of %s is a rejection and leaves the bytes', async (_, make, code) => {
    for (const way of WAYS) {
      const aes = new AesGcm(KEY)
      const frame = make() as Uint8Array
      const isBytes = frame instanceof Uint8Array && !isDetached(frame)
      const before = isBytes ? Buffer.from(frame) : undefined
      const error = await rejected(aes[way](frame), code)
      expect([Object.hasOwn(error, 'frame'), counts(aes)]).toEqual([false, [0, 0, 0]])
      expect(error.message).toContain('"frame"')
      if (before !== undefined) expect(before.equals(frame) && !isDetached(frame)).toBe(true)
    }
  })

  test('of AAD, options and receivers', async () => {
    const aes = new AesGcm(KEY)
    const frame = own(60)
    type Call = [unknown, unknown, unknown, string]
    const calls: Call[] = [
      ...['aad', 5, {}, new ArrayBuffer(3)].map((aad): Call => [aes, aad, undefined, 'ERR_INVALID_ARG_TYPE']),
      [aes, new Uint8Array(new SharedArrayBuffer(3)), undefined, 'ERR_AESGCM_SHARED_BUFFER'],
      [aes, gone(), undefined, 'ERR_AESGCM_DETACHED_BUFFER'],
      [aes, frame.subarray(3, 4), undefined, 'ERR_AESGCM_BUFFER_OVERLAP'],
      [aes, frame, undefined, 'ERR_AESGCM_BUFFER_OVERLAP'],
      ...[null, 5, 'x', new (class {})()].map(
        (options): Call => [aes, null, options, 'ERR_INVALID_ARG_TYPE'],
      ),
      [aes, null, { sgnal: new AbortController().signal }, 'ERR_INVALID_ARG_VALUE'],
      ...[null, 5, {}, [], new AbortController()].map(
        (signal): Call => [aes, null, { signal }, 'ERR_INVALID_ARG_TYPE'],
      ),
      ...[undefined, null, {}, Object.create(aes), AesGcm.prototype].map(
        (self): Call => [self, null, undefined, 'ERR_INVALID_THIS'],
      ),
      [destroyed, null, undefined, 'ERR_AESGCM_DESTROYED'],
    ]
    for (const way of WAYS) {
      for (const [self, aad, options, code] of calls) {
        const method = AesGcm.prototype[way] as (...values: unknown[]) => Promise<Buffer>
        const error = await rejected(Reflect.apply(method, self, [frame, aad, options]), code)
        if (/SHARED|DETACHED/.test(code)) expect(error.message).toContain('"aad"')
        expect([Object.hasOwn(error, 'frame'), frame.length, counts(aes)]).toEqual([false, 60, [0, 0, 0]])
      }
    }
    const accepted = await aes.encryptInPlaceAsync(frame, frame.subarray(5, 5), { signal: undefined })
    expect(accepted.length, 'empty AAD overlaps with no byte').toBe(60)
  })

  test('of a getter among the options is a rejection', async () => {
    const frame = own(60)
    const signal = {
      addEventListener() {},
      removeEventListener() {},
      get aborted() {
        throw new Error('of a getter')
      },
    }
    const error = await rejected(new AesGcm(KEY).encryptInPlaceAsync(frame, null, { signal } as never))
    expect([error.message, frame.length]).toEqual(['of a getter', 60])
    const odd = await rejected(
      new AesGcm(KEY).encryptInPlaceAsync(frame, null, { signal: { aborted: false } } as never),
    )
    expect([odd.name, frame.length]).toEqual(['TypeError', 60])
  })

  test('says how the call is meant', async () => {
    const aes = new AesGcm(KEY)
    const controller = new AbortController()
    const { signal } = controller
    const messages: [unknown, unknown, RegExp][] = [
      [null, { signal: controller }, /"options.signal" must be an AbortSignal.*pass controller\.signal/],
      [{ signal }, undefined, /"aad" must be a Uint8Array.*options are the third argument/],
      [signal, undefined, /"aad" must be a Uint8Array.*options are the third argument/],
    ]
    for (const [aad, options, message] of messages) {
      const frame = own(60)
      const error = await rejected(
        aes.encryptInPlaceAsync(frame, aad as never, options as never),
        'ERR_INVALID_ARG_TYPE',
      )
      expect([error.message, frame.length]).toEqual([expect.stringMatching(message), 60])
    }
    const frame = own(60)
    await aes.encryptInPlaceAsync(frame)
    const again = await rejected(aes.encryptInPlaceAsync(frame), 'ERR_AESGCM_DETACHED_BUFFER')
    expect(again.message).toMatch('perhaps by an earlier async call')
  })

  test('by an overflow of the stack, at any depth, leaves the frame or gives it back', () => {
    // In a process of its own, because Node reports rejections that it cannot record for lack of stack.
    const { stdout } = run(
      `const aes = new AesGcm(AesGcm.generateKey())
      const begun = []
      function fall(left, ...padding) {
        try {
          fall(left, ...padding)
        } catch {}
        if (left.calls-- <= 0) return
        const frame = Buffer.from(new ArrayBuffer(40))
        const call = [frame]
        begun.push(call)
        try {
          call[1] = aes.encryptInPlaceAsync(frame)
        } catch (error) {
          call[2] = error
        }
      }
      for (const padding of [0, 1, 2, 3, 5, 7, 11, 13]) fall({ calls: 600 }, ...Array(padding).fill(0))
      let [lost, refused, resolved] = [0, 0, 0]
      process.on('unhandledRejection', () => {})
      const codes = new Set()
      for (const [frame, promise, thrown] of begun) {
        const result = await promise?.catch(error => error)
        if (frame.length === 40) {
          refused++
          codes.add((thrown ?? result).code)
        }
        else if (result?.length === 40) resolved++
        else lost++
      }
      console.log(lost, refused > 100, resolved > 100, ...codes)`,
    )
    expect(stdout).toBe('0 true true undefined\n')
  })

  test('of a short frame to encrypt, and of limits', async () => {
    const aes = new AesGcm(KEY, { maxMessages: 2, maxFailures: 2 })
    for (const length of [0, 27]) {
      const frame = own(length)
      const error = await rejected(aes.encryptInPlaceAsync(frame), 'ERR_OUT_OF_RANGE')
      expect([error.message, isDetached(frame)]).toEqual([
        expect.stringContaining(`got length ${length}`),
        false,
      ])
    }
    const sealed = await Promise.all([aes.encryptInPlaceAsync(own(50)), aes.encryptInPlaceAsync(own(50))])
    const third = own(50)
    await rejected(aes.encryptInPlaceAsync(third), 'ERR_AESGCM_KEY_EXHAUSTED')
    expect([third.length, counts(aes)]).toEqual([50, [2, 44, 0]])

    // All four begin before the first one has failed. Those over the limit are refused with their frames.
    const errors = await Promise.all([1, 2, 3, 4].map(n => rejected(aes.decryptInPlaceAsync(own(50, n)))))
    const codes = errors.map(({ code }) => code).sort()
    const exhausted = 'ERR_AESGCM_KEY_EXHAUSTED'
    expect(codes).toEqual([AUTHENTICATION, AUTHENTICATION, exhausted, exhausted])
    expect(errors.map(({ frame }) => frame?.every(byte => byte === frame.at(0)))).toEqual([
      true,
      true,
      true,
      true,
    ])
    const frame = sealed[0] as Buffer
    const refused = await rejected(aes.decryptInPlaceAsync(frame), exhausted)
    expect([frame.length, refused.frame, counts(aes)]).toEqual([50, undefined, [2, 44, 2]])
  })
})

test.each([
  ['', '0 60'],
  // Some releases of Node iterate over the transfer list. The frame then stays with the caller.
  ["Array.prototype[Symbol.iterator] = () => { throw new Error('patched') }", '0 60|60 ERR_INVALID_STATE'],
])('patched globals do no harm %s', (patch, expected) => {
  const { stdout, stderr } = run(
    `const key = AesGcm.generateKey()
    const iterator = Array.prototype[Symbol.iterator]
    new AesGcm(key)
    globalThis.structuredClone = () => { throw new Error('patched') }
    Object.prototype.transfer = [1]
    Object.prototype.get = () => 5
    Object.prototype.signal = 5
    ${patch}
    const aes = new AesGcm(key)
    const frame = Buffer.from(new ArrayBuffer(60)).fill(7)
    const result = await aes.encryptInPlaceAsync(frame, null, {}).catch(error => error)
    Array.prototype[Symbol.iterator] = iterator
    for (const name of ['transfer', 'get', 'signal']) delete Object.prototype[name]
    console.log(frame.length, result.length ?? result.code)`,
  )
  expect([stdout.trim(), stderr]).toEqual([expect.stringMatching(`^(${expected})$`), ''])
})
