// Prints the resident bytes that each of many live things takes: live.mjs BACKEND|reference [EXTRA]
//
// BACKEND: keys on it, each having encrypted a frame. `reference`: empty objects with a finalizer. EXTRA bytes for each
// are wasted besides, to prove that the check notices.
import { argv } from 'node:process'
import { AesGcm, OVERHEAD } from 'hardware-aes-gcm'
import { resident, settle } from '../tools/resident.mjs'

const THINGS = 200_000
// Enough objects for the compilers to be done, and few enough that their own memory does not count.
const WARM_UP = 2_000

const [what, extra = 0] = argv.slice(2)
const key = new Uint8Array(32)
const frame = new Uint8Array(OVERHEAD)
const registry = new FinalizationRegistry(() => {})

function make() {
  if (what === 'reference') {
    const thing = {}
    registry.register(thing, 0)
    return thing
  }
  const aes = new AesGcm(key, { backend: what })
  aes.encryptInPlace(frame)
  return aes
}

const things = new Array(THINGS).fill(null)
for (let i = 0; i < WARM_UP; i++) things[i] = make()
for (const thing of things) thing?.destroy?.()
things.fill(null)
await settle()
const before = resident()

for (let i = 0; i < THINGS; i++) things[i] = make()
const wasted = Buffer.alloc(extra * THINGS, 1)
await settle()
const after = resident()

const each = name => Math.round((after[name] - before[name]) / THINGS)
// The things are read after the measurement, so that they are alive during it.
const alive = things.filter(thing => thing !== null).length + wasted.length
console.log(JSON.stringify({ things: alive - wasted.length, rss: each('rss'), pss: each('pss') }))
