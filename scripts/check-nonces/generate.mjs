// One worker thread: encrypts with several objects on one key, as many frames as it is told, and spreads their nonces.
import { setImmediate as turn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { AesGcm, OVERHEAD, reseed } from 'hardware-aes-gcm'
import { NONCE_BYTES, Spreader } from './buckets.mjs'

const { key, nonces, seed, kind, reseeds, planted, files } = workerData

// One object lives through the run and makes `living` sixteenths of all bursts, of up to `burst` frames each; the others
// give way to new ones after `frames` at most.
const KINDS = {
  long: { living: 15, burst: 4096, frames: 4096 },
  mixed: { living: 4, burst: 64, frames: 4096 },
  brief: { living: 1, burst: 64, frames: 2 },
}
const { living, burst: longest, frames: shortLife } = KINDS[kind]
const OBJECTS = 6
const LONGEST_TEXT = 32
// Between turns of the event loop, in which objects that were dropped are released.
const MOST_AT_ONCE = 2 ** 16

// The same choices for the same seed (xorshift32; nothing depends on its quality).
let state = seed | 1
function below(end) {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return (state >>> 0) % end
}

// The frame that every object encrypts, seen as bytes by length, and as the words a nonce is copied from. Lengths are
// whole words, so that nonces are too.
const memory = new ArrayBuffer(OVERHEAD + LONGEST_TEXT)
const words = new Uint32Array(memory)
const frames = Array.from(
  { length: LONGEST_TEXT / 4 + 1 },
  (_, i) => new Uint8Array(memory, 0, OVERHEAD + i * 4),
)

let made = 0
/** An object that makes `most` frames at most, often far fewer and often a single one. */
function make(most) {
  made++
  const nonceAt = below(2) === 0 ? 'start' : 'end'
  const maxMessages = most === Infinity ? undefined : 1 + below(2 ** below(1 + Math.log2(most)))
  return { aes: new AesGcm(key, { nonceAt, maxMessages }), nonceAt, left: maxMessages ?? Infinity }
}

const spreader = new Spreader(files)
const objects = Array.from({ length: OBJECTS }, (_, i) => make(i === 0 ? Infinity : shortLife))

/** Some frames of one object, of one length; the object gives way to a new one with its last. Gives their number. */
function burst(most) {
  const chosen = below(16) < living ? 0 : 1 + below(OBJECTS - 1)
  const object = objects[chosen]
  const frame = frames[below(frames.length)]
  const at = object.nonceAt === 'start' ? 0 : (frame.length - NONCE_BYTES) / 4
  const count = Math.min(1 + below(longest), most, object.left)
  for (let i = 0; i < count; i++) {
    object.aes.encryptInPlace(frame)
    spreader.add(words, at)
  }
  object.left -= count
  if (object.left === 0) {
    // Half are left to collection.
    if (below(2) === 0) object.aes.destroy()
    objects[chosen] = make(shortLife)
  }
  return count
}

let reseeded = 0
let sinceTurn = 0
for (let done = 0; done < nonces; ) {
  const count = burst(nonces - done)
  done += count
  sinceTurn += count
  // About as often as asked, at any point.
  if (below(nonces) < reseeds * count) {
    reseed()
    reseeded++
  }
  if (sinceTurn >= MOST_AT_ONCE) {
    sinceTurn = 0
    await turn()
  }
}

for (const nonce of planted)
  spreader.add(new Uint32Array(new Uint8Array(Buffer.from(nonce, 'hex')).buffer), 0)
spreader.flush()
parentPort.postMessage({ objects: made, reseeds: reseeded })
