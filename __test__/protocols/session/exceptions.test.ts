// Exceptions of a socket and of listeners. Regression: a constructor that threw late left a timer and listeners behind, whose
// error ended the process ten seconds later; a listener of 'secure' or 'data' that threw left a stream open without an error.
import '../../traces/memories.js'
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { KeyArena } from 'hardware-aes-gcm'
import { Handshake, secureStream } from 'hardware-aes-gcm/session'
import { afterEach, describe, expect, test } from 'vitest'
import { run, thrown } from '../../tools/support.js'
import { Planted, traced } from '../../traces/memories.js'
import { dataOf, SECRET, secured, sockets } from './connections.js'
import { Outcome, until, Wire } from './wire.js'

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

describe('a constructor that throws leaves the socket as it was', () => {
  /** A socket whose method throws. */
  const broken = (method: 'write' | 'on' | 'resume') => {
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(), allowHalfOpen: false })
    const whole = socket[method] as (...values: unknown[]) => unknown
    Object.defineProperty(socket, method, {
      value(...values: unknown[]) {
        // The listener of 'close' is the last one.
        if (method !== 'on' || values[0] === 'close') throw new Error(`no ${method}`)
        return Reflect.apply(whole, socket, values)
      },
    })
    return socket
  }

  test.each(['write', 'on', 'resume'] as const)('%s of the socket throws', async method => {
    const socket = broken(method)
    const listeners = socket.eventNames()
    const before = timers()
    const make = () => secureStream(socket, { secret: SECRET, role: 'initiator', handshakeTimeout: 1 })
    expect(make).toThrow(`no ${method}`)
    expect(socket.eventNames()).toEqual(listeners)
    expect([socket.allowHalfOpen, socket.destroyed, timers()]).toEqual([false, false, before])
    // An error that nobody hears would fail the test here.
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(socket.destroyed).toBe(false)
  })
})

describe('a listener that throws', () => {
  const others = process.listeners('uncaughtException')
  afterEach(() => {
    process.removeAllListeners('uncaughtException')
    for (const other of others) process.on('uncaughtException', other)
  })

  /** The exceptions that no code catches from now on. */
  function uncaught(): string[] {
    const messages: string[] = []
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', error => messages.push(error.message))
    return messages
  }

  test.each([0, 1] as const)(
    "of 'secure' on side %i: uncaughtException, and the stream goes on",
    async index => {
      const streams = secured(await sockets({ allowHalfOpen: true }))
      const messages = uncaught()
      streams[index].once('secure', () => {
        throw new Error('of the caller')
      })
      streams[0].end('to the right')
      streams[1].end('to the left')
      const received = await Promise.all(streams.map(dataOf))
      expect(received.map(String)).toEqual(['to the left', 'to the right'])
      expect(messages).toEqual(['of the caller'])
    },
  )

  test("of 'data': uncaughtException, and later data comes", async () => {
    const [one, two] = secured(await sockets({ allowHalfOpen: true }))
    const messages = uncaught()
    const chunks: string[] = []
    two.on('data', chunk => {
      chunks.push(String(chunk))
      if (chunks.length % 2 === 1) throw new Error('of the caller')
    })
    for (let n = 1; n <= 10; n++) {
      one.write(`${n}`)
      await until(() => chunks.length === n, 'a chunk')
    }
    one.end()
    await once(two, 'end')
    expect(messages).toEqual(Array(5).fill('of the caller'))
    two.destroy()
    one.destroy()
  })

  test("of 'data' in a later turn, by a listener that destroys its stream: another one that waits goes on, and none remains", () => {
    const script = `
      import { AsyncResource, executionAsyncResource } from 'node:async_hooks'
      import { Duplex } from 'node:stream'
      import { setTimeout as pause } from 'node:timers/promises'
      import { Handshake, secureStream } from 'hardware-aes-gcm/session'
      const options = { secret: Buffer.alloc(32, 1), ciphers: ['aes-256-gcm'], compat: 'keibidrop' }
      const [counts, errors] = [[0, 0], []]
      process.on('uncaughtException', error => errors.push(error.message))
      // Each has more records than a turn has time for, so both wait for the next one.
      for (const n of [0, 1]) {
        const { writer } = new Handshake({ ...options, role: 'initiator' }).finish(Buffer.alloc(0))
        const wire = new Duplex({ read() {}, write: (bytes, encoding, done) => done() })
        const stream = secureStream(wire, { ...options, role: 'responder' })
        stream.on('data', data => {
          counts[n] += data.length
          // In a later turn, the stream restores the context in which it began to wait.
          if (n === 1 || !(executionAsyncResource() instanceof AsyncResource)) return
          stream.destroy()
          throw new Error('of the caller')
        })
        wire.push(Buffer.concat(Array.from({ length: 1000 }, () => writer.seal(Buffer.from('x')))))
      }
      for (let n = 0; counts[1] < 1000 && n < 2000; n++) await pause(5)
      await pause(20)
      console.log(counts[0] < 1000, counts[1], errors.join(), process.getActiveResourcesInfo().includes('Immediate'))
      process.exit()`
    expect(run(script)).toEqual({ status: 0, stdout: 'true 1000 of the caller false\n', stderr: '' })
  })

  test("of 'data': the exception reaches the socket's caller, and a record that came together with its own follows", async () => {
    const options = { secret: SECRET, ciphers: ['aes-256-gcm'], compat: 'keibidrop' } as const
    const { writer } = new Handshake({ ...options, role: 'initiator' }).finish(Buffer.alloc(0))
    const seal = (text: string) => writer.seal(Buffer.from(text))
    const wire = new Wire()
    const stream = secureStream(wire, { ...options, role: 'responder' })
    const outcome = new Outcome(stream)
    wire.feed(seal('x'))
    await until(() => outcome.plain.length === 1, 'the first record')
    await new Promise(setImmediate)
    stream.once('data', () => {
      throw new Error('of the caller')
    })
    expect(() => wire.feed(Buffer.concat([seal('y'), seal('z')]))).toThrow('of the caller')
    await until(() => outcome.plain.length === 3, 'the record after it')
    expect(String(outcome.plain)).toBe('xyz')
    stream.destroy()
  })

  test('the callback of an empty write before secure: uncaughtException, and the stream goes on', async () => {
    const [one, two] = secured(await sockets({ allowHalfOpen: true }))
    const messages = uncaught()
    one.write('', () => {
      throw new Error('of the caller')
    })
    one.once('secure', () => one.write('x'))
    two.end()
    const received = dataOf(two)
    one.resume()
    await once(one, 'end')
    one.end('y')
    expect(String(await received)).toBe('xy')
    expect(messages).toEqual(['of the caller'])
  })
})

