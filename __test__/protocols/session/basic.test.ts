// Sessions as their users see them: a Duplex over a socket, its ends, its destruction.
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { KeyArena } from 'hardware-aes-gcm'
import { secureStream } from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'
import { closed, dataOf, pipes, SECRET, secured, sockets, TRANSPORTS } from './connections.js'

describe.each(TRANSPORTS)('over %s', (_name, transport) => {
  test.each([
    ['aes-256-gcm', undefined],
    ['aes-128-gcm', ['aes-128-gcm']],
    ['chacha20-poly1305', ['chacha20-poly1305']],
  ] as const)('data of both sides, with %s', async (cipher, ciphers) => {
    const [one, two] = secured(await transport(), { ciphers })
    expect(one.cipher).toBe(null)
    const text = Buffer.alloc(300_000, 'some text ')
    one.write('first ')
    one.end(text)
    two.end('answer')
    const [there, back] = await Promise.all([dataOf(two), dataOf(one)])
    expect(there.equals(Buffer.concat([Buffer.from('first '), text]))).toBe(true)
    expect(back.toString()).toBe('answer')
    expect([one.cipher, two.cipher]).toEqual([cipher, cipher])
    expect(one.stats.sent).toEqual(two.stats.received)
    expect(one.stats.received).toEqual({ bytes: 6, records: 3, epochs: 1 })
  })

  test('rekeying by itself, by limits of bytes and of records', async () => {
    const limits = { rekeyAfterBytes: 5000, rekeyAfterRecords: 3 }
    const [one, two] = secured(await transport(), limits)
    const sent = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251))
    one.write(sent.subarray(0, 60_000))
    for (let at = 60_000; at < 100_000; at += 500) one.write(sent.subarray(at, at + 500))
    one.end()
    two.end()
    expect((await dataOf(two)).equals(sent)).toBe(true)
    expect(two.stats.received.epochs).toBeGreaterThanOrEqual(20)
    expect(two.stats.received).toEqual(one.stats.sent)
  })

  test('the other direction goes on after an end', async () => {
    const [one, two] = secured(await transport())
    one.end('question')
    expect((await dataOf(two)).toString()).toBe('question')
    expect(two.writable).toBe(true)
    two.write('late ')
    two.end('answer')
    expect((await dataOf(one)).toString()).toBe('late answer')
  })

  test('many small writes share records', async () => {
    const [one, two] = secured(await transport())
    for (let i = 0; i < 1000; i++) one.write('0123456789')
    one.end()
    two.end()
    expect(await dataOf(two)).toHaveLength(10_000)
    expect(one.stats.sent.records).toBeLessThan(10)
  })
})

test('a stream on a socket that does not allow half open connections ends when its peer does', async () => {
  const [one, two] = secured(await sockets())
  expect([one.allowHalfOpen, two.allowHalfOpen]).toEqual([false, false])
  one.end('question')
  const both = Promise.all([closed(one), closed(two)])
  one.resume()
  expect((await dataOf(two)).toString()).toBe('question')
  await both
  expect([one.readableEnded, two.writableFinished, one.errored, two.errored]).toEqual([
    true,
    true,
    null,
    null,
  ])
})

