// The promises of this package about its speed, and a judgement which of them a run has missed.
import { judgeClasses } from './classes.mjs'
import { judgeCookies } from './cookies.mjs'
import { judgeFrames, judgeNew } from './frames.mjs'
import { judgeHybrid } from './hybrid.mjs'
import { judgeKeyring } from './keyring.mjs'
import { nodeQuic } from './quic.mjs'
import { partOfSequence, timesOfTls } from './session.mjs'
import { BINARY, GREMPE, PRIVY, sharesFigures, task } from './shares.mjs'
import { judgeStreams } from './streams.mjs'
import { isBatch, NODE, OURS } from './ways.mjs'

/** OpenSSL before 3.1 has no AVX-512 code for AES-GCM, so long messages must beat it by a larger factor. */
const OLD_OPENSSL = /^(1|3\.0)\./

/** What does not depend on the width of registers. */
const FULL = {
  packets: 0.85,
  rows: { hand: 1.5, seal: 1.5, open: 2.5 },
  pieces: 1.15,
  made: 1.15,
  classes: { xaes: 150, siv: { 64: 30, 16384: 20 } },
  session: 0.85,
  tls: 1.1,
  shares: { split: 10, combine: 3 },
}
const QUICK = {
  packets: 0.25,
  rows: { hand: 3, seal: 1, open: 1 },
  pieces: 3,
  made: 3,
  classes: { xaes: 1000, siv: {} },
  session: 0.25,
  tls: 0.4,
  shares: { split: 3, combine: 1 },
}

/**
 * `floors`: least factor by which encryptInPlace is faster than node:crypto, by bytes of the message; `old`: where it differs for
 * an old OpenSSL.
 * `unbeaten`: sizes at which our best way must be the fastest of all, in both directions; by default, all sizes.
 * `ofWall`: least part of the CPU's own limit that encryptInPlace reaches in bulk. The limit is the speed of the
 * generator's keystream in the same run: the same AES rounds without the multiplies.
 * `batch`: least factor by which a batch of 64-byte messages is faster than encryptInPlace of one frame again and again, and the
 * largest, which the way into native code decides. `packets`: least part of the speed
 * in bulk that a batch of 1440-byte messages reaches. `rows`: for rows of 64 bytes, most time of `encryptBatch` beside a batch in
 * place with copies by hand, and least factors by which it is faster than a loop of `encrypt`, and `tryDecryptBatch` than one of
 * `decrypt`. `pieces`: most time of a plaintext in three pieces, beside one piece.
 * `classes`: at 64 bytes, most ns that XAES takes over AES-GCM; least factors by which AES-GCM-SIV is faster than node:crypto, by bytes.
 * `made`: most time of `encrypt` beside `encryptInto` with memory of Node's pool.
 * `quic`: least factor by which a run of QUIC packets is faster than node:crypto, for AES-128 and AES-256.
 * `session`: least part of the speed that sealing and plain TCP, one after the other, would have. `tls`: least factor by which
 * a session is faster than node:tls, on every Node that was measured, with two processes and with one.
 * `shares`: least factors by which the npm package shamir-secret-sharing takes longer to split a key for ten of ten people, and
 * to combine its shares. Both must also take less time than in secrets.js-grempe.
 * The quick run must pass on machines of every kind, such as those of CI, also while other work delays them. Its limits find
 * gross faults alone: they are about a third of the factors that the full run measures.
 */
const LIMITS = {
  full: {
    ...FULL,
    floors: { 64: 30, 1440: 25, 16384: 8, [2 ** 20]: 2.5 },
    old: { [2 ** 20]: 6 },
    batch: { least: 2, most: 3.3 },
    quic: 20,
  },
  quick: {
    ...QUICK,
    floors: { 64: 10, [2 ** 20]: 1 },
    old: { [2 ** 20]: 2 },
    unbeaten: [64],
    batch: { least: 1.3, most: 10 },
    quic: 8,
  },
}

/** With 128-bit registers, node:crypto reaches the CPU's limit in bulk too, so we must only come near that limit. */
const NARROW = {
  full: {
    ...FULL,
    floors: { 64: 15, 1440: 4 },
    unbeaten: [16, 64, 256, 1024, 1440, 4096],
    ofWall: 0.6,
    batch: { least: 1.5, most: 3.3 },
    quic: 8,
  },
  quick: {
    ...QUICK,
    floors: { 64: 6 },
    unbeaten: [64],
    ofWall: 0.2,
    batch: { least: 1, most: 10 },
    quic: 3,
  },
}