test('a handshake that waits does not keep the process', () => {
  const script = `
    const { Duplex } = await import('node:stream')
    const { secureStream } = await import('hardware-aes-gcm/session')
    const options = { secret: Buffer.alloc(32), role: 'initiator', handshakeTimeout: 20_000 }
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    secureStream(socket, options).on('error', () => console.log('waited'))`
  expect(run(script)).toEqual({ status: 0, stdout: '', stderr: '' })
})

describe('a call that fails midway, as for lack of memory, leaves its side without keys', () => {
  type Side = ReturnType<Handshake['finish']>

  /** Lets each step of a call fail in turn. After an error, tells how many of the four keys are left, and the error of `next`. */
  async function failing(
    prepare: (one: Side, two: Side) => () => unknown,
    next: (one: Side, two: Side) => unknown,
  ) {
    const found = new Set<string>()
    // Keys of other tests would leave the arena while this one counts.
    for (let turn = 0; turn < 3; turn++) {
      globalThis.gc?.()
      await new Promise(setImmediate)
    }
    for (let fail = 1, steps = 1; fail <= steps; fail++) {
      const { used } = KeyArena.default
      const secret = SECRET
      const [a, b] = [
        new Handshake({ secret, role: 'initiator' }),
        new Handshake({ secret, role: 'responder', allowSelf: true }),
      ]
      const { hello } = a
      const [one, two] = [a.finish(b.hello), b.finish(hello)]
      two.reader.open(one.writer.seal(Buffer.alloc(5)))
      const trace = await traced(prepare(one, two), { fail })
      // The library goes on after some failures, in another way.
      if (trace.error instanceof Planted) {
        const error = thrown(() => next(one, two))
        found.add(`${KeyArena.default.used - used} keys, ${error === trace.error ? 'the same error' : error}`)
      }
      steps = Math.max(steps, trace.steps)
      for (const side of [one, two]) for (const end of [side.writer, side.reader]) end.destroy()
    }
    return [...found]
  }

  test('a writer', async () => {
    const seal = ({ writer }: Side) => writer.seal(Buffer.alloc(70_000))
    const rekey = ({ writer }: Side) => writer.rekey()
    for (const [first, next] of [
      [seal, rekey],
      [rekey, seal],
    ] as const)
      expect(await failing(one => () => first(one), next)).toEqual([
        '3 keys, AesGcmError: this key was destroyed',
      ])
  })

  test('a reader', async () => {
    const found = await failing(
      (one, two) => two.reader.open.bind(two.reader, one.writer.rekey()),
      (_, two) => two.reader.open(Buffer.alloc(30)),
    )
    expect(found).toEqual(['3 keys, the same error'])
  })
})
