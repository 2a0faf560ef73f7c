// The bytes to look for after keys that a passphrase protects: the passphrase, the key, and the derived key, expanded.
import { scryptSync } from 'node:crypto'
import { fill } from './formula.mjs'
import { BLOCKS, blocksOf } from './needles.mjs'
import { COST, LENGTH, NUMBER } from './passphrases.mjs'

/** The blocks of the passphrase, of the protected key, and of the key derived with a salt, expanded. */
export function ofPassphrases(said) {
  const passphrase = fill(Buffer.alloc(LENGTH), NUMBER)
  const derived = scryptSync(passphrase, Buffer.from(said, 'hex'), 32, COST)
  return [
    ...BLOCKS,
    ...NAMES.map((name, i) => [name, passphrase.subarray(16 * i, 16 * i + 16)]),
    ...[...blocksOf(derived)].map(([name, block]) => [`${name} of the derived key`, block]),
  ]
}

const NAMES = [0, 16, 32].map(at => `passphrase from ${at}`)
/** Names of what the control holds. */
export const HELD_PASSPHRASE = [...NAMES, 'round key 0 of the derived key', 'round key 1 of the derived key']
