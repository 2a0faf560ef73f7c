// Records that are authentic and yet not allowed, and bytes behind the end.
import { AesGcmError } from 'hardware-aes-gcm'
import { Handshake } from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { Random } from '../../tools/support.js'
import { beside, randomHello, SECRET } from './wire.js'

const { confirm, data, rekey, end } = reference.TYPES
const NONE = Buffer.alloc(0)
const some = Buffer.from('some data')

/** Records that follow the hello, and the plaintext that may come out. `null`: they are allowed. */
const CASES: [name: string, (writer: reference.Direction) => Buffer[], plain: Buffer, code: string | null][] =
  [
    ['as it should be', w => [w.seal(confirm), w.seal(data, some), w.seal(end)], some, null],
    ['no data', w => [w.seal(confirm), w.seal(end)], NONE, null],
    [
      'an empty record of data',
      w => [w.seal(confirm), w.seal(data), w.seal(data, some), w.seal(end)],
      some,
      null,
    ],
    ['data before the confirm', w => [w.seal(data, some)], NONE, 'FAILED'],
    ['empty data in place of the confirm', w => [w.seal(data)], NONE, 'FAILED'],
    ['an end in place of the confirm', w => [w.seal(end)], NONE, 'FAILED'],
    ['a rekey in place of the confirm', w => [w.seal(rekey, Buffer.of(0))], NONE, 'FAILED'],
    ['a confirm with data', w => [w.seal(confirm, some)], NONE, 'FAILED'],
    ['a second confirm', w => [w.seal(confirm), w.seal(data, some), w.seal(confirm)], some, 'REFUSED'],
    ['an end with data', w => [w.seal(confirm), w.seal(end, some)], NONE, 'REFUSED'],
    ['an empty rekey', w => [w.seal(confirm), w.seal(rekey)], NONE, 'REFUSED'],
    ['a rekey of two bytes', w => [w.seal(confirm), w.seal(rekey, Buffer.alloc(2))], NONE, 'REFUSED'],
    ['a rekey of an unknown kind', w => [w.seal(confirm), w.seal(rekey, Buffer.of(2))], NONE, 'REFUSED'],
    ...[4, 5, 127, 128, 255].map(
      type =>
        [
          `type ${type}`,
          w => [w.seal(confirm), w.seal(data, some), w.seal(type, some)],
          some,
          'REFUSED',
        ] as (typeof CASES)[0],
    ),
    ['no end', w => [w.seal(confirm), w.seal(data, some)], some, 'TRUNCATED'],
    ['no confirm', () => [], NONE, 'FAILED'],
    [
      'a rekey that is not followed',
      w => [w.seal(confirm), w.seal(rekey, Buffer.of(0)), w.seal(data, some)],
      NONE,
      'REFUSED',
    ],
    [
      'a rekey without its record',
      w => {
        const first = w.seal(confirm)
        w.rekeyed()
        return [first, w.seal(data, some)]
      },
      NONE,
      'REFUSED',
    ],
  ]

const CODES: { [name: string]: string } = {
  FAILED: 'ERR_AESGCM_HANDSHAKE_FAILED',
  REFUSED: 'ERR_AESGCM_RECORD_REFUSED',
  TRUNCATED: 'ERR_AESGCM_STREAM_TRUNCATED',
}

for (const [name, records, plain, code] of CASES) {
  test(`a stream with ${name}`, async () => {
    const random = new Random(name)
    for (const role of reference.ROLES) {
      const { wire, outcome, peer, writer } = await beside(random, { role })
      wire.feed(Buffer.concat([reference.framed(peer), ...records(writer)]))
      wire.finish()
      await outcome.over
      expect([outcome.ended, outcome.errors.map(error => error.code)]).toEqual(
        code === null ? [true, []] : [false, [CODES[code]]],
      )
      expect(outcome.plain.toString()).toBe(plain.toString())
    }
  })

  test(`messages with ${name}`, () => {
    const random = new Random(name)
    const handshake = new Handshake({ secret: SECRET, role: 'responder' })
    const peer = randomHello(random, 'initiator')
    const { writer } = reference.session('initiator', peer, handshake.hello, [SECRET])
    const { reader } = handshake.finish(peer)
    const came: Buffer[] = []
    let error: unknown
    try {
      for (const record of records(writer)) came.push(...reader.open(record))
    } catch (thrown) {
      error = thrown
    }
    // A message that is missing is noticed by the missing end alone.
    const missing = code === 'TRUNCATED' || name === 'no confirm'
    if (code !== null && !missing)
      expect(error).toMatchObject({ constructor: AesGcmError, code: CODES[code] })
    else expect(error).toBe(undefined)
    expect(reader.ended).toBe(code === null)
    expect(Buffer.concat(came).toString()).toBe(plain.toString())
  })
}

test('all refusals of a kind have one text', async () => {
  const random = new Random('session texts')
  const texts = new Set<string>()
  for (const [, records, , code] of CASES.filter(
    ([name, , , code]) => code !== null && name !== 'no confirm',
  )) {
    const { wire, outcome, peer, writer } = await beside(random, { role: 'initiator' })
    wire.feed(Buffer.concat([reference.framed(peer), ...records(writer)]))
    wire.finish()
    await outcome.over
    texts.add(`${code} ${outcome.errors[0]?.message}`)
  }
  expect(texts.size).toBe(3)
})

test('bytes behind the end record fail the stream, if they come before its end was read', async () => {
  const random = new Random('session behind the end')
  for (const tail of [Buffer.of(0), some, Buffer.alloc(100)]) {
    const { wire, outcome, peer, writer } = await beside(random, { role: 'responder' })
    const records = [writer.seal(confirm), writer.seal(data, some), writer.seal(end)]
    wire.feed(Buffer.concat([reference.framed(peer), ...records, tail]))
    wire.finish()
    await outcome.over
    expect([outcome.ended, outcome.errors.map(({ code }) => code)]).toEqual([
      false,
      ['ERR_AESGCM_RECORD_REFUSED'],
    ])
  }
  const handshake = new Handshake({ secret: SECRET, role: 'responder' })
  const peer = randomHello(random, 'initiator')
  const { writer } = reference.session('initiator', peer, handshake.hello, [SECRET])
  const { reader } = handshake.finish(peer)
  reader.open(Buffer.concat([writer.seal(confirm), writer.seal(end)]))
  expect(reader.ended).toBe(true)
  for (let n = 0; n < 2; n++)
    expect(() => reader.open(writer.seal(data, some))).toThrow(
      expect.objectContaining({ code: 'ERR_AESGCM_RECORD_REFUSED' }),
    )
})

test('a first message that is cut off anywhere is a failed handshake, a later one a refused record', () => {
  const random = new Random('session cut messages')
  const ready = () => {
    const handshake = new Handshake({ secret: SECRET, role: 'responder' })
    const peer = randomHello(random, 'initiator')
    const { writer } = reference.session('initiator', peer, handshake.hello, [SECRET])
    return { ...handshake.finish(peer), seal: writer }
  }
  for (let length = 1; length < 21; length++) {
    const { reader, seal } = ready()
    expect(() => reader.open(seal.seal(confirm).subarray(0, length))).toThrow(
      expect.objectContaining({ code: 'ERR_AESGCM_HANDSHAKE_FAILED' }),
    )
    const later = ready()
    later.reader.open(later.seal.seal(confirm))
    expect(() => later.reader.open(later.seal.seal(data, some).subarray(0, length))).toThrow(
      expect.objectContaining({ code: 'ERR_AESGCM_RECORD_REFUSED' }),
    )
  }
})
