// Hashes and HMACs of node:crypto over parts, by its methods as they were at load.
import type { Buffer } from 'node:buffer'
import type { Hash, Hmac } from 'node:crypto'
import { crypto, uncurried } from './builtins.cjs'

const { createHash, createHmac } = crypto
const updateHash: (hash: Hash, data: Uint8Array) => Hash = uncurried(crypto.Hash.prototype.update as never)
const digestHash: (hash: Hash) => Buffer = uncurried(crypto.Hash.prototype.digest as never)
const updateHmac: (hmac: Hmac, data: Uint8Array) => Hmac = uncurried(crypto.Hmac.prototype.update as never)
const digestHmac: (hmac: Hmac) => Buffer = uncurried(crypto.Hmac.prototype.digest as never)

/** The hash of the joined parts. The caller wipes that of a secret. */
export function hashOf(algorithm: string, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash(algorithm)
  for (let i = 0; i < parts.length; i++) updateHash(hash, parts[i] as Uint8Array)
  return digestHash(hash)
}

/** `length` bytes of SHAKE256. */
export function shake256(data: Uint8Array, length: number): Buffer {
  const options = { __proto__: null, outputLength: length }
  return digestHash(updateHash(createHash('shake256', options as never), data))
}

/** The HMAC of the joined parts. The caller wipes that of a secret. */
export function hmacOf(algorithm: string, key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const hmac = createHmac(algorithm, key)
  for (let i = 0; i < parts.length; i++) updateHmac(hmac, parts[i] as Uint8Array)
  return digestHmac(hmac)
}
