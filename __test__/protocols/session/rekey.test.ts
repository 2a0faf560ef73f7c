// New keys: by themselves under load, on demand, with extra secrets that agree or differ, and within a time.
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { Handshake, type SecureStream } from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { must, Random, run } from '../../tools/support.js'
import { ends, watched } from './pair.js'
import { beside, recordsOf, until } from './wire.js'

const EXTRA = Buffer.from('an extra secret for both sides, 41 bytes.')
const OTHER = Buffer.from('an extra secret for one side only, 43 bytes')

/** A clock of the test's: timers that only a script ends. The package takes Node's when it is loaded. */
const clock = `
  globalThis.timers = new Set()
  const node = process.getBuiltinModule('node:timers')
  node.setTimeout = (go, ms) => {
    const timer = { go, ms, unref() {} }
    timers.add(timer)
    return timer
  }
  node.clearTimeout = timer => timers.delete(timer)`
const flags = ['--import', `data:text/javascript,${encodeURIComponent(clock)}`]

/** Writes with backpressure, in pieces of random lengths. */
async function pump(stream: SecureStream, bytes: Buffer, random: Random): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 1 + random.below(30_000))
    if (!stream.write(bytes.subarray(at, end))) await once(stream, 'drain')
    at = end
  }
  stream.end()
}

test('rekeys under load, in both directions at once, by bytes and by records', async () => {
  const random = new Random('session load')
  for (const cipher of reference.NAMES) {
    for (const [limit, least] of [
      [{ rekeyAfterBytes: 100_000 }, 19],
      [{ rekeyAfterRecords: 10 }, 4],
    ] as const) {
      const { left, right, fromLeft, fromRight } = watched({ ciphers: [cipher], ...limit })
      const [there, back] = [random.bytes(2_000_000), random.bytes(2_000_000)]
      await Promise.all([pump(left, there, random), pump(right, back, random), fromLeft.over, fromRight.over])
      expect([fromLeft.errors, fromRight.errors, fromLeft.ended, fromRight.ended]).toEqual([
        [],
        [],
        true,
        true,
      ])
      must(fromLeft.plain.equals(there) && fromRight.plain.equals(back), 'other bytes')
      for (const stream of [left, right]) {
        expect(stream.stats.sent.epochs).toBeGreaterThanOrEqual(least)
        expect(stream.stats.received.epochs).toBeGreaterThanOrEqual(least)
      }
      expect(left.stats.sent).toEqual(right.stats.received)
      expect(right.stats.sent).toEqual(left.stats.received)
    }
  }
})

test('no epoch of a writer has more bytes or records than its limits', async () => {
  const random = new Random('session limits of epochs')
  const session = await beside(random, { role: 'initiator', rekeyAfterBytes: 5000, rekeyAfterRecords: 7 })
  const { stream, wire, peer, writer, reader } = session
  wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0)]))
  let total = 0
  for (let n = 0; n < 300; n++) {
    const bytes = random.bytes(random.below(n % 30 === 0 ? 20_000 : 2000))
    total += bytes.length
    stream.write(bytes)
    if (n % 50 === 25) await stream.rekey()
  }
  stream.end()
  await until(() => stream.writableFinished, 'the end')
  const epochs = [{ bytes: 0, records: 0 }]
  for (const { type, data } of reader.openAll(Buffer.concat(recordsOf(session)))) {
    const epoch = epochs.at(-1) as { bytes: number; records: number }
    epoch.records++
    if (type === reference.TYPES.data) epoch.bytes += data.length
    if (type === reference.TYPES.rekey) epochs.push({ bytes: 0, records: 0 })
  }
  for (const { bytes, records } of epochs) {
    expect(bytes).toBeLessThanOrEqual(5000)
    expect(records).toBeLessThanOrEqual(8)
  }
  expect(epochs.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(total)
  stream.destroy()
})

test('a writer rekeys before the record that would exceed a limit, and no earlier', () => {
  const epochsOf = (limits: object, sizes: number[]) => {
    const [one, two] = reference.ROLES.map(
      role => new Handshake({ secret: EXTRA, role, allowSelf: true, ...limits }),
    )
    const { writer } = (one as Handshake).finish((two as Handshake).hello)
    return sizes.map(size => {
      writer.seal(Buffer.alloc(size))
      return writer.stats.epochs
    })
  }
  expect(epochsOf({ rekeyAfterBytes: 10 }, [4, 6, 0, 1, 9, 1, 25])).toEqual([1, 1, 1, 2, 2, 3, 6])
  // The confirm is a record of the first epoch.
  expect(epochsOf({ rekeyAfterRecords: 3 }, [1, 1, 1, 1, 1, 1])).toEqual([1, 1, 2, 2, 2, 3])
})