describe('an answer after the end of the peer is lost exactly where that of a net.Socket is', () => {
  /** A socket closes within some turns. A process that was stopped for 50 ms had none. */
  const twentyTurns = async () => {
    for (let n = 0; n < 20; n++) await turn()
  }
  const late: [string, (answer: () => void) => void][] = [
    ['in the event', answer => answer()],
    ['in the next tick', answer => process.nextTick(answer)],
    ['in a promise', answer => void Promise.resolve().then(answer)],
    ['50 ms later', answer => void pause(50).then(twentyTurns).then(answer)],
  ]

  /** The data that the asking side gets, and the errors of both sides: events, and the callback of the answer. */
  async function asked(one: Duplex, two: Duplex, later: (answer: () => void) => void) {
    const events: string[] = []
    one.on('error', () => events.push('asking'))
    two.on('error', () => events.push('answering'))
    const answered = new Promise<boolean>(resolve =>
      two.on('end', () => later(() => two.end('answer', (error?: Error | null) => resolve(!error)))),
    )
    two.resume()
    one.end('question')
    const [data, sent] = await Promise.all([dataOf(one), answered])
    return { data: data.toString(), sent, events }
  }

  test.each(late)('%s', async (when, later) => {
    for (const allowHalfOpen of [false, true]) {
      const plain = await asked(...(await sockets({ allowHalfOpen })), later)
      const ours = await asked(...secured(await sockets({ allowHalfOpen })), later)
      expect(ours).toEqual(plain)
      expect(ours.sent).toBe(ours.data === 'answer')
      if (allowHalfOpen) expect(ours).toEqual({ data: 'answer', sent: true, events: [] })
      else if (when === '50 ms later') expect(ours).toEqual({ data: '', sent: false, events: [] })
    }
  })
})

test('secure comes once on each side, before data', async () => {
  const [one, two] = secured(pipes())
  const events: string[] = []
  one.on('secure', () => events.push(`secure ${one.cipher}`))
  one.on('data', () => events.push('data'))
  one.on('end', () => events.push('end'))
  one.on('close', () => events.push('close'))
  two.end('x')
  two.resume()
  await once(one, 'end')
  one.end()
  await once(one, 'close')
  expect(events).toEqual(['secure aes-256-gcm', 'data', 'end', 'close'])
})

test('a socket that is destroyed with its stream, and no listener of ours on it', async () => {
  const [a, b] = pipes()
  const before = [a.eventNames(), a.listenerCount('error')]
  const [one, two] = secured([a, b])
  await once(one, 'secure')
  one.destroy()
  await Promise.all([once(one, 'close'), once(a, 'close')])
  expect(a.destroyed).toBe(true)
  expect([a.eventNames(), a.listenerCount('error')]).toEqual(before)
  two.on('error', () => {})
})

describe('destruction', () => {
  test('with an error', async () => {
    const [a, b] = pipes()
    const [one, two] = secured([a, b])
    two.on('error', () => {})
    const errors: Error[] = []
    one.on('error', error => errors.push(error))
    const closes: null[] = []
    one.on('close', () => closes.push(null))
    one.destroy(new Error('mine'))
    one.destroy(new Error('too late'))
    await once(a, 'close')
    expect(errors.map(({ message }) => message)).toEqual(['mine'])
    expect(closes).toEqual([null])
  })

  test('a write in progress, and a rekeying, are told', async () => {
    const [a, b] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    const written = new Promise<Error | null | undefined>(resolve => one.write('x', resolve))
    const rekeyed = one.rekey()
    one.destroy()
    expect(await written).toMatchObject({ code: 'ERR_STREAM_DESTROYED' })
    await expect(rekeyed).rejects.toMatchObject({ code: 'ERR_STREAM_DESTROYED' })
    b.destroy()
  })

  test('a rekeying that nobody awaits is no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    const [a] = pipes()
    const one = secureStream(a, { secret: SECRET, role: 'initiator' })
    one.rekey()
    one.destroy()
    await once(one, 'close')
    await new Promise(resolve => setImmediate(resolve))
    process.removeListener('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })

  test('the keys are wiped at every end', async () => {
    const used = () => KeyArena.default.used
    const before = used()
    const [one, two] = secured(pipes())
    await Promise.all([once(one, 'secure'), once(two, 'secure')])
    expect(used()).toBe(before + 4)
    one.end()
    two.resume()
    await once(two, 'end')
    expect(used()).toBe(before + 2)
    two.on('error', () => {})
    two.destroy(new Error('mine'))
    await closed(two)
    expect(used()).toBe(before + 1)
    one.destroy()
    await closed(one)
    expect(used()).toBe(before)
  })
})
