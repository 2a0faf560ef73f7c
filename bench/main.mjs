// The benchmark: this package against other encryption in Node. Fails if a promise of limits.mjs is missed.
// `--quick`: some sizes, short times, lower limits, and no files are written. `--shares`: only the shares of keys.
import { randomFillSync } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'
import { firstUseLine, judgeFirstUse, measureFirstUse } from './first-use.mjs'
import { judge, judgeQuic, judgeSession, judgeShares, judgeWays, target } from './limits.mjs'
import { measure } from './measure.mjs'
import { measureQuic, quicTable } from './quic.mjs'
import { judgeRandom, measureRandom, randomTable } from './random.mjs'
import { machine, write } from './record.mjs'
import { judgeSeedings, measureSeedings, seedingLine } from './seeding.mjs'
import { measureSession, sessionTable } from './session.mjs'
import { measureShares, sharesTable } from './shares.mjs'
import { block, legend, summary } from './table.mjs'
import { allWays, prepareAll } from './ways.mjs'

const KINDS = {
  full: {
    sizes: [16, 64, 256, 1024, 1440, 4096, 16_384, 65_536, 2 ** 20, 2 ** 24],
    plan: { time: 1200, sample: 100 },
  },
  quick: { sizes: [16, 64, 1440, 16_384, 2 ** 20], plan: { time: 120, sample: 20 } },
}

const kind = process.argv.includes('--quick') ? 'quick' : 'full'
const { sizes, plan } = KINDS[kind]

if (!AesGcm.isAvailable()) throw new Error('this machine cannot run hardware-aes-gcm: isAvailable() is false')
const key = AesGcm.generateKey()
const here = machine(new AesGcm(key).backend)
console.log(`\n${here.cpu}, ${here.cpus} CPUs, ${here.backend}; Node ${here.node}, OpenSSL ${here.openssl}`)
const run = { kind, backend: here.backend }
const root = new URL('../', import.meta.url)
const promises = await (process.argv.includes('--shares') ? sharesOnly() : everything())
for (const { missed, text } of promises) {
  console.log(`${missed ? 'MISSED' : 'kept  '}  ${text}`)
  if (missed) process.exitCode = 1
}

/** Measures all and gives the promises. A full run is recorded and drawn. */
async function everything() {
  console.log(legend())
  const ways = await allWays(key)
  const results = []
  for (const bytes of sizes) {
    const pairs = await prepareAll(ways, randomFillSync(Buffer.alloc(bytes)))
    for (const { way, ...figures } of await measure(pairs, bytes, plan)) {
      results.push({ bytes, direction: way.direction, by: way.by, way: way.name, ...figures })
    }
    console.log(block(results, bytes))
  }
  console.log(summary(results))
  const random = await measureRandom(plan)
  console.log(randomTable(random))
  const quic = await measureQuic(plan)
  console.log(quicTable(quic))
  const session = await measureSession(kind)
  console.log(sessionTable(session))
  const shares = await measureShares(plan)
  console.log(sharesTable(shares))
  const seedings = await measureSeedings()
  console.log(seedingLine(seedings))
  const firstUse = await measureFirstUse(kind)
  console.log(firstUseLine(firstUse))

  if (kind === 'full') {
    const { draw } = await import('./plots.mjs')
    const all = [...results, ...random, ...quic, ...session, ...shares]
    const files = [write({ machine: here, results: all }, root), ...draw({ machine: here, results }, root)]
    console.log(`\nwritten: ${files.join(', ')}`)
  }
  console.log(`\n${target(results)}`)
  return [
    ...judge(results, random, run),
    ...judgeWays(results, run),
    ...judgeQuic(quic, run),
    ...judgeSession(session, run),
    ...judgeShares(shares, run),
    ...judgeRandom(random, run),
    judgeSeedings(seedings, kind),
    judgeFirstUse(firstUse),
  ]
}

/** The same for shares of keys, with a record of their own. */
async function sharesOnly() {
  const results = await measureShares(plan)
  console.log(sharesTable(results))
  if (kind === 'full') console.log(`\nwritten: ${write({ machine: here, results, part: 'shares' }, root)}`)
  return judgeShares(results, run)
}