test('rekey() alone, at any time, and many at once', async () => {
  const { left, right, fromLeft, fromRight } = watched()
  const early = left.rekey()
  left.write('one')
  await early
  await Promise.all([left.rekey(), left.rekey(), right.rekey(), left.rekey()])
  left.write('two')
  right.end('back')
  await right.rekey().catch(() => {})
  await left.rekey()
  left.end('three')
  await Promise.all([fromLeft.over, fromRight.over])
  expect([fromLeft.errors, fromRight.errors]).toEqual([[], []])
  expect([fromLeft.plain.toString(), fromRight.plain.toString()]).toEqual(['onetwothree', 'back'])
  expect(left.stats.sent.epochs).toBeGreaterThan(4)
})

test('extra secrets that agree, from one side, from both, and one after the other', async () => {
  const { left, right, fromLeft, fromRight } = watched()
  left.write('before ')
  right.write('before ')
  await Promise.all([left.rekey(EXTRA), right.rekey(EXTRA)])
  left.write('between ')
  right.write('between ')
  await Promise.all([right.rekey([EXTRA, OTHER]), left.rekey([EXTRA, OTHER])])
  left.end('after')
  right.end('after')
  await Promise.all([fromLeft.over, fromRight.over])
  expect([fromLeft.errors, fromRight.errors]).toEqual([[], []])
  expect([fromLeft.plain.toString(), fromRight.plain.toString()]).toEqual([
    'before between after',
    'before between after',
  ])
})

test('extra secrets that differ, or are cut up in another way: not one byte comes out', async () => {
  const joined = Buffer.concat([EXTRA, OTHER])
  for (const [one, two] of [
    [EXTRA, OTHER],
    [
      [EXTRA, OTHER],
      [OTHER, EXTRA],
    ],
    [[EXTRA, OTHER], joined],
    [EXTRA, [EXTRA, EXTRA]],
  ] as [Buffer | Buffer[], Buffer | Buffer[]][]) {
    const { left, right, fromLeft, fromRight } = watched()
    await Promise.all([once(left, 'secure'), once(right, 'secure')])
    left.write('before')
    const done = Promise.allSettled([left.rekey(one), right.rekey(two)])
    left.write('after')
    right.write('after')
    await Promise.all([fromLeft.over, fromRight.over])
    await done
    expect([fromLeft.plain.toString(), fromRight.plain.toString()]).toEqual(['before', ''])
    for (const { errors } of [fromLeft, fromRight])
      expect(['ERR_AESGCM_RECORD_REFUSED', 'ERR_AESGCM_STREAM_TRUNCATED']).toContain(errors[0]?.code)
    expect([fromLeft, fromRight].some(({ errors }) => errors[0]?.code === 'ERR_AESGCM_RECORD_REFUSED')).toBe(
      true,
    )
  }
})

test("on KeibiDrop's wire, rekey() without new secrets is refused, and the connection goes on", async () => {
  const { left, fromLeft } = watched({ compat: 'keibidrop', ciphers: ['aes-256-gcm'] })
  left.write('before')
  await expect(left.rekey()).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  expect(left.destroyed).toBe(false)
  left.end(' and after')
  await fromLeft.over
  expect([fromLeft.plain.toString(), fromLeft.errors]).toEqual(['before and after', []])
})

test('a reader without the extra secret pauses, takes no more of the socket, and goes on with it', async () => {
  const { left, right, fromLeft } = watched({ rekeyTimeout: 60_000 })
  const waiting = left.rekey(EXTRA)
  let written = 0
  for (; written < 1000 && left.write(Buffer.alloc(10_000, 1)); written++) await turn()
  for (let n = 0; n < 100; n++) await turn()
  // Backpressure reaches the writer long before it has written everything.
  expect(written).toBeLessThan(200)
  expect(fromLeft.plain.length).toBe(0)
  const back = right.rekey(EXTRA)
  left.end()
  await Promise.all([waiting, back, fromLeft.over])
  expect(fromLeft.errors).toEqual([])
  expect(fromLeft.plain.length).toBe(10_000 * (written + 1))
  left.destroy()
  right.destroy()
})

