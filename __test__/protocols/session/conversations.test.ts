// Random conversations over SecureStreams: writes of every kind, empty ones included, before and after 'secure', corked, piped,
// from callbacks, with rekeyings between them, on wires that cut and join the bytes, until both sides end or one is destroyed.
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { type SecureStreamOptions, secureStream } from 'hardware-aes-gcm/session'
import { afterAll, expect } from 'vitest'
import { Random } from '../../tools/support.js'
import { count, randomTest } from '../../tools/whole.js'
import { Listener } from './listener.js'
import { listening, sockets } from './pair.js'
import { type Manners, Speaker } from './speaker.js'
import { SECRET } from './wire.js'
import { wires } from './wires.js'

const ROUNDS = count(100, 10_000)
const SECONDS = 20

const server = await listening()
afterAll(() => server.close())

/** What a stream may fail with if a side destroys its own. */
const CODES =
  /^ERR_AESGCM_(STREAM_TRUNCATED|HANDSHAKE_FAILED)$|^ECONNRESET$|^EPIPE$|^ECONNABORTED$|^ERR_STREAM_PREMATURE_CLOSE$/

function optionsOf(random: Random, keibidrop: boolean): Partial<SecureStreamOptions> {
  if (keibidrop) return { compat: 'keibidrop', ciphers: ['aes-256-gcm'] }
  return random.pick([
    {},
    { rekeyAfterBytes: 100 + random.below(100_000) },
    { rekeyAfterRecords: 1 + random.below(5) },
    { maxRecord: 200 + random.below(70_000) },
    { ciphers: ['chacha20-poly1305'] },
  ])
}

/** One conversation. Returns what was wrong, if anything, and what was called. */
async function converse(round: number): Promise<{ faults: string[]; told: unknown }> {
  const random = new Random(`session conversation ${round}`)
  const keibidrop = random.below(6) === 0
  const options = optionsOf(random, keibidrop)
  const tcp = random.below(6) === 0
  const ends: [Duplex, Duplex] = tcp ? await sockets(server) : wires(random)
  const destroys = [random.below(8) === 0, random.below(8) === 0]
  const quiet = !destroys.includes(true)
  const manners = ends.map(
    (end, side): Manners => ({
      destroys: destroys[side] as boolean,
      mayFail: !quiet,
      rekeys: !keibidrop,
      // Without half open connections, the peer's end ends a stream into which a source still writes.
      pipes: end.allowHalfOpen,
    }),
  ) as [Manners, Manners]
  const streams = ends.map((end, side) =>
    secureStream(end, {
      secret: SECRET,
      ...options,
      role: side === 0 ? 'initiator' : 'responder',
      allowSelf: true,
    }),
  ) as [ReturnType<typeof secureStream>, ReturnType<typeof secureStream>]
  const listeners = streams.map(stream => new Listener(random, stream))
  const speakers = streams.map((stream, side) => new Speaker(random, stream, manners[side] as Manners))
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>(resolve => {
    timer = setTimeout(resolve, SECONDS * 1000, 'a stream stays open')
  })
  const over = Promise.all([
    ...speakers.map(speaker => speaker.speak()),
    ...listeners.map(({ over }) => over),
  ])
  const hangs = await Promise.race([over.then(() => undefined), late])
  clearTimeout(timer)
  for (let n = 0; n < 3; n++) await turn()
  const faults = hangs === undefined ? [] : [hangs]
  for (const side of [0, 1] as const) {
    const [speaker, listener, peer] = [speakers[side], listeners[side], speakers[1 - side]] as [
      Speaker,
      Listener,
      Speaker,
    ]
    const fault = (what: string) => faults.push(`side ${side}: ${what}`)
    const [received, sent] = [listener.received, Buffer.concat(peer.sent)]
    const { secure, end, finish, close } = listener.events
    if (quiet) {
      for (const error of listener.errors) fault(`${error.code ?? error}`)
      // On KeibiDrop's wire, the peer's first record makes a stream secure, and there may be none.
      const secured = keibidrop && sent.length === 0 ? 0 : 1
      if (`${[secure, end, finish, close]}` !== `${secured},1,1,1`)
        fault(`events ${JSON.stringify(listener.events)}`)
      if (!received.equals(sent)) fault(`${received.length} bytes of ${sent.length}, or others`)
    } else {
      for (const { code, message } of listener.errors)
        if (!CODES.test(code ?? '') && message !== 'of the caller') fault(`${code ?? message}`)
      if (listener.errors.length > 1) fault('more than one error')
      if (!sent.subarray(0, received.length).equals(received)) fault('other bytes')
      if (end > 0 && !keibidrop && received.length !== sent.length)
        fault(`a clean end, ${received.length} bytes`)
    }
    if (listener.early) fault("data before 'secure'")
    if (listener.changed) fault('data changed after it was emitted')
    if (speaker.changed) fault('a chunk of the caller changed')
    if (speaker.awaited !== 0) fault(`${speaker.awaited} callbacks or promises too few or too many`)
    for (const what of speaker.faults) fault(what)
  }
  const logs = speakers.map(({ log }) => log.join(', '))
  const told = { tcp, options, manners, ways: listeners.map(({ way }) => way), logs }
  for (const stream of streams) stream.destroy()
  return { faults, told }
}

randomTest(
  `${ROUNDS} conversations`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { faults, told } = await converse(round)
      expect(faults, `conversation ${round}: ${JSON.stringify(told)}`).toEqual([])
    }
  },
  3_600_000,
)
