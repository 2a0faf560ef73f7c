// Times work off the main thread: event-loop.mjs [--quick]
//
// How late timers are while frames of 64 MiB are encrypted; how long the main thread is busy with a call of each length, and
// how long the call takes; and the gain of two jobs at once, which bounds that of one frame on two threads.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { AesGcm, NONCE_BYTES } from 'hardware-aes-gcm'
import { commandLine } from '../scripts/command-line.mjs'

const { quick } = commandLine(import.meta.url, { flags: ['quick'] }).flags
const KIB = 2 ** 10
const MIB = 2 ** 20
/** Frames of 64 MiB for each way. */
const FRAMES = quick ? 20 : 200
/** Between two frames, in ms: timers run as in a server that does other work. */
const PAUSE = 5
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096, 16_384, 65_536].map(kib => kib * KIB)
/** Calls of one size last about this long, in ms. */
const SPAN = quick ? 60 : 1000
const PAIRS = quick ? 10 : 100

const key = AesGcm.generateKey()
const aes = new AesGcm(key)
const webKey = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt'])
const framed = bytes => Buffer.from(new ArrayBuffer(bytes)).fill(1)
const middle = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
const shown = (number, digits = 2) => number.toFixed(digits).padStart(10)

/** Ways to encrypt a frame; each resolves to the frame of the next call. */
const WAYS = {
  'no work': async frame => frame,
  encryptInPlace: async frame => {
    aes.encryptInPlace(frame)
    return frame
  },
  encryptInPlaceAsync: frame => aes.encryptInPlaceAsync(frame),
  'subtle.encrypt': async frame => {
    await crypto.subtle.encrypt({ name: 'AES-GCM', iv: frame.subarray(0, NONCE_BYTES) }, webKey, frame)
    return frame
  },
}

console.log(`${aes.backend}, Node ${process.versions.node}`)
console.log(`\ndelay of timers in ms while ${FRAMES} frames of 64 MiB are encrypted: median, p99, most`)
for (const [name, encrypt] of Object.entries(WAYS)) {
  let frame = await encrypt(framed(64 * MIB))
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  histogram.enable()
  for (let n = 0; n < FRAMES; n++) {
    frame = await encrypt(frame)
    await wait(PAUSE)
  }
  histogram.disable()
  const delays = [histogram.percentile(50), histogram.percentile(99), histogram.max]
  console.log(`  ${name.padEnd(20)}${delays.map(ns => shown(ns / 1e6)).join('')}`)
}

console.log(
  '\nµs for each call: encryptInPlace; encryptInPlaceAsync keeps the main thread busy, and takes in all',
)
let pays
for (const bytes of SIZES) {
  let frame = framed(bytes)
  const [sync] = await each(async calls => {
    for (let n = 0; n < calls; n++) aes.encryptInPlace(frame)
  })
  const [all, busy] = await each(async calls => {
    for (let n = 0; n < calls; n++) frame = await aes.encryptInPlaceAsync(frame)
  })
  if (busy < sync) pays ??= bytes
  else pays = undefined
  console.log(`  ${`${bytes / KIB} KiB`.padEnd(12)}${shown(sync)}${shown(busy)}${shown(all)}`)
}
console.log(
  `  the main thread is free sooner from ${pays === undefined ? 'no length' : `${pays / KIB} KiB`} on`,
)

const [one, two] = [[], []]
let frames = [framed(16 * MIB), framed(16 * MIB)]
for (let n = 0; n < PAIRS; n++) {
  const began = performance.now()
  for (const i of [0, 1]) frames[i] = await aes.encryptInPlaceAsync(frames[i])
  const between = performance.now()
  frames = await Promise.all(frames.map(frame => aes.encryptInPlaceAsync(frame)))
  one.push(between - began)
  two.push(performance.now() - between)
}
const times = middle(one) / middle(two)
console.log(
  `\ntwo frames of 16 MiB: ${middle(one).toFixed(2)} ms one after the other, ${middle(two).toFixed(2)} ms at once: ${times.toFixed(2)} times as fast`,
)

/** µs for each call, and of these the µs during which the event loop was not waiting. */
async function each(work) {
  let calls = 1
  for (;;) {
    await turn()
    const [before, began] = [performance.eventLoopUtilization(), performance.now()]
    await work(calls)
    const ms = performance.now() - began
    const { active } = performance.eventLoopUtilization(before)
    if (ms >= SPAN) return [ms, active].map(part => (part * 1e3) / calls)
    calls = Math.ceil(calls * Math.min(10, (1.3 * SPAN) / Math.max(ms, 1e-3)))
  }
}
