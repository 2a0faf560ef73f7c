// Random calls of every function and method of every entry point, with right and wrong arguments. A broken promise throws an error
// that names the seed and the number of the call.
import { isUint8Array } from 'node:util/types'
import { AesGcm } from 'hardware-aes-gcm'
import { SEED } from '../conformance/checks.mjs'
import { trueBuffer } from '../conformance/hostile.mjs'
import { Chance } from './chance.mjs'
import { judge } from './judge.mjs'
import { MainCalls } from './main.mjs'
import { QuicCalls } from './quic.mjs'
import { SessionCalls } from './session.mjs'
import { ShamirCalls } from './shamir.mjs'
import { Values } from './values.mjs'

/** Calls that go another way if their views come again (lib/cipher/native/slate.cts). */
const AGAIN = /cryptInPlace$/

/** Makes the package remember the views of a call, if it can, by calls that fail and change nothing. */
function settle({ args: [frame, aad] }) {
  const key = new AesGcm(AesGcm.generateKey())
  try {
    for (let i = 0; i <= 1024; i++) key.tryDecryptInPlace(frame, aad)
  } catch {} // wrong arguments
}

/** Detaches the memory of a view between two calls, unless other calls need it. */
function take(value, memories) {
  if (!isUint8Array(value)) return
  const memory = trueBuffer(value)
  if (memories.includes(memory)) return
  try {
    structuredClone(memory, { transfer: [memory] })
  } catch {} // shared, gone already, or Node's pool
}

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
      const call = made.get(Calls).next()
      const times = AGAIN.test(call.name) && chance.once(4) ? 2 + chance.below(9) : 1
      if (times > 1) settle(call)
      for (let time = 0; time < times; time++) {
        if (chance.once(60) && time > 0) take(chance.pick(call.args), values.memories)
        const outcome = await judge(call)
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      }
    } catch (error) {
      throw new Error(`call ${n}: ${error.message} (AESGCM_SEED=${seed})`, { cause: error })
    }
    // Keys that are garbage leave their memory between two turns of the event loop.
    if (n % 1000 === 0) await new Promise(setImmediate)
  }
  return outcomes
}
