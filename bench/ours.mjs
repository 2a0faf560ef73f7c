// The ways of this package, each over Buffers that are used again.
import { randomFillSync } from 'node:crypto'
import { AesGcm, NONCE_BYTES, OVERHEAD, TAG_BYTES } from 'hardware-aes-gcm'

const BY = 'hardware-aes-gcm'
const ALGORITHM = 'AES-256-GCM'

/** Frames of a pool, taken in turn, as in a server whose messages lie at different addresses. */
const POOL = 64

/** Largest message of a pool, in bytes: 64 of them still fit into the second cache. */
const LARGEST_POOLED = 4096

/** Most frames of a batch. */
const BATCH = 1000

/** Most bytes of all frames that wait to be opened in place, so that every way finds its frames in the same cache. */
const RING_BYTES = 2 ** 18

export function ours(key) {
  const aes = new AesGcm(key)

  /** A frame with `plaintext` in its place. As in most programs, `allocUnsafe` cuts small frames out of a shared slab. */
  function framed(plaintext) {
    const frame = Buffer.allocUnsafe(plaintext.length + OVERHEAD)
    aes.plaintextOf(frame).set(plaintext)
    return frame
  }

  const encrypt = {
    encryptInPlace: {
      prepare(plaintext) {
        const frame = framed(plaintext)
        const run = calls => {
          for (let i = 0; i < calls; i++) aes.encryptInPlace(frame)
        }
        return { run, output: () => frame }
      },
    },

    'encryptInPlace, pool': {
      largest: LARGEST_POOLED,
      prepare(plaintext) {
        const frames = Array.from({ length: POOL }, () => framed(plaintext))
        const run = calls => {
          for (let i = 0; i < calls; i++) aes.encryptInPlace(frames[i % POOL])
        }
        return { run, output: () => frames[0] }
      },
    },

    encryptBatchInPlace: {
      largest: LARGEST_POOLED,
      prepare(plaintext) {
        const length = plaintext.length + OVERHEAD
        const frames = Buffer.alloc(framesIn(length) * length, framed(plaintext))
        const run = calls => inBatches(calls, frames, length, some => aes.encryptBatchInPlace(some, length))
        return { run, output: () => frames.subarray(0, length) }
      },
    },

    encryptBatch: overRows(OVERHEAD, rows => aes.encryptBatch(rows)),

    // What a program would write that has no encryptBatch.
    'encryptBatchInPlace, by hand': overRows(OVERHEAD, rows => byHand(aes, rows)),

    encryptInto: {
      prepare(plaintext) {
        const target = Buffer.allocUnsafe(plaintext.length + OVERHEAD)
        const run = calls => {
          for (let i = 0; i < calls; i++) aes.encryptInto(target, plaintext)
        }
        return { run, output: () => target }
      },
    },

    'encryptInto, 3 pieces': {
      prepare(plaintext) {
        const target = Buffer.allocUnsafe(plaintext.length + OVERHEAD)
        const cuts = [0, 1 / 3, 2 / 3, 1].map(part => Math.floor(part * plaintext.length))
        const pieces = [0, 1, 2].map(i => plaintext.subarray(cuts[i], cuts[i + 1]))
        const run = calls => {
          for (let i = 0; i < calls; i++) aes.encryptInto(target, pieces)
        }
        return { run, output: () => target }
      },
    },

    encryptDetached: {
      prepare(plaintext) {
        const data = Buffer.from(plaintext)
        // A counter as the nonce, as in protocols that define their own.
        const counter = new Uint32Array(NONCE_BYTES / 4)
        randomFillSync(counter)
        const nonce = Buffer.from(counter.buffer)
        const tag = Buffer.alloc(TAG_BYTES)
        const run = calls => {
          for (let i = 0; i < calls; i++) {
            counter[0]++
            aes.encryptDetached(data, nonce, tag)
          }
        }
        return { run, output: () => Buffer.concat([nonce, data, tag]) }
      },
    },

    encrypt: {
      prepare(plaintext) {
        let frame
        const run = calls => {
          for (let i = 0; i < calls; i++) frame = aes.encrypt(plaintext)
        }
        return { run, output: () => frame }
      },
    },

    // What a program would write for which `encrypt` is too slow: memory of Node's pool.
    'allocUnsafe, encryptInto': {
      largest: LARGEST_POOLED,
      prepare(plaintext) {
        let frame
        const run = calls => {
          for (let i = 0; i < calls; i++) {
            frame = Buffer.allocUnsafe(plaintext.length + OVERHEAD)
            aes.encryptInto(frame, plaintext)
          }
        }
        return { run, output: () => frame }
      },
    },
  }

  const decrypt = {
    tryDecryptInPlace: {
      prepare(sealed) {
        const frames = ring(sealed)
        const run = calls => {
          for (let i = 0; i < calls; i++) if (!aes.tryDecryptInPlace(frames[i])) throw new Error('refused')
        }
        const refill = () => {
          for (const frame of frames) frame.set(sealed)
        }
        return { run, refill, ring: frames.length, output: () => aes.plaintextOf(frames[0]) }
      },
    },

    tryDecryptBatchInPlace: {
      largest: LARGEST_POOLED,
      prepare(sealed) {
        const { length } = sealed
        const ring = framesIn(length)
        const frames = Buffer.alloc(ring * length)
        const run = calls =>
          inBatches(calls, frames, length, some => {
            if (aes.tryDecryptBatchInPlace(some, length).length > 0) throw new Error('refused')
          })
        const refill = () => frames.fill(sealed)
        return { run, refill, ring, output: () => aes.plaintextOf(frames.subarray(0, length)) }
      },
    },

    tryDecryptBatch: overRows(0, frames => aes.tryDecryptBatch(frames)),

    'decryptInto, pool': {
      largest: LARGEST_POOLED,
      prepare(sealed) {
        const frames = Array.from({ length: POOL }, () => Buffer.from(sealed))
        const targets = frames.map(frame => Buffer.allocUnsafe(frame.length - OVERHEAD))
        const run = calls => {
          for (let i = 0; i < calls; i++) aes.decryptInto(targets[i % POOL], frames[i % POOL])
        }
        return { run, output: () => targets[0] }
      },
    },

    decryptInto: {
      prepare(sealed) {
        const target = Buffer.allocUnsafe(sealed.length - OVERHEAD)
        const run = calls => {
          for (let i = 0; i < calls; i++) aes.decryptInto(target, sealed)
        }
        return { run, output: () => target }
      },
    },

    decryptDetached: {
      prepare(sealed) {
        const nonce = sealed.subarray(0, NONCE_BYTES)
        const ciphertext = sealed.subarray(NONCE_BYTES, -TAG_BYTES)
        const tag = sealed.subarray(-TAG_BYTES)
        const datas = ring(ciphertext)
        const run = calls => {
          for (let i = 0; i < calls; i++) aes.decryptDetached(datas[i], nonce, tag)
        }
        const refill = () => {
          for (const data of datas) data.set(ciphertext)
        }
        return { run, refill, ring: datas.length, output: () => datas[0] }
      },
    },

    decrypt: {
      prepare(sealed) {
        let plaintext
        const run = calls => {
          for (let i = 0; i < calls; i++) plaintext = aes.decrypt(sealed)
        }
        return { run, output: () => plaintext }
      },
    },
  }

  const list = (direction, named) =>
    Object.entries(named).map(([name, way]) => ({ by: BY, name, algorithm: ALGORITHM, direction, ...way }))
  return [...list('encrypt', encrypt), ...list('decrypt', decrypt)]
}

