// Prints resident memory, over time, while a million keys are made and let go: churn.mjs destroy|collect [KEPT]
//
// `destroy`: destroyed, with no help for the collector. `collect`: dropped, for the collector to find. One in KEPT is
// kept alive instead, to prove that the check notices.
import { argv } from 'node:process'
import { setImmediate as turn } from 'node:timers/promises'
import { AesGcm, OVERHEAD } from 'hardware-aes-gcm'
import { resident, settle } from '../tools/resident.mjs'

const BATCHES = 100
const BATCH = 10_000

const [way, one = Infinity] = argv.slice(2)
const key = new Uint8Array(32)
const frame = new Uint8Array(OVERHEAD)
const kept = []

/** A function of its own, so that no reference to a dropped key outlives the call. */
function batch() {
  for (let i = 1; i <= BATCH; i++) {
    const aes = new AesGcm(key)
    aes.encryptInPlace(frame)
    if (i % one === 0) kept.push(aes)
    else if (way === 'destroy') aes.destroy()
  }
}

// Heaps and tables grow to their size in the first tenth; the last tenth is compared with the second.
const samples = []
for (let i = 0; i < BATCHES; i++) {
  batch()
  if (way === 'collect') await settle()
  else await turn()
  samples.push(resident().rss)
}
console.log(JSON.stringify({ keys: BATCHES * BATCH, kept: kept.length, samples, median: true }))
