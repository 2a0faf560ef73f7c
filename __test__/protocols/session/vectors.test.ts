// The vectors of docs/formats.md, replayed by the reference; the reference beside node:crypto's HKDF; and both beside ours.
import { hkdfSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Handshake, secureStream } from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { must, Random, ROOT } from '../../tools/support.js'
import { EXTRA, KEIBIDROP, SCRIPT, SECRETS, SESSIONS } from '../../vectors/session.js'
import { beside, Outcome, recordsOf, until, Wire } from './wire.js'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

for (const { cipher, context, hello, transcript, prk, epochs, records } of SESSIONS) {
  const name = context === undefined ? cipher : `${cipher} and a context`
  test(`the session with ${name}: hellos, transcript, keys and records`, () => {
    for (const role of reference.ROLES)
      expect(
        reference
          .hello(role, reference.randomOf(hello[role]), reference.idsOf(hello[role]))
          .equals(hello[role]),
      ).toBe(true)
    expect(hex(reference.transcriptOf(hello.initiator, hello.responder, context))).toBe(hex(transcript))
    expect(hex(reference.extract(transcript, SECRETS))).toBe(hex(prk))
    const ours = reference.session('initiator', hello.initiator, hello.responder, SECRETS, context)
    const directions = { initiator: ours.writer, responder: ours.reader }
    expect(ours.cipher).toBe(cipher)
    for (const role of reference.ROLES) {
      const direction = directions[role]
      for (const [n, [type, text]] of SCRIPT[role].entries()) {
        const known = epochs[role][direction.epoch]
        if (known !== undefined)
          expect(Object.values(direction.keys).map(hex)).toEqual([known.key, known.iv, known.chain].map(hex))
        const record = records[role][n] as Buffer
        const { number } = direction
        expect(direction.open(record)).toEqual({
          type: reference.TYPES[type],
          data: Buffer.from(text, 'latin1'),
        })
        direction.number = number
        expect(hex(direction.seal(reference.TYPES[type], Buffer.from(text, 'latin1')))).toBe(hex(record))
        if (type === 'rekey') direction.rekeyed(text === '\x01' ? EXTRA : [])
      }
    }
  })
}

test("the reference's keys are those of node:crypto's HKDF", () => {
  const { prk, transcript, epochs } = SESSIONS[0]
  const info = (direction: number, purpose: string) =>
    `KeibiDrop-AES-256-GCM-SEK\0${String.fromCharCode(direction)}${purpose}`
  const of = (direction: number, purpose: string, length: number) =>
    hex(
      Buffer.from(
        hkdfSync('sha512', reference.prefixed(SECRETS), transcript, info(direction, purpose), length),
      ),
    )
  expect(prk).toHaveLength(64)
  for (const [n, role] of reference.ROLES.entries()) {
    const [{ key, iv, chain }] = epochs[role] as unknown as [reference.Keys]
    expect([of(n + 1, 'key', 32), of(n + 1, 'iv', 12), of(n + 1, 'chain', 64)]).toEqual(
      [key, iv, chain].map(hex),
    )
  }
  for (const { cipher, key } of KEIBIDROP) {
    const { label } = reference.CIPHERS[cipher]
    expect(hex(Buffer.from(hkdfSync('sha512', Buffer.concat([...SECRETS]), '', label, 32)))).toBe(hex(key))
  }
})

test('the transcript of KeibiDrop, by the reference', () => {
  for (const { cipher, key, frames, nextKey, nextFrame } of KEIBIDROP) {
    expect(hex(reference.keibidropKey(cipher, SECRETS))).toBe(hex(key))
    const writer = new reference.KeibidropWriter(cipher, key)
    for (const [n, text] of ['hardware', '', 'aes'].entries()) {
      const frame = frames[n] as Buffer
      expect(hex(writer.seal(Buffer.from(text)))).toBe(hex(frame))
      expect(reference.openKeibidrop(cipher, key, frame).data.toString()).toBe(text)
      expect(hex(frame.subarray(4, 16))).toBe(`4f555442000000000000000${n + 1}`)
    }
    expect(hex(reference.keibidropKey(cipher, EXTRA))).toBe(hex(nextKey))
    expect(hex(new reference.KeibidropWriter(cipher, nextKey).seal(Buffer.from('gcm')))).toBe(hex(nextFrame))
  }
})

