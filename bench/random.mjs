// Random bytes, against node:crypto: in a new Buffer, in a Buffer that is used again, and in bulk.
import * as node from 'node:crypto'
import * as ours from 'hardware-aes-gcm'
import { measure } from './measure.mjs'
import { NODE, OURS } from './ways.mjs'

const SIZES = [32, 1024, 2 ** 20]

/** Least factors against node:crypto, and least GB/s in bulk. The quick limits must hold on every machine of CI. */
const LIMITS = {
  full: { new: 5, reused: 10, bulk: 10 },
  quick: { new: 3, reused: 5, bulk: 1 },
}

/** GB/s in bulk with 128-bit registers: at one AESENC a cycle, a block takes at least 14 cycles. */
const NARROW_BULK = { full: 2.5, quick: 1 }

function works(bytes) {
  const both = [
    [OURS, ours],
    [NODE, node],
  ]
  return both.flatMap(([by, { randomBytes, randomFillSync }]) => {
    const reused = Buffer.alloc(bytes)
    const runs = {
      randomBytes: calls => {
        for (let i = 0; i < calls; i++) randomBytes(bytes)
      },
      randomFillSync: calls => {
        for (let i = 0; i < calls; i++) randomFillSync(reused)
      },
    }
    return Object.entries(runs).map(([name, run]) => ({
      way: { name, by, direction: 'random' },
      work: { run },
    }))
  })
}

/** Figures for every size and way, in the same form as those of encryption. */
export async function measureRandom(plan) {
  const results = []
  for (const bytes of SIZES) {
    for (const { way, ...figures } of await measure(works(bytes), bytes, plan))
      results.push({ bytes, direction: way.direction, by: way.by, way: way.name, ...figures })
  }
  return results
}

const find = (results, bytes, by, way) =>
  results.find(r => r.bytes === bytes && r.by === by && r.way === way).median

/** The table of random bytes. */
export function randomTable(results) {
  const names = [OURS, NODE].map(name => name.padStart(18)).join('')
  const lines = [
    '\nrandom bytes: median, ns per call; x node: times as fast as node:crypto',
    `${''.padEnd(26)}${names}${'x node'.padStart(8)}`,
  ]
  for (const bytes of SIZES)
    for (const way of ['randomBytes', 'randomFillSync']) {
      const [own, other] = [OURS, NODE].map(by => find(results, bytes, by, way))
      const figures = [own, other].map(ns => ns.toFixed(1).padStart(18)).join('')
      const ratio = (other / own).toFixed(1).padStart(8)
      lines.push(
        `${String(bytes).padStart(9)}  ${way.padEnd(15)}${figures}${ratio}${(bytes / own).toFixed(2).padStart(8)} GB/s`,
      )
    }
  return lines.join('\n')
}

/** One line for each promise, as in limits.mjs. */
export function judgeRandom(results, { kind, backend }) {
  const limits = { ...LIMITS[kind], ...(backend === 'aesni' ? { bulk: NARROW_BULK[kind] } : {}) }
  const ratio = way => find(results, 32, NODE, way) / find(results, 32, OURS, way)
  const bulk = 2 ** 20 / find(results, 2 ** 20, OURS, 'randomFillSync')
  return [
    [ratio('randomBytes'), limits.new, 'randomBytes(32)', 'times as fast as node:crypto'],
    [ratio('randomFillSync'), limits.reused, 'randomFillSync, 32 bytes', 'times as fast as node:crypto'],
    [bulk, limits.bulk, 'randomFillSync, 1 MiB', 'GB/s'],
  ].map(([found, least, what, unit]) => ({
    missed: !(found >= least),
    text: `${what}: ${found.toFixed(1)} ${unit}, at least ${least}`,
  }))
}
