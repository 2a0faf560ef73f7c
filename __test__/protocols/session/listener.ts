// One side of a random conversation over a SecureStream: how it reads, and what it gets.
import { Writable } from 'node:stream'
import type { SecureStream } from 'hardware-aes-gcm/session'
import type { Random } from '../../conformance/random.mjs'

/** A way to read. The promise is that the reader has got all, where it may lag behind the stream. */
type Way = (stream: SecureStream, random: Random, take: (chunk: Buffer) => void) => unknown

const WAYS: Record<string, Way> = {
  data: (stream, _, take) => stream.on('data', take),
  late: (stream, random, take) => {
    let turns = random.below(20)
    const wait = () => (turns-- > 0 ? setImmediate(wait) : stream.on('data', take))
    wait()
  },
  pauses: (stream, random, take) =>
    stream.on('data', chunk => {
      take(chunk)
      if (random.below(3) > 0) return
      stream.pause()
      setImmediate(() => stream.resume())
    }),
  readable: (stream, random, take) =>
    stream.on('readable', () => {
      const read = () => stream.read(1 + random.below(5000)) ?? stream.read()
      for (let chunk = read(); chunk !== null; chunk = read()) take(chunk)
    }),
  pipe: (stream, random, take) => {
    const later = random.pick([process.nextTick, setImmediate, (go: () => void) => go()])
    const target = new Writable({
      highWaterMark: random.pick([1, 1000, 2 ** 20]),
      write: (chunk, _encoding, done) => {
        take(chunk)
        later(done)
      },
    })
    // A pipe ends its target only if its source ends. The target of a source that ended may still have data to take.
    stream.once('close', () => stream.readableEnded || target.destroy())
    stream.pipe(target)
    return new Promise(resolve => target.once('close', resolve))
  },
  iterator: async (stream, _, take) => {
    try {
      for await (const chunk of stream.iterator({ destroyOnReturn: false })) take(chunk as Buffer)
    } catch {
      // The stream's 'error' event tells the same.
    }
  },
}

export class Listener {
  readonly way: string
  readonly errors: (Error & { code?: string })[] = []
  readonly events = { secure: 0, end: 0, finish: 0, close: 0 }
  /** Whether data came before 'secure'. */
  early = false
  /** When the stream is closed, and the reader has got all. */
  readonly over: Promise<unknown>
  /** What came, and copies: the memory is the consumer's from then on. */
  readonly #chunks: [Buffer, Buffer][] = []

  constructor(random: Random, stream: SecureStream) {
    this.way = random.pick(Object.keys(WAYS))
    for (const name of Object.keys(this.events) as (keyof typeof this.events)[])
      stream.on(name, () => this.events[name]++)
    stream.on('error', error => this.errors.push(error))
    const closed = new Promise(resolve => stream.once('close', resolve))
    const read = WAYS[this.way]?.(stream, random, chunk => {
      if (this.events.secure === 0) this.early = true
      this.#chunks.push([chunk, Buffer.from(chunk)])
    })
    this.over = Promise.all([closed, read])
  }

  get received(): Buffer {
    return Buffer.concat(this.#chunks.map(([, copy]) => copy))
  }

  get changed(): boolean {
    return this.#chunks.some(([chunk, copy]) => !chunk.equals(copy))
  }
}