test('streams of ours read the transcript of KeibiDrop, in both roles', async () => {
  for (const { cipher, frames, nextKey, nextFrame } of KEIBIDROP) {
    for (const role of reference.ROLES) {
      const wire = new Wire()
      const stream = secureStream(wire, { secret: SECRETS, role, ciphers: [cipher], compat: 'keibidrop' })
      const outcome = new Outcome(stream)
      wire.feed(Buffer.concat([...frames]))
      await until(() => outcome.plain.length > 10, 'the plaintext')
      expect(outcome.plain.toString()).toBe('hardwareaes')
      // And the next key, on both sides.
      await stream.rekey(EXTRA)
      wire.feed(nextFrame)
      await until(() => outcome.plain.length > 13, 'the plaintext')
      expect(outcome.plain.toString()).toBe('hardwareaesgcm')
      stream.write('answer')
      await until(() => wire.sent.length > 0, 'a frame')
      expect(reference.openKeibidrop(cipher, nextKey, wire.sent).data.toString()).toBe('answer')
      stream.destroy()
    }
  }
})

test('the figures of docs/formats.md are those of the vectors', () => {
  const text =
    readFileSync(`${ROOT}docs/formats.md`, 'utf8').match(/\n## Sessions\n.*?(?=\n## |$)/s)?.[0] ?? ''
  // Lines of hex digits that follow each other are one value.
  const shown = new Set(
    [...text.matchAll(/(?:[0-9a-f]{2,}(?:[ \n]+|$))+/g)].map(([run]) => run.replace(/\s/g, '')),
  )
  const [first, last] = [SESSIONS[0], SESSIONS[3]]
  const wanted = [
    ...Object.values(first.hello),
    first.transcript,
    first.prk,
    last.transcript,
    last.prk,
    ...reference.ROLES.flatMap(role => first.epochs[role].flatMap(({ key, iv, chain }) => [key, iv, chain])),
    ...SESSIONS.flatMap(({ records }) => reference.ROLES.flatMap(role => records[role])),
    ...KEIBIDROP.flatMap(({ key, frames, nextKey, nextFrame }) => [key, ...frames, nextKey, nextFrame]),
  ]
  for (const value of wanted) must(shown.has(hex(value)), () => `docs/formats.md lacks ${hex(value)}`)
})

test('streams of ours and the reference understand each other, over rekeys and any data', async () => {
  const random = new Random('session reference')
  for (const role of reference.ROLES) {
    for (const cipher of reference.NAMES) {
      const session = await beside(random, {
        role,
        ciphers: [cipher],
        secret: SECRETS,
        rekeyAfterBytes: 50_000,
      })
      const { stream, wire, outcome, peer, writer, reader } = session
      wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0)]))
      const given = Array.from({ length: 30 }, (_, n) =>
        random.bytes(n === 5 || n === 6 ? n - 5 : 5000 + random.below(15_000)),
      )
      for (const [n, bytes] of given.entries()) {
        if (n % 7 === 3) wire.feed(writer.rekey())
        wire.feed(writer.seal(1, bytes))
        stream.write(bytes)
      }
      wire.feed(writer.seal(3))
      wire.finish()
      stream.end()
      await outcome.over
      await until(() => stream.writableFinished, 'the end')
      const records = reader.openAll(Buffer.concat(recordsOf(session)))
      const all = Buffer.concat(given)
      expect(outcome.plain.equals(all)).toBe(true)
      expect(
        Buffer.concat(records.filter(({ type }) => type === 1).map(({ data }) => data)).equals(all),
      ).toBe(true)
      expect(records.at(0)).toEqual({ type: 0, data: Buffer.alloc(0) })
      expect(records.at(-1)).toEqual({ type: 3, data: Buffer.alloc(0) })
      expect(reader.epoch).toBeGreaterThan(3)
      expect(stream.cipher).toBe(cipher)
      expect(stream.stats).toMatchObject({ sent: { bytes: all.length }, received: { bytes: all.length } })
    }
  }
})

