// Keys and nonces of many connections on one secret: none comes twice.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type Cipher, Handshake, secureStream } from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { Random, refuses } from '../../tools/support.js'
import { Outcome, SECRET, until, Wire } from './wire.js'

test('connections on one secret share no key, and neither do directions, epochs and ciphers', () => {
  const CONNECTIONS = 20
  const seen = new Set<string>()
  let keys = 0
  for (const cipher of reference.NAMES) {
    for (let n = 0; n < CONNECTIONS; n++) {
      const [left, right] = reference.ROLES.map(
        role => new Handshake({ secret: SECRET, role, ciphers: [cipher], allowSelf: true }),
      ) as [Handshake, Handshake]
      const [hello, answer] = [Buffer.from(left.hello), Buffer.from(right.hello)]
      const known = reference.session('responder', answer, hello, [SECRET])
      const ours = left.finish(answer)
      for (const direction of [known.reader, known.writer]) {
        for (let epoch = 0; epoch < 3; epoch++) {
          for (const bytes of Object.values(direction.keys)) {
            keys++
            seen.add(bytes.toString('hex'))
          }
          if (direction.writer === 'responder') direction.rekeyed()
          else {
            // These keys are those that are really used.
            const text = Buffer.from(`epoch ${epoch}`)
            const message = Buffer.concat([ours.writer.seal(text), ours.writer.rekey()])
            expect(direction.openAll(message).at(-2)).toEqual({ type: 1, data: text })
          }
        }
      }
    }
  }
  expect(seen.size).toBe(keys)
  expect(keys).toBe(3 * CONNECTIONS * 2 * 3 * 3)
})

test('messages of another connection on the same secret are refused', () => {
  const sides = (cipher: Cipher) =>
    reference.ROLES.map(
      role => new Handshake({ secret: SECRET, role, ciphers: [cipher], allowSelf: true }),
    ) as [Handshake, Handshake]
  for (const cipher of reference.NAMES) {
    const [[a, b], [c, d]] = [sides(cipher), sides(cipher)]
    const first = { left: a.finish(b.hello), right: b.finish(a.hello) }
    const second = { left: c.finish(d.hello), right: d.finish(c.hello) }
    const message = first.left.writer.seal(Buffer.from('first'))
    const refused = expect.objectContaining({ code: 'ERR_AESGCM_HANDSHAKE_FAILED' })
    expect(() => second.right.reader.open(Buffer.from(message))).toThrow(refused)
    // Its own writer, too, gets its message back in vain.
    expect(() => first.left.reader.open(Buffer.from(message))).toThrow(refused)
    expect(first.right.reader.open(message)).toEqual([Buffer.from('first')])
  }
})

/** Frames that a stream of ours writes on the original's wire. */
async function keibidropFrames(role: reference.Role, cipher: Cipher, texts: Buffer[]) {
  const wire = new Wire()
  const stream = secureStream(wire, { secret: SECRET, role, ciphers: [cipher], compat: 'keibidrop' })
  const outcome = new Outcome(stream)
  for (const text of texts) await new Promise(resolve => stream.write(text, resolve))
  stream.destroy()
  await outcome.over
  return reference.cut(wire.sent)
}

test("on KeibiDrop's wire, two of ours share no nonce under one secret, in connection after connection", async () => {
  const texts = Array.from({ length: 5 }, (_, n) => Buffer.from(`text ${n}`))
  for (const cipher of ['aes-256-gcm', 'chacha20-poly1305'] as const) {
    const key = reference.keibidropKey(cipher, [SECRET])
    const nonces = new Set<string>()
    const prefixes: { [role: string]: Set<string> } = {}
    for (let connection = 0; connection < 20; connection++) {
      for (const role of reference.ROLES) {
        const frames = await keibidropFrames(role, cipher, texts)
        const counters = frames.map((frame, n) => {
          const { nonce, data } = reference.openKeibidrop(cipher, key, frame)
          expect(data.equals(texts[n] as Buffer)).toBe(true)
          nonces.add(nonce.toString('hex'))
          prefixes[role] = (prefixes[role] ?? new Set()).add(nonce.toString('latin1', 0, 4))
          return nonce.readBigUInt64BE(4)
        })
        for (const [n, counter] of counters.entries())
          expect(counter).toBe((counters[0] as bigint) + BigInt(n))
        expect((counters[0] as bigint) < 2n ** 62n).toBe(true)
      }
    }
    expect(nonces.size).toBe(20 * 2 * texts.length)
    // One prefix for each role, and not that of an original peer.
    const [left, right] = reference.ROLES.map(role => [...(prefixes[role] as Set<string>)])
    expect([left?.length, right?.length]).toEqual([1, 1])
    expect(new Set([left?.[0], right?.[0], 'OUTB']).size).toBe(3)
  }
})