/**
 * Streams and files, for every backend: the least speed in times that of another way. `oldNode` and `newNode`: an encrypting stream
 * beside createCipheriv, on Node before 22, whose node:crypto is slow in a pipeline, and since; `typage`: beside typage. `buffer`:
 * a whole message beside frames of one chunk each. `file`: a file beside a pipeline with createCipheriv as people write it;
 * `fastest`: beside the same with 1 MiB at a time.
 */
const STREAMS = {
  full: { oldNode: 1.5, newNode: 1, typage: 20, buffer: 0.85, file: 2, fastest: 1.5 },
  quick: { oldNode: 0.7, newNode: 0.5, typage: 6, buffer: 0.4, file: 0.6, fastest: 0.4 },
}

/**
 * Values of 64 bytes of a keyring, for every backend. `seal`: most time beside `encrypt`; `text`: most time of a text beside
 * `encryptInPlace`; `keys`: most time of opening with ten keys beside one. `node` and `peers`: least factors by which a text is faster than
 * a careful version on node:crypto, and than the fastest package.
 */
const KEYRING = {
  full: { seal: 1.15, text: 3, keys: 1.1, node: 20, peers: 10 },
  quick: { seal: 2, text: 8, keys: 2, node: 5, peers: 3 },
}

/** Cookies: least factor of requests a second beside iron-session on the same server, to read a session and to write one. */
const COOKIES = { full: { iron: 10 }, quick: { iron: 3 } }

/** Messages to a public key: least time of every other package on the same curve, in times of ours. */
const HYBRID = { full: 1, quick: 0.3 }

/** Bytes of a bulk message: one that stays in the second cache. */
const BULK = 16_384

/** Bytes of a message whose speed no call delays. */
const LARGE = 2 ** 20

/** The absolute promise. It is only reported, because it holds for the reference machine. */
const TARGET = { bytes: 64, ns: 90 }

/** One line for each promise, `{ missed, text }`. `random` are the figures of random bytes. */
export function judge(results, random, run) {
  const { unbeaten, ofWall } = limitsOf(run)
  const floors = floorsOf(process.versions.openssl, run)
  const verdicts = Object.entries(floors).map(([bytes, least]) => floor(results, Number(bytes), least))
  if (ofWall !== undefined) verdicts.push(besideWall(results, random, ofWall))
  const sizes = [...new Set(results.map(({ bytes }) => bytes))]
  for (const bytes of sizes.filter(size => unbeaten?.includes(size) ?? true)) {
    for (const direction of ['encrypt', 'decrypt']) verdicts.push(...losses(results, bytes, direction))
  }
  if (!verdicts.some(({ loss }) => loss)) {
    const where = unbeaten ? unbeaten.map(bytes => `${bytes} B`).join(', ') : 'every size'
    verdicts.push({
      missed: false,
      text: `every other implementation is slower at ${where}, in both directions`,
    })
  }
  return verdicts
}

const limitsOf = ({ kind, backend }) => (backend === 'aesni' ? NARROW : LIMITS)[kind]

/** The floors of single messages, on a Node with this OpenSSL. */
function floorsOf(openssl, run) {
  const { floors, old } = limitsOf(run)
  return OLD_OPENSSL.test(openssl) ? { ...floors, ...old } : floors
}

/** The promises about messages on every line of Node. `results` are the figures of frames.mjs. */
export const judgeOfFrames = (results, run) => [
  ...judgeFrames(results, (bytes, openssl) => floorsOf(openssl, run)[bytes]),
  ...judgeNew(results, limitsOf(run).made),
]

/** Promises about our ways beside each other, in the same run. By the least times, as in frames.mjs. */
export function judgeWays(results, run) {
  const way = (bytes, name) => results.find(r => r.bytes === bytes && r.way === name).least
  const { batch, packets, rows, pieces, made } = limitsOf(run)
  const rate = way(64, 'encryptInPlace') / way(64, 'encryptBatchInPlace')
  const part = 1440 / way(1440, 'encryptBatchInPlace') / (LARGE / way(LARGE, 'encryptInPlace'))
  const beside = way(64, 'encryptBatch') / way(64, 'encryptBatchInPlace, by hand')
  const sealed = way(64, 'encrypt') / way(64, 'encryptBatch')
  const opened = way(64, 'decrypt') / way(64, 'tryDecryptBatch')
  const more = way(BULK, 'encryptInto, 3 pieces') / way(BULK, 'encryptInto')
  return [
    {
      missed: !(rate >= batch.least && rate <= batch.most),
      text: `64 B in a batch: ${rate.toFixed(1)} times the rate of encryptInPlace, ${batch.least} to ${batch.most}`,
    },
    {
      missed: !(part >= packets),
      text: `1440 B in a batch: ${percent(part)} of bulk speed, at least ${percent(packets)}`,
    },
    {
      missed: !(beside <= rows.hand),
      text: `rows of 64 B: ${percent(beside)} of the time of a batch by hand, at most ${percent(rows.hand)}`,
    },
    {
      missed: !(sealed >= rows.seal),
      text: `rows of 64 B: ${sealed.toFixed(1)} times the rate of a loop of encrypt, at least ${rows.seal}`,
    },
    {
      missed: !(opened >= rows.open),
      text: `rows of 64 B: ${opened.toFixed(1)} times the rate of a loop of decrypt, at least ${rows.open}`,
    },
    {
      missed: !(more <= pieces),
      text: `${BULK} B in 3 pieces: ${percent(more)} of the time of one, at most ${percent(pieces)}`,
    },
    ...judgeNew(results, made),
  ]
}

