// Every way to do the same work: a message becomes nonce, ciphertext and tag, with a fresh nonce; and back.
//
// A way: { by, name, algorithm, direction, async?, largest?, prepare(input) }. What it prepares: { run(calls), output() },
// and { ring, refill() } where a call uses up its input: run(calls) then takes at most `ring` calls after each refill().
import { nodeCrypto, webCrypto } from './builtin.mjs'
import { ours } from './ours.mjs'
import { noble, sodium } from './packages.mjs'

export const OURS = 'hardware-aes-gcm'
export const NODE = 'node:crypto'

export async function allWays(key) {
  return [...ours(key), ...nodeCrypto(key), ...(await webCrypto(key)), ...noble(key), ...(await sodium(key))]
}

/**
 * Prepares every way for one message, after each decryption has opened what each encryption of its algorithm made:
 * what is not the same work must not be timed. Gives pairs of a way and its work.
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