test("on KeibiDrop's wire, a reader takes only the next counter of the same prefix", async () => {
  const key = reference.keibidropKey('aes-256-gcm', [SECRET])
  const next = Buffer.from('a second secret for KeibiDrop, 34.')
  const code = 'ERR_AESGCM_RECORD_REFUSED'
  const text = Buffer.from('text')
  const frame = (counter: bigint, prefix = 'OUTB', under = key) =>
    new reference.KeibidropWriter('aes-256-gcm', under, { prefix, counter }).seal(text)
  const short = Buffer.concat([Buffer.of(0, 0, 0, 27), Buffer.alloc(27)])
  for (const [frames, count, wanted] of [
    [[frame(1n), frame(2n), frame(3n)], 3, undefined],
    [[frame(77n), frame(78n)], 2, undefined],
    [[frame(2n ** 62n), frame(2n ** 62n + 1n)], 2, undefined],
    [[frame(1n), frame(1n)], 1, code],
    [[frame(1n), frame(3n)], 1, code],
    [[frame(2n), frame(1n)], 1, code],
    [[frame(1n), frame(2n, 'INBD')], 1, code],
    [[frame(1n), frame(2n, 'OUTB', reference.keibidropKey('aes-256-gcm', [next]))], 1, code],
    [[frame(1n), short], 1, code],
    [[frame(1n), Buffer.of(0xff, 0xff, 0xff, 0xff)], 1, code],
    [[Buffer.concat([frame(1n).subarray(0, -1), Buffer.of(0)])], 0, code],
  ] as [Buffer[], number, string | undefined][]) {
    for (const role of reference.ROLES) {
      const wire = new Wire()
      const stream = secureStream(wire, {
        secret: SECRET,
        role,
        ciphers: ['aes-256-gcm'],
        compat: 'keibidrop',
      })
      const outcome = new Outcome(stream)
      wire.feed(Buffer.concat(frames))
      await until(() => outcome.errors.length > 0 || outcome.plain.length === 4 * frames.length, 'a result')
      expect(outcome.errors[0]?.code).toBe(wanted)
      expect(outcome.plain.toString()).toBe('text'.repeat(count))
      stream.destroy()
    }
  }
})

test("on KeibiDrop's wire, what a stream of ours has written is refused when it comes back", async () => {
  const random = new Random('session keibidrop reflection')
  for (const role of reference.ROLES) {
    const wire = new Wire()
    const stream = secureStream(wire, { secret: SECRET, role, ciphers: ['aes-256-gcm'], compat: 'keibidrop' })
    const outcome = new Outcome(stream)
    stream.write(random.bytes(20))
    await until(() => wire.sent.length > 0, 'a frame')
    wire.feed(wire.sent)
    await outcome.over
    expect([outcome.errors[0]?.code, outcome.plain.length]).toEqual(['ERR_AESGCM_RECORD_REFUSED', 0])
  }
})

const ON_KEIBIDROP = {
  secret: SECRET,
  role: 'initiator',
  ciphers: ['aes-256-gcm'],
  compat: 'keibidrop',
} as const

test("on KeibiDrop's wire, a socket that ends within a record is an error", async () => {
  const writer = new reference.KeibidropWriter('aes-256-gcm', reference.keibidropKey('aes-256-gcm', [SECRET]))
  const [first, second] = [writer.seal(Buffer.from('text')), writer.seal(Buffer.from('more'))]
  // The cuts: within the length, within the header, and before the last byte.
  for (const cut of [1, 3, 10, 20, second.length - 1]) {
    const wire = new Wire()
    const outcome = new Outcome(secureStream(wire, ON_KEIBIDROP))
    wire.feed(Buffer.concat([first, second.subarray(0, cut)]))
    wire.finish()
    await outcome.over
    expect([outcome.errors[0]?.code, outcome.plain.toString()]).toEqual([
      'ERR_AESGCM_STREAM_TRUNCATED',
      'text',
    ])
  }
})

test("on KeibiDrop's wire, the last counter ends a key, and the next key begins anew", async () => {
  const text = Buffer.from('text')
  const frame = (secret: Buffer, counter: bigint) => {
    const key = reference.keibidropKey('aes-256-gcm', [secret])
    return new reference.KeibidropWriter('aes-256-gcm', key, { prefix: 'OUTB', counter }).seal(text)
  }
  const next = Buffer.from('a second secret for KeibiDrop, 34.')
  for (const rekeys of [true, false]) {
    const wire = new Wire()
    const stream = secureStream(wire, ON_KEIBIDROP)
    const outcome = new Outcome(stream)
    wire.feed(frame(SECRET, 2n ** 64n - 1n))
    await until(() => outcome.plain.length === 4, 'the last record of a key')
    if (rekeys) await stream.rekey(next)
    wire.feed(rekeys ? frame(next, 1n) : frame(SECRET, 1n))
    await until(() => outcome.errors.length > 0 || outcome.plain.length === 8, 'a result')
    expect(outcome.errors[0]?.code).toBe(rekeys ? undefined : 'ERR_AESGCM_KEY_EXHAUSTED')
    expect(outcome.plain.toString()).toBe(rekeys ? 'texttext' : 'text')
    stream.destroy()
  }
})

