// Hellos that were changed, cut off or made up, and lists of ciphers: both sides agree, or both fail.
import { setImmediate } from 'node:timers/promises'
import { AesGcmError } from 'hardware-aes-gcm'
import {
  type Cipher,
  Handshake,
  negotiateCipher,
  secureStream,
  supportedCiphers,
} from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { must, Random } from '../../tools/support.js'
import { beside, Outcome, randomHello, recordsOf, SECRET, until, Wire } from './wire.js'

const FAILED = 'ERR_AESGCM_HANDSHAKE_FAILED'
const codeOf = (run: () => unknown): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    must(error instanceof AesGcmError, () => `${error}`)
    return (error as AesGcmError).code
  }
}

/** Every list of one to three of our ciphers, in every order. */
function lists<T>(items: readonly T[]): T[][] {
  return items.flatMap(item => {
    const rest = items.filter(other => other !== item)
    return [[item], ...lists(rest).map(list => [item, ...list])]
  })
}

/** Two handshakes of ours whose hellos go through `attack`. Gives what each side opened of the other's first message. */
function through(attack: (role: reference.Role, hello: Buffer) => Buffer, ciphers?: [Cipher[], Cipher[]]) {
  const sides = reference.ROLES.map(
    (role, n) =>
      new Handshake({
        secret: SECRET,
        role,
        allowSelf: true,
        ...(ciphers && { ciphers: ciphers[n] as Cipher[] }),
      }),
  ) as [Handshake, Handshake]
  const hellos = sides.map(({ hello }, n) => attack(reference.ROLES[n] as reference.Role, Buffer.from(hello)))
  const finished = sides.map((side, n) => {
    try {
      return side.finish(hellos[1 - n] as Buffer)
    } catch (error) {
      return error as AesGcmError
    }
  })
  return finished.map((own, n) => {
    const peer = finished[1 - n]
    if (own === undefined || own instanceof Error) return own?.code
    if (peer === undefined || peer instanceof Error) return 'alone'
    return codeOf(() => own.reader.open(peer.writer.seal(Buffer.from('hello')))) ?? own.cipher
  })
}

test('every pair of cipher lists gives the same cipher on both sides, or fails on both', () => {
  const all = lists(supportedCiphers())
  for (const a of all) {
    for (const b of all) {
      const first = reference.NAMES.find(name => a.includes(name) && b.includes(name))
      const wanted = first ?? FAILED
      expect(through((_, hello) => hello, [a, b])).toEqual([wanted, wanted])
      for (const [left, right] of [
        [a, b],
        [b, a],
      ] as const) {
        if (first === undefined) expect(codeOf(() => negotiateCipher(left, right))).toBe(FAILED)
        else expect(negotiateCipher(left, right)).toBe(first)
      }
    }
  }
  expect(all).toHaveLength(15)
})

test('a hello names the ciphers in its list, and fresh random bytes', () => {
  const randoms = new Set<string>()
  for (const role of reference.ROLES) {
    for (const ciphers of lists(supportedCiphers())) {
      const { hello } = new Handshake({ secret: SECRET, role, ciphers })
      const ids = ciphers.map(name => reference.CIPHERS[name].id)
      const random = reference.randomOf(hello)
      randoms.add(random.toString('hex'))
      expect([...reference.idsOf(hello)].sort()).toEqual([...ids].sort())
      expect(hello.equals(reference.hello(role, random, reference.idsOf(hello)))).toBe(true)
    }
  }
  expect(randoms.size).toBe(30)
})

test('every bit that flips in a hello on its way fails the handshake of both sides', () => {
  for (const victim of reference.ROLES) {
    const { length } = new Handshake({ secret: SECRET, role: victim }).hello
    for (let bit = 0; bit < 8 * length; bit++) {
      const results = through((role, hello) => {
        if (role === victim) hello[bit >> 3] = (hello[bit >> 3] as number) ^ (1 << (bit & 7))
        return hello
      })
      // One side refuses the hello, or both find that their keys differ.
      const allowed = ['ERR_AESGCM_RECORD_REFUSED', FAILED, 'alone']
      must(
        results.every(result => allowed.includes(result as string)),
        () => `bit ${bit}: ${results}`,
      )
      must(
        results.some(result => result !== 'alone'),
        () => `bit ${bit}: ${results}`,
      )
    }
  }
})

test('every truncation of a hello, and every longer one, fails', () => {
  const peer = randomHello(new Random('session short hellos'), 'initiator')
  const finish = (hello: Buffer) =>
    codeOf(() => new Handshake({ secret: SECRET, role: 'responder' }).finish(hello))
  expect(finish(peer)).toBe(undefined)
  for (let length = 0; length < peer.length; length++) expect(finish(peer.subarray(0, length))).toBe(FAILED)
  for (const more of [1, 2, 16, 255, 1024 - peer.length, 1025 - peer.length, 70_000])
    expect(finish(Buffer.concat([peer, Buffer.alloc(more)]))).toBe(FAILED)
})

