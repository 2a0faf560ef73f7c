// Aborts of encryptInPlaceAsync and decryptInPlaceAsync, and the frame that an error carries.
import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { AesGcm } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { KEY } from '../../tools/support.js'
import { AUTHENTICATION, occupyPool, own, ownCopy, type Rejection, rejected } from './async.js'

const SECRET = 'attack at dawn'

describe('an abort', () => {
  const many = (aes: AesGcm, signal: AbortSignal, length = 1 << 16) => {
    occupyPool()
    return Array.from({ length: 12 }, (_, n) => aes.encryptInPlaceAsync(own(length, n), null, { signal }))
  }

  test('that came before is a rejection, and leaves the frame', async () => {
    const aes = new AesGcm(KEY)
    for (const reason of [undefined, new Error('why'), 'why', 0]) {
      const frame = own(60)
      const signal = AbortSignal.abort(reason)
      const error = await rejected(aes.encryptInPlaceAsync(frame, null, { signal }), 'ABORT_ERR')
      expect([error.name, error.cause, error.frame, frame.length]).toEqual([
        'AbortError',
        signal.reason,
        undefined,
        60,
      ])
    }
    expect(aes.messagesEncrypted).toBe(0)
  })

  test('cancels jobs that have not begun: their frames come back unchanged', async () => {
    const aes = new AesGcm(KEY)
    const controller = new AbortController()
    const promises = many(aes, controller.signal)
    expect(getEventListeners(controller.signal, 'abort'), 'one for all calls').toHaveLength(1)
    const reason = new Error('why')
    controller.abort(reason)
    for (const [n, promise] of promises.entries()) {
      const error = await rejected(promise, 'ABORT_ERR')
      expect([error.name, error.cause, Object.keys(error)]).toEqual(['AbortError', reason, ['code']])
      expect(error.frame?.length === 1 << 16 && error.frame.every(byte => byte === n)).toBe(true)
    }
    expect(aes.messagesEncrypted, 'nonces of cancelled jobs stay taken').toBe(12)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  test('after the end has no effect, and no listener stays', async () => {
    const aes = new AesGcm(KEY)
    const controller = new AbortController()
    const { signal } = controller
    const sealed = await aes.encryptInPlaceAsync(own(60), null, { signal })
    const forged = await rejected(aes.decryptInPlaceAsync(own(60), null, { signal }), AUTHENTICATION)
    await rejected(aes.encryptInPlaceAsync(own(5), null, { signal }), 'ERR_OUT_OF_RANGE')
    await rejected(aes.encryptInPlaceAsync(Buffer.from(SECRET), null, { signal }), 'ERR_OUT_OF_RANGE')
    const untransferable = new Uint8Array(Buffer.from('x').buffer)
    expect((await aes.encryptInPlaceAsync(untransferable, null, { signal })).length).toBe(
      untransferable.length,
    )
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    controller.abort()
    expect([sealed.length, forged.frame?.length]).toEqual([60, 60])
  })

  test('is seen although another listener stops its event', async () => {
    const controller = new AbortController()
    controller.signal.addEventListener('abort', event => event.stopImmediatePropagation())
    const promises = many(new AesGcm(KEY), controller.signal)
    controller.abort()
    for (const promise of promises) await rejected(promise, 'ABORT_ERR')
  })
})

describe('an object with the methods of an AbortSignal', () => {
  const methods = { aborted: false, reason: 'why', addEventListener() {}, removeEventListener() {} }

  test('may call its listener at once', async () => {
    occupyPool()
    const signal = { ...methods, addEventListener: (_: string, listener: () => void) => listener() }
    for (let n = 0; n < 3; n++) {
      const promise = new AesGcm(KEY).encryptInPlaceAsync(own(60, 5), null, { signal } as never)
      const error = await rejected(promise, 'ABORT_ERR')
      expect([error.cause, error.frame]).toEqual(['why', own(60, 5)])
    }
  })

  test('may throw when the listener is removed', async () => {
    const removeEventListener = () => {
      throw new Error('of the signal')
    }
    const signal = { ...methods, removeEventListener }
    const aes = new AesGcm(KEY)
    expect((await aes.encryptInPlaceAsync(own(60), null, { signal } as never)).length).toBe(60)
    const refused = await rejected(aes.encryptInPlaceAsync(own(5), null, { signal } as never))
    expect(refused.message).toMatch('at least 28 bytes')
  })

  test('has each of its getters run once', async () => {
    const reads: string[] = []
    const signal = {}
    for (const [name, value] of Object.entries(methods)) {
      const get = () => {
        reads.push(name)
        return value
      }
      Object.defineProperty(signal, name, { get })
    }
    await new AesGcm(KEY).encryptInPlaceAsync(own(60), null, { signal } as never)
    expect(reads.sort()).toEqual(['aborted', 'addEventListener', 'removeEventListener'])
  })

  test('is refused without these methods', async () => {
    const { addEventListener: _, ...deaf } = methods
    const { removeEventListener: __, ...sticky } = methods
    for (const signal of [
      { aborted: false },
      { aborted: 1 },
      deaf,
      sticky,
      { ...methods, addEventListener: 5 },
    ]) {
      const frame = own(60)
      const promise = new AesGcm(KEY).encryptInPlaceAsync(frame, null, { signal } as never)
      await rejected(promise, 'ERR_INVALID_ARG_TYPE')
      expect(frame.length).toBe(60)
    }
  })
})

test('the frame of an error is not in what loggers show', async () => {
  const aes = new AesGcm(KEY)
  const text = Buffer.from(SECRET.repeat(4))
  const controller = new AbortController()
  occupyPool()
  const promises = Array.from({ length: 3 }, () => {
    const frame = own(4000)
    frame.set(text, 12)
    return aes.encryptInPlaceAsync(frame, null, { signal: controller.signal })
  })
  controller.abort()
  const settled = await Promise.allSettled(promises)
  const errors = settled.flatMap(result => (result.status === 'rejected' ? [result.reason as Rejection] : []))
  expect(errors.length).toBeGreaterThan(0)
  const forged = ownCopy(Buffer.concat([Buffer.alloc(12), text]))
  errors.push(await rejected(aes.decryptInPlaceAsync(forged), AUTHENTICATION))
  const forms = [
    SECRET,
    text.toString('hex').slice(0, 20),
    [...text.subarray(0, 9)].join(),
    text.toString('base64').slice(0, 12),
  ]
  const bare = (shown: string) => shown.replace(/\s/g, '')
  const hex = (bytes: Buffer) => bytes.toString('hex').replace(/../g, '$& ')
  for (const error of errors) {
    expect(error.frame?.includes(SECRET)).toBe(true)
    const { frame: _, ...spread } = error as Rejection & Record<string, unknown>
    expect('frame' in spread).toBe(false)
    const shown = [
      inspect(error),
      inspect({ error }, { depth: null }),
      inspect(new Error('outer', { cause: error })),
      inspect(new AggregateError([error])),
      JSON.stringify(error),
      JSON.stringify({ ...error }),
      JSON.stringify(Object.entries(error)),
      String(error),
      String(error.stack),
      inspect(structuredClone(error)),
    ]
    for (const text of shown)
      for (const form of forms) expect(bare(text).includes(bare(form)), text.slice(0, 200)).toBe(false)
    expect(Object.getOwnPropertyDescriptor(error, 'frame')?.enumerable).toBe(false)
  }
  // The control: in a property that is enumerable, the search finds the bytes.
  const control = Object.assign(new Error(), { frame: text })
  const printed = [JSON.stringify(control), inspect(control)].map(bare)
  expect(
    printed.map(text => forms.concat(hex(Buffer.from(SECRET))).some(form => text.includes(bare(form)))),
  ).toEqual([true, true])
})
