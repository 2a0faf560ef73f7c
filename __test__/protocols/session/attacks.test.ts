// Streams and messages that an attacker has changed on their way: all are refused, and only authentic plaintext comes out.
import { AesGcmError } from 'hardware-aes-gcm'
import { Handshake } from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { must, Random, run } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import {
  judge,
  type Material,
  MUTATIONS,
  mutated,
  oldRecordsFor,
  plainOf,
  randomSteps,
  recordsFor,
} from './mutations.js'
import { type Beside, beside, randomChunks, randomHello, recordsOf, SECRET, until } from './wire.js'

const STREAMS = count(500, 10_000)
const MESSAGES = count(300, 5000)
const FAILED = 'ERR_AESGCM_HANDSHAKE_FAILED'
const REFUSED = 'ERR_AESGCM_RECORD_REFUSED'
const TRUNCATED = 'ERR_AESGCM_STREAM_TRUNCATED'

/** What the reference sends to the session, in clear and sealed, and what an attacker has beside it. */
function material(random: Random, sealer: reference.Direction, own: Buffer[]): Material {
  const steps = randomSteps(random, 300)
  const { cipher, writer, keys } = sealer
  const fresh = new reference.Direction(cipher, writer, keys)
  const prk = reference.extract(random.bytes(64), [SECRET])
  const foreign = new reference.Direction(cipher, writer, reference.keysOf(prk, cipher, writer))
  return {
    records: recordsFor(sealer, steps),
    plain: plainOf(steps),
    old: oldRecordsFor(fresh, steps),
    foreign: recordsFor(foreign, steps),
    own,
  }
}

/** Our side writes as much as the reference will, so that its records may be reflected. */
async function withOwnRecords(random: Random): Promise<Beside> {
  const role = random.pick(reference.ROLES)
  const name = random.pick(reference.NAMES)
  const session = await beside(random, { role, ciphers: [name] })
  session.wire.feed(reference.framed(session.peer))
  await until(() => recordsOf(session).length > 0, 'a confirm')
  return session
}

test(`${STREAMS} changed streams: each fails with a typed error, and nothing unauthenticated comes out`, async () => {
  const random = new Random('session attacks')
  const seen: { [what: string]: number } = {}
  let exact = 0
  for (let n = 0; n < STREAMS; n++) {
    const session = await withOwnRecords(random)
    const { stream, wire, outcome, writer } = session
    const given = material(random, writer, recordsOf(session))
    const { name, bytes } = mutated(random, given)
    const { plain, first, truncated, refused } = judge(given, bytes)
    const what = () => `stream ${n}, ${name}`
    wire.feed(bytes, randomChunks(random, bytes.length))
    wire.finish()
    await outcome.over
    const [error] = outcome.errors
    const code = error?.code
    must(!outcome.ended, () => `${what()}: a clean end`)
    must(error instanceof AesGcmError, () => `${what()}: ${error}`)
    if (first) must(code === FAILED, () => `${what()}: ${code}`)
    else if (truncated) must(code === TRUNCATED, () => `${what()}: ${code}`)
    else must(code === REFUSED || (code === TRUNCATED && !refused), () => `${what()}: ${code}`)
    const came = outcome.plain
    must(came.equals(plain.subarray(0, came.length)), () => `${what()}: other bytes came out`)
    if (came.length === plain.length) exact++
    // The stream stays failed.
    must(stream.destroyed && !stream.writable, () => `${what()}: still open`)
    seen[`${name}, ${code}`] = (seen[`${name}, ${code}`] ?? 0) + 1
    if (n % 100 !== 0) continue
    const failure = await new Promise(resolve => stream.write(Buffer.of(1), resolve))
    must(failure instanceof Error, () => `${what()}: writes go on`)
    must(outcome.plain.equals(came) && outcome.errors.length === 1, () => `${what()}: it goes on`)
  }
  for (const name of Object.keys(MUTATIONS))
    expect(
      Object.keys(seen).some(what => what.startsWith(`${name}, `)),
      name,
    ).toBe(true)
  // Records in front of the change do come out.
  expect(exact).toBeGreaterThan(STREAMS * 0.9)
}, 300_000)

test(`${MESSAGES} changed messages: the reader refuses each, and stays failed`, () => {
  const random = new Random('session messages')
  for (let n = 0; n < MESSAGES; n++) {
    const role = random.pick(reference.ROLES)
    const handshake = new Handshake({ secret: SECRET, role, ciphers: [random.pick(reference.NAMES)] })
    const peer = randomHello(random, reference.other(role))
    const theirs = reference.session(reference.other(role), peer, handshake.hello, [SECRET])
    const { reader, writer } = handshake.finish(peer)
    const own = reference.cut(writer.seal(random.bytes(40)))
    const given = material(random, theirs.writer, own)
    const { name, bytes } = mutated(random, given)
    const { plain, first, truncated } = judge(given, bytes)
    const wanted = first ? FAILED : REFUSED
    const what = () => `message ${n}, ${name}`
    const messages: Buffer[] = reference.cut(bytes).map(record => Buffer.from(record))
    const rest = bytes.subarray(messages.reduce((sum, { length }) => sum + length, 0))
    if (rest.length > 0) messages.push(Buffer.from(rest))
    const came: Buffer[] = []
    let error: unknown
    for (const message of messages) {
      const before = Buffer.from(message)
      try {
        came.push(...reader.open(message))
      } catch (thrown) {
        error ??= thrown
        must(thrown instanceof AesGcmError && thrown.code === wanted, () => `${what()}: ${thrown}`)
        must(message.equals(before), () => `${what()}: a refused message was changed`)
        continue
      }
      must(error === undefined, () => `${what()}: opens after a refusal`)
    }
    must(!reader.ended, () => `${what()}: a clean end`)
    // Messages that are missing at the end are seen only by the missing end record.
    must(error !== undefined || (truncated && rest.length === 0), () => `${what()}: not refused`)
    must(Buffer.concat(came).equals(plain), () => `${what()}: other bytes came out`)
  }
})

test('data and errors named by Object.prototype do not come out of a stream', () => {
  const script = `
    import { duplexPair } from 'node:stream'
    import { secureStream } from 'hardware-aes-gcm/session'
    const secret = Buffer.alloc(32, 7), allowSelf = true
    const [one, two] = duplexPair()
    const sender = secureStream(one, { secret, allowSelf, role: 'initiator' })
    const receiver = secureStream(two, { secret, allowSelf, role: 'responder' })
    const data = []
    receiver.on('data', chunk => {
      data.push(chunk.toString())
      if (data.length > 1) process.exit(1)
    })
    receiver.on('error', () => process.exit(2))
    receiver.on('end', () => {
      delete Object.prototype.data
      delete Object.prototype.error
      console.log(data.join())
    })
    receiver.on('secure', () => {
      Object.prototype.data = Buffer.from('forged')
      Object.prototype.error = new Error('forged')
      sender.rekey()
      sender.end('hello')
      receiver.end()
    })`
  const { status, stdout, stderr } = run(script)
  expect([status, stdout, stderr]).toEqual([0, 'hello\n', ''])
})
