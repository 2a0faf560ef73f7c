// A message from a reader to a writer, in reused memory. While one run of chunks is processed, the
// next is read and the last one written.
import type { Buffer } from 'node:buffer'
import { floor, max, min } from '../../cipher/base/builtins.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { allocate, byteLength, bytesOver, wipe } from '../../cipher/base/views.cjs'
import { chunksDestroy, chunksOpen, chunksSeal } from '../../cipher/native/calls.cjs'
import { chunksRefusal, forged, shortened, truncated } from './errors.cjs'
import { Header } from './header.cjs'
import type { OpeningKey, SealingKey } from './keys.cjs'
import { begin } from './message.cjs'
import type { Settings } from './options.cjs'
import { CHUNK_BYTES, SEALED_BYTES } from './sizes.cjs'

const SEAL = ['handle', 'source', 'target']
const OPEN = ['handle', 'first', 'source', 'target']
/** Most chunks read, processed and written together: 2 MiB, in four buffers. */
const RUN = 128

/** Where a message comes from, and where it goes. */
export interface Route {
  /** Reads some bytes to the beginning of `into`, and returns their number: 0 at the end. */
  read(into: Uint8Array): Promise<number>
  /** Writes all of `bytes`, which are used again when it has resolved. */
  write(bytes: Uint8Array): Promise<void>
  /** Called after a failure: a pending read should end, because its bytes are not needed. */
  stop?(): void
  /** The source's size, if known. Determines memory; a source to encrypt must keep to it. */
  readonly size: number | null
  /** Called after every run with the bytes read and processed so far. Throwing ends the work. */
  readonly progress: (done: number) => void
}

/**
 * Encrypts a source, and returns the number of bytes written. `key` stays the caller's; the key of
 * a message to recipients is wiped before the first byte is written.
 */
export async function encryptTo(route: Route, key: SealingKey, settings: Settings): Promise<number> {
  const { handle, header } = begin(key, settings)
  if (byteLength(key.before) > 0) wipe(key.bytes, 0)
  const { size } = route
  let taken = 0
  try {
    await route.write(header)
    return (
      header.length +
      (await transfer(route, CHUNK_BYTES, SEALED_BYTES, 0, (source, target, last) => {
        taken += source.length
        // Before the last chunk, which would make a message of what is left.
        if (last && size !== null && taken < size) throw shortened(taken, size)
        const status = chunksSeal(handle, source, target, last)
        if (!(status >= 0)) throw chunksRefusal(status, 0, SEAL, handle, source, target)
        return status
      }))
    )
  } finally {
    chunksDestroy(handle)
  }
}

/** Decrypts a source, and returns the number of bytes written. `key` stays the caller's. */
export async function decryptTo(route: Route, key: OpeningKey, settings: Settings): Promise<number> {
  const header = new Header(key)
  while (header.missing > 0) {
    const next = allocate(header.missing)
    if ((await fill(route, next)) < next.length) throw truncated()
    header.take(next)
  }
  const handle = header.resume(settings)
  let opened = 0
  try {
    return await transfer(route, SEALED_BYTES, CHUNK_BYTES, header.known, (source, target, last) => {
      const rest = source.length % SEALED_BYTES
      // If the tail is too short, the chunks before it are verified first: the first fault wins.
      const whole =
        last && rest < TAG_BYTES ? bytesOver(source.buffer as ArrayBuffer, 0, source.length - rest) : source
      const status = chunksOpen(handle, opened, whole, target, last && whole === source)
      if (!(status >= 0)) throw chunksRefusal(status, opened, OPEN, handle, opened, source, target)
      opened += floor(status / CHUNK_BYTES)
      if (whole !== source) throw rest === 0 ? truncated() : forged(opened)
      return status
    })
  } finally {
    chunksDestroy(handle)
  }
}

/** The cipher of a run of chunks: fills the beginning of `target`, and returns how many bytes. */
type Work = (source: Uint8Array, target: Uint8Array, last: boolean) => number

/** Memory of one run. */
interface Buffers {
  readonly source: Buffer<ArrayBuffer>
  readonly target: Buffer<ArrayBuffer>
}

async function transfer(
  route: Route,
  taken: number,
  given: number,
  before: number,
  work: Work,
): Promise<number> {
  const { size, progress } = route
  const run = size === null ? RUN : max(1, min(RUN, floor(size / taken) + 1))
  const newBuffers = (): Buffers => ({
    source: allocate(run * taken),
    target: allocate(run * max(taken, given)),
  })
  const all: Buffers[] = []
  let [written, done] = [0, before]
  const first = newBuffers()
  all.push(first)
  let reading = watched(fill(route, first.source))
  let writing = watched(Promise.resolve())
  try {
    for (let now = first, next: Buffers | undefined; ; [now, next] = [next as Buffers, now]) {
      const bytes: number = await reading
      const last = bytes < now.source.length
      if (!last) {
        next ??= newBuffers()
        if (all.length === 1) all.push(next)
        reading = watched(fill(route, next.source))
      }
      const made = work(bytesOver(now.source.buffer, 0, bytes), now.target, last)
      await writing
      writing = watched(route.write(bytesOver(now.target.buffer, 0, made)))
      ;[written, done] = [written + made, done + bytes]
      if (last) await writing
      progress(done)
      if (last) return written
    }
  } catch (error) {
    route.stop?.()
    throw error
  } finally {
    // The memory is in use until both have ended.
    await reading.catch(nothing)
    await writing.catch(nothing)
    for (const { source, target } of all) {
      wipe(source, 0)
      wipe(target, 0)
    }
  }
}

const nothing = () => {}

/** The promise. Its failure is handled when awaited, perhaps a turn after it happened. */
function watched<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(nothing)
  return promise
}

/** Fills `bytes`, and returns how many there are: fewer only at the end of the source. */
async function fill(route: Route, bytes: Uint8Array): Promise<number> {
  let filled = 0
  while (filled < bytes.length) {
    const some = await route.read(bytesOver(bytes.buffer as ArrayBuffer, filled, bytes.length - filled))
    if (some === 0) break
    filled += some
  }
  return filled
}
