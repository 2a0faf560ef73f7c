// Every way to do the same work: encrypt a message under a fresh nonce into nonce, ciphertext and tag, or decrypt these.
//
// A way is { by, name, algorithm, direction, async?, largest?, prepare(input) }. `prepare` gives a work, { run(calls),
// output() }. A work whose calls overwrite their input also has { ring, refill() }: at most `ring` calls per refill().
import { nodeCrypto, webCrypto } from './builtin.mjs'
import { ours } from './ours.mjs'
import { noble, sodium } from './packages.mjs'

export const OURS = 'hardware-aes-gcm'
export const NODE = 'node:crypto'

/** Whether a way does many messages in one call, which the other implementations cannot. */
export const isBatch = way => /Batch/.test(way)

export async function allWays(key) {
  return [...ours(key), ...nodeCrypto(key), ...(await webCrypto(key)), ...noble(key), ...(await sodium(key))]
}

/**
 * Prepares every way for one message and gives pairs of a way and its work. First every decryption must open the output of
 * every encryption of its algorithm, because timings of different work cannot be compared.
 */
export async function prepareAll(ways, plaintext) {
  const fitting = ways.filter(({ largest }) => !(plaintext.length > largest))
  const pairs = []
  const frames = new Map()
  for (const way of fitting.filter(({ direction }) => direction === 'encrypt')) {
    const work = way.prepare(plaintext)
    await work.run(1)
    pairs.push({ way, work })
    frames.set(way, Buffer.from(work.output()))
  }
  for (const way of fitting.filter(({ direction }) => direction === 'decrypt')) {
    let work
    for (const [{ by, name, algorithm }, frame] of frames) {
      if (algorithm !== way.algorithm) continue
      work = way.prepare(frame)
      work.refill?.()
      await work.run(1)
      if (!plaintext.equals(work.output())) {
        throw new Error(`${way.by} ${way.name} does not open ${plaintext.length} bytes of ${by} ${name}`)
      }
    }
    pairs.push({ way, work })
  }
  return pairs
}
