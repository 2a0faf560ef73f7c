// SHA-256 of node:crypto, for keys and their fingerprints.
import type { Buffer } from 'node:buffer'
import type { Hash } from 'node:crypto'
import { crypto, uncurried } from '../../cipher/base/builtins.cjs'

const { createHash } = crypto
const update: (hash: Hash, data: Uint8Array) => Hash = uncurried(crypto.Hash.prototype.update as never)
const digest: (hash: Hash) => Buffer = uncurried(crypto.Hash.prototype.digest as never)

/** The hash of a secret, which the caller wipes. */
export function sha256(data: Uint8Array): Buffer {
  return digest(update(createHash('sha256'), data))
}
