// Many connections over TCP at once, cut at random moments: each cut one is an error, never a clean end.
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { secureStream } from 'hardware-aes-gcm/session'
import { expect, test } from 'vitest'
import * as reference from '../../models/session.js'
import { must, Random } from '../../tools/support.js'
import { listening, sides, sockets, watched } from './pair.js'
import { Outcome, SECRET } from './wire.js'

const CONNECTIONS = 200
const BYTES = 100_000

test(`${CONNECTIONS} connections at once, half of them cut`, async () => {
  const random = new Random('session many')
  const server = await listening()
  const text = randomFillSync(Buffer.alloc(BYTES))
  const tally = { whole: 0, cut: 0 }

  async function one(n: number, connected: Awaited<ReturnType<typeof sockets>>) {
    const cipher = random.pick(reference.NAMES)
    const { left, right } = sides({ ciphers: [cipher], rekeyAfterBytes: 30_000 }, { sockets: connected })
    const outcomes = [new Outcome(left), new Outcome(right)] as const
    const victim = random.below(2) === 0 ? undefined : random.pick(connected)
    const after = random.below(2 * BYTES)
    let passed = 0
    const count = (chunk: Buffer) => {
      passed += chunk.length
      if (victim !== undefined && passed >= after && !victim.destroyed) {
        if (n % 2 === 0) victim.destroy()
        else victim.resetAndDestroy()
      }
    }
    if (victim !== undefined && after < BYTES / 10) setImmediate(() => victim.destroy())
    for (const stream of [left, right]) {
      stream.on('data', count)
      for (let at = 0; at < BYTES; at += 10_000) stream.write(text.subarray(at, at + 10_000))
      stream.end()
    }
    await Promise.all(outcomes.map(({ over }) => over))
    for (const { plain, errors, ended } of outcomes) {
      must(plain.equals(text.subarray(0, plain.length)), 'other bytes')
      // An end is clean if and only if everything has arrived.
      must(ended === (errors.length === 0), () => `connection ${n}: ${ended}, ${errors}`)
      if (ended)
        must(plain.length === BYTES, () => `connection ${n}: a clean end after ${plain.length} bytes`)
      tally[ended ? 'whole' : 'cut']++
    }
    if (victim === undefined) expect(outcomes.every(({ ended }) => ended)).toBe(true)
    left.destroy()
    right.destroy()
  }

  const running: Promise<void>[] = []
  for (let n = 0; n < CONNECTIONS; n++) running.push(one(n, await sockets(server)))
  await Promise.all(running)
  server.close()
  // Two connections of five that are cut end cleanly all the same, because everything was on its way: of 400 ends, 80 are cut, give or
  // take 9.
  expect(tally.cut).toBeGreaterThan(CONNECTIONS / 8)
  expect(tally.whole).toBeGreaterThan(CONNECTIONS / 2)
})

test('a socket that is cut right before, in and after every record is an error', async () => {
  const random = new Random('session cut off')
  const server = await listening()
  for (let n = 0; n < 50; n++) {
    const [left, right] = await sockets(server)
    const sender = secureStream(left, { secret: SECRET, role: 'initiator' })
    const receiver = secureStream(right, { secret: SECRET, role: 'responder', allowSelf: true })
    const outcome = new Outcome(receiver)
    const lost = new Outcome(sender)
    for (let record = 0; record < 5; record++) sender.write(random.bytes(random.below(3000)))
    for (let turns = random.below(12); turns > 0; turns--) await turn()
    left.destroy()
    await Promise.all([outcome.over, lost.over])
    expect(outcome.ended).toBe(false)
    expect(outcome.errors.length).toBe(1)
    // The side whose own socket was destroyed does not end cleanly either.
    expect(lost.ended).toBe(false)
  }
  server.close()
})

test('an error that a socket reports after its session has failed is not an uncaught one', async () => {
  const { left, right, sockets, fromLeft, fromRight } = watched()
  await Promise.all([once(left, 'secure'), once(right, 'secure')])
  // The socket fails the next write, and only afterwards emits the error.
  sockets[0].end()
  left.write('late')
  await Promise.all([fromLeft.over, fromRight.over])
  for (let turns = 0; turns < 10; turns++) await turn()
  expect(fromRight.errors.map(({ code }) => code)).toEqual(['ERR_STREAM_WRITE_AFTER_END'])
  expect(fromLeft.errors.map(({ code }) => code)).toEqual(['ERR_AESGCM_STREAM_TRUNCATED'])
})