test("on KeibiDrop's wire, a stream that rekeys and ends writes nothing", async () => {
  const wire = new Wire()
  const written: number[] = []
  wire._write = (chunk: Buffer, _, done) => {
    written.push(chunk.length)
    done()
  }
  const stream = secureStream(wire, ON_KEIBIDROP)
  await new Promise<void>(resolve => process.nextTick(resolve))
  await stream.rekey(SECRET)
  await new Promise<void>(resolve => stream.end(resolve))
  expect([written, wire.writableFinished]).toEqual([[], true])
  stream.destroy()
})

/** A side on KeibiDrop's wire. */
const onKeibidrop = (limits = {}) => new Handshake({ ...ON_KEIBIDROP, ...limits })

test("on KeibiDrop's wire, a writer seals as many bytes as rekeyAfterBytes, and tells that a key is used up", () => {
  const { writer } = onKeibidrop({ rekeyAfterBytes: 10 }).finish(Buffer.alloc(0))
  const sealed = [4, 6, 0].map(bytes => writer.seal(Buffer.alloc(bytes)).length)
  expect(sealed).toEqual([4, 6, 0].map(bytes => 4 + 12 + bytes + 16))
  const told: unknown[] = []
  const listen = (message: unknown) => void told.push(message)
  subscribe('hardware-aes-gcm:key-exhausted', listen)
  refuses(() => writer.seal(Buffer.alloc(1)), 'ERR_AESGCM_KEY_EXHAUSTED')
  unsubscribe('hardware-aes-gcm:key-exhausted', listen)
  expect(told).toEqual([{ code: 'ERR_AESGCM_KEY_EXHAUSTED', limit: 'encryptions' }])
  writer.rekey(SECRET)
  refuses(() => writer.seal(Buffer.alloc(11)), 'ERR_AESGCM_KEY_EXHAUSTED')
  expect(writer.seal(Buffer.alloc(10))).toHaveLength(42)
  expect(writer.stats).toEqual({ bytes: 20, records: 4, epochs: 2 })
})

test("on KeibiDrop's wire, both sides may be destroyed twice, after the end and after a refusal", () => {
  const { writer, reader } = onKeibidrop().finish(Buffer.alloc(0))
  expect(writer.end()).toHaveLength(0)
  refuses(() => reader.open(Buffer.alloc(32)), 'ERR_AESGCM_RECORD_REFUSED')
  for (const one of [writer, reader, writer, reader]) one.destroy()
  refuses(() => writer.end(), 'ERR_AESGCM_DESTROYED')
})

test("on KeibiDrop's wire, a handshake has no hello, and takes none", () => {
  const handshake = onKeibidrop()
  expect(handshake.hello).toHaveLength(0)
  const { message } = refuses(() => handshake.finish(Buffer.alloc(1)), 'ERR_AESGCM_HANDSHAKE_FAILED')
  expect(message).toBe('the handshake failed: this wire has no hellos')
})

test("on KeibiDrop's wire, a length that does not fit is refused, also where the other bytes would be authentic", () => {
  const key = reference.keibidropKey('aes-256-gcm', [SECRET])
  const seal = (counter: bigint) =>
    new reference.KeibidropWriter('aes-256-gcm', key, { prefix: 'OUTB', counter }).seal(Buffer.alloc(0))
  /** The first record of this kind, and the one before it. */
  const first = (is: (record: Buffer) => boolean) => {
    for (let counter = 1n; ; counter++)
      if (is(seal(counter))) return [seal(counter - 1n), seal(counter)] as const
  }
  // The last byte of its nonce is the first one of its tag.
  const [, overlapping] = first(record => record[15] === record[16])
  const short = Buffer.concat([Buffer.of(0, 0, 0, 27), overlapping.subarray(4, 16), overlapping.subarray(17)])
  // A byte that is not there reads as 0.
  const cut = Buffer.concat(first(record => record.at(-1) === 0)).subarray(0, -1)
  for (const message of [short, cut]) {
    const { reader } = onKeibidrop().finish(Buffer.alloc(0))
    refuses(() => reader.open(message), 'ERR_AESGCM_RECORD_REFUSED')
  }
})
