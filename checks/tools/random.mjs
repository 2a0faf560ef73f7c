// Bytes and numbers that the seed of a run decides. AESGCM_SEED repeats a run.
import { createHash, randomInt } from 'node:crypto'
import { env } from 'node:process'

export const seed = env.AESGCM_SEED ?? String(randomInt(2 ** 31))

export const bytes = (length, name) =>
  createHash('shake256', { outputLength: length }).update(`${seed} ${name}`).digest()

/** A number from 0 up to, not including, `below`. */
export const number = (below, name) => bytes(6, name).readUIntBE(0, 6) % below
