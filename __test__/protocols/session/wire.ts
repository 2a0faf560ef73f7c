// A socket in memory, at whose other end stands a test, and a session of ours upon it beside the reference.
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { type SecureStream, type SecureStreamOptions, secureStream } from 'hardware-aes-gcm/session'
import type { Random } from '../../conformance/random.mjs'
import * as reference from '../../models/session.js'

export const SECRET = Buffer.from('a secret that both sides of a test share')

/** Keeps copies of written bytes, and gives out copies, because a session opens records where they lie. */
export class Wire extends Duplex {
  #sent: Buffer[] = []

  override _read(): void {}

  override _write(chunk: Buffer, _: unknown, done: () => void): void {
    this.#sent.push(Buffer.from(chunk))
    done()
  }

  /** All bytes that the session has written. */
  get sent(): Buffer {
    return Buffer.concat(this.#sent)
  }

  /** Bytes for the session, in chunks of these lengths; the rest, or by default all, in one chunk. */
  feed(bytes: Buffer, lengths: Iterable<number> = []): void {
    let at = 0
    for (const length of lengths) {
      if (at + length >= bytes.length) break
      this.push(Buffer.from(bytes.subarray(at, at + length)))
      at += length
    }
    if (at < bytes.length) this.push(Buffer.from(bytes.subarray(at)))
  }

  /** The end of the socket, as the session sees it. */
  finish(): void {
    this.push(null)
  }
}

/** Lengths of chunks for `total` bytes, of a kind that is chosen at random. */
export function randomChunks(random: Random, total: number): number[] {
  const most = random.pick([1, 2, 7, 40, 1000, total + 1])
  const lengths: number[] = []
  for (let left = total; left > 0; ) {
    const length = 1 + random.below(most)
    lengths.push(length)
    left -= length
  }
  return lengths
}

/** What came out of a stream so far, and how it ended. */
export class Outcome {
  readonly #chunks: Buffer[] = []
  readonly errors: (Error & { code?: string })[] = []
  ended = false
  /** When the stream has ended or failed. */
  readonly over: Promise<void>

  constructor(stream: Duplex) {
    stream.on('data', chunk => this.#chunks.push(Buffer.from(chunk)))
    this.over = new Promise(resolve => {
      stream.on('error', error => {
        this.errors.push(error)
        resolve()
      })
      stream.on('end', () => {
        this.ended = true
        resolve()
      })
      stream.on('close', resolve)
    })
  }

  get plain(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** The longest wait: a small segment of TCP alone may wait 40 ms for an acknowledgement, and a busy machine is slow. */
const PATIENCE_MS = 20_000

/** Waits until `holds`, turn by turn of the event loop. A wait has a limit of time, since a fast CPU makes 20 000 turns in 27 ms. */
export async function until(holds: () => boolean, what = 'what a test waits for'): Promise<void> {
  for (const limit = performance.now() + PATIENCE_MS; !holds(); ) {
    if (performance.now() > limit) throw new Error(`${what} does not happen`)
    await turn()
  }
}

/** A hello of the reference, for all ciphers unless others are given. */
export const randomHello = (random: Random, role: reference.Role, ids: readonly number[] = [1, 2, 3]) =>
  reference.hello(role, random.bytes(32), ids)

export interface Beside {
  stream: SecureStream
  wire: Wire
  outcome: Outcome
  /** The session's own hello, and the reference's. */
  own: Buffer
  peer: Buffer
  /** Both directions as the reference's side uses them. */
  writer: reference.Direction
  reader: reference.Direction
}

/** A stream of ours after its hello. The reference knows the keys, but has not yet sent its own hello. */
export async function beside(
  random: Random,
  options: Partial<SecureStreamOptions> & { role: reference.Role },
  ids?: readonly number[],
): Promise<Beside> {
  const wire = new Wire()
  const stream = secureStream(wire, { secret: SECRET, ...options })
  const outcome = new Outcome(stream)
  await until(() => wire.sent.length > 2 && wire.sent.length >= 2 + wire.sent.readUInt16BE(), 'a hello')
  const own = wire.sent.subarray(2)
  const role = reference.other(options.role)
  const peer = randomHello(random, role, ids)
  const secret = options.secret ?? SECRET
  const secrets = (secret instanceof Uint8Array ? [secret] : secret).map(bytes => Buffer.from(bytes))
  const { context } = options
  const bytes = context == null ? undefined : Buffer.from(context as Uint8Array)
  const { writer, reader } = reference.session(role, peer, own, secrets, bytes)
  return { stream, wire, outcome, own, peer, writer, reader }
}

/** The records that a session has written behind its hello. */
export const recordsOf = ({ wire, own }: Beside): Buffer[] =>
  reference.cut(wire.sent.subarray(2 + own.length))
