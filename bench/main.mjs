// The benchmark: this package against other encryption in Node. Fails if a promise of limits.mjs is missed.
import { randomFillSync } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'
import { classesTable, measureClasses } from './classes.mjs'
import { cookiesTable, measureCookies } from './cookies.mjs'
import { firstUseLine, judgeFirstUse, measureFirstUse } from './first-use.mjs'
import { framesTable, measureFrames } from './frames.mjs'
import { hybridTable, measureHybrid } from './hybrid.mjs'
import { keyringTable, measureKeyring } from './keyring.mjs'
import {
  judge,
  judgeOfClasses,
  judgeOfCookies,
  judgeOfFrames,
  judgeOfHybrid,
  judgeOfKeyring,
  judgeOfStreams,
  judgeQuic,
  judgeSession,
  judgeShares,
  judgeWays,
  target,
} from './limits.mjs'
import { measure } from './measure.mjs'
import { parts, show } from './progress.mjs'
import { measureQuic, quicTable } from './quic.mjs'
import { judgeRandom, measureRandom, randomTable } from './random.mjs'
import { machine, write } from './record.mjs'
import { judgeSeedings, measureSeedings, seedingLine } from './seeding.mjs'
import { measureSession, sessionTable } from './session.mjs'
import { measureShares, sharesTable } from './shares.mjs'
import { measureStreams, streamsTable } from './streams.mjs'
import { block, legend, size, summary } from './table.mjs'
import { allWays, prepareAll } from './ways.mjs'

const KINDS = {
  full: {
    sizes: [16, 64, 256, 1024, 1440, 4096, 16_384, 65_536, 2 ** 20, 2 ** 24],
    plan: { time: 1200, sample: 100 },
  },
  quick: { sizes: [16, 64, 1440, 16_384, 2 ** 20], plan: { time: 120, sample: 20 } },
}

const root = new URL('../', import.meta.url)

/** Runs the benchmark: all of it, or one part alone. Writes files only if `record` is true. */
export async function bench({ quick, record, ...flags }) {
  const kind = quick ? 'quick' : 'full'
  if (!AesGcm.isAvailable())
    throw new Error('this machine cannot run hardware-aes-gcm: isAvailable() is false')
  const key = AesGcm.generateKey()
  const here = machine(new AesGcm(key).backend)
  console.log(`\n${here.cpu}, ${here.cpus} CPUs, ${here.backend}; Node ${here.node}, OpenSSL ${here.openssl}`)
  const run = { kind, here, key, record, ...KINDS[kind], backend: here.backend }
  const part = Object.keys(PARTS).find(name => flags[name])
  for (const { missed, text } of await (part ? only(part, run) : everything(run))) {
    console.log(`${missed ? 'MISSED' : 'kept  '}  ${text}`)
    if (missed) process.exitCode = 1
  }
}

/** Measures all and gives the promises. */
async function everything(run) {
  const { kind, here, key, record, sizes, plan } = run
  const part = parts(sizes.length + 9)
  console.log(legend())
  const ways = await allWays(key)
  const results = []
  for (const bytes of sizes) {
    part(`messages of ${size(bytes)}`)
    const pairs = await prepareAll(ways, randomFillSync(Buffer.alloc(bytes)))
    for (const { way, ...figures } of await measure(pairs, bytes, plan)) {
      results.push({ bytes, direction: way.direction, by: way.by, way: way.name, ...figures })
    }
    show(block(results, bytes))
  }
  show(summary(results))
  part('random bytes')
  const random = await measureRandom(plan)
  show(randomTable(random))
  part('the three classes')
  const classes = await measureClasses(kind, plan)
  show(classesTable(classes))
  part('QUIC packets')
  const quic = await measureQuic(plan)
  show(quicTable(quic))
  part('sessions')
  const session = await measureSession(kind)
  show(sessionTable(session))
  part('streams and files')
  const streams = await measureStreams(kind)
  show(streamsTable(streams))
  part('shares of keys')
  const shares = await measureShares(plan)
  show(sharesTable(shares))
  part('keyrings')
  const keyring = await measureKeyring(kind)
  show(keyringTable(keyring))
  part('seedings')
  const seedings = await measureSeedings()
  show(seedingLine(seedings))
  part('the first use')
  const firstUse = await measureFirstUse(kind)
  show(firstUseLine(firstUse))

  if (record) {
    const { draw, drawStreams } = await import('./plots.mjs')
    const all = [...results, ...random, ...classes, ...quic, ...session, ...streams, ...shares, ...keyring]
    const written = [
      write({ machine: here, results: all }, root),
      ...draw({ machine: here, results }, root),
      drawStreams({ machine: here, results: streams }, root),
    ]
    console.log(`\nwritten: ${written.join(', ')}`)
  }
  console.log(`\n${target(results)}`)
  return [
    ...judge(results, random, run),
    ...judgeWays(results, run),
    ...judgeOfClasses(classes, run),
    ...judgeQuic(quic, run),
    ...judgeSession(session, run),
    ...judgeOfStreams(streams, run),
    ...judgeShares(shares, run),
    ...judgeOfKeyring(keyring, run),
    ...judgeRandom(random, run),
    judgeSeedings(seedings, kind),
    judgeFirstUse(firstUse),
  ]
}

/** The parts that a run can measure alone, by the name of their flag. `draw` gives the path of the part's own plot. */
const PARTS = {
  lines: {
    title: 'messages on every line of Node',
    measure: ({ kind, plan }) => measureFrames(kind, plan),
    table: framesTable,
    judge: judgeOfFrames,
  },
  classes: {
    title: 'the three classes',
    measure: ({ kind, plan }) => measureClasses(kind, plan),
    table: classesTable,
    judge: judgeOfClasses,
  },
  sessions: {
    title: 'sessions',
    measure: ({ kind }) => measureSession(kind),
    table: sessionTable,
    judge: judgeSession,
  },
  streams: {
    title: 'streams and files',
    measure: ({ kind }) => measureStreams(kind),
    table: streamsTable,
    judge: judgeOfStreams,
    draw: async run => (await import('./plots.mjs')).drawStreams(run, root),
  },
  shares: {
    title: 'shares of keys',
    measure: ({ plan }) => measureShares(plan),
    table: sharesTable,
    judge: judgeShares,
  },
  keyring: {
    title: 'keyrings',
    measure: ({ kind }) => measureKeyring(kind),
    table: keyringTable,
    judge: judgeOfKeyring,
  },
  cookies: {
    title: 'sessions in cookies',
    measure: ({ kind }) => measureCookies(kind),
    table: cookiesTable,
    judge: judgeOfCookies,
  },
  hybrid: {
    title: 'messages to a public key',
    measure: ({ kind }) => measureHybrid(kind),
    table: hybridTable,
    judge: judgeOfHybrid,
  },
}

/** Measures one part and gives its promises. Its record is named after it. */
async function only(part, run) {
  const { title, measure, table, judge, draw } = PARTS[part]
  parts(1)(title)
  const results = await measure(run)
  show(table(results))
  if (run.record) {
    const written = [write({ machine: run.here, results, part }, root)]
    if (draw) written.push(await draw({ machine: run.here, results }))
    console.log(`\nwritten: ${written.join(', ')}`)
  }
  return judge(results, run)
}