/** The number of frames in a batch. */
function framesIn(length) {
  return Math.min(BATCH, Math.floor(RING_BYTES / length))
}

/** Runs `work` on whole batches, and on a part of one, until `calls` frames are done. */
function inBatches(calls, frames, length, work) {
  const most = frames.length / length
  for (let left = calls; left > 0; left -= most) {
    work(left < most ? frames.subarray(0, left * length) : frames)
  }
}

/** A way that takes rows of one length, by `work`; `overhead` bytes come to each row on its way. */
function overRows(overhead, work) {
  return {
    largest: LARGEST_POOLED,
    prepare(bytes) {
      const rows = Array.from({ length: framesIn(bytes.length + overhead) }, () => Buffer.from(bytes))
      let result
      const run = calls => {
        for (let left = calls; left > 0; left -= rows.length)
          result = work(left < rows.length ? rows.slice(0, left) : rows)
      }
      return { run, output: () => result[0] }
    },
  }
}

function byHand(aes, rows) {
  const ends = new Uint32Array(rows.length)
  let end = 0
  for (let i = 0; i < rows.length; i++) {
    end += rows[i].length + OVERHEAD
    ends[i] = end
  }
  const memory = Buffer.allocUnsafeSlow(end)
  for (let i = 0; i < rows.length; i++) memory.set(rows[i], ends[i] - rows[i].length - TAG_BYTES)
  aes.encryptBatchInPlace(memory, ends)
  return rows.map((_, i) => memory.subarray(ends[i - 1] ?? 0, ends[i]))
}

/** Copies to be opened one after the other, and then refilled, because opening in place overwrites the ciphertext. */
function ring(bytes) {
  const length = Math.min(1000, Math.max(1, Math.floor(RING_BYTES / bytes.length)))
  return Array.from({ length }, () => Buffer.from(bytes))
}