/** The promises about the classes. `results` are the figures of classes.mjs. */
export const judgeOfClasses = (results, run) => judgeClasses(results, limitsOf(run).classes)

/** The promise about runs of QUIC packets. `results` are the figures of quic.mjs. */
export function judgeQuic(results, run) {
  const { quic } = limitsOf(run)
  return results
    .filter(({ by, way }) => by === OURS && way.endsWith('Run'))
    .map(({ direction, way, median }) => {
      const times = nodeQuic(results, direction) / median
      const text = `${direction}, ${way}: ${times.toFixed(1)} times as fast as node:crypto, at least ${quic}`
      return { missed: !(times >= quic), text }
    })
}

/** The promises about sessions. `results` are the figures of session.mjs. */
export function judgeSession(results, run) {
  const { session, tls } = limitsOf(run)
  const part = partOfSequence(results)
  return [
    {
      missed: !(part >= session),
      text: `session: ${percent(part)} of the speed of sealing and plain TCP in sequence, at least ${percent(session)}`,
    },
    ...timesOfTls(results).map(({ direction, times }) => ({
      missed: !(times >= tls),
      text: `${direction}: ${times.toFixed(2)} times as fast as node:tls, at least ${tls}`,
    })),
  ]
}

/** The promises about streams and files. `results` are the figures of streams.mjs. */
export const judgeOfStreams = (results, { kind }) => judgeStreams(results, STREAMS[kind])

/** The promises about keyrings. `results` are the figures of keyring.mjs. */
export const judgeOfKeyring = (results, { kind }) => judgeKeyring(results, KEYRING[kind])

/** The promises about cookies. `results` are the figures of cookies.mjs. */
export const judgeOfCookies = (results, { kind }) => judgeCookies(results, COOKIES[kind])

/** The promises about messages to a public key. `results` are the figures of hybrid.mjs. */
export const judgeOfHybrid = (results, { kind }) => judgeHybrid(results, HYBRID[kind])

/**
 * The promises about shares of a key, by the least times: the medians also hold the work of the collector, which cleans up after
 * all packages, and vary by a third from run to run. `results` are the figures of shares.mjs.
 */
export function judgeShares(results, run) {
  const { shares } = limitsOf(run)
  return Object.entries(shares).flatMap(([operation, least]) => {
    const direction = task(operation, [10, 10])
    const ours = sharesFigures(results, direction, OURS, BINARY).least
    return [
      [PRIVY, least],
      [GREMPE, 1],
    ].map(([peer, least]) => {
      const times = sharesFigures(results, direction, peer).least / ours
      const text = `${direction}: ${times.toFixed(1)} times as fast as ${peer}, at least ${least}`
      return { missed: !(times >= least), text }
    })
  })
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
  const text = `${BULK} B encryptInPlace: ${percent(part)} of the keystream's speed, at least ${percent(least)}`
  return { missed: !(part >= least), text }
}

/** The implementations that beat the best of our ways at one size. */
function losses(results, bytes, direction) {
  const here = results.filter(r => r.bytes === bytes && r.direction === direction)
  const ours = here.filter(({ by, way }) => by === OURS && !isBatch(way))
  const best = ours.reduce((a, b) => (b.median < a.median ? b : a))
  return here
    .filter(({ by, median }) => by !== OURS && median < best.median)
    .map(({ by, median }) => ({
      missed: true,
      loss: true,
      text: `${bytes} B ${direction}: ${by} takes ${median.toFixed(0)} ns, our ${best.way} ${best.median.toFixed(0)}`,
    }))
}

function percent(part) {
  return `${Math.round(100 * part)}%`
}

function inPlace(results, bytes) {
  return results.find(r => r.bytes === bytes && r.way === 'encryptInPlace')
}