test("on KeibiDrop's wire, frames and an end that come before anything else are not lost", async () => {
  const [{ cipher, frames }] = KEIBIDROP
  for (const given of [[], frames.slice(0, 1), frames]) {
    const wire = new Wire()
    const stream = secureStream(wire, {
      secret: SECRETS,
      role: 'responder',
      ciphers: [cipher],
      compat: 'keibidrop',
    })
    const outcome = new Outcome(stream)
    if (given.length > 0) wire.feed(Buffer.concat([...given]))
    wire.finish()
    await outcome.over
    expect([outcome.ended, outcome.plain.toString()]).toEqual([
      true,
      ['', 'hardware', 'hardware', 'hardwareaes'][given.length],
    ])
    stream.destroy()
  }
})

test('writers cut data at 64 KiB', async () => {
  const session = await beside(new Random('session cut'), { role: 'initiator' })
  const { stream, wire, outcome, peer, writer, reader } = session
  wire.feed(Buffer.concat([reference.framed(peer), writer.seal(0), writer.seal(3)]))
  wire.finish()
  stream.end(Buffer.alloc(200_000, 1))
  await outcome.over
  await until(() => stream.writableFinished, 'the end')
  const records = reader.openAll(Buffer.concat(recordsOf(session)))
  expect(records.map(({ data }) => data.length)).toEqual([0, 65_536, 65_536, 65_536, 3392, 0])
})

test('messages of ours and the reference understand each other', () => {
  const random = new Random('session messages of the reference')
  for (const role of reference.ROLES) {
    for (const cipher of reference.NAMES) {
      const handshake = new Handshake({ secret: SECRETS, role, ciphers: [cipher] })
      const theirRole = reference.other(role)
      const peer = reference.hello(theirRole, random.bytes(32), [1, 2, 3])
      const theirs = reference.session(theirRole, peer, handshake.hello, SECRETS)
      const ours = handshake.finish(peer)
      const text = random.bytes(70_000)
      const sent = [
        ours.writer.seal(text),
        ours.writer.rekey(),
        ours.writer.seal(text),
        ours.writer.rekey(EXTRA),
      ]
      sent.push(ours.writer.seal(text), ours.writer.end())
      const records = theirs.reader.openAll(Buffer.concat(sent), [EXTRA])
      expect(records.at(0)).toEqual({ type: 0, data: Buffer.alloc(0) })
      expect(records.at(-1)).toEqual({ type: 3, data: Buffer.alloc(0) })
      expect(
        Buffer.concat(records.filter(({ type }) => type === 1).map(({ data }) => data)).equals(
          Buffer.concat([text, text, text]),
        ),
      ).toBe(true)
      const { writer } = theirs
      const same = (opened: Buffer[]) => expect([opened.length, opened[0]?.equals(text)]).toEqual([1, true])
      same(ours.reader.open(Buffer.concat([writer.seal(0), writer.seal(1, text), writer.rekey()])))
      same(ours.reader.open(writer.seal(1, text)))
      ours.reader.rekey(EXTRA)
      const [rekey, data] = [writer.rekey(EXTRA), writer.seal(1, text)]
      expect(ours.reader.open(rekey)).toEqual([])
      same(ours.reader.open(data))
      expect(ours.reader.open(writer.seal(3))).toEqual([])
      expect(ours.reader.ended).toBe(true)
    }
  }
})