test('hellos with a wrong field fail, and unknown ciphers are ignored', () => {
  const random = new Random('session hellos')
  const bytes = random.bytes(32)
  const finish = (hello: Buffer) =>
    codeOf(() => new Handshake({ secret: SECRET, role: 'responder' }).finish(hello))
  const hello = (ids: number[]) => reference.hello('initiator', bytes, ids)
  const unknown = Array.from({ length: 252 }, (_, n) => n + 4)
  for (const ids of [[1], [2, 99], [255, 3], [3, 2, 1], [...unknown, 1], [0, 3]])
    expect(finish(hello(ids))).toBe(undefined)
  for (const ids of [[], [4], [0], [99, 255], unknown, [1, 1], [1, 2, 1], [9, 9, 1]])
    expect(finish(hello(ids)), `${ids}`).toBe(FAILED)
  expect(finish(reference.hello('responder', bytes, [1]))).toBe(FAILED)
  for (const [at, byte] of [
    [0, 0x68],
    [3, 0],
    [4, 0],
    [4, 2],
    [5, 2],
    [5, 255],
  ] as const) {
    const wrong = hello([1])
    wrong[at] = byte
    expect(finish(wrong)).toBe(FAILED)
  }
  const own = new Handshake({ secret: SECRET, role: 'responder' })
  expect(codeOf(() => own.finish(reference.hello('initiator', reference.randomOf(own.hello), [1])))).toBe(
    FAILED,
  )
  const reflected = new Handshake({ secret: SECRET, role: 'responder' })
  expect(codeOf(() => reflected.finish(reflected.hello))).toBe(FAILED)
})

test('a stream refuses a wrong length of the hello before its bytes, and never sends a record', async () => {
  const random = new Random('session hello lengths')
  for (const length of [0, 1, 38, 39, 1025, 2000, 65_535]) {
    const { wire, outcome, own } = await beside(random, { role: 'initiator' })
    wire.feed(Buffer.of(length >> 8, length & 255))
    await outcome.over
    expect(
      outcome.errors.map(({ code }) => code),
      `${length}`,
    ).toEqual([FAILED])
    // Another error with this code would come after handshakeTimeout.
    expect(outcome.errors[0]?.message).toContain('not one of this protocol')
    expect(wire.sent.length).toBe(2 + own.length)
  }
  for (const length of [40, 1024]) {
    const { wire, outcome } = await beside(random, { role: 'initiator' })
    wire.feed(Buffer.of(length >> 8, length & 255, 0))
    await setImmediate()
    expect(outcome.errors, `${length}`).toEqual([])
    wire.finish()
    await outcome.over
  }
})

test('a stream whose socket ends, at any byte of the hello, fails', async () => {
  const random = new Random('session hello ends')
  const whole = reference.framed(randomHello(random, 'responder'))
  for (let length = 0; length <= whole.length; length++) {
    const { wire, outcome } = await beside(random, { role: 'initiator' })
    wire.feed(whole.subarray(0, length))
    wire.finish()
    await outcome.over
    expect([outcome.ended, outcome.errors.length], `${length}`).toEqual([false, 1])
    expect(['ERR_AESGCM_STREAM_TRUNCATED', FAILED]).toContain(outcome.errors[0]?.code)
  }
})

test('another secret, another order or another number of secrets fails both sides at their first record', async () => {
  const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const joined = Buffer.concat([a, b])
  for (const [left, right] of [
    [a, b],
    [
      [a, b],
      [b, a],
    ],
    [[a, b], joined],
    [a, [a, b]],
    [a, Buffer.concat([a, Buffer.alloc(1)])],
  ] as [Buffer | Buffer[], Buffer | Buffer[]][]) {
    const wires = [new Wire(), new Wire()] as const
    const streams = [
      secureStream(wires[0], { secret: left, role: 'initiator' }),
      secureStream(wires[1], { secret: right, role: 'responder', allowSelf: true }),
    ] as const
    const outcomes = streams.map(stream => new Outcome(stream))
    await until(() => wires.every(({ sent }) => sent.length > 40), 'two hellos')
    const hellos = wires.map(({ sent }) => sent)
    for (const n of [0, 1] as const) wires[n].feed(hellos[1 - n] as Buffer)
    await until(
      () => wires.every(({ sent }, n) => sent.length > (hellos[n] as Buffer).length),
      'two confirms',
    )
    const rest = wires.map(({ sent }, n) => sent.subarray((hellos[n] as Buffer).length))
    for (const n of [0, 1] as const) wires[n].feed(rest[1 - n] as Buffer)
    for (const outcome of outcomes) {
      await outcome.over
      expect(outcome.plain.length).toBe(0)
      expect(['ERR_AESGCM_RECORD_REFUSED', FAILED]).toContain(outcome.errors[0]?.code)
    }
  }
})

test('nothing but the hello and the confirm goes out before the peer has confirmed', async () => {
  const session = await beside(new Random('session first bytes'), { role: 'initiator' })
  const { stream, wire, own, peer, writer, reader } = session
  stream.write('early')
  expect(wire.sent.length).toBe(2 + own.length)
  wire.feed(reference.framed(peer))
  await until(() => recordsOf(session).length > 0, 'a confirm')
  expect(reader.open(recordsOf(session)[0] as Buffer)).toMatchObject({ type: 0 })
  wire.feed(writer.seal(0))
  await until(() => recordsOf(session).length > 1, 'data')
  expect(reader.open(recordsOf(session)[1] as Buffer)).toEqual({ type: 1, data: Buffer.from('early') })
})
