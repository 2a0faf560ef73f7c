// What this package promises of its speed, and which promises a run has missed.
import { NODE, OURS } from './ways.mjs'

/** OpenSSL before 3.1 has no AVX-512 for AES-GCM, so that more is asked for there with long messages. */
const OLD_OPENSSL = /^(1|3\.0)\./.test(process.versions.openssl)

/**
 * `floors`: how many times faster than node:crypto encryptInPlace is at least, by bytes of the message.
 * `unbeaten`: the sizes at which no other implementation is faster than our best way, either direction; all by default.
 * `ofWall`: the least part of the CPU's own wall that encryptInPlace reaches in bulk: the speed of the generator's
 * keystream, which is the same AES rounds without the multiplies, measured in the same run.
 * The quick run is for machines of every kind, those of CI for one: it asks for what holds on all of them.
 */
const LIMITS = {
  full: { floors: { 64: 30, 1440: 25, 16384: 8, [2 ** 20]: OLD_OPENSSL ? 6 : 2.5 } },
  quick: { floors: { 64: 15, [2 ** 20]: OLD_OPENSSL ? 2 : 1.25 }, unbeaten: [64] },
}

/** Registers of 128 bits stand at the wall where node:crypto stands, too: what is asked for is to be near it. */
const NARROW = {
  full: { floors: { 64: 15, 1440: 4 }, unbeaten: [16, 64, 256, 1024, 1440, 4096], ofWall: 0.6 },
  quick: { floors: { 64: 15 }, unbeaten: [64], ofWall: 0.4 },
}

/** What is bulk here: in the second cache. */
const BULK = 16_384

/** The absolute promise, reported only: it is about the reference machine. */
const TARGET = { bytes: 64, ns: 90 }

/** One line for each promise kept or missed: `{ missed, text }`. `random` are the figures of random bytes. */
export function judge(results, random, { kind, backend }) {
  const { floors, unbeaten, ofWall } = (backend === 'aesni' ? NARROW : LIMITS)[kind]
  const verdicts = Object.entries(floors).map(([bytes, least]) => floor(results, Number(bytes), least))
  if (ofWall !== undefined) verdicts.push(besideWall(results, random, ofWall))
  const sizes = [...new Set(results.map(({ bytes }) => bytes))]
  for (const bytes of sizes.filter(size => unbeaten?.includes(size) ?? true)) {
    for (const direction of ['encrypt', 'decrypt']) verdicts.push(...losses(results, bytes, direction))
  }
  if (!verdicts.some(({ loss }) => loss)) {
    const where = unbeaten ? unbeaten.map(bytes => `${bytes} B`).join(', ') : 'any size'
    verdicts.push({
      missed: false,
      text: `no other implementation is faster at ${where}, in either direction`,
    })
  }
  return verdicts
}

export function target(results) {
  const { median } = inPlace(results, TARGET.bytes)
  return `${TARGET.bytes} B encryptInPlace: ${median.toFixed(1)} ns (target ${TARGET.ns} on the reference machine)`
}

function floor(results, bytes, least) {
  const node = results.find(r => r.bytes === bytes && r.by === NODE && r.direction === 'encrypt')
  const times = node.median / inPlace(results, bytes).median
  const text = `${bytes} B encryptInPlace: ${times.toFixed(1)} times as fast as node:crypto, at least ${least}`
  return { missed: times < least, text }
}

function besideWall(results, random, least) {
  const wall = random.find(r => r.by === OURS && r.way === 'randomFillSync' && r.bytes === 2 ** 20)
  const part = BULK / inPlace(results, BULK).median / (wall.bytes / wall.median)
  const percent = Math.round(100 * part)
  const text = `${BULK} B encryptInPlace: ${percent}% of the keystream's speed, at least ${100 * least}%`
  return { missed: !(part >= least), text }
}

/** The implementations that beat the best of our ways at one size. */
function losses(results, bytes, direction) {
  const here = results.filter(r => r.bytes === bytes && r.direction === direction)
  const ours = here.filter(({ by }) => by === OURS)
  const best = ours.reduce((a, b) => (b.median < a.median ? b : a))
  return here
    .filter(({ by, median }) => by !== OURS && median < best.median)
    .map(({ by, median }) => ({
      missed: true,
      loss: true,
      text: `${bytes} B ${direction}: ${by} takes ${median.toFixed(0)} ns, our ${best.way} ${best.median.toFixed(0)}`,
    }))
}

function inPlace(results, bytes) {
  return results.find(r => r.bytes === bytes && r.way === 'encryptInPlace')
}
