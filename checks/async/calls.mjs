// Makes async calls while keys are destroyed, dropped and collected, and prints how they ended: calls.mjs COUNT [FAULT]
//
// FAULT: `wrong` changes a byte of one result in a hundred, `kept` keeps one frame in five, `crash` ends the process.
import { argv } from 'node:process'
import { AesGcm } from 'hardware-aes-gcm'
import { resident, settle } from '../tools/resident.mjs'
import { begin, below, KEY } from './one.mjs'

const [count, fault] = [Number(argv[2]), argv[3]]
const IN_FLIGHT = 64
const ROUNDS = 50

const [tally, wrong, samples, kept] = [{}, [], [], []]
const keys = Array.from({ length: 8 }, () => new AesGcm(KEY))

function spoil(bytes) {
  if (fault === 'wrong' && below(100) === 0 && bytes?.length > 0) bytes[below(bytes.length)] ^= 1
  if (fault === 'kept' && below(5) === 0) kept.push(Buffer.from(new ArrayBuffer(20_000)).fill(1))
  if (fault === 'crash' && below(100) === 0) process.kill(process.pid, 'SIGSEGV')
}

/** Until `calls` calls have ended. */
function round(calls) {
  return new Promise(resolve => {
    let [begun, ended] = [0, 0]
    const more = () => {
      while (begun < calls && begun - ended < IN_FLIGHT) {
        begun++
        const at = below(keys.length)
        const controller = begin(
          keys[at],
          (name, fault) => {
            tally[name] = (tally[name] ?? 0) + 1
            if (fault !== undefined) wrong.push(fault)
            if (++ended === calls) resolve()
            else if (begun - ended < IN_FLIGHT / 2) more()
          },
          spoil,
        )
        if (controller !== undefined && below(2) === 0) controller.abort()
        else if (controller !== undefined) setImmediate(() => controller.abort())
        // In flight with jobs of the key that goes.
        if (below(40) === 0) {
          if (below(2) === 0) keys[at].destroy()
          keys[at] = new AesGcm(KEY)
        }
        if (below(1000) === 0) globalThis.gc()
      }
    }
    more()
  })
}

const began = performance.now()
for (let n = 0; n < ROUNDS; n++) {
  await round(count / ROUNDS)
  await settle()
  samples.push(resident().rss)
}
const ms = performance.now() - began
console.log(JSON.stringify({ node: process.versions.node, tally, wrong, samples, ms }))