test('without the extra secret within rekeyTimeout, the reader fails and nothing comes out', async () => {
  const { left, right, fromLeft } = watched({}, { right: { rekeyTimeout: 20 } })
  const rekeyed = left.rekey(EXTRA)
  rekeyed.catch(() => {})
  left.write('never')
  await fromLeft.over
  expect(fromLeft.errors.map(({ name }) => name)).toEqual(['AesGcmError'])
  expect([fromLeft.plain.length, fromLeft.ended, right.destroyed]).toEqual([0, false, true])
  left.destroy()
})

test('a rekeying that comes with the first record has rekeyTimeout, not the rest of handshakeTimeout', async () => {
  const options = { role: 'responder', handshakeTimeout: 60_000, rekeyTimeout: 20 } as const
  const { wire, outcome, peer, writer } = await beside(new Random('session early rekey'), options)
  wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0), writer.rekey([EXTRA])]))
  await outcome.over
  expect(outcome.errors.map(({ code }) => code)).toEqual(['ERR_AESGCM_RECORD_REFUSED'])
})

test('each of two rekeyings of the peer that come together has its own rekeyTimeout', () => {
  const script = `
    import { duplexPair } from 'node:stream'
    import { secureStream } from 'hardware-aes-gcm/session'
    const [secret, first, second] = [1, 2, 3].map(byte => Buffer.alloc(32, byte))
    const [a, b] = duplexPair()
    const one = secureStream(a, { secret, role: 'initiator', rekeyTimeout: 1000 })
    const two = secureStream(b, { secret, role: 'responder', rekeyTimeout: 1000, allowSelf: true })
    one.on('error', () => {})
    two.on('error', error => console.log(error.code))
    two.on('data', data => console.log(data.toString()))
    const until = async holds => {
      for (const limit = performance.now() + 20_000; !holds(); await new Promise(setImmediate))
        if (performance.now() > limit) throw new Error(String(holds))
    }
    await Promise.all([one, two].map(side => new Promise(resolve => side.once('secure', resolve))))
    // In one chunk: otherwise the second one stays in the socket while the first one waits.
    const held = []
    const { write } = a
    a.write = (bytes, done) => {
      held.push(Buffer.from(bytes))
      done?.()
      return true
    }
    // Its reader asks for more while the stream waits, which begins no second timer.
    one.write('before')
    one.rekey(first)
    one.rekey(second)
    one.write('after both')
    a.write = write
    a.write(Buffer.concat(held))
    await until(() => timers.size === 1)
    await new Promise(setImmediate)
    console.log(timers.size)
    const [old] = timers
    two.rekey(first)
    await until(() => timers.size === 1 && !timers.has(old))
    const [timer] = timers
    console.log(old.ms, timer.ms)
    if (late) timer.go()
    else two.rekey(second).catch(() => {})
    await until(() => timers.size === 0 && (late || two.stats.received.bytes > 6))
    for (const side of [one, two]) side.destroy()`
  for (const [late, last] of [
    [false, 'after both'],
    [true, 'ERR_AESGCM_RECORD_REFUSED'],
  ] as const) {
    const { status, stdout, stderr } = run(`const late = ${late}${script}`, { flags })
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `before\n1\n1000 1000\n${last}\n`,
      stderr: '',
    })
  }
})

test('handshakeTimeout ends a handshake that does not go on, and only that', async () => {
  const [socket] = ends()
  const { left, fromRight } = watched({ handshakeTimeout: 20 }, { sockets: [socket, ends()[0]] })
  await fromRight.over
  expect(fromRight.errors.map(({ code }) => code)).toEqual(['ERR_AESGCM_HANDSHAKE_FAILED'])
  expect(left.destroyed).toBe(true)
  const script = `
    import { duplexPair } from 'node:stream'
    import { secureStream } from 'hardware-aes-gcm/session'
    const options = { secret: Buffer.alloc(32, 1), handshakeTimeout: 1234 }
    const [a, b] = duplexPair()
    const one = secureStream(a, { ...options, role: 'initiator' })
    const two = secureStream(b, { ...options, role: 'responder', allowSelf: true })
    const times = Array.from(timers, ({ ms }) => ms)
    await Promise.all([one, two].map(side => new Promise(resolve => side.once('secure', resolve))))
    console.log(...times, 'and', timers.size)
    for (const side of [one, two]) side.destroy()`
  expect(run(script, { flags })).toEqual({ status: 0, stdout: '1234 1234 and 0\n', stderr: '' })
})
