// A connection in memory that cuts the bytes on their way at random places, or joins them, and brings them at once or later.
import { Duplex } from 'node:stream'
import type { Random } from '../../conformance/random.mjs'

/** When bytes arrive: within the write, in the next tick, or in the next turn of the event loop. */
const TIMES = [(go: () => void) => go(), process.nextTick, setImmediate] as const

class End extends Duplex {
  peer!: End
  readonly #random: Random
  readonly #later: (go: () => void) => unknown
  /** The longest piece of a write; undefined for writes that arrive as they are. */
  readonly #most: number | undefined
  #release: (() => void) | undefined
  #told = false

  constructor(random: Random, joins: boolean) {
    const join = (chunks: { chunk: Buffer }[], done: () => void) =>
      this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
    super({ allowHalfOpen: random.below(4) > 0, ...(joins && { writev: join as never }) })
    this.#random = random
    this.#later = random.pick(TIMES)
    this.#most = random.pick([undefined, 1, 5, 60, 3000, 100_000])
  }

  override _read(): void {
    const release = this.#release
    this.#release = undefined
    release?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send(Buffer.from(chunk), done)
  }

  #send(bytes: Buffer, done: () => void): void {
    this.#later(() => {
      const { peer } = this
      if (peer.#take(bytes, this.#most)) done()
      else peer.#release = done
    })
  }

  /** Whether more bytes may come. A session opens records where they lie, so each piece has memory of its own. */
  #take(bytes: Buffer, most = bytes.length): boolean {
    if (this.destroyed || this.#told) return true
    let more = true
    const longest = Math.max(most, Math.ceil(bytes.length / 200))
    for (let at = 0; at < bytes.length && !this.destroyed; ) {
      const end = at + 1 + (most < bytes.length ? this.#random.below(longest) : bytes.length)
      more = this.push(Buffer.from(bytes.subarray(at, end)))
      at = end
    }
    return more || this.destroyed
  }

  #tell(): void {
    if (!this.destroyed && !this.#told) this.push(null)
    this.#told = true
  }

  override _final(done: () => void): void {
    this.#later(() => {
      this.peer.#tell()
      done()
    })
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#later(() => this.peer.#tell())
    this._read()
    done(error)
  }
}

/** The two ends of such a connection. If one is destroyed, the other one sees the end, as with sockets. */
export function wires(random: Random): [Duplex, Duplex] {
  const joins = random.below(2) === 0
  const [left, right] = [new End(random, joins), new End(random, joins)]
  left.peer = right
  right.peer = left
  return [left, right]
}
