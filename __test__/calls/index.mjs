// Random calls of every function and method of every entry point, with right and wrong arguments. A broken promise throws an error
// that names the seed and the number of the call.
import { AesGcm } from 'hardware-aes-gcm'
import { SEED } from '../conformance/checks.mjs'
import { Chance } from './chance.mjs'
import { judge } from './judge.mjs'
import { MainCalls } from './main.mjs'
import { QuicCalls } from './quic.mjs'
import { SessionCalls } from './session.mjs'
import { ShamirCalls } from './shamir.mjs'
import { Values } from './values.mjs'

/** Makes `count` calls, and gives the number of each outcome: a code, or 'ok'. */
export async function randomCalls(count, seed = SEED) {
  // The first use of the package tests the binary, which writes to the unused part of Node's pool. An argument of a first random
  // call may lie in the same pool, whose every byte is then compared.
  AesGcm.isAvailable()
  const chance = new Chance(seed)
  const values = new Values(chance)
  const entries = [MainCalls, MainCalls, MainCalls, QuicCalls, SessionCalls, ShamirCalls]
  const made = new Map([...new Set(entries)].map(Calls => [Calls, new Calls(chance, values)]))
  const outcomes = {}
  for (let n = 0; n < count; n++) {
    const Calls = chance.pick(entries)
    try {
      const outcome = await judge(made.get(Calls).next())
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    } catch (error) {
      throw new Error(`call ${n}: ${error.message} (AESGCM_SEED=${seed})`, { cause: error })
    }
    // Keys that are garbage leave their memory between two turns of the event loop.
    if (n % 1000 === 0) await new Promise(setImmediate)
  }
  return outcomes
}
